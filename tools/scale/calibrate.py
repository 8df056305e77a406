#!/usr/bin/env python3
"""Measures what steps cost on a running `pleiad serve`: the curves that the simulator computes with.

    pleiad synth e2b q4_0 e2b.gguf
    taskset -c 0 pleiad serve e2b.gguf --threads 1 --port 8001 &
    tools/scale/calibrate.py --url http://127.0.0.1:8001 --model e2b.gguf > curves.json

With several --url all are measured at the same time, so that what replicas of one machine take from each other (the
bandwidth of its memory) is in the curves, which are the mean of theirs.
"""
import argparse
import asyncio
import json
import random
import re
import statistics
import sys

from completion_client import Connection, ServerError, complete, find_reply_token


class Bench:
    """The measurements of one server."""

    def __init__(self, url, args, seed):
        self.url = url
        self.args = args
        self.rng = random.Random(seed)  # prompts that no cache knows
        self.reply_token = None

    def words(self, n_tokens):
        return [self.rng.randrange(2000, self.args.vocabulary) for _ in range(n_tokens)]

    async def ask(self, tokens, n_reply):
        return await complete(self.url, self.args.model, tokens, n_reply, self.reply_token)

    async def first(self, tokens):
        answer = await self.ask(tokens, 1)
        return answer.times[0] - answer.sent

    async def gap(self, n_streams, context):
        """Seconds between two tokens while so many answers are generated."""
        prompts = [self.words(context) for _ in range(n_streams)]
        for prompt in prompts:
            await self.ask(prompt, 1)  # so that all begin within a few steps
        n_reply = self.args.tokens + n_streams
        answers = await asyncio.gather(*[self.ask(prompt, n_reply) for prompt in prompts])
        begin = max(answer.times[0] for answer in answers)
        end = min(answer.times[-1] for answer in answers)
        gaps = [b - a for answer in answers for a, b in zip(answer.times, answer.times[1:])
                if a >= begin and b <= end]
        if not gaps:
            raise ServerError(f"{self.url}: {n_streams} answers of {n_reply} tokens never ran at the same time: "
                              "give more --tokens, or no more --streams than its --parallel")
        return statistics.median(gaps)

    async def behind(self, context, n_rows):
        """Seconds to the first token of a prompt all but n_rows of which are cached."""
        prompt = self.words(context)
        await self.ask(prompt, 1)
        return await self.first(prompt + self.words(n_rows))

    async def median(self, measure, *args):
        return statistics.median([await measure(*args) for _ in range(self.args.repetitions)])

    async def cache_bytes(self, kind):
        text = (await Connection(self.url).request("GET", "/metrics", keep=False)).body.decode()
        return sum(map(float, re.findall(rf'^pleiad_kv_bytes{{kind="{kind}".*}} (\S+)$', text, re.M)))

    async def capacity(self):
        """Tokens that the cache holds."""
        n_tokens = 64 * 16
        before = await self.cache_bytes("cached")
        await self.ask(self.words(n_tokens), 1)
        more = await self.cache_bytes("cached") - before
        if more <= 0:
            raise ServerError(f"{self.url}: its cache is full: start it anew")
        return int(await self.cache_bytes("limit") / more * n_tokens)

    async def curves(self):
        self.reply_token = await find_reply_token(self.url, self.args.model)
        capacity = await self.capacity()
        generation = [[n, await self.median(self.gap, n, 16)] for n in self.args.streams]
        one = generation[0][1]
        request = max(statistics.median([await self.first(self.words(1)) for _ in range(9)]) - one, 0.0)
        prompts = []
        for n in self.args.rows:
            firsts = [await self.first(self.words(n)) for _ in range(self.args.repetitions)]
            prompts.append([n, max(statistics.median(firsts) - request, one)])
        deep, rows = self.args.context, self.args.rows[-1]
        context = (await self.median(self.gap, 1, deep) - one) / deep
        prompt_context = (await self.median(self.behind, deep, rows) - request - prompts[-1][1]) / (rows * deep)
        return {"generation": generation, "prompts": prompts, "context_seconds": max(context, 0.0),
                "prompt_context_seconds": max(prompt_context, 0.0), "request_seconds": request,
                "capacity_tokens": capacity}


def mean_curves(all_curves):
    """Of servers that were measured together."""
    def mean(values):
        return float(f"{statistics.fmean(values):.5g}")

    found = {}
    for name, value in all_curves[0].items():
        if isinstance(value, list):
            found[name] = [[point[0], mean([curves[name][i][1] for curves in all_curves])]
                           for i, point in enumerate(value)]
        elif name == "capacity_tokens":
            found[name] = min(curves[name] for curves in all_curves)
        else:
            found[name] = mean([curves[name] for curves in all_curves])
    return found


async def measure(args):
    benches = [Bench(url, args, random.randrange(1 << 30)) for url in args.url]
    return mean_curves(await asyncio.gather(*[bench.curves() for bench in benches]))


def numbers(text):
    try:
        values = sorted({int(word) for word in text.split(",")})
    except ValueError:
        values = [0]
    if values[0] < 1:
        raise argparse.ArgumentTypeError(f"expected whole numbers from 1 on with commas, found '{text}'")
    return values


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--url", action="append", required=True)
    parser.add_argument("--model", required=True)
    parser.add_argument("--vocabulary", type=int, default=200_000, help="tokens of prompts are below it")
    parser.add_argument("--streams", type=numbers, default="1,2,4,8,16,32")
    parser.add_argument("--rows", type=numbers, default="1,16,64,128,256,512")
    parser.add_argument("--tokens", type=int, default=24,
                        help="of each answer, and one more for each stream beside it")
    parser.add_argument("--context", type=int, default=4096)
    parser.add_argument("--repetitions", type=int, default=3)
    args = parser.parse_args()
    if args.rows[-1] > 512:
        parser.error("--rows: a step has 512 rows at most")
    try:
        found = asyncio.run(measure(args))
    except ServerError as error:
        print(f"calibrate.py: {error}", file=sys.stderr)
        return 1
    print(json.dumps(found, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
