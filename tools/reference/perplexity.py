#!/usr/bin/env python3
"""Perplexity of a golden checkpoint by the reference, for the tests of src/eval.

    .venv/bin/python tools/reference/perplexity.py tests/golden/models/e2b

Takes the longest case of prompts.json as <bos> and a text, and prints the mean of
-log(probability of the token that came), in nats: of the text in one window, from the committed
logits alone; in windows of 24 tokens with a stride of 9; and in chunks of 20 as llama-perplexity
cuts them. Windows are computed anew by the transformers class.
"""
import json
import pathlib
import sys

import numpy as np
import torch
from transformers import AutoModelForImageTextToText

import reference


def losses(logits: np.ndarray, targets: list) -> list:
    """-log(probability) of each target by the row before it."""
    rows = logits.astype(np.float64)
    norms = np.log(np.exp(rows - rows.max(-1, keepdims=True)).sum(-1)) + rows.max(-1)
    return [float(norm - row[target]) for row, norm, target in zip(rows, norms, targets)]


def window_losses(model, text: list, first: int, first_scored: int, last: int) -> list:
    """Of tokens [first_scored, last) of the text, after <bos> and [first, ...)."""
    inputs = [reference.BOS] + text[first:last - 1]
    logits = reference.logits(model, inputs).numpy()
    skipped = first_scored - first
    return losses(logits[skipped:], text[first_scored:last])


def main() -> None:
    folder = pathlib.Path(sys.argv[1])
    case = json.loads((folder / "prompts.json").read_text())["cases"][-1]
    text = case["tokens"][1:]
    whole = losses(np.load(folder / case["logits_file"])[:-1], text)
    print(f"{case['name']}: {len(text)} tokens after <bos>")
    print(f"one window        {np.mean(whole):.7f}")

    model = AutoModelForImageTextToText.from_pretrained(
        folder, dtype=torch.float32, attn_implementation="eager").eval()
    sliding, scored, first = [], 0, 0
    while scored < len(text):
        last = min(first + 23, len(text))
        sliding += window_losses(model, text, first, scored, last)
        scored, first = last, first + 9
    print(f"sliding 24, 9     {np.mean(sliding):.7f}  ({len(sliding)} tokens)")
    chunks = []
    for start in range(0, len(text) + 1 - 20 + 1, 20):
        chunks += window_losses(model, text, start, start + 10, start + 19)
    print(f"chunks of 20      {np.mean(chunks):.7f}  ({len(chunks)} tokens)")


if __name__ == "__main__":
    main()
