"""Which replica a request goes to. The same policies route in the simulator and before real servers."""
import bisect
import collections
import random

from text import PAGE_TOKENS


class RoundRobin:
    """One after the other, whatever they have to do."""

    def __init__(self, n_replicas, _options):
        self.n = n_replicas
        self.next = -1

    def choose(self, _request, _loads):
        self.next = (self.next + 1) % self.n
        return self.next


class LeastLoad:
    """The replica with the fewest requests that are not answered."""

    def __init__(self, n_replicas, options):
        self.n = n_replicas
        self.rng = random.Random(options.seed)

    def choose(self, _request, loads):
        least = min(loads)
        at = self.rng.randrange(self.n)  # among equals any
        for i in range(at, at + min(self.n, 16)):
            if loads[i % self.n] == least:
                return i % self.n
        return loads.index(least)


class TwoChoices:
    """Of two that are drawn the one with fewer requests."""

    def __init__(self, n_replicas, options):
        self.n = n_replicas
        self.rng = random.Random(options.seed)

    def choose(self, _request, loads):
        a, b = self.rng.randrange(self.n), self.rng.randrange(self.n)
        return a if loads[a] <= loads[b] else b


class ConsistentHash:
    """By the beginning of the conversation on a ring; the next one on it where a replica has more than its share.

    options.most_share: a replica may have so many times the mean load, and one request more.
    """
    POINTS = 64  # of each replica on the ring

    def __init__(self, n_replicas, options):
        ring = sorted((_mix(i * self.POINTS + point), i)
                      for i in range(n_replicas) for point in range(self.POINTS))
        self.places = [place for place, _ in ring]
        self.owners = [owner for _, owner in ring]
        self.most_share = options.most_share
        self.n = n_replicas

    def choose(self, request, loads):
        bound = self.most_share * (sum(loads) + 1) / self.n + 1
        at = bisect.bisect_left(self.places, _mix(request.beginning))
        for step in range(len(self.owners)):
            owner = self.owners[(at + step) % len(self.owners)]
            if loads[owner] < bound:
                return owner
        return loads.index(min(loads))


class PrefixAware:
    """Where most of the beginning was sent before, as pleiad.ray's PrefixRouter ranks replicas: one counts as loaded by
    the requests that it has, less one for each `worth_tokens` of the beginning that it holds, `slack` of them at most.

    What it knows is what it sent, page by page; the pages used least recently are forgotten, beyond `most_pages`.
    """

    def __init__(self, n_replicas, options):
        self.least_load = LeastLoad(n_replicas, options)
        self.options = options
        self.holders = collections.OrderedDict()  # chain of a page -> replicas

    def choose(self, request, loads):
        chains = request.prompt.chains
        chosen = self.least_load.choose(request, loads)
        least = best = loads[chosen]
        seen = set()
        for n in range(self._n_known(chains), 0, -1):
            bonus = min(n * PAGE_TOKENS / self.options.worth_tokens, self.options.slack)
            if best <= least - bonus:
                break  # who holds no more than this cannot be better
            for replica in self.holders[chains[n - 1]]:
                if replica in seen:
                    continue
                seen.add(replica)
                score = loads[replica] - bonus
                if score < best:
                    chosen, best = replica, score
        self._note(chains, chosen)
        return chosen

    def _n_known(self, chains):
        n = 0
        while n < len(chains) and chains[n] in self.holders:
            n += 1
        return n

    def _note(self, chains, replica):
        for chain in reversed(chains):
            self.holders.setdefault(chain, set()).add(replica)
            self.holders.move_to_end(chain)
        while len(self.holders) > self.options.most_pages:
            self.holders.popitem(last=False)


def _mix(number):
    """A number of 64 bits that looks like chance (SplitMix64)."""
    number = (number + 0x9E3779B97F4A7C15) & 0xFFFFFFFFFFFFFFFF
    number = ((number ^ (number >> 30)) * 0xBF58476D1CE4E5B9) & 0xFFFFFFFFFFFFFFFF
    number = ((number ^ (number >> 27)) * 0x94D049BB133111EB) & 0xFFFFFFFFFFFFFFFF
    return number ^ (number >> 31)


POLICIES = {"round-robin": RoundRobin, "least-load": LeastLoad, "two-choices": TwoChoices,
            "consistent-hash": ConsistentHash, "prefix-aware": PrefixAware}


class RoutingOptions:
    """Those of pleiad.ray's PrefixRouter have its defaults, a page of 64 tokens for its block of 256 bytes."""

    def __init__(self, seed=1, most_share=1.25, worth_tokens=512, slack=8, most_pages=262_144):
        self.seed = seed
        self.most_share = most_share
        self.worth_tokens = worth_tokens
        self.slack = slack
        self.most_pages = most_pages
