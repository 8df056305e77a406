"""What the towers say of many pictures and sounds, computed once: what the text model is shown when it is trained itself.

The vectors are those before the projectors, by size of the picture (columns and rows of soft tokens) or sound (soft tokens).

    python shown.py --projector mmproj-pleiad-demo.gguf --speech ../demo_ear/speech.npz --out shown.pt
"""

import argparse
import pathlib
import random
import sys

import numpy as np
import torch

import tower_gguf
from scenes import draw, make_scene
from tower import POOL, encode, patches_of

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "demo_ear"))
import ear_gguf  # noqa: E402
import features  # noqa: E402
import speech  # noqa: E402
from ear import encode as hear  # noqa: E402

# Columns and rows of soft tokens; share of the pictures; shares of digits, numbers and words there.
SIZES = (((8, 8), 0.68, (0.08, 0.17, 0.15)), ((9, 7), 0.11, (0.08, 0.17, 0.15)), ((7, 9), 0.11, (0.08, 0.17, 0.15)),
         ((11, 5), 0.1, (0.1, 0.5, 0.4)))
AT_ONCE = 32


def pictures(tower, n, split, rng):
    """{(columns, rows): (scenes, vectors [scenes, soft tokens, width])} of about n pictures of a split."""
    result = {}
    for (columns, rows), share, shares in SIZES:
        scenes, vectors = [], []
        while len(scenes) < n * share:
            more = [make_scene(rng, split, *shares) for _ in range(AT_ONCE)]
            patches = patches_of(np.stack([draw(scene, rng, columns, rows)[0] for scene in more]))
            with torch.autocast("cpu", dtype=torch.bfloat16):
                vectors.append(encode(tower, patches, columns * POOL, rows * POOL).bfloat16())
            scenes += more
        result[columns, rows] = scenes, torch.cat(vectors)
        print(f"{len(scenes)} pictures of {columns} x {rows} soft tokens", flush=True)
    return result


def sounds(ear, file, n, rng):
    """{soft tokens: (words, vectors [words, soft tokens, width])} of about n clips that training hears."""
    words, _, clips = speech.load(file, "train")
    noise, result = features.Noise(), {}
    for n_tokens in features.SIZES:
        fitting, said, vectors = [i for i, clip in enumerate(clips) if features.fits(clip, n_tokens)], [], []
        while len(said) < n / len(features.SIZES):
            picked = [rng.choice(fitting) for _ in range(AT_ONCE)]
            vectors.append(hear(ear, features.batch(words, clips, picked, n_tokens, rng, noise)[0]).bfloat16())
            said += [int(words[i]) for i in picked]
        result[n_tokens] = said, torch.cat(vectors)
    return result


@torch.no_grad()
def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--projector", required=True)
    parser.add_argument("--speech", required=True, help="of ../demo_ear/speech.py")
    parser.add_argument("--out", required=True)
    parser.add_argument("--pictures", type=int, default=8000)
    parser.add_argument("--sounds", type=int, default=3000)
    parser.add_argument("--seed", type=int, default=31)
    args = parser.parse_args()
    torch.set_num_threads(2)
    rng, tower, ear = random.Random(args.seed), tower_gguf.read(args.projector), ear_gguf.read(args.projector)
    heard = sounds(ear, args.speech, args.sounds, rng)
    torch.save({"train": pictures(tower, args.pictures, "train", rng), "test": pictures(tower, args.pictures // 12, "test", rng),
                "sounds": heard,
                "projections": {"image": tower.embed_vision.embedding_projection.weight.detach(),
                                "audio": ear.embed_audio.embedding_projection.weight.detach()}}, args.out)


if __name__ == "__main__":
    main()
