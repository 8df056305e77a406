#!/usr/bin/env python3
"""Does the slowest token of 32 streams come later where each stream has a schema of its own?

    tools/structured_output/streams.py --maskbench DATA --tokenizer tokenizer.json MODEL [--streams 32] [--tokens 64] [--rounds 3]

Draws schemas of MaskBench (the folder maskbench/data of a checkout) whose replies go on for all those tokens, and asks a
server for as many answers at once: without a form, then with these schemas, in turn; in the first round the server sees
each schema for the first time. A gap is the time between two tokens of one stream, as its client reads them, and counts
while all streams write: behind the first token of the last one, up to the end of the first one. Prints a Markdown table.
Pieces of single bytes, which streams hold back until a character is whole, are suppressed in all answers, and no text is
forced, so that each token is one step and one event.
"""
import argparse
import json
import random
import statistics
import sys
import threading
import time
import urllib.error
import urllib.request

import corpora
import served


class Stream(threading.Thread):
    """One answer under `schema` (None: free text); when each of its tokens came is in `times`."""

    def __init__(self, url, options, schema, number):
        super().__init__(daemon=True)
        self.times, self.refused = [], None
        body = {"messages": [{"role": "user", "content": f"Write down what number {number} is."}], "stream": True,
                "max_tokens": options.tokens, "temperature": 1, "seed": number, "reasoning_effort": "none",
                "forced_text": False, "repetition_guard": False, "logit_bias": options.bytes, "model": options.model}
        if schema is not None:
            body["response_format"] = {"type": "json_schema", "json_schema": {"name": "reply", "schema": schema}}
        self.request = urllib.request.Request(url + "/v1/chat/completions", json.dumps(body).encode(),
                                              {"Content-Type": "application/json"})

    def run(self):
        self.begin = time.monotonic()
        try:
            with urllib.request.urlopen(self.request, timeout=600) as answer:
                for line in answer:
                    if line.startswith(b"data: {") and json.loads(line[6:])["choices"][0]["delta"].get("content"):
                        self.times.append(time.monotonic())
        except urllib.error.HTTPError as error:
            self.refused = error.read().decode(errors="replace")


def ask(url, options, forms):
    """`forms`: of each stream its number, which is its question and seed, and its schema."""
    streams = [Stream(url, options, schema, number) for number, schema in forms]
    for stream in streams:
        stream.start()
    for stream in streams:
        stream.join()
    return streams


def byte_pieces(tokenizer):
    with open(tokenizer, encoding="utf-8") as file:
        pieces = json.load(file)["model"]["vocab"]
    return {str(pieces[f"<0x{byte:02X}>"]): -100 for byte in range(256)}


def draw_schemas(url, options):
    """Schemas whose replies have all tokens that they may, each with the number that it was asked with."""
    cases = list(corpora.mask_bench(options.maskbench))
    random.Random(options.seed).shuffle(cases)
    forms = list(enumerate(case.schema for case in cases))
    found = []
    while len(found) < options.streams:
        batch, forms = forms[: options.streams], forms[options.streams :]
        if not batch:
            sys.exit("too few schemas whose replies go on for so many tokens")
        asked = ask(url, options, batch)
        found += [form for form, stream in zip(batch, asked) if len(stream.times) == options.tokens]
        print(f"{min(len(found), options.streams)} of {options.streams} schemas", file=sys.stderr, flush=True)
    return found[: options.streams]


def gaps_of(streams, n_tokens):
    """Seconds, in order of length, between tokens while all streams write; of a token without text two are one gap, so
    streams that had such a one are left out."""
    for stream in streams:
        if not stream.times:
            sys.exit(f"a stream had no token: {stream.refused}")
    begin = max(stream.times[0] for stream in streams)
    end = min(stream.times[-1] for stream in streams)
    gaps = [after - before for stream in streams if len(stream.times) == n_tokens
            for before, after in zip(stream.times, stream.times[1:]) if begin <= before and after <= end]
    if not gaps:
        sys.exit("no token came while all streams wrote: ask for more with --tokens")
    return sorted(gaps)


def print_row(name, streams, n_tokens):
    gaps = gaps_of(streams, n_tokens)
    first = max(stream.times[0] - stream.begin for stream in streams)
    print(f"| {name} | {sum(len(stream.times) for stream in streams)} | {len(gaps)} | {1e3 * statistics.median(gaps):.0f} ms | "
          f"{1e3 * gaps[int(0.99 * (len(gaps) - 1))]:.0f} ms | {1e3 * gaps[-1]:.0f} ms | {first:.1f} s |", flush=True)
    return gaps[-1]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model")
    parser.add_argument("--maskbench", required=True)
    parser.add_argument("--tokenizer", required=True, help="of the model: which pieces are single bytes")
    parser.add_argument("--program", default="build/pleiad")
    parser.add_argument("--streams", type=int, default=32)
    parser.add_argument("--tokens", type=int, default=64)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seed", type=int, default=1, help="which schemas are drawn")
    options = parser.parse_args()
    options.bytes = byte_pieces(options.tokenizer)
    flags = ["--parallel", str(options.streams), "--ctx", "2048"]
    with served.serve(options.program, [options.model], *flags) as url:
        forms = draw_schemas(url, options)
    with served.serve(options.program, [options.model], *flags) as url:
        ask(url, options, [(0, None), (1, {"type": "boolean"})])  # the model's pages and the vocabulary's trees are there
        print("| | tokens | gaps | median | 99 % | slowest | last one begins |\n|---|---|---|---|---|---|---|")
        ratios = []
        for number in range(options.rounds):
            free = print_row("no form", ask(url, options, [(form[0], None) for form in forms]), options.tokens)
            name = "schemas, again" if number else "schemas, for the first time"
            ratios.append(print_row(name, ask(url, options, forms), options.tokens) / free)
    print(f"\nThe slowest token with schemas beside the slowest without: {', '.join(f'{ratio:.2f}' for ratio in ratios)}")


if __name__ == "__main__":
    main()
