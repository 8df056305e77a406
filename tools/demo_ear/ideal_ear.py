"""What an ideal tower would let the text model hear: a code for each word, where it has been said, and one for nothing.

The codes are drawn once, at right angles to each other. Trained through the frozen text model are the projection of codes to soft
tokens and the rows around a clip: in minutes they tell whether the text model can be made to answer, and the tower learns
to speak the codes without it.

    python ideal_ear.py --gguf pleiad-demo.gguf --out ideal.pt --minutes 4
"""

import argparse
import pathlib
import random
import sys
import time

import numpy as np
import torch

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "demo_tower"))
from features import SIZES, TOKEN, UNTOLD, labels  # noqa: E402
from lessons import Tally  # noqa: E402
from questions import Encoder  # noqa: E402
from speech import WORDS  # noqa: E402
from text_model import TextModel, loss_of  # noqa: E402

WIDTH = 96


def make_codes():
    """[1 + words, WIDTH] whose root mean squares are 1: of nothing, then of each word."""
    drawn = torch.randn(WIDTH, 1 + len(WORDS), generator=torch.Generator().manual_seed(3))
    return torch.linalg.qr(drawn)[0].T * WIDTH ** 0.5


def spoken(codes, told, words, noise=0.3):
    """What an ideal tower says [n, tokens, WIDTH] where a tower should say the classes told [n, tokens]."""
    share = torch.rand(told.shape)[..., None]        # where it may say anything: nothing, the word, both
    unsure = share * codes[0] + (1 - share) * codes[1 + words][:, None]
    said = torch.where((told == UNTOLD)[..., None], unsure, codes[told.clamp(min=0)])
    said = said + noise * torch.randn_like(said)
    return said * torch.rsqrt(said.square().mean(-1, keepdim=True) + 1e-6)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--gguf", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--minutes", type=float, default=4)
    parser.add_argument("--batch", type=int, default=20)
    parser.add_argument("--lr", type=float, default=0.02)
    parser.add_argument("--transcripts", type=float, default=0.25, help="share of steps that ask for transcripts too")
    args = parser.parse_args()
    torch.set_num_threads(1)
    text = TextModel(args.gguf, compiled=False, media="audio")
    codes, encoder, rng, tally = make_codes(), Encoder(text), random.Random(1), Tally()
    projection = torch.nn.Parameter(torch.randn(256, WIDTH) * WIDTH ** -0.5 * 1.5)
    adam = torch.optim.Adam([{"params": [projection], "share": 0.5}, {"params": [text.rows], "share": 1}], betas=(0.9, 0.98))
    start, step = time.time(), 0
    while (minute := (time.time() - start) / 60) < args.minutes:
        for group in adam.param_groups:
            group["lr"] = args.lr * group["share"] * min(1, (step + 1) / 10) * min(1, 2.5 * (1 - minute / args.minutes) + 0.02)
        n_tokens, transcripts = rng.choice(SIZES), rng.random() < args.transcripts
        words = [rng.randrange(len(WORDS)) for _ in range(args.batch)]
        ends = [rng.randrange(6 * TOKEN, (n_tokens - 2) * TOKEN) for _ in words]
        told = torch.from_numpy(np.stack([labels(n_tokens, end, word) for end, word in zip(ends, words)]))
        asked = [encoder(word, rng, transcripts) for word in words]
        batch = text.pack([prompts for _, prompts in asked], [n_tokens])
        soft = spoken(codes, told, torch.tensor(words)) @ projection.T
        losses, right = loss_of(text(soft, batch), batch)
        adam.zero_grad()
        losses.mean().backward()
        torch.nn.utils.clip_grad_norm_([projection, text.rows], 1.0)
        adam.step()
        tally.add_answers(asked, batch, losses, right)
        step += 1
        tally.show(f"{minute:5.1f} min step {step}", every=20)
        if step % 50 == 0:
            torch.save({"projection": projection.data, "rows": text.rows.data}, args.out)
    torch.save({"projection": projection.data, "rows": text.rows.data}, args.out)


if __name__ == "__main__":
    main()
