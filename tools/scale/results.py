"""What a run gave, simulated or measured."""
import math


def percentile(ordered, share):
    """Of rising values; nan where there are none."""
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))] if ordered else math.nan


class Gaps:
    """Times between tokens, counted in classes that are 2 % wide."""
    WIDTH = math.log(1.02)

    def __init__(self):
        self.counts = {}

    def add(self, seconds, n=1):
        at = round(math.log(max(seconds, 1e-6)) / self.WIDTH)
        self.counts[at] = self.counts.get(at, 0) + n

    def percentile(self, share):
        wanted = share * sum(self.counts.values())
        for at in sorted(self.counts):
            wanted -= self.counts[at]
            if wanted < 0:
                return math.exp(at * self.WIDTH)
        return math.nan


class Results:
    """warm_up: what was sent in these seconds is not counted.

    until: the rate is that of answers that ended between warm_up and here; None: until the last one did.
    """

    def __init__(self, warm_up=0.0, until=None):
        self.warm_up = warm_up
        self.until = until
        self.window_tokens = 0
        self.firsts = []     # seconds to the first token
        self.gaps = Gaps()
        self.n_requests = 0
        self.prompt_tokens = 0
        self.cached_tokens = 0
        self.generated_tokens = 0
        self.last = warm_up  # when the last answer ended
        self.busy_seconds = []
        self.evicted_pages = 0

    def add_gaps(self, now, seconds, n=1):
        if now >= self.warm_up:
            self.gaps.add(seconds, n)

    def add_request(self, sent, first, end, prompt_tokens, cached_tokens, generated_tokens):
        """Times in seconds since the start; first: when the first token came."""
        self.last = max(self.last, end)
        if self.until is not None and self.warm_up <= end < self.until:
            self.window_tokens += generated_tokens
        if sent < self.warm_up:
            return
        self.n_requests += 1
        self.firsts.append(first - sent)
        self.prompt_tokens += prompt_tokens
        self.cached_tokens += cached_tokens
        self.generated_tokens += generated_tokens

    def add(self, job, request_seconds):
        """A job of the simulator, whose client also waits for what is around it."""
        self.add_request(job.arrived, job.first_token + request_seconds, job.finished, job.prompt.n_tokens,
                         job.cached, job.n_reply)

    def summary(self):
        firsts = sorted(self.firsts)
        tokens, seconds = self.generated_tokens, self.last - self.warm_up
        if self.until is not None:
            tokens, seconds = self.window_tokens, self.until - self.warm_up
        return {
            "requests": self.n_requests,
            "tokens_per_second": tokens / seconds if seconds else math.nan,
            "first_p50": percentile(firsts, 0.5), "first_p99": percentile(firsts, 0.99),
            "gap_p50": self.gaps.percentile(0.5), "gap_p99": self.gaps.percentile(0.99),
            "cached_share": self.cached_tokens / self.prompt_tokens if self.prompt_tokens else math.nan,
            "busy": sum(self.busy_seconds) / len(self.busy_seconds) / self.last if self.busy_seconds else math.nan,
        }


COLUMNS = [("requests", "requests", "{:d}"), ("tokens_per_second", "tokens/s", "{:.1f}"),
           ("first_p50", "first token p50", "{:.3f} s"), ("first_p99", "p99", "{:.3f} s"),
           ("gap_p50", "between tokens p50", "{:.3f} s"), ("gap_p99", "p99", "{:.3f} s"),
           ("cached_share", "cached", "{:.1%}"), ("busy", "busy", "{:.0%}")]


def table(rows, first="run"):
    """Markdown: (name, summary) of each row."""
    lines = ["| " + " | ".join([first, *[title for _, title, _ in COLUMNS]]) + " |",
             "|---|" + "---|" * len(COLUMNS)]
    for name, summary in rows:
        cells = ["" if math.isnan(summary[key]) else form.format(summary[key]) for key, _, form in COLUMNS]
        lines.append("| " + " | ".join([name, *cells]) + " |")
    return "\n".join(lines)
