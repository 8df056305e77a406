#!/usr/bin/env python3
"""What many replicas of a measured one would give: rates, waits and cached shares by routing policy.

    tools/scale/simulate.py --curves curves.json --replicas 4,1000 --policy round-robin,prefix-aware --workload chat
    tools/scale/simulate.py --curves curves.json --trace conversation_trace.jsonl --replicas 64
    tools/scale/simulate.py --curves curves.json --workload agents --rate 20 --need first_p99=2,gap_p99=0.2

--rate counts sessions a second for each replica; with --need it counts those of all, and the fewest replicas are looked
for that keep what is asked for. Times are in seconds. Exit 1: input that cannot be used, or nothing is enough.
"""
import argparse
import json
import sys
import time

import options
from cluster import simulate
from curves import CurveError, load_curves
from results import table
from routing import POLICIES

LIMITS = ("first_p50", "first_p99", "gap_p50", "gap_p99")


def names(text):
    found = text.split(",")
    for name in found:
        if name not in POLICIES:
            raise argparse.ArgumentTypeError(f"expected some of {', '.join(POLICIES)} with commas, found '{name}'")
    return found


def counts(text):
    try:
        found = [int(word) for word in text.split(",")]
    except ValueError:
        found = [0]
    if min(found) < 1:
        raise argparse.ArgumentTypeError(f"expected whole numbers from 1 on with commas, found '{text}'")
    return found


def limits(text):
    found = {}
    for part in text.split(","):
        name, _, value = part.partition("=")
        try:
            found[name] = float(value)
        except ValueError:
            found[name] = -1
        if name not in LIMITS or not found[name] > 0:
            raise argparse.ArgumentTypeError(f"expected NAME=SECONDS with a name of {', '.join(LIMITS)}, found "
                                             f"'{part}'")
    return found


def is_kept(summary, wanted):
    return all(summary[name] <= seconds for name, seconds in wanted.items())


def fewest(run, wanted, most):
    """(replicas, summary) of the fewest that keep `wanted`, or None; run(n) -> summary. Taken as if more were never
    worse, which holds but for chance."""
    good = 1
    summary = run(good)
    while not is_kept(summary, wanted):
        if good >= most:
            return None
        bad, good = good, min(2 * good, most)
        summary = run(good)
    if good == 1:
        return 1, summary
    while good - bad > max(1, good // 100):
        middle = (good + bad) // 2
        tried = run(middle)
        if is_kept(tried, wanted):
            good, summary = middle, tried
        else:
            bad = middle
    return good, summary


def run_once(args, costs, n_replicas, policy, n_for_rate):
    began = time.monotonic()
    results = simulate(options.sessions(args, n_for_rate), n_replicas, costs, options.capacity(args, costs),
                       POLICIES[policy](n_replicas, options.routing(args)), args.cores, args.warm_up, args.parallel,
                       None if args.trace else args.seconds)
    print(f"{n_replicas} x {policy}: {results.n_requests} requests in {time.monotonic() - began:.1f} s",
          file=sys.stderr)
    return results.summary()


def rows_of(args, costs):
    rows = []
    for policy in args.policy:
        if args.need:
            found = fewest(lambda n: run_once(args, costs, n, policy, 1), args.need, args.most_replicas)
            if found is None:
                raise options.OptionError(f"{policy}: {args.most_replicas} replicas do not keep {args.need}")
            rows.append((f"{found[0]} x {policy}", found[1]))
            continue
        for n in args.replicas:
            rows.append((f"{n} x {policy}", run_once(args, costs, n, policy, n)))
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--replicas", type=counts, default="1", metavar="N,...")
    parser.add_argument("--policy", type=names, default="prefix-aware", metavar="NAME,...",
                        help=f"of {', '.join(POLICIES)}")
    parser.add_argument("--need", type=limits, metavar="NAME=SECONDS,...", help=f"of {', '.join(LIMITS)}")
    parser.add_argument("--most-replicas", type=int, default=4096)
    parser.add_argument("--cores", type=int, help="that the replicas share, the i-th on core i modulo so many")
    parser.add_argument("--parallel", type=int, default=32, help="answers that a replica generates together")
    parser.add_argument("--json", action="store_true")
    options.add_traffic(parser)
    options.add_routing(parser)
    args = parser.parse_args()
    try:
        if min(args.parallel, args.most_replicas, 1 if args.cores is None else args.cores) < 1:
            raise options.OptionError("expected --parallel, --most-replicas and --cores of one at least")
        if not args.trace and args.seconds <= args.warm_up:
            raise options.OptionError("expected --seconds beyond --warm-up")
        rows = rows_of(args, load_curves(args.curves))
    except (CurveError, options.OptionError, ValueError) as error:
        print(f"simulate.py: {error}", file=sys.stderr)
        return 1
    if args.json:
        print(json.dumps([{"run": name, **found} for name, found in rows], indent=1))
    else:
        print(table(rows))
    return 0


if __name__ == "__main__":
    sys.exit(main())
