#!/usr/bin/env python3
"""What rounded activations cost whole models: logits beside those of the same weights in F32.

    python3 tools/rounding/logits.py --pleiad build/pleiad [--isa avx2] [--llama-cpp SOURCE --build BUILD]

Random models (models.py) are quantized to every type. The reference is Pleiad on a file with the same
weights, decoded to F32 by gguf-py: its products are f32 then, whatever the phase. Of a mixture of experts
it is told how often a layer of a token chose other experts, the first such token, and the median error of
the rows before it. Prints tables in Markdown.
"""

import argparse
import dataclasses
import os
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

import models

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "quantize"))
import compare_llama_cpp  # noqa: E402

TYPES = ["bf16", "q8_0", "q6_k", "q5_k", "q4_k_m", "q4_0", "nvfp4"]


@dataclasses.dataclass
class Result:
    logits: np.ndarray  # [n_tokens, vocabulary]
    router: np.ndarray | None = None  # [n_tokens, n_layers, n_experts]


def run(command, env):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False, env=env)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}\n{done.stderr}")


def compute(args, env, model, tokens, folder, shape, bits):
    out, router = folder / "logits.npy", folder / "router.npy"
    command = [args.pleiad, "logits", model, "--tokens", ",".join(map(str, tokens)), "--out", out]
    command += ["--activations", bits]
    if shape.experts:
        command += ["--router-out", router]
    run(command, env)
    if not shape.experts:
        return Result(np.load(out))
    return Result(np.load(out), np.load(router).reshape(len(tokens), len(shape.pattern), shape.experts))


def row_errors(found, expected):
    """Relative root mean square of every row's difference."""
    difference = found.logits.astype(np.float64) - expected.logits
    return np.sqrt((difference**2).mean(1) / (expected.logits.astype(np.float64) ** 2).mean(1))


def chosen(router, n_used):
    """[n_tokens, n_layers, n_used] in ascending order of expert."""
    return np.sort(np.argsort(-router, axis=2, kind="stable")[:, :, :n_used], axis=2)


def flips(found, expected, n_used):
    """[n_tokens, n_layers]: other experts were chosen."""
    return (chosen(found.router, n_used) != chosen(expected.router, n_used)).any(2)


def percent(value):
    return f"{100 * value:.3g} %"


def cells(found, expected, shape):
    errors = row_errors(found, expected)
    all_rows = [percent(np.median(errors)), percent(np.quantile(errors, 0.9)), percent(errors.max())]
    if found.router is None:
        return all_rows
    other = flips(found, expected, shape.experts_used)
    first = int(np.argmax(other.any(1))) if other.any() else len(errors)
    before = percent(np.median(errors[:first])) if first else "none"
    return all_rows + [percent(other.mean()), str(first) if other.any() else "none", before]


def table(args, env, shape, variant, folder, llama):
    head = ["type", "path", "median row", "nine tenths", "worst"]
    if shape.experts:
        head += ["other experts", "first at", "median before"]
    print("| " + " | ".join(head) + " |\n" + "|---" * len(head) + "|")
    source = folder / "source.gguf"
    models.write(source, shape, models.random_tensors(shape, args.seed, variant))
    random = np.random.default_rng(args.seed)
    tokens = [2, *random.integers(4, models.VOCAB, args.tokens - 1).tolist()]
    for kind in args.types:
        model, decoded = folder / f"{kind}.gguf", folder / "decoded.gguf"
        run([args.pleiad, "quantize", source, model, "--type", kind, "--force"], env)
        models.write(decoded, shape, models.decoded_tensors(model))
        expected = compute(args, env, decoded, tokens, folder, shape, "16")
        for bits in ("16", "8"):
            found = compute(args, env, model, tokens, folder, shape, bits)
            print("| " + " | ".join([kind, f"{bits} bits", *cells(found, expected, shape)]) + " |", flush=True)
        if llama:
            found = Result(compare_llama_cpp.logits_of_llama_cpp(llama, model, tokens, folder))
            print("| " + " | ".join([kind, "llama.cpp", *cells(found, expected, shape)]) + " |", flush=True)
        model.unlink()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pleiad", required=True, type=pathlib.Path)
    parser.add_argument("--isa", help="the instruction set, else the best that the machine has")
    parser.add_argument("--types", type=lambda text: text.split(","), default=TYPES)
    parser.add_argument("--shapes", type=lambda text: text.split(","), default=list(models.SHAPES))
    parser.add_argument("--variants", type=lambda text: text.split(","), default=list(models.VARIANTS))
    parser.add_argument("--tokens", type=int, default=256, help="how many random tokens")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--llama-cpp", type=pathlib.Path, help="its source tree")
    parser.add_argument("--build", type=pathlib.Path, help="where it was built")
    args = parser.parse_args()
    env = {**os.environ, **({"PLEIAD_ISA": args.isa} if args.isa else {})}
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        llama = args.build and compare_llama_cpp.compile_program(args.llama_cpp, args.build, folder)
        for shape in args.shapes:
            for variant in args.variants:
                print(f"\n{shape}, {variant}, {args.tokens} tokens, seed {args.seed}\n", flush=True)
                table(args, env, models.SHAPES[shape], variant, folder, llama)


if __name__ == "__main__":
    main()
