#!/usr/bin/env python3
"""What masks cost over a real vocabulary, beside llguidance: the schemas and valid instances of MaskBench.

    tools/structured_output/mask_times.py --maskbench FOLDER --tokenizer tokenizer.json [--schemas 400] [--llguidance]

Both engines are given the same texts in the same tokens and are asked for a mask before each token and
before the end. Of a schema the first text finds nothing worked out. Needs numpy and llguidance of
requirements.txt for --llguidance, and build/src/constrain/constrain_mask_times.
"""
import argparse
import json
import random
import subprocess
import time

import corpora

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


def ask_pleiad(program, tokenizer, chosen):
    process = subprocess.Popen([program, tokenizer], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    about = json.loads(process.stdout.readline())
    answers = []
    for case, texts in chosen:
        process.stdin.write(json.dumps({"schema": case.schema, "texts": texts}) + "\n")
        process.stdin.flush()
        line = process.stdout.readline()
        if not line:
            raise RuntimeError(f"constrain_mask_times ended at {case.name}")
        answers.append(json.loads(line))
    process.stdin.close()
    process.wait()
    return about, answers


class LlGuidance:
    """In its own defaults, over the pieces of the tokenizer."""

    def __init__(self, tokenizer, end):
        import llguidance.numpy
        from llguidance import LLMatcher, LLTokenizer, TokenizerWrapper

        content = json.load(open(tokenizer))
        vocabulary = content["model"]["vocab"]
        pieces = [b""] * len(vocabulary)
        for text, token in vocabulary.items():
            is_byte = len(text) == 6 and text.startswith("<0x")
            pieces[token] = bytes([int(text[3:5], 16)]) if is_byte else text.replace("\u2581", " ").encode()
        special = sorted({added["id"] for added in content["added_tokens"] if added["special"]} | {end})

        class Pieces:
            eos_token_id, bos_token_id = end, None
            tokens = pieces
            special_token_ids = special

            def __call__(self, text):
                return [vocabulary[f"<0x{byte:02X}>"] for byte in (text.encode() if isinstance(text, str) else text)]

        self.LLMatcher, self.numpy = LLMatcher, llguidance.numpy
        self.tokenizer = LLTokenizer(TokenizerWrapper(Pieces()))
        self.mask = self.numpy.allocate_token_bitmask(1, self.tokenizer.vocab_size)

    def ask(self, schema, replies):
        begin = time.perf_counter()
        try:
            start = self.LLMatcher(self.tokenizer, self.LLMatcher.grammar_from_json_schema(json.dumps(schema)), log_level=0)
        except Exception as error:  # its own kinds of errors have no common name
            return {"failure": str(error)[:300]}
        if start.is_error():
            return {"failure": start.get_error()[:300]}
        out = {"compile_ms": 1000 * (time.perf_counter() - begin), "replies": []}
        for reply in replies:
            matcher = start.deep_copy()
            times = []
            took = 0
            for token in [*reply["tokens"], None]:
                begin = time.perf_counter()
                self.numpy.fill_next_token_bitmask(matcher, self.mask, 0)
                times.append(1e6 * (time.perf_counter() - begin))
                if token is None or not matcher.consume_token(token):
                    break
                took += 1
            out["replies"].append({"mask_us": times, "took": took, "tokens": reply["tokens"]})
        return out


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
    parser.add_argument("--maskbench", required=True, help="the folder maskbench/data of a checkout")
    parser.add_argument("--tokenizer", required=True, help="a tokenizer.json")
    parser.add_argument("--schemas", type=int, default=400, help="so many, 0: all")
    parser.add_argument("--llguidance", action="store_true")
    parser.add_argument("--program", default="build/src/constrain/constrain_mask_times")
    parser.add_argument("--slow", type=float, help="list masks that took more microseconds than this")
    options = parser.parse_args()
    chosen = list(choose(options.maskbench, options.schemas))
    about, answers = ask_pleiad(options.program, options.tokenizer, chosen)
    print(f"trie: {about['nodes']:,} nodes, {about['trie_bytes'] / 1e6:.0f} MB, made in {about['trie_ms']:.0f} ms")
    print("| | schemas | compiled, with the first mask: median, 99 %, worst | and all masks of a first reply "
          "| masks | each: median, 99 %, worst |\n|---|---|---|---|---|---|")
    row("Pleiad", answers)
    if options.llguidance:
        peer = LlGuidance(options.tokenizer, about["end"])
        row("llguidance", [peer.ask(case.schema, answer["replies"]) if "failure" not in answer else {"failure": ""}
                           for (case, _), answer in zip(chosen, answers)])
    for (case, _), answer in zip(chosen, answers):
        for number, reply in enumerate(answer.get("replies", [])):
            for step, time_us in enumerate(reply["mask_us"]):
                if options.slow and time_us > options.slow:
                    print(f"{case.name}: reply {number}, token {step}: {time_us:.0f} us")


if __name__ == "__main__":
    main()
