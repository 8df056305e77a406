"""Codes by which the tower says words and numbers, in directions that what it says of shapes and digits hardly uses.

The tower of a projector file looks at pictures of the skills that it has. Codes are drawn once, at right angles to each other, in the
span of the directions in which its vectors vary least: one for each word, for each first and each second digit of a number of
two, and for each colour. So what the tower says already, and the text model understands, can stay as it is. Beside a code stands what
its vectors have in common. The vectors are kept too, for ideal_reader.py.

    python codes.py --projector mmproj-pleiad-demo.gguf --out codes.pt
"""

import argparse
import random

import numpy as np
import torch

import tower_gguf
from scenes import COLOURS, WORDS, draw, make_scene
from tower import encode, patches_of

SQUARE, LOW = (8, 8), (11, 5)                        # columns and rows of soft tokens
KINDS = {"word": 32, "first": 10, "second": 10, "colour": len(COLOURS)}
COLOUR_SHARE, BASE_SHARE = 0.6, 0.6                  # of a colour's code, and of what all pictures have in common, beside the other code


def labels_of(scene):
    """The number of each kind's code that is said of a word or a number; -1 for none."""
    number = scene.kind == "number"
    return {"word": WORDS.index(scene.text) if scene.kind == "word" else -1, "first": int(scene.text[0]) if number else -1,
            "second": int(scene.text[1]) if number else -1, "colour": list(COLOURS).index(scene.colour)}


def said(codes, labels, columns, rows):
    """What an ideal tower says [n, columns * rows, width]: a word in all cells, a number's digits in every second column, the colour, and
    what all pictures have in common."""
    one = lambda kind: codes[kind][labels[kind].clamp(min=0)] * (labels[kind] >= 0)[:, None]
    second = (torch.arange(columns) % 2).repeat(rows)[:, None].float()
    everywhere = one("word") + COLOUR_SHARE * one("colour") + BASE_SHARE * codes["base"]
    vectors = everywhere[:, None] + one("first")[:, None] * (1 - second) + one("second")[:, None] * second
    return vectors * torch.rsqrt(vectors.square().mean(-1, keepdim=True))


def directions(vectors):
    """[n, width]: orthonormal directions in which vectors [m, width] vary least, least first."""
    values, axes = torch.linalg.eigh((vectors.T @ vectors / len(vectors)).double())
    print("variance by direction:", " ".join(f"{v:.3f}" for v in values))
    return axes.T.float()


@torch.no_grad()
def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--projector", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--pictures", type=int, default=384, help="square ones; a third as many low ones, of digits")
    args = parser.parse_args()
    tower, rng, known = tower_gguf.read(args.projector), random.Random(5), {}
    for (columns, rows), digits, n in ((SQUARE, 0.25, args.pictures), (LOW, 1, args.pictures // 3)):
        scenes = [make_scene(rng, digits=digits) for _ in range(n)]
        vectors = [encode(tower, patches_of(np.stack([draw(s, rng, columns, rows)[0] for s in scenes[at:at + 32]])), columns * 2, rows * 2)
                   for at in range(0, n, 32)]
        known[columns, rows] = (scenes, torch.cat(vectors))
    every = torch.cat([vectors.flatten(0, 1) for _, vectors in known.values()])
    least, base = directions(every), every.mean(0)
    n = sum(KINDS.values())
    drawn = torch.linalg.qr(torch.randn(n, n, generator=torch.Generator().manual_seed(3)))[0] @ least[:n] * least.shape[1] ** 0.5
    codes = dict(zip(KINDS, drawn.split(list(KINDS.values())))) | {"base": base * torch.rsqrt(base.square().mean())}
    torch.save({"codes": codes, "known": known}, args.out)


if __name__ == "__main__":
    main()
