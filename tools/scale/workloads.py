"""Made-up traffic whose lengths, prefixes and arrivals are like those of published traces (docs/scale.md has sources).

A session is a conversation or an agent's loop: each turn's prompt is the former one with its answer and something new,
and comes when the former turn is answered and its user (or tool) has taken some time.
"""
import dataclasses
import itertools
import math
import random

from text import Text


@dataclasses.dataclass(frozen=True)
class Workload:
    """Tokens and seconds; medians and means are those of log-normal lengths."""
    turns_mean: float         # of a session, geometric; 1: single requests
    n_systems: int            # system prompts, of which the k-th is as popular as 1/k; 0: none
    system_median: float
    system_mean: float
    new_median: float         # what a turn adds to the prompt
    new_mean: float
    reply_median: float
    reply_mean: float
    reply_most: int
    think_mean: float         # seconds from an answer to the next turn, exponential
    context_most: int = 8192  # a session ends before its prompt and answer exceed it


WORKLOADS = {
    # Sessions in the manner of chats: lengths of ShareGPT's questions and answers.
    "chat": Workload(5, 20, 250, 300, 60, 161, 240, 338, 1024, 20),
    # Loops over a long prompt with tools: few tokens of answers, each turn adds what a tool returned.
    "agents": Workload(12, 8, 1800, 2000, 180, 300, 50, 90, 512, 2),
    # Lengths of Azure's traces of 2023, which have no sessions.
    "azure-conversation": Workload(1, 0, 1, 1, 1020, 1155, 129, 211, 1000, 0),
    "azure-code": Workload(1, 0, 1, 1, 1469, 2048, 13, 28, 1899, 0),
    # What a small model on two cores answers within a minute, for the comparison with measurements.
    "small-chat": Workload(4, 6, 300, 320, 60, 80, 24, 32, 96, 2, 4096),
    "small-agents": Workload(6, 4, 700, 750, 60, 80, 12, 16, 64, 0.5, 4096),
}


@dataclasses.dataclass
class Turn:
    new: list            # (segment, tokens) behind the former turn's text
    reply_segment: int
    n_reply: int
    think_seconds: float  # before it comes; of a session's first turn none


@dataclasses.dataclass
class Session:
    start: float   # seconds
    turns: list
    beginning: int = 0  # what routing by the beginning goes by: the first turn's prompt


class Request:
    """One turn, as routing and replicas see it."""
    __slots__ = ("session", "index", "prompt", "beginning", "n_reply", "reply_segment", "sent")

    def __init__(self, session, index, prompt, sent):
        self.session = session
        self.index = index
        self.prompt = prompt
        self.beginning = session.beginning
        self.n_reply = session.turns[index].n_reply
        self.reply_segment = session.turns[index].reply_segment
        self.sent = sent


def first_request(session):
    prompt = Text()
    for segment, n in session.turns[0].new:
        prompt.append(segment, n)
    if not session.beginning:
        session.beginning = hash(tuple(session.turns[0].new))
    return Request(session, 0, prompt, session.start)


def next_request(request, now):
    """The turn after this one, or None; changes the request's prompt into that of the next."""
    session, index = request.session, request.index + 1
    if index == len(session.turns):
        return None
    turn = session.turns[index]
    prompt = request.prompt
    if request.n_reply > 1:
        prompt.append(request.reply_segment, request.n_reply - 1)
    prompt.append(-request.reply_segment, 1)  # the last token of an answer is not cached
    for segment, n in turn.new:
        prompt.append(segment, n)
    return Request(session, index, prompt, now + turn.think_seconds)


class _Lengths:
    def __init__(self, median, mean, most):
        self.mu = math.log(median)
        self.sigma = math.sqrt(2 * math.log(max(mean / median, 1)))
        self.most = most

    def draw(self, rng):
        return min(max(round(rng.lognormvariate(self.mu, self.sigma)), 1), self.most)


def make_sessions(workload, starts, seed):
    """A session for each start (seconds, rising)."""
    rng = random.Random(seed)
    segments = itertools.count(1)
    most = workload.context_most
    new = _Lengths(workload.new_median, workload.new_mean, most // 2)
    reply = _Lengths(workload.reply_median, workload.reply_mean, workload.reply_most)
    system = _Lengths(workload.system_median, workload.system_mean, most // 2)
    systems = [(next(segments), system.draw(rng)) for _ in range(workload.n_systems)]
    popular = [1 / (k + 1) for k in range(workload.n_systems)]
    for start in starts:
        known = list(rng.choices(systems, popular)) if systems else []
        n_tokens = sum(n for _, n in known)
        turns = []
        while True:
            asked, answered = new.draw(rng), reply.draw(rng)
            if turns and n_tokens + asked + answered > most:
                break
            n_tokens += asked + answered
            think = rng.expovariate(1 / workload.think_mean) if turns and workload.think_mean else 0.0
            turns.append(Turn([*known, (next(segments), asked)], next(segments), answered, think))
            known = []
            if rng.random() < 1 / workload.turns_mean:
                break
        yield Session(start, turns)
