#!/usr/bin/env python3
"""What rounded activations cost one product: beside the same weights with exact activations.

    python3 tools/rounding/products.py --program build/tests/rounding_products [--isa avx2,avx512]
        [--llama-cpp SOURCE --build BUILD]

Random weights are encoded in every type; the reference is the product of what the blocks mean in double
precision. An error is the root mean square of the differences in relation to that of the products.
Activations: normal; Student's t of four degrees of freedom; normal with one column in 256 thirty times as
large, the same column of every row, as norms make them. Prints tables in Markdown. With --build, ggml's
CPU backend multiplies the same blocks.
"""

import argparse
import os
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "quantize"))
from compare_llama_cpp import libraries  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
TYPES = ["q8_0", "q6_k", "q5_k", "q4_k", "q5_0", "q5_1", "q4_0", "q4_1", "nvfp4", "f8_e4m3", "bf16"]
ABSENT = {"f8_e4m3"}  # in ggml
ROWS, COLS, N_X = 512, 2048, 64


def activations(kind, random):
    if kind == "t4":
        return random.standard_t(4, (N_X, COLS))
    x = random.standard_normal((N_X, COLS))
    if kind == "outlier channels":
        x[:, random.choice(COLS, COLS // 256, False)] *= 30
    return x


def run(command, env=None):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False, env=env)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}\n{done.stderr}")


def compile_program(source, build, folder):
    files = [file for file in libraries(build) if "ggml" in file.name]
    folders = sorted({str(file.parent) for file in files})
    program = folder / "ggml_products"
    run(["c++", "-O2", "-std=c++17", HERE / "ggml_products.cpp", "-o", program,
         f"-I{source / 'ggml' / 'include'}", "-Wl,--start-group", *files, "-Wl,--end-group",
         *[f"-Wl,-rpath,{name}" for name in folders], "-fopenmp", "-lpthread", "-ldl"])
    return program


def error(folder, name, expected):
    found = np.fromfile(folder / f"{name}.f32", np.float32).reshape(expected.shape)
    return np.sqrt(((found - expected) ** 2).mean() / (expected**2).mean())


def table(args, kind, folder, ggml):
    random = np.random.default_rng(args.seed)
    weights = (random.standard_normal((ROWS, COLS)) / COLS**0.5).astype(np.float32)
    x = activations(kind, random).astype(np.float32)
    weights.tofile(folder / "weights.f32")
    x.tofile(folder / "x.f32")
    heads = ["type", *[f"{path}, {isa}" for isa in args.isa for path in ("words", "bytes")]]
    heads += ["llama.cpp, one row", "llama.cpp, 64 rows"] if ggml else []
    print(f"\nActivations: {kind}\n\n| " + " | ".join(heads) + " |\n" + "|---" * len(heads) + "|")
    for name in args.types:
        cells = [name]
        for isa in args.isa:
            env = {**os.environ, "PLEIAD_ISA": isa}
            run([args.program, folder, name, ROWS, COLS, N_X], env)
            decoded = np.fromfile(folder / "decoded.f32", np.float32).reshape(ROWS, COLS)
            expected = x.astype(np.float64) @ decoded.astype(np.float64).T
            one, together = ((folder / f"{path}.f32").read_bytes() for path in ("words", "together"))
            if one != together:
                sys.exit(f"{name}, {isa}: rows computed together differ from those computed alone")
            cells += [f"{error(folder, path, expected):.2e}" for path in ("words", "bytes")]
        if ggml and name in ABSENT:
            cells += ["", ""]
        elif ggml:
            run([ggml, folder, name.replace("_k", "_K"), ROWS, COLS, N_X])
            scale = tensor_scale(folder, name)
            cells += [f"{error(folder, path, expected / scale):.2e}" for path in ("ggml_1", "ggml")]
        print("| " + " | ".join(cells) + " |", flush=True)


def tensor_scale(folder, name):
    """What ggml leaves to its caller: NVFP4's scale of the whole tensor, 1 elsewhere."""
    if name != "nvfp4":
        return 1.0
    largest = np.abs(np.fromfile(folder / "weights.f32", np.float32)).max()
    return np.float64(1 / np.float32(6 * 448 / largest))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", required=True, type=pathlib.Path)
    parser.add_argument("--isa", type=lambda text: text.split(","), default=[""])
    parser.add_argument("--types", type=lambda text: text.split(","), default=TYPES)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--llama-cpp", type=pathlib.Path, help="its source tree")
    parser.add_argument("--build", type=pathlib.Path, help="where it was built")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        ggml = args.build and compile_program(args.llama_cpp, args.build, folder)
        for kind in ("normal", "t4", "outlier channels"):
            table(args, kind, folder, ggml)


if __name__ == "__main__":
    main()
