"""Teaches the tower to read words and numbers: first to say the codes of codes.py, then through the text model.

Without --answers the text model is not asked, which makes a step cheap. Of pictures of the older skills the tower then says what it
said before. Behind two of its three layers, heads tell which character a patch shows and which of the text it is. With
--answers the loss of the answers' tokens comes in, about all pictures; the text model's weights stay as they are, but for the rows of
the ids around a picture.

    python train_reader.py --projector mmproj-pleiad-demo.gguf --codes codes.pt --out said.pt --steps 2000
    python train_reader.py --projector mmproj-pleiad-demo.gguf --codes codes.pt --gguf pleiad-demo.gguf --ideal ideal.pt \
        --start said.pt --out reader.pt --answers 1 --lr 2e-3 --steps 1000
"""

import argparse
import random
import time

import numpy as np
import torch

import tower_gguf
from codes import LOW, SQUARE, said
from ideal_reader import stack
from lessons import Encoder, Tally
from scenes import draw, make_scene
from strokes import STROKES
from text_model import TextModel, loss_of
from tower import POOL, encode, patches_of, project
from training import Training, join, threads

TAP = 2                                              # layers before the heads
SHARP = 12                                           # how much likelier a code is for a vector that is as alike as can be
LONGEST = 5                                          # characters of a text
# Columns and rows of soft tokens; share of the steps; shares of digits, numbers and words there.
SIZES = ((LOW, 0.5, (0.15, 0.35, 0.5)), (SQUARE, 0.35, (0.15, 0.2, 0.25)), ((9, 7), 0.1, (0.15, 0.2, 0.25)), ((7, 9), 0.05, (0.15, 0.2, 0.25)))
# The same with --answers: shapes, of which the tower says other things by then, are nearly half of the pictures.
SIZES_OF_ANSWERS = ((LOW, 0.25, (0.15, 0.35, 0.5)), (SQUARE, 0.45, (0.1, 0.12, 0.18)), ((9, 7), 0.18, (0.1, 0.12, 0.18)),
                    ((7, 9), 0.12, (0.1, 0.12, 0.18)))
functional = torch.nn.functional


class Heads(torch.nn.Module):
    """Which character a patch shows, and which of the text it is."""

    def __init__(self, dim=128):
        super().__init__()
        self.character = torch.nn.Linear(dim, len(STROKES))
        self.place = torch.nn.Linear(dim, LONGEST)

    def loss(self, vectors, labels, tally):
        """The sum of their losses; vectors [n, patches, dim], labels [n, patches] by head."""
        total = 0
        for name, truth in labels.items():
            keep = truth >= 0
            if not keep.any():
                continue
            logits = getattr(self, name)(vectors[keep])
            loss = functional.cross_entropy(logits, truth[keep])
            right = (logits.argmax(-1) == truth[keep]).float().mean().item()
            tally.add(f"({name})", loss, right)
            total = total + loss
        return total


def moved(image, boxes, rng):
    """The picture with its text somewhere else, and where its characters are then."""
    height, width, _ = image.shape
    edge, below = 0.04, 1.3                          # the pen's line; letters that reach down
    left, top = min(b[0] for b in boxes) - edge, min(b[1] for b in boxes) - edge
    right, bottom = max(b[2] for b in boxes) + edge, max(b[1] + below * (b[3] - b[1]) for b in boxes) + edge
    x = round(width * rng.uniform(-left, 1 - right)) if left + 1 > right and left > 0 and right < 1 else 0
    y = round(height * rng.uniform(-top, 1 - bottom)) if top > 0 and bottom < 1 else 0
    return np.roll(image, (y, x), (0, 1)), [(a + x / width, b + y / height, c + x / width, d + y / height) for a, b, c, d in boxes]


def labels_of_patches(scene, boxes, columns, rows):
    """[heads, patches]: for each head the labels of patches, -1 where none is asked."""
    across, down = columns * POOL, rows * POOL
    x, y = (np.arange(across) + 0.5) / across, (np.arange(down) + 0.5)[:, None] / down
    labels = np.full((2, down, across), -1)
    for i, (left, top, right, bottom) in enumerate(boxes if scene.text else ()):
        labels[:, (x >= left) & (x < right) & (y >= top) & (y < bottom)] = [[list(STROKES).index(scene.text[i])], [i]]
    return labels.reshape(2, -1)


