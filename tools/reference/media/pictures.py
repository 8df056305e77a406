"""Pictures that a formula makes, so that the tests of the engine can make them too."""

from pathlib import Path

import numpy as np
from PIL import Image


def pattern(width: int, height: int, seed: int) -> np.ndarray:
    """uint8 [height, width, 3]: smooth waves, edges and a little noise; integers alone."""
    y, x, c = np.meshgrid(np.arange(height), np.arange(width), np.arange(3), indexing="ij")
    wave = x * (3 + seed) + y * (5 + c) + x * y // (16 + 4 * seed) + 85 * c
    edge = ((x // (20 + seed) + y // 24) % 2) * 90
    noise = (x * 7919 + y * 104729 + c * 1299709 + seed * 15485863) % 31
    return ((wave // 4 + edge + noise) % 256).astype(np.uint8)


# name -> (width, height, seed): originals of no particular size, which the processor resizes.
FILES = {
    "wide": (300, 130, 1),
    "tall": (70, 160, 2),
    "tiny": (7, 5, 3),
}


def save_files(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name, (width, height, seed) in FILES.items():
        Image.fromarray(pattern(width, height, seed)).save(folder / f"{name}.png", optimize=True)
