#!/usr/bin/env python3
"""What each type costs a model: quantizes it, evaluates every file, prints a table in Markdown.

    python3 tools/compare_types.py build/pleiad models/demo/pleiad-demo.gguf \\
        --types bf16,q8_0,q4_0 --text book.txt

The first type is the reference of all (KL divergence over the text, differences of the battery).
Without --text, the questions and answers beside the demo model are the text, as chats. Files are made in a
temporary folder and removed again one by one; --json FILE keeps all reports.
"""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

FOLDERS = {"nvfp4a16", "fp8", "fp8_dynamic"}  # types that are Hugging Face folders


def demo_text(model: pathlib.Path) -> str:
    """The demo model's held-out questions with their answers."""
    lines = []
    for line in (model.parent / "eval_prompts.jsonl").read_text().splitlines():
        case = json.loads(line)
        last = case["input"]["messages"][-1]
        if isinstance(case["expected"], str) and last["role"] == "user":
            lines.append(f"<|turn>user\n{last['content']}<turn|>\n"
                         f"<|turn>model\n{case['expected']}<turn|>\n")
    return "".join(lines)


def run(*command) -> str:
    """Runs to the end; what it says on its error output is shown when it fails."""
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}\n{done.stderr}")
    return done.stdout


def size_of(path: pathlib.Path) -> int:
    return sum(file.stat().st_size for file in path.rglob("*")) if path.is_dir() else path.stat().st_size


def battery_cells(report: dict) -> list:
    """Right answers of every check that ran, and of all."""
    checks = [check["results"][0] for check in report["battery"]["checks"] if "results" in check]
    cells = [f"{result['right']}/{result['n']}" for result in checks]
    overall = report["battery"]["all"][0]
    low, high = overall["interval"]
    return cells + [f"{overall['right']}/{overall['n']} ({100 * low:.0f}..{100 * high:.0f} %)"]


def text_cells(report: dict) -> list:
    """Perplexity, KL and agreement; the reference has no divergence from itself."""
    text = report["text"]
    model = text["models"][0]
    cells = [f"{model['perplexity']:.4f}"]
    if "comparison" not in text:
        return cells + ["", "", ""]
    kl = text["comparison"]["kl_divergence_nats"]
    low, high = kl["interval"]
    return cells + [f"{kl['mean']:.5f} ({low:.5f}..{high:.5f})", f"{kl['p99']:.4f}",
                    f"{100 * text['comparison']['same_top_token']['mean']:.2f} %"]


def markdown(rows: list) -> str:
    lines = ["| " + " | ".join(rows[0]) + " |", "|---" + "|---:" * (len(rows[0]) - 1) + "|"]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows[1:]])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("pleiad", type=pathlib.Path)
    parser.add_argument("model", type=pathlib.Path)
    parser.add_argument("--types", default="bf16,f16,q8_0,q6_k,q5_k,q4_k_m,q4_k_s,q4_0,nvfp4,nvfp4a16,fp8")
    parser.add_argument("--text", type=pathlib.Path)
    parser.add_argument("--quantize", default="", help="more flags of `pleiad quantize`")
    parser.add_argument("--eval", default="", help="more flags of `pleiad eval`")
    parser.add_argument("--json", type=pathlib.Path)
    flags = parser.parse_args()
    program = flags.pleiad.resolve()

    reports, texts, batteries = {}, [], []
    with tempfile.TemporaryDirectory() as folder:
        room = pathlib.Path(folder)
        text, controls = flags.text, []
        if text is None:
            controls = ["--control-tokens"]
            text = room / "text.txt"
            text.write_text(demo_text(flags.model))
        saved = room / "reference.logits"
        for name in flags.types.split(","):
            out = room / (name if name in FOLDERS else f"{name}.gguf")
            run(program, "quantize", flags.model, out, "--type", name, *flags.quantize.split())
            over_text = (["--against", saved] if saved.exists() else
                         ["--text", text, *controls, "--save-logits", saved, "--save-tail", "1e-6"])
            report = json.loads(run(program, "eval", out, "--battery", *over_text, "--json",
                                    *flags.eval.split()))
            reports[name] = report
            texts.append([name, f"{size_of(out) / 1e6:.2f} MB", *text_cells(report)])
            batteries.append([name, *battery_cells(report)])
            run("rm", "-r", out)
    checks = [check["name"] for check in report["battery"]["checks"] if "results" in check]
    print(markdown([["type", "size", "perplexity", "KL, mean (95 %)", "KL, 99 %", "same top token"], *texts]))
    print()
    print(markdown([["type", *checks, "all (95 %)"], *batteries]))
    if flags.json:
        flags.json.write_text(json.dumps(reports, indent=1))


if __name__ == "__main__":
    main()
