"""What an ideal tower would show the text model: tables of vectors, for what is in a scene.

Trained through the frozen text model, they tell in minutes whether it can be made to answer from soft
tokens, before any tower is trained, and give the per-layer rows and the projection that train.py starts from.

    python ideal_tower.py --gguf pleiad-demo.gguf --out ideal.pt --minutes 4
"""

import argparse
import random
import time

import torch

from lessons import LENGTH, TARGETS, Encoder, Tally
from scenes import COLOURS, MOST, SHAPES, make_scene
from text_model import TextModel, loss_of

CELLS = 64


class IdealTower(torch.nn.Module):
    """Soft tokens of scenes: in each cell the sum of what it has to tell of each aspect, and of the cell's own vector."""

    def __init__(self, dim=128):
        super().__init__()
        sizes = {"kind": 2, "colour": len(COLOURS), "shape": len(SHAPES) + 1, "count": MOST + 1, "digit": 11}
        self.tables = torch.nn.ParameterDict({name: torch.nn.Parameter(torch.randn(n, dim)) for name, n in sizes.items()})
        share = torch.full((CELLS, len(sizes)), 0.3)
        for column, cells in enumerate((3, 0, 1, 2, 2)):   # every fourth column tells most of one aspect
            share[cells::4, column] = 1.2
        self.share = torch.nn.Parameter(share)
        self.cell = torch.nn.Parameter(torch.randn(CELLS, dim) * 0.7)
        self.projection = torch.nn.Parameter(torch.randn(256, dim) * dim ** -0.5 * 1.5)

    def forward(self, scenes):
        aspects = {"kind": [int(bool(s.shape)) for s in scenes], "colour": [list(COLOURS).index(s.colour) for s in scenes],
                   "shape": [1 + SHAPES.index(s.shape) if s.shape else 0 for s in scenes],
                   "count": [s.count for s in scenes], "digit": [1 + int(s.text) if s.text else 0 for s in scenes]}
        h = self.cell + sum(self.tables[name][torch.tensor(at)][:, None] * self.share[:, i, None]
                            for i, (name, at) in enumerate(aspects.items()))
        h = h * torch.rsqrt(h.square().mean(-1, keepdim=True) + 1e-6)
        return torch.nn.functional.linear(h, self.projection)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--gguf", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--minutes", type=float, default=4)
    parser.add_argument("--batch", type=int, default=16)
    parser.add_argument("--lr", type=float, default=0.03)
    args = parser.parse_args()
    torch.set_num_threads(1)
    text, ideal, rng, tally = TextModel(args.gguf), IdealTower(), random.Random(1), Tally()
    encoder, step, start = Encoder(text), 0, None
    adam = torch.optim.Adam([{"params": [p for n, p in ideal.named_parameters() if n != "projection"], "share": 1},
                             {"params": [ideal.projection], "share": 1 / 3}, {"params": [text.rows], "share": 1}],
                            betas=(0.9, 0.98))
    while (minute := (time.time() - start) / 60 if start else 0) < args.minutes:
        for group in adam.param_groups:
            group["lr"] = args.lr * group["share"] * min(1, (step + 1) / 20) * min(1, 2.5 * (1 - minute / args.minutes) + 0.02)
        scenes = [make_scene(rng) for _ in range(args.batch)]
        asked = [encoder(s, rng) for s in scenes]
        batch = text.pack([prompts for _, prompts in asked], [CELLS], LENGTH, TARGETS)
        soft = ideal(scenes)
        losses, right = loss_of(text(soft + 0.15 * torch.randn_like(soft), batch), batch)
        adam.zero_grad()
        losses.mean().backward()
        torch.nn.utils.clip_grad_norm_([*ideal.parameters(), text.rows], 1.0)
        adam.step()
        tally.add_answers(asked, batch, losses, right)
        step += 1
        start = start or time.time()                 # the first step compiles
        tally.show(f"{minute:5.1f} min step {step}", every=20)
    torch.save({"projection": ideal.projection.data, "rows": text.rows.data}, args.out)


if __name__ == "__main__":
    main()
