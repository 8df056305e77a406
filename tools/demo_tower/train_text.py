"""Trains the text model itself: to compare two pictures, beside all that it can do already.

The towers stay as they are; what they say of many pictures and sounds is in the file of shown.py. A step has text of
../demo_model, pairs of pictures, and single pictures or sounds. A moving average of the weights is kept, which is what comes out.

    python train_text.py --gguf pleiad-demo.gguf --shown shown.pt --out text.pt --minutes 25
"""

import argparse
import json
import os
import pathlib
import random
import sys
import time

import torch

from lessons import Encoder, Tally
from shown_pairs import SQUARE, Pairs, Pictures, ask_in_words, ask_pairs
from text_model import Learner, TextModel, by_question, loss_of

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "demo_ear"))
import questions as ear_questions  # noqa: E402
from batches import Batches  # noqa: E402

FOLLOWS = 2                                          # more weight of what follows from the pictures
CHATS = 0.15                                         # of pairs that are asked two questions in turns
ONE_SIZES = (SQUARE, SQUARE, (9, 7), (7, 9), (11, 5))
KEEP = 0.99                                          # of the moving average in a step, at most


def follows(packed, stops):
    """Of the tokens that are learned, those [tokens] that follow from what both pictures show: 1, and 0 for others."""
    result = torch.zeros(packed["truth"].shape)
    for row, (truth, which) in enumerate(zip(packed["truth"].tolist(), packed["which"].tolist())):
        behind = None                                # the question whose stop has come
        for i, (token, question) in enumerate(zip(truth, which)):
            result[row, i] = question == behind and question >= 0
            behind = question if token in stops else behind
    return result[packed["truth"] >= 0]


@torch.no_grad()
def score(text, made, encoder, rng, stops, n=5, size=32):
    """Shares of right answers about pairs that training does not see, and (">") of what follows in them."""
    tally = Tally()
    for _ in range(n):
        sizes, scenes, vectors = made.batch(size)
        asked = ask_pairs(encoder, scenes, rng, 0)
        packed = text.pack([prompts for _, prompts in asked], sizes)
        losses, right = loss_of(text(vectors, packed), packed)
        tally.add_answers(asked, packed, losses, right)
        marked = torch.zeros(packed["truth"].shape)
        marked[packed["truth"] >= 0] = follows(packed, stops)
        for row, question, loss, _ in by_question(packed, right, losses):
            if (name := asked[row][0][question]) in ("2:same", "2:differs", "2:which"):
                mine = (packed["which"][row] == question) & (marked[row] > 0)
                tally.add(name + ">", loss, bool(right[row][mine].all()))
    return tally.seen


class Lessons:
    """What a step learns from: its losses, by the file of shown.py and the arguments of this program."""

    def __init__(self, args, text, tally):
        shown = torch.load(args.shown, weights_only=False)
        projections = shown["projections"]
        self.args, self.text, self.tally, self.rng = args, text, tally, random.Random(args.seed)
        self.pictures = Pictures(shown["train"], projections["image"], self.rng)
        self.pairs = Pairs(self.pictures, self.pictures, self.rng)
        rng = random.Random(77)
        self.tests = Pairs(Pictures(shown["test"], projections["image"], rng), Pictures(shown["train"], projections["image"], rng), rng)
        self.sounds = {n: (words, (vectors.float() @ projections["audio"].T).bfloat16()) for n, (words, vectors) in shown["sounds"].items()}
        self.batches = Batches(text.tokenizer, args.seed, args.tokens[0], options=json.loads(args.options))
        self.before = TextModel(args.gguf, compiled=False) if args.keep_text else None
        self.encoder, self.ear_encoder = Encoder(text), ear_questions.Encoder(text)
        self.stops = {i for piece, i in text.tokenizer.get_vocab().items() if piece.endswith(".")}

    def words(self, done):
        """Text of ../demo_model, of which there is more the more of the time is done."""
        first, last = self.args.tokens
        self.batches.tokens = round(first + (last - first) * done)
        packed = self.text.pack_text(*self.batches.next())
        logits, keep = self.text(None, packed), packed["truth"] >= 0
        losses, right = loss_of(logits, packed)
        self.tally.add("text", losses.mean(), right[keep].float().mean())
        if self.before is None:
            return losses.mean()
        with torch.no_grad():
            told = self.before(None, packed)[keep].log_softmax(-1)
        distance = torch.nn.functional.kl_div(logits[keep].log_softmax(-1), told, reduction="batchmean", log_target=True)
        self.tally.add("distance", distance, 0)
        return losses.mean() + distance

    def compared(self, vectors, asked, sizes):
        packed = self.text.pack([prompts for _, prompts in asked], sizes)
        losses, right = loss_of(self.text(vectors, packed), packed)
        self.tally.add_answers(asked, packed, losses, right)
        return (losses * (1 + FOLLOWS * follows(packed, self.stops))).sum() / sum(len(skills) for skills, _ in asked)

    def two_pictures(self):
        sizes, scenes, vectors = self.pairs.batch(self.args.pairs)
        return self.compared(vectors, ask_pairs(self.encoder, scenes, self.rng, CHATS), sizes)

    def two_in_words(self):
        return self.compared(None, ask_in_words(self.encoder, self.pairs, self.rng, self.args.words), [])

    def one(self, heard):
        """A picture, or a sound."""
        n, rng = self.args.singles, self.rng
        if heard:
            n_tokens = rng.choice(list(self.sounds))
            words, every = self.sounds[n_tokens]
            picked = [rng.randrange(len(words)) for _ in range(n)]
            asked, vectors, sizes = [self.ear_encoder(words[i], rng, rng.random() < 0.5) for i in picked], every[picked], [n_tokens]
        else:
            columns, rows = rng.choice(ONE_SIZES)
            scenes, vectors = self.pictures.singles((columns, rows), n)
            asked, sizes = [self.encoder(scene, rng, rng.random() < 0.5) for scene in scenes], [columns * rows]
        packed = self.text.pack([prompts for _, prompts in asked], sizes, media="audio" if heard else None)
        losses, right = loss_of(self.text(vectors, packed), packed)
        kind = "s:" if heard else "1:"
        self.tally.add_answers([([kind + skill for skill in skills], prompts) for skills, prompts in asked], packed, losses, right)
        return losses.sum() / sum(len(skills) for skills, _ in asked)


