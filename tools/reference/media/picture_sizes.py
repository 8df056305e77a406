"""Writes tests/golden/media/picture_sizes.json: the sizes that the reference resizes pictures to.

    .venv/bin/python tools/reference/media/picture_sizes.py

A list of [width, height, budget, target width, target height]. The server's rule and the page's are held against it.
"""

import json
import pathlib
import random

from transformers.models.gemma4.image_processing_pil_gemma4 import get_aspect_ratio_preserving_size

OUT = pathlib.Path(__file__).resolve().parents[3] / "tests" / "golden" / "media" / "picture_sizes.json"
BUDGETS = (70, 140, 280, 560, 1120)
SIZES = [(1, 1), (47, 47), (48, 48), (49, 48), (1, 2), (640, 480), (480, 640), (768, 768), (800, 600), (1024, 1024), (1170, 2532),
         (1280, 720), (1920, 1080), (1600, 1606), (2304, 2304), (3024, 4032), (4032, 3024), (6000, 4000), (12000, 9000),
         (12000, 1), (1, 12000), (12000, 40), (40, 12000), (65535, 65535), (65535, 1), (7, 65535), (3000, 45), (45, 3000)]


def target(width, height, budget):
    found_height, found_width = get_aspect_ratio_preserving_size(height, width, 16, budget * 9, 3)
    return [width, height, budget, found_width, found_height]


def main():
    chance = random.Random(25)
    sizes = SIZES + [(int(2 ** chance.uniform(0, 14)), int(2 ** chance.uniform(0, 14))) for _ in range(120)]
    rows = [target(*size, budget) for size in sizes for budget in BUDGETS]
    OUT.parent.mkdir(parents=True, exist_ok=True)
    OUT.write_text("[" + ",\n ".join(json.dumps(row) for row in rows) + "]\n")


if __name__ == "__main__":
    main()
