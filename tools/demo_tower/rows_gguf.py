"""Puts the per-layer rows that pictures or sounds alone use into the demo model's file: those of the begin- and end-of-image
ids and, unless --keep-pad says otherwise, of the pad id, which soft tokens of all media have; or those of the begin- and
end-of-audio ids. Nothing else in the file changes; no text contains these ids.

    python rows_gguf.py --checkpoint tower.pt --gguf pleiad-demo.gguf --out pleiad-demo.gguf
"""

import argparse

import gguf
import numpy as np
import torch
from gguf import GGMLQuantizationType as Kind

ROWS = {"image": (0, 110, 111), "audio": (None, 112, 113)}   # <pad>, <|image>, <image|>; <|audio>, <audio|>


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--checkpoint", required=True)
    parser.add_argument("--gguf", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--media", choices=ROWS, default="image")
    parser.add_argument("--keep-pad", action="store_true", help="the row of the pad id stays: an audio tower was trained with it")
    args = parser.parse_args()
    values = torch.load(args.checkpoint)["average"]["rows"].float().numpy()
    tensor = next(t for t in gguf.GGUFReader(args.gguf).tensors if t.name == "per_layer_token_embd.weight")
    assert tensor.tensor_type == Kind.Q8_0 and len(values) == len(ROWS[args.media])
    data = bytearray(open(args.gguf, "rb").read())
    size = tensor.n_bytes // int(tensor.shape[1])    # bytes of a row
    for row, value in zip(ROWS[args.media], values):
        if row is None or row == 0 and args.keep_pad:    # of the other media
            continue
        at = int(tensor.data_offset) + row * size
        data[at:at + size] = gguf.quants.quantize(np.ascontiguousarray(value[None]), Kind.Q8_0).tobytes()
    with open(args.out, "wb") as file:
        file.write(data)


if __name__ == "__main__":
    main()
