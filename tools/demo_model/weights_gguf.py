"""Puts the weights of a checkpoint into a GGUF file of the same model, in the types that they have there; all else in it stays.

With --share less than 1 the average of them and of the file's own: a model that was trained from the file keeps more of what the file could do.

    python weights_gguf.py --checkpoint text.pt --share 0.82 --gguf pleiad-demo.gguf --out pleiad-demo.gguf
"""

import argparse
import os

import gguf
import numpy as np
import torch

from gguf_model import gguf_name


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--checkpoint", required=True)
    parser.add_argument("--share", type=float, default=1, help="of the checkpoint's weights")
    parser.add_argument("--gguf", required=True)
    parser.add_argument("--out", required=True, help="may be the same as --gguf")
    args = parser.parse_args()
    weights = torch.load(args.checkpoint)["average"]
    tensors = {t.name: t for t in gguf.GGUFReader(args.gguf).tensors}
    data = bytearray(open(args.gguf, "rb").read())
    for name, weight in weights.items():
        to = gguf_name(name)
        if to is None:                               # of the reference class alone, or the embeddings once more
            continue
        old = tensors[to]
        values = np.ascontiguousarray(weight.float().numpy())
        assert tuple(int(n) for n in reversed(old.shape)) == values.shape, f"{to}: {old.shape} in the file, {values.shape} in the checkpoint"
        before = gguf.quants.dequantize(old.data, old.tensor_type).reshape(values.shape)
        values = args.share * values + (1 - args.share) * before if args.share < 1 else values
        stored = gguf.quants.quantize(values, old.tensor_type).tobytes()
        assert len(stored) == old.n_bytes, to
        at = int(old.data_offset)
        data[at:at + old.n_bytes] = stored
    with open(args.out + ".part", "wb") as file:
        file.write(data)
    os.replace(args.out + ".part", args.out)


if __name__ == "__main__":
    main()
