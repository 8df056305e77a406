"""What a tower that reads would show the text model: the codes of codes.py.

Trained through the frozen text model are the projection and the rows of the ids around a picture, on codes, and on what the tower
says of pictures of its other skills, so that these stay. In minutes it tells whether the text model can be made to answer, before
the tower has read anything; train_reader.py starts from the projection and the rows.

    python ideal_reader.py --gguf pleiad-demo.gguf --projector mmproj-pleiad-demo.gguf --codes codes.pt --out ideal.pt --steps 400
"""

import argparse
import os
import random
import time

import torch

import tower_gguf
from codes import KINDS, LOW, SQUARE, labels_of, said
from lessons import Encoder, Tally
from scenes import make_scene
from text_model import TextModel, loss_of


def stack(scenes):
    """The labels of scenes, by kind of code."""
    return {kind: torch.tensor([labels_of(s)[kind] for s in scenes]) for kind in labels_of(scenes[0])}


def batch(known, codes, rng, size, n, split="train", noise=0.3):
    """(scenes, vectors [n, cells, width]): three quarters read codes, with noise, the others are what the tower says."""
    scenes = [make_scene(rng, split, 0, 0.4, 0.6) for _ in range(n * 3 // 4)]
    vectors = said(codes, stack(scenes), *size)
    seen, shown = known[size]
    picked = rng.sample(range(len(seen)), n - len(scenes))
    scenes, vectors = scenes + [seen[i] for i in picked], torch.cat([vectors, shown[picked]])
    vectors = vectors + noise * torch.rand(n, 1, 1) * torch.randn_like(vectors)
    return scenes, vectors * torch.rsqrt(vectors.square().mean(-1, keepdim=True))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--gguf", required=True)
    parser.add_argument("--projector", required=True)
    parser.add_argument("--codes", required=True, help="of codes.py")
    parser.add_argument("--out", required=True)
    parser.add_argument("--start", help="of this program")
    parser.add_argument("--steps", type=int, default=400)
    parser.add_argument("--batch", type=int, default=20)
    parser.add_argument("--lr", type=float, default=0.03)
    args = parser.parse_args()
    torch.set_num_threads(int(os.environ.get("OMP_NUM_THREADS", 1)))
    text, rng, tally = TextModel(args.gguf, compiled=False, pad_learns=False), random.Random(1), Tally()
    saved, encoder = torch.load(args.codes, weights_only=False), Encoder(text)
    codes, known = saved["codes"], saved["known"]
    projection = tower_gguf.read(args.projector).embed_vision.embedding_projection.weight.detach().clone()
    at_codes = torch.cat([codes[kind] for kind in KINDS]) / projection.shape[1] ** 0.5    # the tower hardly says these: they begin anew
    fresh = torch.randn(projection.shape, generator=torch.Generator().manual_seed(4)) * projection.shape[1] ** -0.5 * 5    # as large as the others
    fresh -= fresh @ codes["colour"].T @ codes["colour"] / fresh.shape[1]      # colours come last: they hide what stands in the same cells
    if args.start:
        begun = torch.load(args.start)
        text.rows.data.copy_(begun["rows"])
        projection = fresh = begun["projection"]
    old = torch.nn.Parameter(projection - projection @ at_codes.T @ at_codes)
    new = torch.nn.Parameter(fresh @ at_codes.T)
    adam = torch.optim.Adam([{"params": [old], "share": 0.1}, {"params": [new], "share": 1}, {"params": [text.rows], "share": 0.3}],
                            betas=(0.9, 0.98))
    torch.manual_seed(1)
    start = time.time()

    def save():
        torch.save({"projection": (old + new @ at_codes).detach(), "rows": text.rows.data}, args.out)

    for step in range(args.steps):
        for group in adam.param_groups:
            group["lr"] = args.lr * group["share"] * min(1, (step + 1) / 10) * min(1, 2 * (1 - step / args.steps) + 0.02)
        size = LOW if rng.random() < 0.5 else SQUARE
        scenes, vectors = batch(known, codes, rng, size, args.batch)
        asked = [encoder(s, rng) for s in scenes]
        packed = text.pack([prompts for _, prompts in asked], [size[0] * size[1]])
        losses, right = loss_of(text(vectors @ (old + new @ at_codes).T, packed), packed)
        adam.zero_grad()
        losses.mean().backward()
        torch.nn.utils.clip_grad_norm_([old, new, text.rows], 1.0)
        adam.step()
        tally.add_answers(asked, packed, losses, right)
        tally.show(f"{(time.time() - start) / 60:5.1f} min step {step + 1}", every=20)
        if (step + 1) % 25 == 0 or step + 1 == args.steps:
            save()


if __name__ == "__main__":
    main()
