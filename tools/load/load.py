#!/usr/bin/env python3
"""Load on a running server, from a process of its own: every answer is compared with
what the same question gives alone, and what it cost is printed.

    pleiad serve demo --max-queue 2000 &
    tools/load/load.py streams --count 1000
    tools/load/load.py mixed --clients 64 --minutes 5
    tools/load/load.py long-prompt --streams 8 --tokens 30000
"""
import argparse
import asyncio
import random
import re
import resource
import statistics
import sys
import time

from client import chat, get

WORDS = "one two three four five six seven eight nine ten red green blue".split()


def question(text, **options):
    return {"messages": [{"role": "user", "content": text}], "options": {"temperature": 0} | options}


def questions(rng, count, longest):
    """Short and long prompts, greedy and sampled ones."""
    made = []
    for index in range(count):
        kind = index % 4
        if kind == 0:
            made.append(question(f"Count from 1 to {rng.randint(5, 40)}", num_predict=150))
        elif kind == 1:
            made.append(question(f"Spell the word {rng.choice(WORDS)}", num_predict=60))
        elif kind == 2:
            filler = " ".join(rng.choice(WORDS) for _ in range(rng.randint(50, longest)))
            made.append(question(filler, num_predict=40))
        else:
            made.append(question(f"What is {rng.randint(1, 40)} + {rng.randint(1, 40)}?", num_predict=60,
                                 temperature=1.5, top_k=0, top_p=1, seed=rng.randint(1, 10**9)))
    return made


def percentile(values, share):
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))] if ordered else float("nan")


async def resident(url):
    found = re.search(r"^pleiad_resident_memory_bytes (\S+)", await get(url, "/metrics"), re.M)
    return float(found[1]) / 1e6 if found else float("nan")


async def solo(url, model, bodies):
    """Each alone, and computed anew."""
    return [(await chat(url, body | {"model": model, "cache": False})).text for body in bodies]


def report(title, answers, seconds, wrong, before, after):
    good = [a for a in answers if a.error is None]
    tokens = sum(a.final.get("eval_count", 0) for a in good)
    first = [a.first_token for a in good if a.first_token is not None]
    longest = [max(a.gaps) for a in good if a.gaps]
    print(f"{title}: {len(answers)} answers in {seconds:.1f} s, {len(answers) - len(good)} errors, "
          f"{wrong} differ from their solo result")
    print(f"  {tokens / seconds:.1f} tokens/s; to the first token: median "
          f"{statistics.median(first):.3f} s, 99 % {percentile(first, .99):.3f} s; "
          f"longest gap: median {statistics.median(longest) * 1e3:.0f} ms, "
          f"largest {max(longest) * 1e3:.0f} ms" if first and longest else "  no tokens")
    print(f"  resident memory before {before:.0f} MB, after {after:.0f} MB")
    for answer in answers:
        if answer.error:
            print(f"  first error: {answer.error}")
            break
    return 1 if wrong or len(good) < len(answers) else 0


async def streams(args):
    """Many streams open at once."""
    bodies = questions(random.Random(1), 16, args.longest)
    expected = await solo(args.url, args.model, bodies)
    before = await resident(args.url)
    start = time.monotonic()
    answers = await asyncio.gather(*[
        chat(args.url, bodies[i % 16] | {"model": args.model}) for i in range(args.count)])
    seconds = time.monotonic() - start
    wrong = sum(a.error is None and a.text != expected[i % 16] for i, a in enumerate(answers))
    return report(f"{args.count} streams", answers, seconds, wrong, before, await resident(args.url))


async def mixed(args):
    """A steady number of clients with mixed prompts."""
    bodies = questions(random.Random(2), 48, args.longest)
    expected = await solo(args.url, args.model, bodies)
    answers, wrong = [], 0
    before = await resident(args.url)
    start = time.monotonic()
    end = start + args.minutes * 60
    middle = None

    async def client(seed):
        nonlocal wrong, middle
        rng = random.Random(seed)
        while time.monotonic() < end:
            which = rng.randrange(len(bodies))
            answer = await chat(args.url, bodies[which] | {"model": args.model})
            answers.append(answer)
            wrong += answer.error is None and answer.text != expected[which]
            if middle is None and time.monotonic() > (start + end) / 2:
                middle = await resident(args.url)

    await asyncio.gather(*[client(seed) for seed in range(args.clients)])
    status = report(f"{args.clients} clients", answers, time.monotonic() - start, wrong, before,
                    await resident(args.url))
    print(f"  resident memory half-way {middle or float('nan'):.0f} MB")
    return status


async def long_prompt(args):
    """A long prompt arrives amid running streams."""
    # A hot sampler does not end its turn soon.
    count = question("Count from 1 to 50", num_predict=args.generate, temperature=args.temperature,
                     seed=1) | {"model": args.model}
    filler = question(" ".join(random.Random(3).choice(WORDS) for _ in range(args.tokens)), num_predict=4)
    arrived = []

    async def late():
        await asyncio.sleep(args.after)
        arrived.append(time.monotonic())
        answer = await chat(args.url, filler | {"model": args.model, "cache": False})
        arrived.append(time.monotonic())
        return answer

    *running, long = await asyncio.gather(*[chat(args.url, count) for _ in range(args.streams)], late())
    if long.error:
        print(f"the long prompt: {long.error}")
        return 1
    usual, during = [], []
    for answer in running:
        for at, gap in zip(answer.arrivals[1:], answer.gaps):
            (during if at > arrived[0] and at - gap < arrived[1] else usual).append(gap)
    if not usual or not during:
        print("the streams ended before the long prompt came: raise --generate or lower --after")
        return 1
    middle = statistics.median(usual)
    print(f"a prompt of {long.final['prompt_eval_count']} tokens amid {args.streams} streams: its first "
          f"token after {long.first_token:.2f} s; usual gap {middle * 1e3:.1f} ms, then median "
          f"{statistics.median(during) * 1e3:.1f} ms, longest {max(during) * 1e3:.1f} ms "
          f"= {max(during) / middle:.2f} times the usual gap")
    return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--url", default="http://127.0.0.1:11434")
    parser.add_argument("--model", default="demo")
    commands = parser.add_subparsers(required=True)
    one = commands.add_parser("streams", help=streams.__doc__)
    one.add_argument("--count", type=int, default=1000)
    one.add_argument("--longest", type=int, default=300, help="words of the longest prompts")
    one.set_defaults(run=streams)
    two = commands.add_parser("mixed", help=mixed.__doc__)
    two.add_argument("--clients", type=int, default=64)
    two.add_argument("--minutes", type=float, default=5)
    two.add_argument("--longest", type=int, default=300, help="words of the longest prompts")
    two.set_defaults(run=mixed)
    three = commands.add_parser("long-prompt", help=long_prompt.__doc__)
    three.add_argument("--streams", type=int, default=8)
    three.add_argument("--tokens", type=int, default=30_000, help="words of the long prompt")
    three.add_argument("--generate", type=int, default=400, help="tokens of each stream")
    three.add_argument("--temperature", type=float, default=2.0, help="of the streams")
    three.add_argument("--after", type=float, default=1.0, help="seconds before the long prompt")
    three.set_defaults(run=long_prompt)
    args = parser.parse_args()
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 65536), hard))
    return asyncio.run(args.run(args))


if __name__ == "__main__":
    sys.exit(main())