def reads(scene):
    return scene.kind in ("word", "number")


class Pictures:
    """Pictures of training, each of which is seen several times, its text each time in another place: drawing costs as much as
    learning. Of those that are not read also what the tower says before it is taught. sizes is SIZES or SIZES_OF_ANSWERS."""

    def __init__(self, before, rng, fresh, sizes, most=1500):
        self.before, self.rng, self.fresh, self.sizes, self.most = before, rng, fresh, sizes, most
        self.kept = {size: [] for size, *_ in sizes}

    def draw(self, size, shares, n):
        """A few new ones, in the place of any."""
        scenes = [make_scene(self.rng, "train", *shares) for _ in range(n)]
        items = [(scene, *draw(scene, self.rng, *size), None) for scene in scenes]
        old = [i for i, scene in enumerate(scenes) if not reads(scene)]
        if old:
            with torch.no_grad(), torch.autocast("cpu", dtype=torch.bfloat16):
                said_before = encode(self.before, patches_of(np.stack([items[i][1] for i in old])), size[0] * POOL, size[1] * POOL).bfloat16()
            for i, vectors in zip(old, said_before):
                items[i] = (*items[i][:3], vectors)
        for item in items:
            if len(self.kept[size]) < self.most:
                self.kept[size].append(item)
            else:
                self.kept[size][self.rng.randrange(self.most)] = item

    def batch(self, n):
        """(size, scenes, patches, labels by head, what the tower said before of those that are not read, which come first)"""
        size, _, shares = self.rng.choices(self.sizes, [share for _, share, _ in self.sizes])[0]
        kept = self.kept[size]
        self.draw(size, shares, max(self.fresh, n - len(kept)))
        items = sorted(self.rng.sample(kept, n), key=lambda item: reads(item[0]))
        scenes, said_before = [item[0] for item in items], [item[3] for item in items if item[3] is not None]
        shown = [moved(image, boxes, self.rng) if reads(scene) else (image, boxes) for scene, image, boxes, _ in items]
        labels = torch.from_numpy(np.stack([labels_of_patches(scene, boxes, *size) for scene, (_, boxes) in zip(scenes, shown)]))
        return (size, scenes, patches_of(np.stack([image for image, _ in shown])),
                {"character": labels[:, 0], "place": labels[:, 1]}, torch.stack(said_before).float() if said_before else None)


def loss_of_codes(vectors, labels, codes, columns, rows, tally):
    """How far what is said [n, cells, width] is from what an ideal tower says, of pictures that are all read."""
    ideal = said(codes, labels, columns, rows)
    loss = (1 - (vectors * ideal).mean(-1)).mean()
    second = (torch.arange(columns) % 2).repeat(rows).bool()
    for kind, cells in (("word", slice(None)), ("first", ~second), ("second", second), ("colour", slice(None))):
        keep = labels[kind] >= 0
        if not keep.any():
            continue
        alike = SHARP * vectors[keep][:, cells] @ codes[kind].T / vectors.shape[-1]
        truth = labels[kind][keep]
        part = functional.cross_entropy(alike.flatten(0, 1), truth.repeat_interleave(alike.shape[1]))
        loss = loss + part * (0.3 if kind == "colour" else 1)
        for right in alike.mean(1).argmax(-1) == truth:
            tally.add(f"[{kind}]", part, right)
    return loss


