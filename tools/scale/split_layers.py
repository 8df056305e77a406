#!/usr/bin/env python3
"""When cutting a model's layers over machines would pay: a calculation, nothing is run.

    tools/scale/split_layers.py --program build/pleiad

Memory and rate of each model come from `pleiad fit`, for machines with --bandwidth GB/s and --memory GiB. Of m machines
in a pipeline each has its share of the layers. A token passes all of them one after the other, and between two of them
its activations (model_dim f32 values) go over the link, so that one stream is never faster than on one machine that
holds everything: what is gained is memory, and, with a stream for each machine at least, that all read at once.
Where each matrix is cut instead, all machines work on the same token, and its activations are summed over the link
twice in each layer.
"""
import argparse
import json
import math
import subprocess
import sys

# As in src/model/gemma4/family.cc.
SHAPES = {"e2b": (1536, 35), "e4b": (2560, 42), "12b": (3840, 48), "26b-a4b": (2816, 30), "31b": (5376, 60)}
LINKS = [("1 GbE", 1e9 / 8, 60e-6), ("10 GbE", 10e9 / 8, 30e-6), ("25 GbE", 25e9 / 8, 15e-6),
         ("100 GbE, RDMA", 100e9 / 8, 3e-6)]
BYTES = 4  # of an activation
EFFICIENCY = 0.94  # of a link's rate that TCP in frames of 1,500 bytes carries


def hop_seconds(n_rows, model_dim, link):
    """From one machine to the next."""
    _, rate, latency = link
    return latency + n_rows * model_dim * BYTES / (rate * EFFICIENCY)


def machines_needed(memory_bytes, room_bytes):
    """The fewest that hold a model in equal parts."""
    return max(1, math.ceil(memory_bytes / room_bytes))


def pipeline(token_seconds, n_machines, model_dim, link):
    """Layers divided: (tokens/s of one stream, of all while each machine has a stream)."""
    hop = hop_seconds(1, model_dim, link) if n_machines > 1 else 0.0
    one = token_seconds + n_machines * hop  # the token comes back to the first machine
    stage = max(token_seconds / n_machines, hop)  # a link carries while machines compute
    return 1 / one, min(n_machines / one, 1 / stage)


def cut_matrices(token_seconds, n_machines, model_dim, n_layers, link):
    """Matrices divided: tokens/s of one stream. A sum goes around the machines and its parts come back (a ring)."""
    sums = 2 * n_layers * 2 * (n_machines - 1) * hop_seconds(1 / n_machines, model_dim, link)
    return 1 / (token_seconds / n_machines + sums)


def read_fit(program, types, bandwidth, memory, compute):
    command = [program, "fit", "--bandwidth", str(bandwidth), "--memory", str(memory), "--compute", str(compute),
               "--type", types, "--json"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        return json.loads(done.stdout)
    except (OSError, subprocess.CalledProcessError, ValueError) as error:
        told = getattr(error, "stderr", "") or error
        raise SystemExit(f"split_layers.py: {' '.join(command)}: {told}") from error


def hops_table():
    lines = ["| model | bytes of a row | " + " | ".join(f"{name}: a token, 512 rows" for name, _, _ in LINKS) + " |",
             "|---|---|" + "---|" * len(LINKS)]
    for model, (model_dim, _) in SHAPES.items():
        cells = [f"{hop_seconds(1, model_dim, link) * 1e3:.3f} ms, {hop_seconds(512, model_dim, link) * 1e3:.1f} ms"
                 for link in LINKS]
        lines.append(f"| {model} | {model_dim * BYTES:,} | " + " | ".join(cells) + " |")
    return lines


def models_table(fit, big, args):
    lines = [f"| model | memory | weights read a token | machines of {args.memory:g} GiB | one stream, one machine that holds it | "
             + " | ".join(f"layers over {name}" for name, _, _ in LINKS[:2])
             + " | all busy, layers over 10 GbE | all busy, a replica on each | "
             + " | ".join(f"one stream, matrices over {name}" for name, _, _ in LINKS) + " |",
             "|---|" + "---|" * (8 + len(LINKS))]
    room = fit["machine"]["memory_bytes"]
    for one in big["models"]:
        model_dim, n_layers = SHAPES[one["model"]]
        n = machines_needed(one["memory_bytes"], room)
        if one["decode"] is None:
            continue
        seconds = 1 / one["decode"]["tok_s"]
        cut = max(n, 2)
        cells = [f"{one['name'].removeprefix('Gemma 4 ')} {one['type']}", f"{one['memory_bytes'] / 1e9:.1f} GB",
                 f"{one['weight_bytes_per_token'] / 1e9:.2f} GB",
                 f"{cut}" if n > 1 else "1, cut over 2", f"{1 / seconds:.2f}",
                 *[f"{pipeline(seconds, cut, model_dim, link)[0]:.2f}" for link in LINKS[:2]],
                 f"{pipeline(seconds, cut, model_dim, LINKS[1])[1]:.1f}",
                 f"{cut / seconds:.1f}" if n == 1 else "does not fit",
                 *[f"{cut_matrices(seconds, cut, model_dim, n_layers, link):.2f}" for link in LINKS]]
        lines.append("| " + " | ".join(cells) + " |")
    return lines


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default="build/pleiad")
    parser.add_argument("--type", default="q4_0,bf16")
    parser.add_argument("--bandwidth", type=float, default=60, help="GB/s of a machine")
    parser.add_argument("--compute", type=float, default=2, help="TFLOP/s of a machine")
    parser.add_argument("--memory", type=float, default=16, help="GiB of a machine")
    args = parser.parse_args()
    fit = read_fit(args.program, args.type, args.bandwidth, args.memory, args.compute)
    big = read_fit(args.program, args.type, args.bandwidth, 4096, args.compute)  # where all fit
    print("\n".join([*models_table(fit, big, args), "", *hops_table()]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
