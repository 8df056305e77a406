"""Builds the demo model's tokenizer: official low ids, then characters and BPE pieces.

The pieces above the bytes are chosen so that words from the user fall apart into single
letters, while frequent words of the text are one piece: merges only grow from the left from
"▁" (start of a word), from a capital letter at the start of a line, or from the right from
":"; a few names of the chat format have chains of their own. So a piece in the middle of a
word is nearly always one letter, which makes spelling easy.

    python build_tokenizer.py --out tokenizer.json
"""

import argparse
import collections
import random
import re

from tokenizers import AddedToken, Tokenizer, decoders, models, normalizers, pre_tokenizers

import make_text
from template import render
from words import CITIES, NAMES, WORDS, WordSource

NAMED = {0: "<pad>", 1: "<eos>", 2: "<bos>", 3: "<unk>", 4: "<mask>", 46: "<|tool>", 47: "<tool|>",
         48: "<|tool_call>", 49: "<tool_call|>", 50: "<|tool_response>", 51: "<tool_response|>",
         52: '<|"|>', 98: "<|think|>", 100: "<|channel>", 101: "<channel|>", 105: "<|turn>",
         106: "<turn|>", 110: "<|image>", 111: "<image|>", 112: "<|audio>", 113: "<audio|>",
         114: "<|image|>", 115: "<|audio|>", 116: "<|video|>"}
NEWLINES = {107: "\n", 108: "\n\n", 109: "\n\n\n"}
FIRST_BYTE, FIRST_PIECE = 238, 494
USER_DEFINED = {48, 49, 50, 51, 52, 100, 101}
NORMAL, CONTROL, USER, UNUSED, BYTE = 1, 3, 4, 5, 6

# Words of the chat format, with the order in which their letters merge.
FORMAT_CHAINS = ("od ode odel model", "us use user", "gh ght ught ought hought thought",
                 "ys yst yste ystem system", "NG ING RING TRING STRING", "BJ BJE BJEC BJECT OBJECT",
                 "EG EGE EGER TEGER NTEGER INTEGER", "MB MBE MBER UMBER NUMBER",
                 "{t {ty {typ {type {type:", "{p {pr {pro {prop",
                 ",p ,pa ,par ,para ,param", ",r ,re ,req ,requ ,requi ,requir ,require ,required",
                 ",t ,ty ,typ ,type ,type:", ":[", "}}", '": ":▁',
                 '{" {"a {"an {"ans {"answ {"answe {"answer', "{d {de {des {desc {descr {descri {descrip {descript "
                 "{descripti {descriptio {description {description:")
COLON_WORDS = "declaration description parameters properties response call value".split()


def collect(samples):
    """Frequencies of words after a space, and of capitalised words at the start of a text."""
    rng, words = random.Random(7), WordSource()
    payload = set(WORDS + CITIES + NAMES) - set("weather letter number color song question answer".split())
    spaced, leading = collections.Counter(), collections.Counter()
    for _ in range(samples):
        text = "".join(t for t, _ in render(make_text.make_dialogue(rng, words)))
        spaced.update(w for w in re.findall(r"(?<= )[A-Za-z]+", text) if len(w) > 1 and not w.isupper() and w not in payload)
        leading.update(w for w in re.findall(r"(?<![A-Za-z ])[A-Z][a-z]+", text)
                       if w not in payload)
    return spaced, leading


def plan_merges(spaced, leading, spaced_count, leading_count):
    """The ranked list of merges (left, right)."""
    best = lambda counts, n: sorted(w for w, _ in sorted(
        counts.items(), key=lambda item: (-item[1] * len(item[0]), item[0]))[:n])
    merges = []

    def add(left, right):
        if (left, right) not in seen:
            seen.add((left, right))
            merges.append((left, right))

    seen = set()
    words = ["▁JSON"] + ["▁" + w for w in best(spaced, spaced_count)]
    for depth in range(1, 20):                      # from the left, shortest first
        for w in words:
            if depth < len(w):
                add(w[:depth], w[depth])
    words = best(leading, leading_count)
    for depth in range(1, 20):
        for w in words:
            if depth < len(w):
                add(w[:depth], w[depth])
    for chain in FORMAT_CHAINS:
        pieces = chain.split()
        for i, piece in enumerate(pieces):
            previous = pieces[i - 1] if i else piece[0]
            if previous == piece[:-1] and (len(piece) > 1):
                add(previous, piece[-1])
            elif previous == piece[1:]:
                add(piece[0], previous)
    for colon in COLON_WORDS:                       # from the right: "n:", "on:", ...
        right = ":"
        for letter in reversed(colon):
            add(letter, right)
            right = letter + right
    add(",", "▁")
    return merges


def build(spaced_count, leading_count, samples=6000):
    """The tokenizer with pieces for the most useful words."""
    merges = plan_merges(*collect(samples), spaced_count, leading_count)
    vocab = {}
    for i in range(FIRST_PIECE):
        if i in NAMED:
            vocab[NAMED[i]] = i
        elif i in NEWLINES:
            vocab[NEWLINES[i]] = i
        elif i >= FIRST_BYTE:
            vocab[f"<0x{i - FIRST_BYTE:02X}>"] = i
        else:
            vocab[f"<unused{i}>"] = i
    for piece in ["▁"] + [chr(x) for x in range(33, 127)] + [a + b for a, b in merges]:
        vocab.setdefault(piece, len(vocab))
    while len(vocab) % 32:
        vocab[f"<unused{len(vocab)}>"] = len(vocab)
    merges = [("\n", "\n"), ("\n\n", "\n")] + merges

    return make_tokenizer(vocab, merges)


def make_tokenizer(vocab, merges):
    """The tokenizers.Tokenizer of a vocabulary, built like the one of Gemma 4."""
    tokenizer = Tokenizer(models.BPE(vocab=vocab, merges=merges, unk_token="<unk>", byte_fallback=True, fuse_unk=True))
    tokenizer.normalizer = normalizers.Replace(" ", "▁")
    tokenizer.pre_tokenizer = pre_tokenizers.Split(" ", "merged_with_previous")
    tokenizer.decoder = decoders.Sequence([decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse()])
    tokenizer.add_special_tokens([AddedToken(t, special=True, normalized=False) for t in NAMED.values()])
    return tokenizer


def token_type(index, piece):
    """The GGUF type of a token."""
    if piece.startswith("<unused"):
        return UNUSED
    if index in USER_DEFINED:
        return USER
    if index in NAMED:
        return CONTROL
    return BYTE if FIRST_BYTE <= index < FIRST_PIECE else NORMAL


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", required=True)
    parser.add_argument("--spaced", type=int, default=300, help="words after a space")
    parser.add_argument("--leading", type=int, default=60, help="words at the start of a text")
    args = parser.parse_args()
    tokenizer = build(args.spaced, args.leading)
    tokenizer.save(args.out)
    print(f"{tokenizer.get_vocab_size()} tokens")


if __name__ == "__main__":
    main()
