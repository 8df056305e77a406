"""Pictures that a formula makes, so that the tests of the engine can make them too."""

from pathlib import Path

import numpy as np
from PIL import Image

ORIENTATION = 0x0112  # of Exif


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


# Lossy ones, as cameras and messengers store them: name -> (width, height, seed, what Pillow is
# told, the orientation of Exif).
LOSSY_FILES = {
    "photo.jpg": ((460, 345, 4), dict(quality=85, subsampling="4:2:0", optimize=True), None),
    "turned.jpg": ((190, 120, 5), dict(quality=70, subsampling="4:2:2", progressive=True), 6),
    "lossy.webp": ((200, 150, 6), dict(quality=75, method=6), None),
}


def save_files(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name, (shape, options, orientation) in LOSSY_FILES.items():
        exif = Image.Exif()
        if orientation:
            exif[ORIENTATION] = orientation
            options = options | dict(exif=exif)
        Image.fromarray(pattern(*shape)).save(folder / name, **options)
    for name, (width, height, seed) in FILES.items():
        Image.fromarray(pattern(width, height, seed)).save(folder / f"{name}.png", optimize=True)
