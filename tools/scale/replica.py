"""One replica: continuous batching with a cache of beginnings, as src/engine/engine_loop.cc does it."""
import collections
import math

from planner import StepPlanner
from prefix_tree import PrefixTree
from text import PAGE_TOKENS, shared_pages

PROMISED_REPLY = 1024  # tokens of a reply that memory is kept for at its start
MOST_AT_ONCE = 64      # steps that are computed in one go while nothing can change


class Job:
    """A request on its way through a replica.

    prompt: Text; n_reply: tokens of the answer, at least one
    reply_segment: stands for the answer without its last token, which is never computed and so not cached
    """
    __slots__ = ("prompt", "n_reply", "reply", "done", "generated", "cached", "node", "n_kept", "claim",
                 "arrived", "first_token", "finished", "request")

    def __init__(self, prompt, n_reply, reply_segment, arrived, request=None):
        self.prompt = prompt
        self.n_reply = n_reply
        self.reply = reply_segment
        self.done = 0            # tokens of the prompt that are computed
        self.generated = 0
        self.cached = 0
        self.node = None         # of the tree, up to where pages of this one are kept
        self.n_kept = 0
        self.claim = 0           # pages that it may come to need
        self.arrived = arrived
        self.first_token = None
        self.finished = None
        self.request = request

    @property
    def in_prompt(self):
        return self.done < self.prompt.n_tokens


class Step:
    """One, or several of the same kind."""
    __slots__ = ("begin", "seconds", "times", "streams", "parts")

    def __init__(self, begin, seconds, times, streams, parts):
        self.begin = begin
        self.seconds = seconds  # of each
        self.times = times
        self.streams = streams
        self.parts = parts      # (job, rows)

    @property
    def end(self):
        return self.begin + self.seconds * self.times


class Replica:
    """on_gap(seconds, n): so much lay between two tokens, n times."""

    def __init__(self, costs, capacity_tokens, on_gap, max_running=32):
        self.costs = costs
        self.planner = StepPlanner(costs)
        self.tree = PrefixTree(capacity_tokens // PAGE_TOKENS)
        self.max_running = max_running
        self.on_gap = on_gap
        self.waiting = collections.deque()
        self.running = []
        self.step = None
        self.claimed = 0
        self.busy_seconds = 0.0

    @property
    def load(self):
        """Requests that are not answered."""
        return len(self.waiting) + len(self.running)

    def submit(self, job):
        pages = -(-(job.prompt.n_tokens + job.n_reply) // PAGE_TOKENS)
        if pages + 1 > self.tree.capacity:
            raise ValueError(f"a request of {job.prompt.n_tokens} + {job.n_reply} tokens fits no cache of "
                             f"{self.tree.capacity * PAGE_TOKENS} tokens")
        self.waiting.append(job)

    def begin(self, now, stretch=1.0, most_times=MOST_AT_ONCE):
        """Begins the next step, where there is something to do; stretch: times its cost that it takes."""
        self._admit()
        if not self.running:
            return None
        streams = [job for job in self.running if not job.in_prompt]
        prompts = [job for job in self.running if job.in_prompt]
        contexts = sum(job.prompt.n_tokens + job.generated for job in streams)
        if not prompts:
            times = min(most_times, min(job.n_reply - job.generated for job in streams))
            seconds = self.costs.of_streams(len(streams), contexts + len(streams) * times / 2) * stretch
            self.step = Step(now, seconds, times, streams, [])
            return self.step
        rows = self.planner.plan(len(streams), contexts, [job.prompt.n_tokens - job.done for job in prompts])
        parts = [(job, n) for job, n in zip(prompts, rows) if n]
        seconds = self.costs.of_step(len(streams), contexts, [
            (n, job.done, job.done + n == job.prompt.n_tokens) for job, n in parts]) * stretch
        self.step = Step(now, seconds, 1, streams, parts)
        return self.step

    def cut(self, now):
        """Somebody came: of several steps those that have not begun are planned anew. True where there are such."""
        if self.step is None or self.step.times == 1:
            return False
        begun = max(1, math.ceil((now - self.step.begin) / self.step.seconds))
        if begun >= self.step.times:
            return False
        self.step.times = begun
        return True

    def end(self):
        """Ends the step; the jobs that are answered."""
        step, self.step = self.step, None
        now = step.end
        self.busy_seconds += step.end - step.begin
        if step.streams:
            self.on_gap(step.seconds, len(step.streams) * step.times)
        finished = []
        for job in step.streams:
            job.generated += step.times
            self._end_of(job, now, finished)
        for job, n in step.parts:
            job.done += n
            self._keep(job, job.prompt, job.done // PAGE_TOKENS)
            if not job.in_prompt:
                job.first_token = now
                job.generated = 1
                self._end_of(job, now, finished)
        if finished:
            self.running = [job for job in self.running if job.finished is None]
        return finished

    def _admit(self):
        overtaken = []
        while self.waiting and len(self.running) < self.max_running and len(overtaken) < 2 * self.max_running:
            job = self.waiting.popleft()
            if self._waits_for_pages(job):
                overtaken.append(job)
            elif not self._start(job):
                overtaken.append(job)
                break
        self.waiting.extendleft(reversed(overtaken))

    def _waits_for_pages(self, job):
        """What another prompt is about to compute is not computed twice."""
        wanted = (job.prompt.n_tokens - 1) // PAGE_TOKENS
        cached = -1
        for other in self.running:
            if not other.in_prompt or other.node is None:
                continue
            shared = min(wanted, shared_pages(job.prompt.chains, other.prompt.chains))
            if shared <= other.done // PAGE_TOKENS:
                continue
            if cached < 0:
                cached = self.tree.count(job.prompt, wanted)
            if shared > cached:
                return True
        return False

    def _start(self, job):
        cached, node = self.tree.find(job.prompt, job.prompt.n_tokens - 1)
        new = job.prompt.n_tokens - cached // PAGE_TOKENS * PAGE_TOKENS + min(job.n_reply, PROMISED_REPLY)
        claim = -(-new // PAGE_TOKENS) + 1
        if self.running and self.claimed + claim > self.tree.capacity:
            return False
        job.claim = claim
        self.claimed += claim
        job.cached = job.done = cached
        job.node = node
        self.tree.hold(node)
        job.n_kept = cached // PAGE_TOKENS
        self.running.append(job)
        return True

    def _keep(self, job, text, n_pages):
        """Whole pages that are computed go into the tree."""
        while job.node is not None and job.n_kept < n_pages:
            node = self.tree.insert(job.node, text.pages[job.n_kept], len(self.running))
            if node is not None:
                self.tree.hold(node)
            self.tree.release(job.node)
            job.node = node
            job.n_kept += 1

    def _end_of(self, job, now, finished):
        if job.generated < job.n_reply:
            return
        job.finished = now
        self.claimed -= job.claim
        if job.node is not None:
            text = job.prompt.copy()
            text.append(job.reply, job.n_reply - 1)
            self._keep(job, text, len(text.pages))
            if job.node is not None and text.rest:
                self.tree.insert(job.node, text.rest, len(self.running))
            if job.node is not None:
                self.tree.release(job.node)
        finished.append(job)
