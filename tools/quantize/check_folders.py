#!/usr/bin/env python3
"""Do our quantized folders say what they should to the libraries that read them?

    pip install torch transformers compressed-tensors safetensors
    python tools/quantize/check_folders.py --pleiad build/pleiad tests/golden/models/e4b ...

For every folder and each of nvfp4a16, fp8 and fp8_dynamic:
  values   `pleiad quantize` writes a folder; transformers loads it and dequantizes it on load;
           every weight is bit for bit what `pleiad convert --dequantize` decodes (scalar code)
  packed   transformers keeps the weights packed, compressed-tensors unpacks them in bfloat16 when
           the model first runs; the same comparison
  layout   compressed-tensors itself quantizes the same model; our tensors have its names, shapes
           and types, and our quantization_config its fields
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path

os.environ["TQDM_DISABLE"] = "1"  # before the libraries read it

import torch
from compressed_tensors.compressors import ModelCompressor
from compressed_tensors.quantization import (
    QuantizationConfig,
    apply_quantization_config,
    preset_name_to_scheme,
)
from compressed_tensors.quantization.utils import calculate_qparams, generate_gparam
from safetensors import safe_open
from transformers import AutoConfig, AutoModelForCausalLM, AutoModelForImageTextToText, CompressedTensorsConfig
from transformers.utils import logging

PRESETS = {
    "nvfp4a16": ("NVFP4A16", "nvfp4-pack-quantized"),
    "fp8": ("FP8", "float-quantized"),
    "fp8_dynamic": ("FP8_DYNAMIC", "float-quantized"),
}
# What the recipes for Gemma 4 leave alone.
NOT_QUANTIZED = ["lm_head", "re:.*vision_tower.*", "re:.*audio_tower.*", "re:.*embed_vision.*",
                 "re:.*embed_audio.*", "re:.*router.*"]  # fmt: skip


def model_class(folder: Path):
    config = AutoConfig.from_pretrained(folder)
    return AutoModelForImageTextToText if hasattr(config, "vision_config") else AutoModelForCausalLM


def load(folder: Path, **options) -> torch.nn.Module:
    return model_class(folder).from_pretrained(folder, **options).eval()


def stored(folder: Path) -> dict:
    """Name -> tensor of all safetensors of a folder."""
    tensors = {}
    for path in sorted(folder.glob("*.safetensors")):
        with safe_open(path, "pt") as file:
            tensors |= {name: file.get_tensor(name) for name in file.keys()}
    return tensors


def weights(model: torch.nn.Module) -> dict:
    """As transformers would save them, but for what is no weight of a dense model."""
    state = model.state_dict()
    return {name: value for name, value in state.items() if not name.endswith(("_scale", "_zero_point"))}


def differences(found: dict, expected: dict) -> list:
    """Names that are missing or whose values are not the same bits as floats."""
    problems = []
    for name, value in expected.items():
        if name == "lm_head.weight":
            continue  # the embedding
        if name not in found:
            problems.append(f"{name} is missing")
        elif not torch.equal(found[name].float(), value.float()):
            problems.append(f"{name} differs")
    return problems


def check_values(folder: Path, plain: Path) -> list:
    model = load(folder, dtype=torch.float32, quantization_config=CompressedTensorsConfig(dequantize=True))
    expected = weights(load(plain, dtype=torch.float32))
    return differences(weights(model), expected)


def check_packed(folder: Path, plain: Path) -> list:
    model = load(folder, dtype=torch.bfloat16)
    kinds = {value.dtype for value in model.state_dict().values()}
    if not kinds & {torch.uint8, torch.float8_e4m3fn}:
        return ["nothing stayed packed"]
    with torch.no_grad():
        logits = model(torch.tensor([[2, 5, 7]])).logits
    if not torch.isfinite(logits).all():
        return ["the logits are not finite"]
    expected = weights(load(plain, dtype=torch.bfloat16))
    return differences(weights(model), expected)


@torch.no_grad()
def quantize_with_the_library(source: Path, kind: str) -> tuple:
    """The state and the quantization_config that compressed-tensors makes of a model."""
    preset, format_name = PRESETS[kind]
    model = load(source, dtype=torch.bfloat16)
    scheme = preset_name_to_scheme(preset, ["Linear"])
    scheme.format = format_name
    if kind == "fp8":  # activations with scales of their own need sample text: dynamic ones do not
        scheme.input_activations = preset_name_to_scheme("FP8_DYNAMIC", ["Linear"]).input_activations
    config = QuantizationConfig(config_groups={"group_0": scheme}, ignore=NOT_QUANTIZED)
    apply_quantization_config(model, config)
    for module in model.modules():
        if getattr(module, "quantization_scheme", None) is None:
            continue
        args, weight = module.quantization_scheme.weights, module.weight
        rows = {"tensor": weight.reshape(1, -1), "channel": weight,
                "tensor_group": weight.reshape(len(weight), -1, 16)}[args.strategy]  # fmt: skip
        low, high = rows.amin(-1), rows.amax(-1)
        global_scale = None
        if args.strategy == "tensor_group":
            global_scale = generate_gparam(weight.amin().reshape(1), weight.amax().reshape(1))
            module.weight_global_scale.copy_(global_scale)
        elif args.strategy == "channel":
            low, high = low[:, None], high[:, None]
        scale, _ = calculate_qparams(low, high, args, global_scale=global_scale)
        module.weight_scale.data.copy_(scale.reshape(module.weight_scale.shape))
    compressor = ModelCompressor.from_pretrained_model(model, format_name)
    compressor.compress_model(model)
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "config.json").write_text("{}")
        compressor.update_config(folder)
        written = json.loads((Path(folder) / "config.json").read_text())
    return model.state_dict(), written["quantization_config"]


def fields(value, prefix: str = "") -> set:
    """Paths of all keys with the plain values below them, but for what may differ."""
    if isinstance(value, dict):
        return {line for key, inner in value.items() for line in fields(inner, f"{prefix}{key}.")}
    return {f"{prefix[:-1]} = {value}"}


def describe(tensor: torch.Tensor, name: str) -> str:
    # The library keeps FP8's scales in the model's type, we in float32; readers take both.
    kind = "scale" if name.endswith(".weight_scale") and tensor.dtype != torch.float8_e4m3fn else str(tensor.dtype)
    return f"{kind} {list(tensor.shape)}"


def check_layout(folder: Path, source: Path, kind: str) -> list:
    state, expected = quantize_with_the_library(source, kind)
    ours = stored(folder)
    found = json.loads((folder / "config.json").read_text())["quantization_config"]
    problems = []
    quantized = {name for name in state if name.split(".")[-1] in
                 ("weight_packed", "weight_scale", "weight_global_scale")}  # fmt: skip
    quantized |= {name.removesuffix("_scale") for name in quantized if name.removesuffix("_scale") in state}
    for name in sorted(quantized):
        if name not in ours:
            problems.append(f"{name} is missing")
        elif describe(ours[name], name) != describe(state[name], name):
            problems.append(f"{name}: {describe(ours[name], name)}, not {describe(state[name], name)}")
    scales = {name for name in ours if name.endswith((".weight_packed", ".weight_scale", ".weight_global_scale"))}
    # Keys and values that no layer reads: vLLM wants them, transformers has no module for them.
    dead = {name for name in scales if ".k_proj." in name or ".v_proj." in name}
    problems += [f"{name} is too much" for name in sorted(scales - quantized - dead)]
    if set(found["ignore"]) != set(expected["ignore"]):
        problems.append(f"ignore: {sorted(set(found['ignore']) ^ set(expected['ignore']))}")
    for config in (found, expected):
        for key in ("ignore", "version", "moe_sparsity_config"):
            config.pop(key, None)
    problems += [f"quantization_config: {line}" for line in sorted(fields(found) ^ fields(expected))]
    return problems


def run(*command) -> None:
    subprocess.run([str(part) for part in command], check=True, stdout=subprocess.DEVNULL)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--pleiad", required=True, help="the program")
    parser.add_argument("folders", nargs="+", type=Path, help="folders of unquantized models")
    arguments = parser.parse_args()
    warnings.filterwarnings("ignore")
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    n_problems = 0
    print(f"{'model':<16} {'type':<12} {'values':>8} {'packed':>8} {'layout':>8}")
    with tempfile.TemporaryDirectory() as root:
        for source in arguments.folders:
            for kind in PRESETS:
                folder, plain = Path(root) / "quantized", Path(root) / "plain"
                run(arguments.pleiad, "quantize", source, folder, "--type", kind, "--force")
                run(arguments.pleiad, "convert", folder, plain, "--dequantize", "--force")
                results = [check_values(folder, plain), check_packed(folder, plain),
                           check_layout(folder, source, kind)]  # fmt: skip
                cells = " ".join(f"{'same' if not found else len(found):>8}" for found in results)
                print(f"{source.name:<16} {kind:<12} {cells}", flush=True)
                for problem in (line for found in results for line in found[:5]):
                    print(f"    {problem}")
                n_problems += sum(map(len, results))
    return 1 if n_problems else 0


if __name__ == "__main__":
    sys.exit(main())
