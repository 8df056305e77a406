#!/usr/bin/env python3
"""Writes tests/golden/blocks/*.bin: random blocks of every element type and the
floats that they stand for, decoded by gguf-py (GGUF types) and torch (FP8, FP16,
BF16, and NVFP4 as compressed-tensors stores it).

    python tools/reference/block_formats/make_blocks.py tests/golden/blocks

Needs gguf 0.19.0, numpy and torch. The result is the same at every run.

Layout of a file, little-endian: u32 number of elements, u32 number of bytes, the
bytes, the floats. nvfp4_packed.bin has more: u32 rows, u32 cols, f32 divisor (the
weight_global_scale), the nibbles [rows, cols/2], the E4M3 scales [rows, cols/16],
the floats [rows, cols].
"""

import struct
import sys
from pathlib import Path

import gguf
import numpy as np
import torch

# Half floats that are likely to go wrong: zeros, the smallest and largest
# subnormal, the smallest normal, the largest, infinity and NaN.
EXTREME_HALVES = np.array(
    [0x0000, 0x8000, 0x0001, 0x8001, 0x03FF, 0x0400, 0x7BFF, 0xFBFF, 0x7C00, 0xFC00, 0x7E00],
    dtype=np.uint16,
)

# Where the half-float fields of a block lie.
HALF_FIELDS = {
    "Q8_0": [0],
    "Q4_0": [0],
    "Q4_1": [0, 2],
    "Q5_0": [0],
    "Q5_1": [0, 2],
    "Q4_K": [0, 2],
    "Q5_K": [0, 2],
    "Q6_K": [208],
    "NVFP4": [],
}


def write(path: Path, data: np.ndarray, values: np.ndarray) -> None:
    data = np.ascontiguousarray(data).view(np.uint8).reshape(-1)
    values = np.ascontiguousarray(values, dtype=np.float32).reshape(-1)
    path.write_bytes(struct.pack("<II", values.size, data.size) + data.tobytes() + values.tobytes())


def blocks_of(name: str, rng: np.random.Generator) -> np.ndarray:
    quant_type = gguf.GGMLQuantizationType[name]
    _, block_bytes = gguf.GGML_QUANT_SIZES[quant_type]
    fields = HALF_FIELDS[name]
    ordinary = rng.integers(0, 256, (6, block_bytes), dtype=np.uint8)
    for row in ordinary:
        for field in fields:
            half = np.float16(rng.normal() * 0.02)
            row[field : field + 2] = np.frombuffer(half.tobytes(), dtype=np.uint8)
    zeros = np.zeros((1, block_bytes), dtype=np.uint8)
    ones = np.full((1, block_bytes), 0xFF, dtype=np.uint8)
    for field in fields:
        ones[0, field : field + 2] = [0x00, 0x3C]
    extremes = rng.integers(0, 256, (len(EXTREME_HALVES), block_bytes), dtype=np.uint8)
    if fields:
        for row, bits in zip(extremes, EXTREME_HALVES, strict=True):
            for field in fields:
                row[field : field + 2] = np.frombuffer(bits.tobytes(), dtype=np.uint8)
    if name == "NVFP4":
        # Every scale byte once.
        extremes = rng.integers(0, 256, (64, block_bytes), dtype=np.uint8)
        extremes[:, :4] = np.arange(256, dtype=np.uint8).reshape(64, 4)
    return np.concatenate([ordinary, zeros, ones, extremes])


def write_ggml(folder: Path, rng: np.random.Generator) -> None:
    for name in HALF_FIELDS:
        blocks = blocks_of(name, rng)
        with np.errstate(all="ignore"):
            values = gguf.dequantize(blocks, gguf.GGMLQuantizationType[name])
        write(folder / f"{name.lower()}.bin", blocks, values)


def write_floats(folder: Path, rng: np.random.Generator) -> None:
    special = torch.tensor(
        [0.0, -0.0, 1.0, -1.5, float("inf"), float("-inf"), float("nan"), 1e-40, 65504.0, 6e-8, 3e38]
    )
    values = torch.cat([special, torch.from_numpy(rng.normal(size=500).astype(np.float32))])
    for name, dtype in (("f32", torch.float32), ("f16", torch.float16), ("bf16", torch.bfloat16)):
        stored = values.to(dtype)
        write(folder / f"{name}.bin", stored.view(torch.uint8).numpy(), stored.float().numpy())
    every_byte = torch.arange(256, dtype=torch.int32).to(torch.uint8)
    decoded = every_byte.view(torch.float8_e4m3fn).float()
    write(folder / "f8_e4m3.bin", every_byte.numpy(), decoded.numpy())


def write_packed(folder: Path, rng: np.random.Generator) -> None:
    rows, cols, divisor = 5, 112, np.float32(1234.5)
    e2m1 = torch.tensor([0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0])
    nibbles = torch.from_numpy(rng.integers(0, 16, (rows, cols)))
    values = e2m1[nibbles & 7] * torch.where(nibbles >= 8, -1.0, 1.0)
    packed = (nibbles[:, 0::2] | (nibbles[:, 1::2] << 4)).to(torch.uint8)
    scales = torch.from_numpy(rng.uniform(0, 448, (rows, cols // 16)).astype(np.float32))
    scales[0, 0] = 0.0
    scales[1, 1] = 2.0**-9
    scales[2, 2] = 448.0
    scales = scales.to(torch.float8_e4m3fn)
    wide = scales.float().repeat_interleave(16, dim=1)
    decoded = values * wide / divisor
    (folder / "nvfp4_packed.bin").write_bytes(
        struct.pack("<IIf", rows, cols, divisor)
        + packed.numpy().tobytes()
        + scales.view(torch.uint8).numpy().tobytes()
        + decoded.numpy().astype(np.float32).tobytes()
    )


def main() -> None:
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    rng = np.random.default_rng(20260402)
    write_ggml(folder, rng)
    write_floats(folder, rng)
    write_packed(folder, rng)


if __name__ == "__main__":
    main()
