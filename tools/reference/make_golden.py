"""Builds the tiny Gemma 4 checkpoints and the expected outputs of the reference implementation.

    python make_golden.py --out ../../tests/golden/models

Everything is a function of --seed; see README.md for what is written.
"""

import argparse
import shutil
from pathlib import Path

import numpy as np
import torch
from safetensors.torch import save_file

import checkpoint
import gguf_export
import quantized
import reference
import trace
from families import FAMILIES
from gguf_forward import GgufModel

TRACE_TOKENS = 7
QUANTIZED_FAMILY = "e4b"


def fresh(folder: Path) -> Path:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return folder


def check(condition: bool, message: str) -> None:
    if not condition:
        raise RuntimeError(message)


def make_family(family, out: Path, seed: int) -> torch.nn.Module:
    folder = fresh(out / family.name)
    built = checkpoint.build(family, seed)
    checkpoint.save(built, family, folder, seed)
    model = checkpoint.load(family, folder)
    gguf_path = folder / f"{family.name}.gguf"
    gguf_export.export(model, family, gguf_path)
    second = GgufModel(gguf_path)

    cases = []
    peak = worst = 0.0
    for name, length in reference.case_lengths(family.window).items():
        tokens, result = reference.find_prompt(model, family.name, length, seed)
        difference = (reference.logits(built, tokens) - result).abs().max()
        check(difference == 0, f"{family.name}: reloading changed the logits by {difference}")
        worst = max(worst, float(np.abs(second.logits(tokens) - result.numpy()).max()))
        peak = max(peak, float(result.abs().max()))
        cases.append(reference.write_case(folder, name, tokens, result))
    check(worst < 1e-3, f"{family.name}: the GGUF disagrees by {worst}")
    check(peak > 10, f"{family.name}: the soft cap is idle, largest logit {peak}")

    prompts = {"cases": cases}
    if family.trace:
        tokens, result = reference.find_prompt(model, f"{family.name}/trace", TRACE_TOKENS, seed)
        values = trace.collect(model, tokens)
        check(torch.equal(values["logits"], result), f"{family.name}: tracing changed the logits")
        save_file(values, folder / "trace.safetensors")
        prompts["trace"] = {"tokens": tokens, "file": "trace.safetensors"}
    checkpoint.write_json(folder / "prompts.json", prompts)
    print(f"{family.name}: largest |logit| {peak:.1f}, GGUF in float64 differs by {worst:.1e}")
    return model


def make_quantized(family, out: Path, seed: int) -> None:
    source = out / family.name
    for variant in quantized.VARIANTS:
        folder = fresh(out / f"{family.name}-{variant}")
        model = checkpoint.load(family, source)
        quantized.save(model, source, folder, variant)
        quantized.load_dequantized(model, folder, variant)
        name, length = "2*window+5", 2 * family.window + 5
        tokens, result = reference.find_prompt(model, folder.name, length, seed)
        case = reference.write_case(folder, name, tokens, result)
        checkpoint.write_json(folder / "prompts.json", {"cases": [case]})
        print(f"{folder.name}: done")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    default = Path(__file__).resolve().parents[2] / "tests" / "golden" / "models"
    parser.add_argument("--out", type=Path, default=default)
    parser.add_argument("--seed", type=int, default=4)
    parser.add_argument("--family", help="this one alone")
    options = parser.parse_args()

    torch.set_default_dtype(torch.float32)
    torch.use_deterministic_algorithms(True)
    torch.set_num_threads(1)
    for family in FAMILIES:
        if options.family not in (None, family.name):
            continue
        make_family(family, options.out, options.seed)
        if family.name == QUANTIZED_FAMILY:
            make_quantized(family, options.out, options.seed)
    for path in options.out.rglob("*.safetensors"):
        path.chmod(0o644)  # safetensors writes them readable by the owner only


if __name__ == "__main__":
    main()
