"""Sounds that a formula makes, so that tests need no files of them."""

import numpy as np


def pattern(n: int, seed: int) -> np.ndarray:
    """float32 [n] at 16 kHz: a tone, one that climbs, and noise, with every third quarter of a second
    quiet. All in integers up to the last step, and the same in src/model/testing/golden_sounds.h."""
    i = np.arange(n, dtype=np.uint64)
    tone = np.abs(((i * np.uint64(37 + 11 * seed)) % np.uint64(1600)).astype(np.int64) - 800) * 20 - 8000
    climb = np.abs(((i * (i // np.uint64(64) + np.uint64(5 + seed))) % np.uint64(3000)).astype(np.int64) - 1500) * 6 - 4500
    mixed = (i + np.uint64(1) + np.uint64(7919 * seed)) * np.uint64(2654435761) % np.uint64(2**32)
    mixed = (mixed ^ (mixed >> np.uint64(15))) * np.uint64(2246822519) % np.uint64(2**32)
    noise = ((mixed >> np.uint64(16)) % np.uint64(3001)).astype(np.int64) - 1500
    quiet = (i // np.uint64(4000)) % np.uint64(3) == 2
    total = np.where(quiet, (tone + climb) // 32 + noise // 4, tone + climb + noise)
    return (total / 32768.0).astype(np.float32)
