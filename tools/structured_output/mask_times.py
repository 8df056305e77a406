#!/usr/bin/env python3
"""What masks cost over a real vocabulary, beside llguidance: the schemas and valid instances of MaskBench, or the
grammars of mask_grammars.py.

    tools/structured_output/mask_times.py --maskbench FOLDER --tokenizer tokenizer.json [--schemas 400] [--llguidance]
    tools/structured_output/mask_times.py --grammars --tokenizer tokenizer.json [--llguidance]

Both engines are given the same texts in the same tokens and are asked for a mask before each token and
before the end. Of a schema the first text finds nothing worked out. A time is the smaller of what passed
and of what the thread computed, so that other programs on the machine do not count. Needs numpy and llguidance of
requirements.txt for --llguidance, and build/src/constrain/constrain_mask_times.
"""
import argparse
import json
import random
import subprocess
import time

import corpora
import mask_grammars

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


def question_of(case):
    return case.question if isinstance(case, Grammar) else {"schema": case.schema}


class Stopwatch:
    def __init__(self):
        self.processor, self.begin = time.thread_time(), time.perf_counter()

    def seconds(self):
        return min(time.perf_counter() - self.begin, time.thread_time() - self.processor)


def ask_pleiad(program, tokenizer, chosen):
    process = subprocess.Popen([program, tokenizer], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    about = json.loads(process.stdout.readline())
    answers = []
    for case, texts in chosen:
        process.stdin.write(json.dumps(question_of(case) | {"texts": texts}) + "\n")
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

    def grammar(self, question):
        if "schema" in question:
            return self.LLMatcher.grammar_from_json_schema(json.dumps(question["schema"]))
        if question["syntax"] == "lark":
            return self.LLMatcher.grammar_from_lark(question["definition"])
        if question["syntax"] == "regex":
            return self.LLMatcher.grammar_from_regex(question["definition"])
        raise ValueError(f'{question["syntax"]} is not read')

    def ask(self, question, replies):
        watch = Stopwatch()
        try:
            start = self.LLMatcher(self.tokenizer, self.grammar(question), log_level=0)
        except Exception as error:  # its own kinds of errors have no common name
            return {"failure": str(error)[:300]}
        if start.is_error():
            return {"failure": start.get_error()[:300]}
        out = {"compile_ms": 1000 * watch.seconds(), "replies": []}
        for reply in replies:
            matcher = start.deep_copy()
            times = []
            took = 0
            for token in [*reply["tokens"], None]:
                watch = Stopwatch()
                self.numpy.fill_next_token_bitmask(matcher, self.mask, 0)
                times.append(1e6 * watch.seconds())
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
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--maskbench", help="the folder maskbench/data of a checkout")
    what.add_argument("--grammars", action="store_true", help="those of mask_grammars.py")
    parser.add_argument("--tokenizer", required=True, help="a tokenizer.json")
    parser.add_argument("--schemas", type=int, default=400, help="so many, 0: all")
    parser.add_argument("--llguidance", action="store_true")
    parser.add_argument("--program", default="build/src/constrain/constrain_mask_times")
    parser.add_argument("--slow", type=float, help="list masks that took more microseconds than this")
    options = parser.parse_args()
    if options.grammars:
        chosen = [(Grammar(*case[:3]), case[3]) for case in mask_grammars.CASES]
    else:
        chosen = list(choose(options.maskbench, options.schemas))
    about, answers = ask_pleiad(options.program, options.tokenizer, chosen)
    print(f"trie: {about['nodes']:,} nodes, {about['trie_bytes'] / 1e6:.0f} MB, made in {about['trie_ms']:.0f} ms")
    print("| | schemas | compiled, with the first mask: median, 99 %, worst | and all masks of a first reply "
          "| masks | each: median, 99 %, worst |\n|---|---|---|---|---|---|")
    row("Pleiad", answers)
    if options.llguidance:
        peer = LlGuidance(options.tokenizer, about["end"])
        row("llguidance", [peer.ask(question_of(case), answer["replies"]) if "failure" not in answer else {"failure": ""}
                           for (case, _), answer in zip(chosen, answers)])
    for (case, _), answer in zip(chosen, answers):
        for number, reply in enumerate(answer.get("replies", [])):
            for step, time_us in enumerate(reply["mask_us"]):
                if options.slow and time_us > options.slow:
                    print(f"{case.name}: reply {number}, token {step}: {time_us:.0f} us")


if __name__ == "__main__":
    main()
