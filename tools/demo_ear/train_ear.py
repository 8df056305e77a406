"""Trains the audio tower: first to speak the codes of ideal_ear.py, then through the text model.

Without --answers the text model is not asked. With it the loss of the answers' tokens comes in; the
text model's weights stay as they are, but for the two rows around a clip.

    python train_ear.py --speech speech.npz --out codes.pt --minutes 12
    python train_ear.py --speech speech.npz --gguf pleiad-demo.gguf --ideal ideal.pt --start codes.pt --out ear.pt --answers 1
"""

import argparse
import random
import time

import torch

from ideal_ear import Tally, TextModel, loss_of, make_codes  # noqa: F401  first: it finds ../demo_tower
from ear import encode, make_ear, project
from features import SIZES, UNTOLD, Noise, fits, batch as make_batch
from questions import Encoder, about
from speech import WORDS, load
from training import Training, join, threads

SHARP = 12                                           # how much likelier a word is for a code that is as alike as can be


def loss_of_codes(encoded, told, codes):
    """How far the vectors [n, tokens, width] are from the codes of the classes told, and whether those are the nearest."""
    keep = told != UNTOLD
    alike = encoded[keep] @ codes.T / codes.shape[1]
    truth = told[keep]
    loss = torch.nn.functional.cross_entropy(SHARP * alike, truth)
    own = alike.gather(1, truth[:, None])
    return loss + (1 - own).mean(), loss.item(), alike.argmax(1) == truth, truth > 0


def said(encoded, codes):
    """The words [n] that the vectors say most, over all soft tokens."""
    return (SHARP * (encoded @ codes.T) / codes.shape[1]).softmax(-1)[..., 1:].sum(1).argmax(-1)


@torch.no_grad()
def score(ear, sets, codes, text=None, encoder=None):
    """By set and skill, the share that is right of clips that training does not hear."""
    shares = {}
    for name, (words, _, clips) in sets.items():
        rng, noise, seen = random.Random(7), Noise(99), {}
        for at in range(0, len(words), 40):
            picked = range(at, min(at + 40, len(words)))
            n_tokens = rng.choice(SIZES[-3:])
            features, _ = make_batch(words, clips, picked, n_tokens, rng, noise)
            with torch.autocast("cpu", dtype=torch.bfloat16):
                encoded = encode(ear, features)
            seen.setdefault("codes", []).extend((said(encoded, codes) == torch.from_numpy(words[at:at + 40])).tolist())
            if text:
                asked = [encoder(int(words[i]), rng, False) for i in picked]
                packed = text.pack([prompts for _, prompts in asked], [n_tokens])
                losses, right = loss_of(text(project(ear, encoded.float()), packed), packed)
                tally = Tally()
                tally.add_answers(asked, packed, losses, right)
                for skill, results in tally.seen.items():
                    seen.setdefault(skill, []).extend(good for _, good in results)
        shares |= {f"{name} {skill}": sum(good) / len(good) for skill, good in seen.items()}
    return shares


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--speech", required=True, help="of speech.py")
    parser.add_argument("--out", required=True)
    parser.add_argument("--gguf", help="the text model; needed with --answers")
    parser.add_argument("--start", help="of this program")
    parser.add_argument("--ideal", help="of ideal_ear.py: where the rows and the projection start")
    parser.add_argument("--minutes", type=float, default=12)
    parser.add_argument("--batch", type=int, default=48)
    parser.add_argument("--answers", type=float, default=0, help="weight of the answers' loss")
    parser.add_argument("--codes", type=float, default=1, help="weight of the codes' loss")
    parser.add_argument("--lr", type=float, default=3e-3)
    parser.add_argument("--row-lr", type=float, default=2e-3, help="of the rows and the projection")
    parser.add_argument("--transcripts", type=float, default=0.25, help="share of steps that ask for transcripts too")
    parser.add_argument("--decay", type=float, default=0.4, help="share of the time for the decay")
    parser.add_argument("--score-every", type=float, default=3, help="minutes")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    torch.set_num_threads(threads())
    rank, _ = join()
    rng, tally, noise, codes = random.Random(args.seed + rank), Tally(), Noise(), make_codes()
    words, _, clips = load(args.speech, "train")
    sets = {name: load(args.speech, name) for name in ("known", "held_out")}
    text = TextModel(args.gguf, compiled=False, media="audio") if args.answers else None
    training = Training(make_ear(), text, args.out, args.lr, args.row_lr, args.row_lr)
    training.start_from(args.start, args.ideal)
    ear, encoder = training.tower, Encoder(text) if text else None
    start = scored_at = time.time()

    def show_scores():
        with training.averaged():
            print("   scores " + "  ".join(f"{k} {100 * v:.1f}%" for k, v in score(ear, sets, codes, text, encoder).items()), flush=True)

    while (done := training.agreed((time.time() - start) / 60 / args.minutes)) < 1:
        n_tokens = rng.choice(SIZES)
        picked = []
        while len(picked) < args.batch:
            i = rng.randrange(len(words))
            if fits(clips[i], n_tokens):
                picked.append(i)
        features, told = make_batch(words, clips, picked, n_tokens, rng, noise)
        with torch.autocast("cpu", dtype=torch.bfloat16):
            encoded = encode(ear, features)
        encoded = encoded.float()
        loss, shown, right, is_word = loss_of_codes(encoded, told, codes)
        loss = args.codes * loss
        for name, which in (("(word)", is_word), ("(nothing)", ~is_word)):
            tally.add(name, shown, False) if not which.any() else [tally.add(name, shown, x) for x in right[which].tolist()]
        if text:
            transcripts = rng.random() < args.transcripts
            asked = [encoder(int(words[i]), rng, transcripts) for i in picked]
            packed = text.pack([prompts for _, prompts in asked], [n_tokens])
            losses, good = loss_of(text(project(ear, encoded), packed), packed)
            loss = loss + args.answers * losses.mean()
            tally.add_answers(asked, packed, losses, good)
        training.step(loss, done, args.decay)
        if rank == 0:
            tally.show(f"{(time.time() - start) / 60:5.1f} min step {training.step_number}", every=30)
        if time.time() - scored_at > 60 * args.score_every:
            training.save()
            scored_at = time.time()
            if rank == 0:
                show_scores()
    training.save()
    if rank == 0:
        show_scores()


if __name__ == "__main__":
    main()
