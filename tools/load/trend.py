"""Whether a server's curves are flat: what is judged, by which limits, and what came out."""
import statistics
from dataclasses import dataclass

FEWEST_SAMPLES = 20
# Growth over the whole time, from the slope, that still counts as flat.
RESIDENT_BYTES = 4 << 20      # or
RESIDENT_SHARE = 0.03         # of the median, whichever is more
DESCRIPTORS = 8
THREADS = 4


def slope(times, values):
    """The median of the slopes between all pairs (Theil-Sen): single peaks do not move it."""
    pairs = [(b - a) / (t - s) for i, (s, a) in enumerate(zip(times, values))
             for t, b in zip(times[i + 1:], values[i + 1:]) if t > s]
    return statistics.median(pairs) if pairs else 0.0


@dataclass
class Trend:
    name: str
    verdict: str        # "flat", "growing" or "undecided"
    lowest: float
    median: float
    highest: float
    growth: float       # over the whole time, by the slope
    late_growth: float  # of the second half, by its own slope
    limit: float

    def line(self, unit=1, digits=0):
        return (f"{self.name}: {self.verdict}; {self.lowest / unit:.{digits}f} to {self.highest / unit:.{digits}f}, "
                f"median {self.median / unit:.{digits}f}; growth {self.growth / unit:+.2f}, of the second half "
                f"{self.late_growth / unit:+.2f}; at most {self.limit / unit:.2f}")


def judge(name, times, values, limit):
    """A leak goes on: it grows over the whole time by more than the limit, and over the second half
    by more than half of that. What rises once and stays has settled."""
    if len(values) < FEWEST_SAMPLES:
        return Trend(name, "undecided", *([float("nan")] * 5), limit)
    growth = slope(times, values) * (times[-1] - times[0])
    middle = len(values) // 2
    late = slope(times[middle:], values[middle:]) * (times[-1] - times[middle])
    growing = growth > limit and late > limit / 2
    return Trend(name, "growing" if growing else "flat", min(values), statistics.median(values),
                 max(values), growth, late, limit)


def resident_limit(values):
    """In bytes."""
    return max(RESIDENT_BYTES, RESIDENT_SHARE * statistics.median(values)) if values else RESIDENT_BYTES


def judge_samples(samples):
    """Of the samples under load, after the warm-up."""
    times = [sample.seconds for sample in samples]
    resident = [sample.resident for sample in samples]
    return [judge("resident memory, MiB", times, resident, resident_limit(resident)),
            judge("descriptors", times, [sample.descriptors for sample in samples], DESCRIPTORS),
            judge("threads", times, [sample.threads for sample in samples], THREADS)]


def judge_rest(before, after):
    """What is wrong between two moments without clients, the same models loaded: nothing may stay open."""
    return [f"{name} at rest: {old} after the warm-up, {new} at the end"
            for name, old, new in [("descriptors", before.descriptors, after.descriptors),
                                   ("threads", before.threads, after.threads)] if new > old]
