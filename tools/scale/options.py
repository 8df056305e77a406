"""Flags that simulate.py and measure.py have in common."""
import dataclasses

from arrivals import bursts, daily, poisson
from routing import RoutingOptions
from trace_files import TraceError, read_trace
from workloads import WORKLOADS, make_sessions


class OptionError(Exception):
    pass


def add_traffic(parser):
    parser.add_argument("--curves", required=True, metavar="FILE", help="what calibrate.py measured")
    parser.add_argument("--workload", choices=WORKLOADS, default="chat")
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE",
                        help="another value of the workload, as reply_mean=100 (workloads.py has the names)")
    parser.add_argument("--trace", metavar="FILE", help="a published trace instead: Mooncake's JSON lines, or the CSV "
                        "of Azure's LLM traces or of BurstGPT")
    parser.add_argument("--trace-speed", type=float, default=1.0, metavar="X",
                        help="as if its requests came X times as fast")
    parser.add_argument("--rate", type=float, default=0.1, help="sessions a second for each replica")
    parser.add_argument("--arrivals", choices=["poisson", "bursts", "daily"], default="poisson")
    parser.add_argument("--variation", type=float, default=2.0,
                        help="of bursts: deviation of the times between sessions over their mean")
    parser.add_argument("--swing", type=float, default=0.8, help="of daily: share by which the rate rises and falls")
    parser.add_argument("--day", type=float, default=86_400, metavar="SECONDS")
    parser.add_argument("--seconds", type=float, default=60, help="in which sessions begin")
    parser.add_argument("--warm-up", type=float, default=10, metavar="SECONDS", help="that are not counted")
    parser.add_argument("--capacity", type=int, metavar="TOKENS", help="of a replica's cache, where not as measured")
    parser.add_argument("--seed", type=int, default=1)


def add_routing(parser):
    parser.add_argument("--worth-tokens", type=int, default=512, help="of prefix-aware: of a beginning that weigh as "
                        "much as a request")
    parser.add_argument("--slack", type=int, default=8,
                        help="and requests more than the least loaded that a replica may have")
    parser.add_argument("--most-pages", type=int, default=262_144, help="and pages that are remembered")
    parser.add_argument("--most-share", type=float, default=1.25, help="of consistent-hash: of the mean load")


def routing(args):
    if min(args.worth_tokens, args.most_pages) < 1 or args.slack < 0 or args.most_share < 1:
        raise OptionError("expected --worth-tokens, --most-pages and --most-share of one at least, and no negative "
                          "--slack")
    return RoutingOptions(args.seed, args.most_share, args.worth_tokens, args.slack, args.most_pages)


def capacity(args, costs):
    tokens = args.capacity or costs.capacity_tokens
    if tokens < 1:
        raise OptionError(f"{args.curves}: it does not say what a cache holds: give --capacity TOKENS")
    return tokens


def workload(args):
    """The named one with what --set changes."""
    chosen = WORKLOADS[args.workload]
    kinds = {field.name: type(getattr(chosen, field.name)) for field in dataclasses.fields(chosen)}
    changes = {}
    for change in args.set:
        name, _, value = change.partition("=")
        if name not in kinds:
            raise OptionError(f"--set {change}: expected one of {', '.join(kinds)} before the =")
        try:
            changes[name] = kinds[name](float(value))
        except (ValueError, OverflowError) as error:
            raise OptionError(f"--set {change}: expected a number behind the =") from error
    made = dataclasses.replace(chosen, **changes)
    for name in ("system", "new", "reply"):
        if not 1 <= getattr(made, f"{name}_median") <= getattr(made, f"{name}_mean"):
            raise OptionError(f"--workload {args.workload}: expected 1 <= {name}_median <= {name}_mean")
    if (made.turns_mean < 1 or made.n_systems < 0 or made.think_mean < 0 or made.context_most < 16
            or made.reply_most < 1):
        raise OptionError(f"--workload {args.workload}: expected turns_mean and reply_most of one at least, "
                          "context_most of 16, and nothing negative")
    return made


def starts(args, n_replicas):
    rate = args.rate * n_replicas
    if not (rate > 0 and args.seconds > 0 and args.variation > 0 and args.day > 0 and 0 <= args.swing <= 1):
        raise OptionError("expected --rate, --seconds, --variation and --day above 0, and --swing from 0 to 1")
    if args.arrivals == "bursts":
        return bursts(rate, args.seconds, args.seed, args.variation)
    if args.arrivals == "daily":
        return daily(rate, args.seconds, args.seed, args.swing, args.day)
    return poisson(rate, args.seconds, args.seed)


def sessions(args, n_replicas):
    """The traffic for so many replicas."""
    if not args.trace:
        return make_sessions(workload(args), starts(args, n_replicas), args.seed + 1)
    if not args.trace_speed > 0:
        raise OptionError("expected a --trace-speed above 0")
    try:
        return read_trace(args.trace, args.trace_speed)
    except TraceError as error:
        raise OptionError(str(error)) from error
