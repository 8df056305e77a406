#!/usr/bin/env python3
"""Writes tests/golden/encoded/*.bin: rows of floats, and the bytes that others make of
them: compressed-tensors (NVFP4A16, FP8 for a tensor and for each row) and, for the
types that it encodes, gguf-py.

    python tools/reference/block_formats/make_encoded.py tests/golden/encoded

Needs compressed-tensors 0.20.0, gguf 0.19.0, numpy and torch; none of it runs on
anything but a CPU. The result is the same at every run.

Layout of a file, little-endian: u32 rows, u32 cols, the floats [rows, cols], then
  nvfp4.bin      f32 divisor (weight_global_scale), nibbles [rows, cols/2], E4M3 scales
                 [rows, cols/16]
  fp8_tensor.bin f32 scale, codes [rows, cols]
  fp8_rows.bin   f32 scales [rows], codes [rows, cols]
  q8_0.bin ...   the blocks [rows, bytes of a row]
"""

import struct
import sys
from pathlib import Path

import gguf
import numpy as np
import torch
from compressed_tensors.compressors.nvfp4 import NVFP4PackedCompressor
from compressed_tensors.quantization import QuantizationArgs, QuantizationScheme
from compressed_tensors.quantization.lifecycle.forward import quantize
from compressed_tensors.quantization.utils import calculate_qparams, generate_gparam

ROWS, COLS = 6, 512


def rows() -> torch.Tensor:
    """Normal, heavy-tailed, with an outlier, small beside the rest, nearly all zero."""
    random = torch.Generator().manual_seed(5)
    x = torch.randn(ROWS, COLS, generator=random) * 0.02
    x[1] /= torch.rand(COLS, generator=random) + 0.01
    x[2, 77] = 3.0
    x[3] *= 1e-3
    x[4] = 0.0
    x[4, 130] = -0.25
    x[4, 144:160] = 1e-7
    # Ties: multiples of a power of two, by which the largest of each group is 6.
    steps = torch.tensor([6.0, 0.25, 0.75, 1.25, 1.75, 2.5, 3.5, 5.0])
    x[5] = torch.cat([steps, -steps]).repeat(COLS // 16) / 64
    return x.bfloat16().float()


def write(path: Path, x: torch.Tensor, *parts) -> None:
    head = struct.pack("<II", *x.shape) + x.numpy().tobytes()
    path.write_bytes(head + b"".join(np.ascontiguousarray(p).tobytes() for p in parts))


def nvfp4(x: torch.Tensor) -> tuple:
    args = QuantizationArgs(num_bits=4, type="float", strategy="tensor_group", group_size=16,
                            symmetric=True, dynamic=False, scale_dtype=torch.float8_e4m3fn,
                            zp_dtype=torch.float8_e4m3fn)
    divisor = generate_gparam(x.min(), x.max())
    groups = x.reshape(len(x), -1, 16)
    scale, _ = calculate_qparams(groups.amin(-1), groups.amax(-1), args, global_scale=divisor)
    packed = NVFP4PackedCompressor.compress(
        {"weight": x, "weight_scale": scale, "weight_global_scale": divisor},
        QuantizationScheme(targets=["Linear"], weights=args))
    return (divisor.numpy(), packed["weight_packed"].numpy(),
            packed["weight_scale"].view(torch.uint8).numpy())


def fp8(x: torch.Tensor, strategy: str) -> tuple:
    args = QuantizationArgs(num_bits=8, type="float", strategy=strategy, symmetric=True,
                            dynamic=False)
    if strategy == "tensor":
        scale, zero = calculate_qparams(x.min(), x.max(), args)
    else:
        scale, zero = calculate_qparams(x.amin(1, keepdim=True), x.amax(1, keepdim=True), args)
    codes = quantize(x=x, scale=scale, zero_point=zero, args=args, dtype=torch.float8_e4m3fn)
    return scale.numpy(), codes.view(torch.uint8).numpy()


def main() -> None:
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    x = rows()
    write(folder / "nvfp4.bin", x, *nvfp4(x))
    write(folder / "fp8_tensor.bin", x, *fp8(x, "tensor"))
    write(folder / "fp8_rows.bin", x, *fp8(x, "channel"))
    for name in ["Q8_0", "Q4_0", "Q4_1", "Q5_0", "Q5_1"]:
        blocks = gguf.quantize(x.numpy(), gguf.GGMLQuantizationType[name])
        write(folder / f"{name.lower()}.bin", x, blocks)


if __name__ == "__main__":
    main()
