#!/usr/bin/env python3
"""A server under mixed traffic for a long time: do its memory, descriptors and threads stay flat?

    tools/load/soak.py --program build/pleiad --minutes 20 --requests 100000 --out build/soak

Starts `pleiad serve` with the demo model in folders of its own; clients of all three APIs, with streams,
kept and new connections, bad requests, clients that leave in the middle, models that come and go. It
ends when both the time and the requests are reached. samples.csv in the folder has what /proc told each few
seconds, summary.txt the verdict. Greedy answers are compared with what the question gives alone.

Exit status: 0 all flat and every answer right; 1 something grows, or an answer was wrong, or the server
ended; 2 too short to tell, or it could not run.
"""
import argparse
import asyncio
import collections
import csv
import pathlib
import random
import re
import resource
import shutil
import sys
import time

import process
import traffic
from http11 import Connection
from summary import summary


async def known_answers(url):
    connection = Connection(url)
    known = {}
    for question in traffic.questions():
        body = {"model": "demo", "messages": traffic.messages(question), "stream": False, "cache": False,
                "options": {"temperature": 0, "num_predict": 60}}
        response = await connection.request("POST", "/api/chat", body)
        if response.status != 200:
            raise RuntimeError(f"{question!r}: {response.status} {response.body[:200]!r}")
        known[question] = response.json()["message"]["content"]
    await connection.close()
    return known


class Soak:
    def __init__(self, args, server):
        self.args = args
        self.server = server
        self.counts = {}
        self.samples = []
        self.csv = server.folder / "samples.csv"
        with open(self.csv, "w", newline="") as file:
            csv.writer(file).writerow(process.Sample.header())
        self.wrong = collections.Counter()
        self.examples = {}
        self.phase = "warm-up"
        self.started = time.monotonic()

    @property
    def requests(self):
        return sum(self.counts.values())

    def sample(self):
        one = process.sample(self.server.pid, time.monotonic() - self.started, self.phase, self.requests)
        self.samples.append(one)
        with open(self.csv, "a", newline="") as file:
            csv.writer(file).writerow(one.row())
        return one

    async def sampling(self):
        while True:
            self.sample()
            await asyncio.sleep(self.args.interval)

    async def traffic(self, known, is_over, seeds):
        """Clients at work until it is over."""
        kinds = list(traffic.KINDS)
        shares = [traffic.KINDS[kind][0] for kind in kinds]

        async def work(seed):
            client = traffic.Client(self.server.url, seed, known, self.counts, self.args.patience)
            rng = random.Random(seed)
            while not is_over():
                kind = rng.choices(kinds, shares)[0]
                try:
                    await client.visit(kind)
                except (traffic.Wrong, OSError, EOFError, asyncio.TimeoutError, ValueError, KeyError,
                        IndexError) as error:
                    self.wrong[kind] += 1
                    self.examples.setdefault(kind, f"{type(error).__name__}: {error}")
                    await client.connection.close()
                    # A server that has ended is not asked a hundred thousand times.
                    if self.server.process.poll() is not None:
                        raise RuntimeError(f"the server has ended: {error}") from error
            await client.connection.close()

        tasks = [asyncio.create_task(work(seed)) for seed in seeds]
        try:
            await asyncio.gather(*tasks)
        finally:
            for task in tasks:
                task.cancel()

    async def rest(self):
        """Both models loaded, no client: what stays open then, once the server is done with those that left."""
        self.phase = "rest"
        connection = Connection(self.server.url)
        for model in ("demo", "other"):
            body = {"model": model, "messages": traffic.messages("Count from 1 to 3"), "stream": False}
            response = await connection.request("POST", "/api/chat", body)
            if response.status != 200:
                self.wrong["at rest"] += 1
                self.examples.setdefault("at rest", f"{model}: {response.status} {response.body[:200]!r}")
        metrics = ""
        for _ in range(120):
            metrics = (await connection.request("GET", "/metrics")).body.decode()
            busy = [float(v) for v in re.findall(r"^pleiad_answers_(?:running|waiting)\{[^}]*\} (\S+)", metrics, re.M)]
            open_now = re.search(r"^pleiad_http_connections (\S+)", metrics, re.M)
            if not any(busy) and open_now and float(open_now[1]) <= 1:
                break
            await asyncio.sleep(0.5)
        else:
            self.wrong["at rest"] += 1
            self.examples.setdefault("at rest", "answers or connections are left a minute after the last client:\n"
                                     + "\n".join(re.findall(r"^pleiad_(?:answers_|http_conn).*", metrics, re.M)))
        await connection.close()
        await asyncio.sleep(2)
        return self.sample()

    async def run(self):
        args = self.args
        known = await known_answers(self.server.url)
        self.started = time.monotonic()
        sampler = asyncio.create_task(self.sampling())
        try:
            warm = self.started + args.warm_up * 60
            await self.traffic(known, lambda: time.monotonic() > warm, range(args.clients))
            self.before = await self.rest()
            self.phase = "load"
            begun, first = time.monotonic(), self.requests

            def is_over():
                passed = time.monotonic() - begun
                return (passed > args.minutes * 60 and self.requests - first >= args.requests) or \
                    passed > args.at_most * 60

            await self.traffic(known, is_over, range(1000, 1000 + args.clients))
            self.seconds, self.loaded = time.monotonic() - begun, self.requests - first
            self.after = await self.rest()
        finally:
            sampler.cancel()


def parse(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--program", default="build/pleiad")
    parser.add_argument("--out", default="build/soak", help="a folder, made anew")
    parser.add_argument("--minutes", type=float, default=20, help="at least, after the warm-up")
    parser.add_argument("--requests", type=int, default=100_000, help="at least, after the warm-up")
    parser.add_argument("--at-most", type=float, default=90, help="minutes; fewer requests by then are a fault")
    parser.add_argument("--warm-up", type=float, default=3, help="minutes, whose growth does not count")
    parser.add_argument("--interval", type=float, default=5, help="seconds between samples")
    parser.add_argument("--clients", type=int, default=24)
    parser.add_argument("--patience", type=float, default=300, help="seconds that an answer may take")
    parser.add_argument("--answers-only", action="store_true",
                        help="judge answers and the end, no curves: for a server under a sanitizer")
    parser.add_argument("--flags", nargs=argparse.REMAINDER, default=["--kv-memory", "64M"],
                        help="of pleiad serve; last")
    return parser.parse_args(arguments)


def main(arguments=None):
    args = parse(arguments)
    out = pathlib.Path(args.out).resolve()
    if out.exists() and any(out.iterdir()) and not (out / "server.log").exists():
        print(f"soak: {out} is not empty, and no folder of a former soak", file=sys.stderr)
        return 2
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 65536), hard))
    program = str(pathlib.Path(args.program).resolve())
    try:
        server = process.Server(program, out, args.flags)
    except (OSError, RuntimeError) as error:
        print(f"soak: {error}", file=sys.stderr)
        return 2
    soak = Soak(args, server)
    try:
        asyncio.run(soak.run())
    except (RuntimeError, OSError, asyncio.TimeoutError) as error:
        print(f"soak: {error}", file=sys.stderr)
        server.stop()
        return 1
    finally:
        status = server.stop()
    version = server.log_path.read_text(errors="replace").split("\n", 1)[0]
    lines, result = summary(soak, status, version)
    text = "\n".join(lines) + "\n"
    (out / "summary.txt").write_text(text)
    print(text, end="")
    return result


if __name__ == "__main__":
    sys.exit(main())