@torch.no_grad()
def score(tower, codes, text, encoder, n=60):
    """Shares of right codes, and of right answers where there is a text model, of pictures that training does not see."""
    tally, rng = Tally(), random.Random(77)
    for (columns, rows), _, shares in SIZES[:2]:
        for at in range(0, n, 30):
            scenes = [make_scene(rng, "test", *shares) for _ in range(30)]
            patches = patches_of(np.stack([draw(scene, rng, columns, rows)[0] for scene in scenes]))
            with torch.autocast("cpu", dtype=torch.bfloat16):
                vectors = encode(tower, patches, columns * POOL, rows * POOL)
            vectors, read = vectors.float(), torch.tensor([reads(s) for s in scenes])
            loss_of_codes(vectors[read], {k: v[read] for k, v in stack(scenes).items()}, codes, columns, rows, tally)
            if text:
                asked = [encoder(s, rng) for s in scenes]
                packed = text.pack([prompts for _, prompts in asked], [columns * rows])
                tally.add_answers(asked, packed, *loss_of(text(project(tower, vectors), packed), packed))
    return tally.seen


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--projector", required=True, help="with the tower that is taught")
    parser.add_argument("--codes", required=True, help="of codes.py")
    parser.add_argument("--out", required=True)
    parser.add_argument("--gguf", help="the text model; needed with --answers")
    parser.add_argument("--start", help="of this program")
    parser.add_argument("--ideal", help="of ideal_reader.py: where the rows and the projection start")
    parser.add_argument("--steps", type=int, default=2000)
    parser.add_argument("--minutes", type=float, default=1e9, help="after which it ends, if the steps are not done before")
    parser.add_argument("--batch", type=int, default=24)
    parser.add_argument("--fresh", type=int, default=12, help="new pictures for each step")
    parser.add_argument("--answers", type=float, default=0, help="weight of the answers' loss")
    parser.add_argument("--say", type=float, default=1, help="weight of the codes' loss")
    parser.add_argument("--heads", type=float, default=0.5, help="weight of the heads' losses")
    parser.add_argument("--keep", type=float, default=3, help="weight of what the tower said before")
    parser.add_argument("--lr", type=float, default=2.5e-3)
    parser.add_argument("--row-lr", type=float, default=2e-3)
    parser.add_argument("--projection-lr", type=float, default=1e-3)
    parser.add_argument("--chats", type=float, default=0, help="share of pictures with several questions in turns")
    parser.add_argument("--decay", type=float, default=0.5, help="share of the steps for the decay")
    parser.add_argument("--score-every", type=int, default=100, help="steps")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    torch.set_num_threads(threads())
    rank, _ = join()
    torch.manual_seed(args.seed)
    rng, tally = random.Random(args.seed + rank), Tally()
    sizes = SIZES_OF_ANSWERS if args.answers else SIZES
    pictures = Pictures(tower_gguf.read(args.projector).requires_grad_(False), rng, args.fresh, sizes)
    codes = torch.load(args.codes, weights_only=False)["codes"]
    text = TextModel(args.gguf, compiled=False, pad_learns=False) if args.answers else None
    training = Training(tower_gguf.read(args.projector).train(), text, args.out, args.lr, args.row_lr, args.projection_lr, Heads())
    training.start_from(args.start, args.ideal)
    tower, heads, encoder, start = training.tower, training.heads, Encoder(text) if text else None, time.time()

    def show_score():
        with training.averaged():
            found = score(tower, codes, text, encoder)
        print("   score " + "  ".join(f"{k} {100 * sum(r for _, r in v) / len(v):.0f}%" for k, v in sorted(found.items())), flush=True)

    while (done := training.agreed(max(training.step_number / args.steps, (time.time() - start) / 60 / args.minutes))) < 1:
        (columns, rows), scenes, patches, labels, kept = pictures.batch(args.batch)
        n_before = sum(not reads(s) for s in scenes)
        with torch.autocast("cpu", dtype=torch.bfloat16):
            vectors, tapped = encode(tower, patches, columns * POOL, rows * POOL, TAP)
        vectors = vectors.float()
        loss = args.heads * heads.loss(tapped.float(), labels, tally)
        if n_before < len(scenes):
            loss = loss + args.say * loss_of_codes(vectors[n_before:], stack(scenes[n_before:]), codes, columns, rows, tally)
        if kept is not None:
            far = (vectors[:n_before] - kept).square().mean()
            tally.add("(before)", far, False)
            loss = loss + args.keep * far
        if text:
            asked = [encoder(s, rng, rng.random() < args.chats) for s in scenes]
            packed = text.pack([prompts for _, prompts in asked], [columns * rows])
            losses, right = loss_of(text(project(tower, vectors), packed), packed)
            loss = loss + args.answers * losses.mean()
            tally.add_answers(asked, packed, losses, right)
        training.step(loss, done, args.decay)
        if rank == 0:
            tally.show(f"{(time.time() - start) / 60:5.1f} min ({time.process_time() / 60:.1f} of the core) step {training.step_number}", every=30)
        if time.time() - training.saved_at > 100:
            training.save()
        if rank == 0 and training.step_number % args.score_every == 0:
            show_score()
    training.save()
    if rank == 0:
        show_score()


if __name__ == "__main__":
    main()