def optimizers_of(model, rate):
    named = list(model.named_parameters())
    is_matrix = lambda name, weight: weight.ndim == 2 and "embed" not in name
    return (torch.optim.Muon([p for n, p in named if is_matrix(n, p)], lr=rate, weight_decay=0.02, adjust_lr_fn="match_rms_adamw"),
            torch.optim.AdamW([p for n, p in named if not is_matrix(n, p)], lr=rate, weight_decay=0.0, betas=(0.9, 0.98), fused=True))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--gguf", required=True)
    parser.add_argument("--shown", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--start", help="what it begins with in the place of --gguf: a file of this program, or a GGUF file of the same model")
    parser.add_argument("--minutes", type=float, default=25)
    parser.add_argument("--lr", type=float, default=2e-3)
    parser.add_argument("--decay", type=float, default=0.6, help="share of the time for the decay")
    parser.add_argument("--pairs", type=int, default=8, help="of pictures in a step")
    parser.add_argument("--words", type=int, default=64, help="pairs without pictures in a step")
    parser.add_argument("--singles", type=int, default=8, help="pictures or sounds in a step")
    parser.add_argument("--tokens", type=int, nargs=2, default=(1024, 1536), help="of text in a step, at the beginning and at the end")
    parser.add_argument("--weights", type=float, nargs=4, default=(1, 1, 0.5, 2), help="of the losses of text, pairs, singles and pairs without pictures")
    parser.add_argument("--options", default='{"emphasis": {"arithmetic": 3, "reverse": 3, "spelling": 1.5}, "json_chance": 0.2, "tool_share": 0.3}')
    parser.add_argument("--keep-text", action="store_true", help="learn from what the model in --gguf says of text, too")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    torch.set_num_threads(int(os.environ.get("OMP_NUM_THREADS", 2)))
    torch.manual_seed(args.seed)
    from_gguf = args.start is not None and args.start.endswith(".gguf")
    tally, text = Tally(), Learner(args.start if from_gguf else args.gguf)
    model, lessons = text.reference, Lessons(args, text, tally)
    if args.start and not from_gguf:
        model.load_state_dict(torch.load(args.start)["weights"])
    optimizers = optimizers_of(model, args.lr)
    average = {k: v.clone() for k, v in model.state_dict().items()}
    start = saved_at = time.time()
    step = 0

    def save():
        torch.save({"weights": model.state_dict(), "average": average}, args.out + ".part")
        os.replace(args.out + ".part", args.out)
        kept = {k: v.clone() for k, v in model.state_dict().items()}
        model.load_state_dict(average)
        text.refresh()
        found = score(text, lessons.tests, lessons.encoder, random.Random(78), lessons.stops)
        model.load_state_dict(kept)
        print("   score " + "  ".join(f"{k} {100 * sum(r for _, r in v) / len(v):.0f}%" for k, v in sorted(found.items())), flush=True)

    while (done := (time.time() - start) / 60 / args.minutes) < 1:
        for group in (group for optimizer in optimizers for group in optimizer.param_groups):
            group["lr"] = args.lr * min(1, (step + 1) / 20) * min(1, (1 - done) / args.decay + 0.01)
        text.refresh()
        losses = lessons.words(done), lessons.two_pictures(), lessons.one(step % 3 == 2), lessons.two_in_words()
        sum(weight * loss for weight, loss in zip(args.weights, losses)).backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        for optimizer in optimizers:
            optimizer.step()
            optimizer.zero_grad()
        keep = min(KEEP, step / (step + 20))
        with torch.no_grad():
            for k, v in model.state_dict().items():
                average[k].lerp_(v, 1 - keep)
        step += 1
        tally.show(f"{(time.time() - start) / 60:5.1f} min step {step}", every=30)
        if time.time() - saved_at > 100:
            saved_at = time.time()
            save()
    save()


if __name__ == "__main__":
    main()
