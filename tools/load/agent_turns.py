#!/usr/bin/env python3
"""Turns of an agent over a long, growing prompt: only what is new may be computed, and
each answer must equal the one that is computed without the cache.

    pleiad synth e2b q4_0 /tmp/e2b.gguf
    pleiad serve --kv-memory 2G &
    tools/load/agent_turns.py --model /tmp/e2b.gguf --turns 20 --start 15000 --grow 250

With --conversations 2 two of them take turns. With --check N every Nth turn is computed
anew and compared (a cold prompt of 20,000 tokens takes its time).
"""
import argparse
import asyncio
import random
import statistics
import sys
import time

from client import chat

WORDS = ("the agent reads file line error build test value return string number open close list "
         "user asks tool call result output path name").split()


def words(rng, count):
    return " ".join(rng.choice(WORDS) for _ in range(count))


class Conversation:
    def __init__(self, seed, args):
        self.rng = random.Random(seed)
        self.args = args
        self.messages = [{"role": "system", "content": words(self.rng, args.start)}]
        self.known = 0     # tokens of the last prompt
        self.turns = []    # (prompt tokens, cached, new at least, seconds to the first token)
        self.wrong = 0

    async def turn(self, number):
        self.messages.append({"role": "user", "content": words(self.rng, self.args.grow)})
        body = {"model": self.args.model, "messages": self.messages, "keep_alive": -1,
                "logprobs": True, "options": {"temperature": 0, "num_predict": self.args.generate}}
        logprobs = []
        start = time.monotonic()
        answer = await chat(self.args.url, body, lambda part: logprobs.append(part.get("logprobs")))
        if answer.error:
            raise SystemExit(f"turn {number}: {answer.error}")
        final = answer.final
        self.turns.append((final["prompt_eval_count"], final["prompt_eval_cached_count"],
                           final["prompt_eval_count"] - self.known,
                           (answer.first_token or 0) + answer.started - start))
        if number % self.args.check == 0:
            anew = []
            cold = await chat(self.args.url, body | {"cache": False},
                              lambda part: anew.append(part.get("logprobs")))
            flat = [one for part in logprobs if part for one in part]
            cold_flat = [one for part in anew if part for one in part]
            if cold.text != answer.text or flat != cold_flat:
                self.wrong += 1
            self.cold_seconds = cold.final["prompt_eval_duration"] / 1e9
        self.known = final["prompt_eval_count"]
        self.messages.append({"role": "assistant", "content": answer.text})


async def run(args):
    conversations = [Conversation(seed, args) for seed in range(args.conversations)]
    for number in range(1, args.turns + 1):
        for conversation in conversations:
            await conversation.turn(number)
    status = 0
    for index, conversation in enumerate(conversations):
        print(f"conversation {index + 1}: prompt tokens, cached, evaluated, of these not seen before, "
              f"seconds to the first token")
        for total, cached, new, seconds in conversation.turns:
            print(f"  {total:7} {cached:7} {total - cached:7} {new:7} {seconds:8.2f}")
        warm = conversation.turns[1:]
        # A page of 64 tokens may be partly filled when the next turn begins.
        more = [total - cached - new for total, cached, new, _ in warm]
        print(f"  after the first turn: {max(more)} tokens more than the new ones at most; "
              f"{conversation.wrong} answers differ from the cold ones; median "
              f"{statistics.median(seconds for *_, seconds in warm):.2f} s to the first token, cold "
              f"{conversation.cold_seconds:.2f} s")
        if conversation.wrong or (max(more) > 64 and not args.evicts):
            status = 1
    return status


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--url", default="http://127.0.0.1:11434")
    parser.add_argument("--model", required=True)
    parser.add_argument("--turns", type=int, default=20)
    parser.add_argument("--start", type=int, default=15_000, help="words of the system prompt")
    parser.add_argument("--grow", type=int, default=250, help="words that each turn adds")
    parser.add_argument("--generate", type=int, default=16)
    parser.add_argument("--conversations", type=int, default=1)
    parser.add_argument("--check", type=int, default=5, help="compare every Nth turn with a cold one")
    parser.add_argument("--evicts", action="store_true", help="the budget is small on purpose")
    return asyncio.run(run(parser.parse_args()))


if __name__ == "__main__":
    sys.exit(main())
