"""Batches of dialogues for trainings of the text model."""

import random

import torch

import make_text
from template import render
from words import WordSource


class Batches:
    """An endless stream of (ids, targets) of dialogues of about equal length."""

    def __init__(self, tokenizer, seed, tokens, longest=1088, options=None):
        self.tokenizer, self.tokens, self.longest = tokenizer, tokens, longest
        self.rng = random.Random(seed)
        prefixes = [p[1:] for p in tokenizer.get_vocab() if p[0] == "▁"]
        self.words = WordSource([p for p in sorted(prefixes) if p.isalpha() and p.islower()])
        self.options = options or {}
        self.ready = []

    def encode(self, dialogue):
        """Token ids and a list that tells which of them the model has to produce."""
        ids, own = [], []
        for text, mine in render(dialogue):
            part = self.tokenizer.encode(text, add_special_tokens=False).ids
            ids += part
            own += [mine] * len(part)
        return ids, own

    def refill(self, pool=1500):
        """Make a pool of dialogues, sort it by length and cut it into shuffled batches."""
        rows = []
        while len(rows) < pool:
            row = self.encode(make_text.make_dialogue(self.rng, self.words, **self.options))
            if len(row[0]) <= self.longest:
                rows.append(row)
        rows.sort(key=lambda row: len(row[0]))
        while rows:
            width = -(-len(rows[-1][0]) // 16) * 16
            count = max(2, self.tokens // width)
            chunk, rows = rows[-count:], rows[:-count]
            if len(chunk) < 2:
                break
            ids = torch.zeros(len(chunk), width, dtype=torch.long)
            targets = torch.full((len(chunk), width), -1)
            for r, (row, own) in enumerate(chunk):
                ids[r, :len(row)] = torch.tensor(row)
                next_own = torch.tensor([t if mine else -1 for t, mine in zip(row, own)][1:])
                targets[r, :len(row) - 1] = next_own
            self.ready.append((ids, targets))
        self.rng.shuffle(self.ready)

    def next(self):
        if not self.ready:
            self.refill()
        return self.ready.pop()
