#!/usr/bin/env python3
"""The same traffic for real servers and for the simulator: what was predicted beside what was measured.

    for i in 0 1; do taskset -c $i pleiad serve e2b.gguf --threads 1 --port 800$i & done
    tools/scale/measure.py --model e2b.gguf --curves curves.json --workload small-chat --rate 0.5 \\
      --policy prefix-aware --url http://127.0.0.1:8000 --url http://127.0.0.1:8001

Requests are routed here, by the code that routes in the simulator, and go straight to the replicas; their caches should
be empty at the start. Replicas that share cores need --cores.
"""
import argparse
import asyncio
import json
import sys
import time

import options
from cluster import simulate
from completion_client import ServerError, complete, find_reply_token, prompt_tokens
from curves import CurveError, load_curves
from results import Results, table
from routing import POLICIES
from workloads import first_request, next_request


class Run:
    """Sessions against real servers."""

    def __init__(self, args, policy):
        self.args = args
        self.policy = policy
        self.loads = [0] * len(args.url)
        self.results = Results(args.warm_up)
        self.replies = set()  # segments that are answers
        self.reply_token = None
        self.begin = None

    async def run(self, sessions):
        for url in self.args.url:
            self.reply_token = await find_reply_token(url, self.args.model)
        self.begin = time.monotonic()
        await asyncio.gather(*[self.session(session) for session in sessions])
        return self.results

    async def session(self, session):
        request = first_request(session)
        while request is not None:
            self.replies |= {request.reply_segment, -request.reply_segment}
            await asyncio.sleep(self.begin + request.sent - time.monotonic())
            await self.turn(request)
            request = next_request(request, time.monotonic() - self.begin)

    async def turn(self, request):
        tokens = prompt_tokens(request.prompt, self.args.vocabulary, self.reply_token, self.replies)
        index = self.policy.choose(request, self.loads)
        self.loads[index] += 1
        try:
            answer = await complete(self.args.url[index], self.args.model, tokens, request.n_reply, self.reply_token)
        finally:
            self.loads[index] -= 1
        times = [moment - self.begin for moment in answer.times]
        self.results.add_request(answer.sent - self.begin, times[0], times[-1], answer.prompt_tokens,
                                 answer.cached_tokens, answer.generated_tokens)
        for before, after in zip(times, times[1:]):
            self.results.add_gaps(after, after - before)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--url", action="append", required=True, help="of a replica; once for each")
    parser.add_argument("--model", required=True)
    parser.add_argument("--vocabulary", type=int, default=200_000, help="tokens of prompts are below it")
    parser.add_argument("--cores", type=int, help="that the replicas share, the i-th on core i modulo so many")
    parser.add_argument("--policy", choices=POLICIES, default="prefix-aware")
    parser.add_argument("--json", action="store_true", help="print both as JSON")
    options.add_traffic(parser)
    options.add_routing(parser)
    args = parser.parse_args()
    n = len(args.url)
    if args.cores is not None and args.cores < 1:
        parser.error("--cores: expected one at least")
    try:
        costs = load_curves(args.curves)
        policies = [POLICIES[args.policy](n, options.routing(args)) for _ in range(2)]
        measured = asyncio.run(Run(args, policies[0]).run(list(options.sessions(args, n))))
        simulated = simulate(options.sessions(args, n), n, costs, options.capacity(args, costs), policies[1],
                             args.cores, args.warm_up)
    except (ServerError, CurveError, options.OptionError, ValueError) as error:
        print(f"measure.py: {error}", file=sys.stderr)
        return 1
    rows = [("simulated", simulated.summary()), ("measured", measured.summary())]
    print(json.dumps(dict(rows)) if args.json else table(rows, f"{n} x {args.policy}"))
    return 0


if __name__ == "__main__":
    sys.exit(main())
