#!/usr/bin/env python3
"""Compares the logits of llama.cpp with Pleiad's on the same GGUF files.

    compare_llama_cpp.py --pleiad build/pleiad --llama-cpp ~/llama.cpp --build ~/llama.cpp/build \\
        model-q4_k_m.gguf model-q8_0.gguf

A small program (llama_logits.cpp) is compiled against the source tree and linked with
the libraries of the build, shared or static. Every file is computed by both on the same
random tokens, as one prompt. The two round activations differently (llama.cpp to 8
bits, with other groups), so logits differ by that much: the table shows the root mean
square of the difference beside that of the logits, the KL divergence in nats, and how
often both prefer the same token. Needs numpy.
"""
import argparse
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent


def libraries(build):
    """What to link: llama and ggml, static ones in the order of their dependencies."""
    found = {}
    for file in sorted(build.rglob("lib*")):
        for kind in (".so", ".dylib", ".a"):
            if file.name.endswith(kind):
                found.setdefault(file.name[3:-len(kind)], file)
    names = ["llama"] + [name for name in found if name.startswith("ggml")]
    missing = [name for name in ("llama", "ggml-base") if name not in found]
    if missing:
        sys.exit(f"{build}: there is no library {' or '.join(missing)} below it")
    return [found[name] for name in names]


def compile_program(source, build, folder):
    files = libraries(build)
    program = folder / "llama_logits"
    folders = sorted({str(file.parent) for file in files})
    command = ["c++", "-O2", "-std=c++17", HERE / "llama_logits.cpp", "-o", program,
               f"-I{source / 'include'}", f"-I{source / 'ggml' / 'include'}",
               "-Wl,--start-group", *files, "-Wl,--end-group",
               *[f"-Wl,-rpath,{name}" for name in folders], "-fopenmp", "-lpthread", "-ldl"]
    subprocess.run(command, check=True)
    return program


def logits_of_llama_cpp(program, model, tokens, folder):
    out = folder / "llama.bin"
    done = subprocess.run([program, model, ",".join(map(str, tokens)), out], capture_output=True,
                          text=True, errors="replace", check=False)
    if done.returncode != 0:
        sys.exit(f"{model}: llama.cpp failed:\n{done.stderr[-3000:]}")
    n_vocab = int(done.stdout.split()[-1])
    return np.fromfile(out, np.float32).reshape(len(tokens), n_vocab)


def logits_of_pleiad(program, model, tokens, folder):
    out = folder / "pleiad.npy"
    subprocess.run([program, "logits", model, "--tokens", ",".join(map(str, tokens)), "--kv-type",
                    "f32", "--out", out], check=True, capture_output=True)
    return np.load(out)


def log_softmax(logits):
    logits = logits.astype(np.float64)
    logits -= logits.max(axis=1, keepdims=True)
    return logits - np.log(np.exp(logits).sum(axis=1, keepdims=True))


def compare(theirs, ours):
    """(relative root mean square, mean KL divergence, share of equal best tokens)"""
    difference = np.sqrt(np.mean((theirs - ours) ** 2)) / np.sqrt(np.mean(theirs ** 2))
    theirs_log, ours_log = log_softmax(theirs), log_softmax(ours)
    divergence = np.mean(np.sum(np.exp(theirs_log) * (theirs_log - ours_log), axis=1))
    return difference, divergence, np.mean(theirs.argmax(axis=1) == ours.argmax(axis=1))


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="+", type=pathlib.Path)
    parser.add_argument("--pleiad", required=True, type=pathlib.Path)
    parser.add_argument("--llama-cpp", required=True, type=pathlib.Path, help="its source tree")
    parser.add_argument("--build", required=True, type=pathlib.Path, help="where it was built")
    parser.add_argument("--tokens", type=int, default=64, help="how many random tokens")
    parser.add_argument("--vocabulary", type=int, default=272, help="tokens are below this")
    parser.add_argument("--bound", type=float, help="fail where a divergence is above this")
    args = parser.parse_args()
    random = np.random.default_rng(1)
    tokens = [2, *random.integers(4, args.vocabulary, args.tokens - 1).tolist()]
    worst = 0.0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        program = compile_program(args.llama_cpp, args.build, folder)
        print(f"{'file':40} {'difference':>11} {'divergence':>12} {'same best':>10}")
        for model in args.models:
            theirs = logits_of_llama_cpp(program, model, tokens, folder)
            ours = logits_of_pleiad(args.pleiad, model, tokens, folder)
            if theirs.shape != ours.shape:
                sys.exit(f"{model}: llama.cpp has {theirs.shape} logits, Pleiad {ours.shape}")
            difference, divergence, same = compare(theirs, ours)
            worst = max(worst, divergence)
            print(f"{model.name:40} {difference:11.2e} {divergence:12.2e} {same:10.1%}", flush=True)
    return 1 if args.bound is not None and worst > args.bound else 0


if __name__ == "__main__":
    sys.exit(main())
