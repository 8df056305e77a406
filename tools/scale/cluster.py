"""Many replicas behind one router: events in the order of their time."""
import heapq
import itertools

from replica import Job, Replica
from results import Results
from workloads import first_request, next_request


class Cluster:
    """make_replica(on_gap) -> Replica; policy: of routing.py.

    n_cores: replicas compute on so many cores (the i-th on core i modulo n_cores); of those on one core each gets its
    share while the others compute. None: each has its own.
    """

    def __init__(self, n_replicas, make_replica, policy, n_cores=None, warm_up=0.0, until=None):
        self.results = Results(warm_up, until)
        self.now = 0.0
        self.replicas = [make_replica(self._gap) for _ in range(n_replicas)]
        self.loads = [0] * n_replicas
        self.policy = policy
        self.n_cores = n_cores
        self.events = []  # (time, number, replica or request)
        self.numbers = itertools.count()
        self.current = [0] * n_replicas  # number of the event that ends a replica's step

    def run(self, sessions):
        """Until all sessions, which begin in the order of their starts, are over."""
        sessions = iter(sessions)
        upcoming = next(sessions, None)
        while upcoming is not None or self.events:
            if upcoming is not None and (not self.events or upcoming.start <= self.events[0][0]):
                self.now = upcoming.start
                self._arrive(first_request(upcoming))
                upcoming = next(sessions, None)
                continue
            self.now, number, what = heapq.heappop(self.events)
            if not isinstance(what, int):
                self._arrive(what)
            elif self.current[what] == number:
                self._end_step(what)
        self.results.busy_seconds = [replica.busy_seconds for replica in self.replicas]
        self.results.evicted_pages = sum(replica.tree.n_evicted for replica in self.replicas)
        return self.results

    def _gap(self, seconds, n):
        self.results.add_gaps(self.now, seconds, n)

    def _push(self, time, what):
        number = next(self.numbers)
        heapq.heappush(self.events, (time, number, what))
        return number

    def _arrive(self, request):
        index = self.policy.choose(request, self.loads)
        replica = self.replicas[index]
        replica.submit(Job(request.prompt, request.n_reply, request.reply_segment, self.now, request))
        self.loads[index] += 1
        if replica.step is None:
            self._begin_step(index)
        elif replica.cut(self.now):
            self.current[index] = self._push(replica.step.end, index)

    def _begin_step(self, index):
        stretch, times = 1.0, None
        if self.n_cores:
            beside = self.replicas[index % self.n_cores::self.n_cores]
            stretch, times = 1.0 + sum(other.step is not None for other in beside), 1
        step = self.replicas[index].begin(self.now, stretch, *([times] if times else []))
        if step is not None:
            self.current[index] = self._push(step.end, index)

    def _end_step(self, index):
        replica = self.replicas[index]
        for job in replica.end():
            self.loads[index] -= 1
            self.results.add(job, replica.costs.request_seconds)
            after = next_request(job.request, self.now)
            if after is not None:
                self._push(after.sent, after)
        self._begin_step(index)


def simulate(sessions, n_replicas, costs, capacity_tokens, policy, n_cores=None, warm_up=0.0, max_running=32,
             until=None):
    """Results of one run."""
    cluster = Cluster(n_replicas, lambda on_gap: Replica(costs, capacity_tokens, on_gap, max_running), policy,
                      n_cores, warm_up, until)
    return cluster.run(sessions)
