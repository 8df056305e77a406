"""Writes training checkpoints as a GGUF file (matrices Q8_0, the rest float32).

The weights of several checkpoints are averaged.

    python export_gguf.py --checkpoint run.pt --tokenizer tokenizer.json --out pleiad-demo.gguf
"""

import argparse
import json

import torch
from tokenizers import Tokenizer

import gguf_model

SAMPLING = {"temp": 0.3, "top_k": 64, "top_p": 0.95}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--checkpoint", required=True, nargs="+")
    parser.add_argument("--tokenizer", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--weights", default="average", choices=("average", "weights"))
    args = parser.parse_args()
    saved = [torch.load(path) for path in args.checkpoint]
    weights = {name: sum(s[args.weights][name] for s in saved) / len(saved) for name in saved[0][args.weights]}
    merges = json.load(open(args.tokenizer, encoding="utf-8"))["model"]["merges"]
    merges = [m.split(" ", 1) if isinstance(m, str) else m for m in merges]
    tokenizer = Tokenizer.from_file(args.tokenizer)
    gguf_model.write(args.out, weights, tokenizer, merges, SAMPLING)
    again = json.loads(gguf_model.read_tokenizer(args.out).to_str())
    assert again == json.loads(tokenizer.to_str()), "the vocabulary of the file differs"
    print(f"{args.out}: {max(s['tokens'] for s in saved) / 1e6:.1f} M training tokens")


if __name__ == "__main__":
    main()
