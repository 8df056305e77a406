"""Trains the tower: first with heads that tell what is in a picture, then through the text model.

Without --answers the text model is not asked. With it the loss of the answers' tokens comes in; the
text model's weights stay as they are, but for the three rows of text_model.py. All questions about a
picture share its soft tokens.

    python train.py --out heads.pt --minutes 12
    python train.py --gguf pleiad-demo.gguf --ideal ideal.pt --start heads.pt --out tower.pt --answers 1 --heads 0.5 --lr 2e-3
"""

import argparse
import os
import random
import time

import numpy as np
import torch

from lessons import LENGTH, TARGETS, Encoder, Tally
from scenes import COLOURS, MOST, SHAPES, draw, make_scene
from text_model import TextModel, loss_of
from tower import encode, make_tower, patches_of, project

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


def optimizers(tower, heads, text, args):
    """(optimizer, learning rate), and the groups whose gradients are clipped together."""
    named = [(n, p) for m in (tower, heads) for n, p in m.named_parameters() if p.requires_grad]
    is_matrix = lambda n, p: p.ndim == 2 and "layers" in n
    projection = [p for n, p in named if "embedding_projection" in n]
    matrices = [p for n, p in named if is_matrix(n, p)]
    others = [p for n, p in named if not is_matrix(n, p) and "embedding_projection" not in n]
    found = [(torch.optim.Muon(matrices, lr=args.lr, weight_decay=0.02, adjust_lr_fn="match_rms_adamw"), args.lr),
             (torch.optim.AdamW(others, lr=args.lr, weight_decay=0.0, betas=(0.9, 0.98), fused=True), args.lr)]
    groups = [matrices + others]
    if text:
        found += [(torch.optim.Adam([text.rows], betas=(0.9, 0.98)), args.row_lr),
                  (torch.optim.Adam(projection, betas=(0.9, 0.98)), args.projection_lr)]
        groups += [[text.rows], projection]
    return found, groups


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
    torch.set_num_threads(1)
    torch._dynamo.config.cache_size_limit = 64
    rng, tally = random.Random(args.seed), Tally()
    tower, heads = make_tower(), Heads()
    text = TextModel(args.gguf) if args.answers else None
    if args.start:
        saved = torch.load(args.start)
        tower.load_state_dict(saved["tower"])
        heads.load_state_dict(saved["heads"])
        if text and "rows" in saved:
            text.rows.data.copy_(saved["rows"])
    if args.ideal:
        saved = torch.load(args.ideal)
        tower.embed_vision.embedding_projection.weight.data.copy_(saved["projection"])
        text.rows.data.copy_(saved["rows"])
    encoder = Encoder(text)
    all_optimizers, groups = optimizers(tower, heads, text, args)
    fast = torch.compile(encode, dynamic=False)

    def weights():
        return {**tower.state_dict(), **({"rows": text.rows.data} if text else {})}

    def save():
        data = {"tower": tower.state_dict(), "heads": heads.state_dict(), "average": average}
        torch.save(data | ({"rows": text.rows.data} if text else {}), args.out + ".part")
        os.replace(args.out + ".part", args.out)

    average = {k: v.clone() for k, v in weights().items()}
    start, step, saved_at = None, 0, time.time()
    while (minute := (time.time() - start) / 60 if start else 0) < args.minutes:
        scale = min(1, (step + 1) / 40) * min(1, (1 - minute / args.minutes) / args.decay + 0.01)
        for optimizer, rate in all_optimizers:
            for group in optimizer.param_groups:
                group["lr"] = rate * scale
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
        loss.backward()
        for group in groups:
            torch.nn.utils.clip_grad_norm_(group, 1.0)
        for optimizer, _ in all_optimizers:
            optimizer.step()
            optimizer.zero_grad()
        keep = min(0.99, step / (step + 20))
        with torch.no_grad():
            for k, v in weights().items():
                average[k].lerp_(v, 1 - keep)
        step += 1
        start = start or time.time()                 # the first step compiles
        tally.show(f"{minute:5.1f} min step {step}", every=40)
        if time.time() - saved_at > 120:
            save()
            saved_at = time.time()
    save()


if __name__ == "__main__":
    main()
