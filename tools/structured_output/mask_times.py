#!/usr/bin/env python3
"""What masks cost over a real vocabulary, beside llguidance and xgrammar: the schemas and valid instances of MaskBench, or
the grammars of mask_grammars.py.

    tools/structured_output/mask_times.py --maskbench FOLDER --tokenizer tokenizer.json [--schemas 400] [--peer NAME ...]
    tools/structured_output/mask_times.py --maskbench FOLDER --tokenizer tokenizer.json --calls
    tools/structured_output/mask_times.py --grammars --tokenizer tokenizer.json [--peer NAME ...]

All engines are given the same texts in the same tokens and are asked for a mask before each token and
before the end. Of a schema the first text finds nothing worked out. A time is the smaller of what passed
and of what was computed, so that other programs on the machine do not count. Needs numpy and the peers of
requirements.txt, and build/src/constrain/constrain_mask_times.
"""
import argparse
import json
import random
import subprocess

import corpora
import mask_grammars
import mask_peers

LONGEST_TEXT = 20_000


def choose(folder, n_schemas):
    """Schemas of all groups, drawn by a fixed number; of each three valid instances at most."""
    cases = [case for case in corpora.mask_bench(folder) if any(case.valid)]
    random.Random(3).shuffle(cases)
    for case in cases[:n_schemas] if n_schemas else cases:
        texts = [text for text, valid in zip(case.texts, case.valid) if valid and len(text) <= LONGEST_TEXT]
        if texts:
            # As models write JSON: blanks behind commas and colons.
            yield case, [json.dumps(json.loads(text), ensure_ascii=False) for text in texts[:3]]


class Grammar:
    """One of mask_grammars.py, as choose() gives a schema."""

    def __init__(self, name, syntax, definition):
        self.name, self.question = name, {"syntax": syntax, "definition": definition}


def in_order_of_calls(value):
    """Its keys as the templates sort them, whatever their case."""
    if isinstance(value, dict):
        return {key: in_order_of_calls(value[key]) for key in sorted(value, key=str.lower)}
    return [in_order_of_calls(each) for each in value] if isinstance(value, list) else value


class Tool:
    """Calls of a tool that has a schema of MaskBench as its parameters, with the instances that are objects."""

    def __init__(self, case, texts):
        self.name = case.name
        arguments = [in_order_of_calls(json.loads(text)) for text in texts]
        self.question = {"parameters": case.schema, "arguments": [each for each in arguments if isinstance(each, dict)]}


def question_of(case):
    if isinstance(case, Tool):
        return case.question
    return case.question if isinstance(case, Grammar) else {"schema": case.schema}


def ask_pleiad(program, tokenizer, chosen):
    process = subprocess.Popen([program, tokenizer], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    about = json.loads(process.stdout.readline())
    answers = []
    for case, texts in chosen:
        process.stdin.write(json.dumps(question_of(case) | ({} if isinstance(case, Tool) else {"texts": texts})) + "\n")
        process.stdin.flush()
        line = process.stdout.readline()
        if not line:
            raise RuntimeError(f"constrain_mask_times ended at {case.name}")
        answers.append(json.loads(line))
    process.stdin.close()
    process.wait()
    return about, answers


def at(values, share):
    return sorted(values)[min(len(values) - 1, int(len(values) * share))] if values else float("nan")


def row(name, answers):
    """A line of the table in docs/structured-output.md."""
    taken = [answer for answer in answers if "failure" not in answer and answer["replies"]]
    first = [answer["compile_ms"] + answer["replies"][0]["mask_us"][0] / 1000 for answer in taken]
    masks = [time for answer in taken for reply in answer["replies"] for time in reply["mask_us"]]
    cold = [answer["compile_ms"] + sum(answer["replies"][0]["mask_us"]) / 1000 for answer in taken]
    cells = [name, f"{len(taken)} of {len(answers)}", f"{at(first, .5):.2f}, {at(first, .99):.1f}, {max(first):.1f} ms",
             f"{at(cold, .5):.2f}, {at(cold, .99):.1f}, {max(cold):.1f} ms", f"{len(masks):,}",
             f"{at(masks, .5):.1f}, {at(masks, .99):.0f}, {max(masks):.0f} us"]
    print("| " + " | ".join(cells) + " |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--maskbench", help="the folder maskbench/data of a checkout")
    what.add_argument("--grammars", action="store_true", help="those of mask_grammars.py")
    parser.add_argument("--tokenizer", required=True, help="a tokenizer.json")
    parser.add_argument("--schemas", type=int, default=400, help="so many, 0: all")
    parser.add_argument("--calls", action="store_true", help="calls of a tool with each schema, which no peer writes")
    parser.add_argument("--peer", action="append", default=[], choices=list(mask_peers.PEERS))
    parser.add_argument("--seconds", type=float, default=60, help="a peer has for one schema")
    parser.add_argument("--program", default="build/src/constrain/constrain_mask_times")
    parser.add_argument("--slow", type=float, help="list masks that took more microseconds than this")
    options = parser.parse_args()
    if options.grammars:
        chosen = [(Grammar(*case[:3]), case[3]) for case in mask_grammars.CASES]
    else:
        chosen = list(choose(options.maskbench, options.schemas))
    if options.calls:
        if options.peer or options.grammars:
            parser.error("--calls has no peers, and needs --maskbench")
        tools = [(Tool(case, texts), texts) for case, texts in chosen]
        chosen = [(tool, texts) for tool, texts in tools if tool.question["arguments"]]
    about, answers = ask_pleiad(options.program, options.tokenizer, chosen)
    print(f"trie: {about['nodes']:,} nodes, {about['trie_bytes'] / 1e6:.0f} MB, made in {about['trie_ms']:.0f} ms")
    print("| | schemas | compiled, with the first mask: median, 99 %, worst | and all masks of a first reply "
          "| masks | each: median, 99 %, worst |\n|---|---|---|---|---|---|")
    row("Pleiad", answers)
    for name in options.peer:
        peer = mask_peers.PeerProcess(name, options.tokenizer, about["end"], options.seconds)
        row(name, [peer.ask(question_of(case), answer["replies"]) if "failure" not in answer else {"failure": ""}
                   for (case, _), answer in zip(chosen, answers)])
    for (case, _), answer in zip(chosen, answers):
        for number, reply in enumerate(answer.get("replies", [])):
            for step, time_us in enumerate(reply["mask_us"]):
                if options.slow and time_us > options.slow:
                    print(f"{case.name}: reply {number}, token {step}: {time_us:.0f} us")


if __name__ == "__main__":
    main()
