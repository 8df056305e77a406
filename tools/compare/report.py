"""The table of compare.py, for a terminal or in Markdown."""

HEADER = ["test", "needed a token", "limit", "limit tok/s", "Pleiad tok/s", "of the limit",
          "llama.cpp tok/s", "of the limit", "ratio"]
NOTHING = "-"


def number(value):
    """Three significant digits, more where they stand before the point."""
    if value is None:
        return NOTHING
    if value >= 1000:
        return f"{value:,.0f}"
    return f"{value:.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def share(value):
    return NOTHING if value is None else f"{100 * value:.1f} %"


def spread(rate):
    if rate is None:
        return NOTHING
    return f"{number(rate['median'])} ({number(rate['min'])} to {number(rate['max'])})"


def needed(entry):
    value = entry["needed_per_token"]
    if value is None:
        return NOTHING
    if entry["bound"] == "read":
        return f"{value / 1e6:,.1f} MB"
    return f"{value / 1e9:.2f} GFLOP" if value >= 1e8 else f"{value / 1e6:.2f} MFLOP"


def limit(entry):
    value = entry["limit_per_second"]
    if entry["bound"] == "read":
        return f"{value / 1e9:.1f} GB/s"
    return f"{value / 1e12:.2f} {'TOP/s' if entry['limit_counts_integers'] else 'TFLOP/s'}"


def test_cells(entry):
    ratio = entry["ratio"]
    return [entry["name"], needed(entry), limit(entry), number(entry["limit_tok_s"]),
            spread(entry["pleiad_tok_s"]), share(entry["pleiad_share"]),
            spread(entry["llama_tok_s"]), share(entry["llama_share"]),
            NOTHING if ratio is None else number(ratio)]


def start_cells(start):
    """Time and memory of a reply of one token; the ratios say how much less Pleiad needs."""
    ours, theirs = start["pleiad"], start.get("llama")
    seconds = ["start to first token", spread(ours["seconds"]) + " s"]
    memory = ["peak memory", f"{ours['peak_bytes'] / 1e9:.2f} GB"]
    if theirs:
        seconds += [spread(theirs["seconds"]) + " s",
                    number(theirs["seconds"]["median"] / ours["seconds"]["median"])]
        memory += [f"{theirs['peak_bytes'] / 1e9:.2f} GB",
                   number(theirs["peak_bytes"] / ours["peak_bytes"])]
    else:
        seconds += [NOTHING, NOTHING]
        memory += [NOTHING, NOTHING]
    return [seconds, memory]


def table(header, rows, markdown):
    if markdown:
        lines = [header, ["---"] * len(header), *rows]
        return "\n".join("| " + " | ".join(line) + " |" for line in lines)
    widths = [max(len(line[i]) for line in [header, *rows]) for i in range(len(header))]
    return "\n".join("  ".join(cell.ljust(width) for cell, width in zip(line, widths)).rstrip()
                     for line in [header, *rows])


def as_text(result, markdown):
    parts = [f"{result['date']}, {result['processor']}, {result['threads']} threads, medians of "
             f"{result['repetitions']} (least to most)",
             f"{result['model']}, {result['model_bytes'] / 1e9:.2f} GB",
             f"{result['pleiad']}; llama.cpp build {result['llama_cpp']}",
             table(HEADER, [test_cells(entry) for entry in result["tests"]], markdown)]
    if result["start"]:
        parts.append(table([f"one token, context {result['context']}", "Pleiad", "llama.cpp",
                            "ratio"], start_cells(result["start"]), markdown))
    return "\n\n".join(parts) if markdown else "\n".join(parts[:3]) + "\n\n" + "\n\n".join(parts[3:])
