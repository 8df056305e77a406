"""When sessions begin."""
import math
import random


def poisson(rate, seconds, seed):
    """Independent ones: exponential times between them."""
    return bursts(rate, seconds, seed, 1.0)


def bursts(rate, seconds, seed, variation):
    """Gamma-distributed times between them, whose standard deviation is `variation` times their mean: above 1 they come
    in bursts."""
    rng = random.Random(seed)
    shape = 1 / variation ** 2
    starts, now = [], 0.0
    while True:
        now += rng.gammavariate(shape, 1 / (rate * shape))
        if now >= seconds:
            return starts
        starts.append(now)


def daily(rate, seconds, seed, swing, day):
    """Independent ones whose rate goes up and down by `swing` times its mean in `day` seconds, lowest at the start."""
    rng = random.Random(seed)
    most = rate * (1 + swing)
    return [start for start in poisson(most, seconds, seed + 1)
            if rng.random() * most < rate * (1 - swing * math.cos(2 * math.pi * start / day))]
