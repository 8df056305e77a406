"""Trains the tower: first with heads that tell what is in a picture, then through the text model.

Without --answers the text model is not asked. With it the loss of the answers' tokens comes in; the
text model's weights stay as they are, but for the three rows of text_model.py. All questions about a
picture share its soft tokens.

    python train.py --out heads.pt --minutes 12
    python train.py --gguf pleiad-demo.gguf --ideal ideal.pt --start heads.pt --out tower.pt --answers 1 --heads 0.5 --lr 2e-3
"""

import argparse
import random
import time

import numpy as np
import torch

from lessons import LENGTH, TARGETS, Encoder, Tally
from scenes import COLOURS, MOST, SHAPES, draw, make_scene
from text_model import TextModel, loss_of
from tower import encode, make_tower, patches_of, project
from training import Training, join, threads

SQUARE = (8, 8)                                      # columns and rows of soft tokens
OTHERS = ((11, 5), (9, 7), (7, 9))                   # of pictures twice as wide as high, 4:3, 3:4


class Heads(torch.nn.Module):
    """What stands in the middle of a soft token's cell, and what is in the whole picture."""

    def __init__(self, dim=128):
        super().__init__()
        self.cell = torch.nn.Linear(dim, 1 + len(SHAPES) + 1)        # nothing, the middle of a shape, of a digit
        self.whole = torch.nn.ModuleDict({name: torch.nn.Linear(dim, n) for name, n in {
            "kind": 2, "colour": len(COLOURS), "shape": len(SHAPES), "count": MOST, "digit": 10}.items()})

    def loss(self, pooled, labels, tally):
        """The sum of their losses."""
        total, mean = 0, pooled.mean(1)
        for name, truth in labels.items():
            logits = self.cell(pooled).flatten(0, 1) if name == "cell" else self.whole[name](mean)
            truth = truth.flatten()
            keep = truth >= 0
            if not keep.any():
                continue
            weight = torch.tensor([0.1] + [1.0] * (len(SHAPES) + 1)) if name == "cell" else None
            loss = torch.nn.functional.cross_entropy(logits[keep], truth[keep], weight=weight)
            total, shown = total + loss, loss.item()
            if name == "cell":
                keep = truth > 0
            for right in logits[keep].argmax(-1) == truth[keep]:
                tally.add("(" + name + ")", shown, right)
        return total


def labelled(scenes, rng, columns, rows):
    """Patches and labels of pictures of the scenes, all of one size."""
    shown, labels = [], {name: [] for name in ("kind", "colour", "shape", "count", "digit", "cell")}
    for scene in scenes:
        image, boxes = draw(scene, rng, columns, rows)
        shown.append(image)
        cells = np.zeros(columns * rows, int)
        for left, top, right, bottom in boxes:
            x, y = (left + right) / 2, (top + bottom) / 2
            at = min(rows - 1, int(y * rows)) * columns + min(columns - 1, int(x * columns))
            cells[at] = 1 + SHAPES.index(scene.shape) if scene.shape else 1 + len(SHAPES)
        labels["cell"].append(cells)
        labels["kind"].append(int(bool(scene.shape)))
        labels["colour"].append(list(COLOURS).index(scene.colour))
        labels["shape"].append(SHAPES.index(scene.shape) if scene.shape else -1)
        labels["count"].append(scene.count - 1)
        labels["digit"].append(int(scene.text or -1))
    return patches_of(np.stack(shown)), {k: torch.tensor(np.array(v)) for k, v in labels.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", required=True)
    parser.add_argument("--gguf", help="the text model; needed with --answers")
    parser.add_argument("--start", help="of this program")
    parser.add_argument("--ideal", help="of ideal_tower.py: where the rows and the projection start")
    parser.add_argument("--minutes", type=float, default=12)
    parser.add_argument("--batch", type=int, default=16)
    parser.add_argument("--answers", type=float, default=0, help="weight of the answers' loss")
    parser.add_argument("--heads", type=float, default=1, help="weight of the heads' losses")
    parser.add_argument("--lr", type=float, default=3e-3)
    parser.add_argument("--row-lr", type=float, default=0.01)
    parser.add_argument("--projection-lr", type=float, default=5e-3)
    parser.add_argument("--wide", type=float, default=0, help="share of steps with pictures that are not square")
    parser.add_argument("--chats", type=float, default=0, help="share of steps with several questions in turns")
    parser.add_argument("--decay", type=float, default=0.3, help="share of the time for the decay")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    torch.set_num_threads(threads())
    torch._dynamo.config.cache_size_limit = 64
    rank, _ = join()
    rng, tally = random.Random(args.seed + rank), Tally()
    text = TextModel(args.gguf) if args.answers else None
    training = Training(make_tower(), text, args.out, args.lr, args.row_lr, args.projection_lr, Heads())
    training.start_from(args.start, args.ideal)
    tower, heads, encoder = training.tower, training.heads, Encoder(text)
    fast, start = torch.compile(encode, dynamic=False), None
    while (done := training.agreed((time.time() - start) / 60 / args.minutes if start else 0)) < 1:
        columns, rows = rng.choice(OTHERS) if rng.random() < args.wide else SQUARE
        scenes = [make_scene(rng, digits=1 if rows == 5 else 0.25) for _ in range(args.batch)]
        patches, labels = labelled(scenes, rng, columns, rows)
        with torch.autocast("cpu", dtype=torch.bfloat16):
            pooled = fast(tower, patches, columns * 2, rows * 2)
        pooled = pooled.float()
        loss = args.heads * heads.loss(pooled, labels, tally)
        if text:
            asked = [encoder(s, rng, rng.random() < args.chats) for s in scenes]
            batch = text.pack([prompts for _, prompts in asked], [columns * rows], LENGTH + 64 - columns * rows, TARGETS)
            losses, right = loss_of(text(project(tower, pooled), batch), batch)
            loss = loss + args.answers * losses.mean()
            tally.add_answers(asked, batch, losses, right)
        training.step(loss, done, args.decay)
        start = start or time.time()                 # the first step compiles
        if rank == 0:
            tally.show(f"{(time.time() - start) / 60:5.1f} min step {training.step_number}", every=40)
        if time.time() - training.saved_at > 120:
            training.save()
    training.save()


if __name__ == "__main__":
    main()
