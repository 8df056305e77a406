#!/usr/bin/env python3
"""What running answers wait for while a picture arrives.

    pleiad serve /models/e2b.gguf &    # with mmproj-e2b.gguf beside it
    tools/load/picture_stall.py --model /models/e2b.gguf --streams 8 --pictures 3

Starts answers that go on until the end, and shows pictures one after the other, each of other pixels, so that it is
encoded. For each picture one line: what lies between two tokens of a running answer, the median of the time before it
was sent, and the median and the longest until the first token of its own answer came. The first picture also loads the
tower. `server_longest` is what the server itself counted (pleiad_picture_stall_seconds), the longest part of a picture
since it was started. Exit 1: the longest is --at-most times the median before, or more.
"""
import argparse
import asyncio
import base64
import json
import random
import re
import statistics
import struct
import sys
import time
import zlib

from http11 import Connection


def gaps(streams, begin, end):
    """Between two tokens of a stream (its list of times) that both came, where some of it lies in [begin, end]."""
    return [b - a for times in streams for a, b in zip(times, times[1:]) if b > begin and a < end]


def png(width, height, seed):
    """Random blocks of 16 by 16 pixels."""
    rng = random.Random(seed)
    rows = []
    for _ in range(0, height, 16):
        row = b"\0" + b"".join(rng.randbytes(3) * 16 for _ in range(0, width, 16))[:3 * width]
        rows += [row] * 16
    chunks = [(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)),
              (b"IDAT", zlib.compress(b"".join(rows[:height]), 1)), (b"IEND", b"")]
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
        for name, data in chunks)


async def refused(response, connection):
    text = b"".join([piece async for piece in connection.pieces(response)])
    raise RuntimeError(f"status {response.status}: {text[:300].decode(errors='replace')}")


async def run_stream(args, seed, times):
    """Notes when each token came."""
    connection = Connection(args.url)
    body = {"model": args.model, "prompt": f"{seed} and on it goes:", "raw": True, "stream": True,
            "options": {"num_predict": args.tokens, "temperature": 1, "seed": seed}, "ignore_eos": True}
    try:
        await connection.send("POST", "/api/generate", body)
        response = await connection.read_head()
        if response.status != 200:
            await refused(response, connection)
        async for _ in connection.pieces(response):
            times.append(time.monotonic())
    finally:
        await connection.close()
    raise RuntimeError("a running answer ended before the pictures did: more --tokens")


async def show(args, picture):
    """When the first token of the picture's answer came."""
    connection = Connection(args.url)
    body = {"model": args.model, "stream": True,
            "messages": [{"role": "user", "content": "What is this?", "images": [base64.b64encode(picture).decode()]}],
            "options": {"num_predict": 1, "max_soft_tokens": args.budget}}
    try:
        await connection.send("POST", "/api/chat", body)
        response = await connection.read_head()
        if response.status != 200:
            await refused(response, connection)
        async for _ in connection.pieces(response):
            return time.monotonic()
    finally:
        await connection.close()
    raise RuntimeError("the picture was not answered")


async def server_longest(args):
    connection = Connection(args.url)
    text = (await connection.request("GET", "/metrics")).body.decode()
    await connection.close()
    return max(map(float, re.findall(r"^pleiad_picture_stall_seconds(?:{[^}]*})? (\S+)$", text, re.M)))


async def show_pictures(args, streams):
    worst = 0
    while any(len(times) < 4 for times in streams):
        await asyncio.sleep(0.05)
    for seed in range(args.pictures):
        begin = time.monotonic()
        await asyncio.sleep(args.seconds)
        picture = png(args.width, args.height, seed)
        sent = time.monotonic()
        answered = await show(args, picture)
        await asyncio.sleep(0.5)  # what a token waits for now is told by the next
        before, during = gaps(streams, begin, sent), gaps(streams, sent, answered)
        usual, longest = statistics.median(before), max(during)
        worst = max(worst, longest / usual)
        print(f"{args.width}x{args.height}, budget {args.budget}, amid {args.streams} answers: first token after "
              f"{answered - sent:.2f} s; usual gap {usual * 1e3:.1f} ms (longest {max(before) * 1e3:.1f}), then median "
              f"{statistics.median(during) * 1e3:.1f} ms, longest {longest * 1e3:.1f} ms = {longest / usual:.2f} times "
              f"the usual one; server_longest {await server_longest(args) * 1e3:.1f} ms", flush=True)
    return worst


async def measure(args):
    streams = [[] for _ in range(args.streams)]
    tasks = [asyncio.create_task(run_stream(args, seed, times)) for seed, times in enumerate(streams)]
    pictures = asyncio.create_task(show_pictures(args, streams))
    done, _ = await asyncio.wait([pictures, *tasks], return_when=asyncio.FIRST_COMPLETED)
    for task in [pictures, *tasks]:
        if task not in done:
            task.cancel()
    await asyncio.gather(pictures, *tasks, return_exceptions=True)
    return max(task.result() for task in done)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--url", default="http://127.0.0.1:11434")
    parser.add_argument("--model", required=True)
    parser.add_argument("--width", type=int, default=960)
    parser.add_argument("--height", type=int, default=672)
    parser.add_argument("--budget", type=int, default=280)
    parser.add_argument("--streams", type=int, default=8)
    parser.add_argument("--tokens", type=int, default=4000, help="of each stream, more than are needed")
    parser.add_argument("--pictures", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=10, help="of streams alone before each picture")
    parser.add_argument("--at-most", type=float, default=float("inf"), help="times the median before")
    args = parser.parse_args()
    try:
        return 1 if asyncio.run(measure(args)) >= args.at_most else 0
    except (RuntimeError, OSError, EOFError) as error:
        print(error, file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
