"""Checkpoints quantized in the layouts of compressed-tensors: NVFP4A16 and per-channel FP8.

Every Linear except the tied head is quantized. The other tensors are stored in bfloat16, which
loses nothing because the source family is exactly representable in it.
"""

import json
from pathlib import Path

import torch
from safetensors.torch import load_file, save_file

from checkpoint import write_json
from families import GENERATION_CONFIG

E2M1 = torch.tensor([0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0])
E2M1_MAX = 6.0
E4M3_MAX = 448.0
GROUP = 16


def nvfp4_quantize(weight: torch.Tensor) -> dict:
    """Two 4-bit values per byte (even column in the low nibble), one E4M3 scale per 16 columns,
    and one float32 global scale, which divides."""
    rows, columns = weight.shape
    groups = weight.reshape(rows, columns // GROUP, GROUP)
    global_scale = E4M3_MAX * E2M1_MAX / weight.abs().max()
    scale = (global_scale * groups.abs().amax(-1) / E2M1_MAX).to(torch.float8_e4m3fn)
    scaled = groups / (scale.float() / global_scale)[..., None]
    index = (scaled.abs()[..., None] - E2M1).abs().argmin(-1)
    code = (index | (scaled < 0).long() << 3).to(torch.uint8).reshape(rows, columns)
    return {
        "weight_packed": code[:, 0::2] | code[:, 1::2] << 4,
        "weight_scale": scale,
        "weight_global_scale": global_scale.reshape(1).float(),
    }


def nvfp4_dequantize(parts: dict) -> torch.Tensor:
    packed = parts["weight_packed"].long()
    code = torch.stack([packed & 15, packed >> 4], dim=-1).reshape(len(packed), -1)
    value = E2M1[code & 7] * torch.where(code >= 8, -1.0, 1.0)
    scale = parts["weight_scale"].float() / parts["weight_global_scale"]
    return value * scale.repeat_interleave(GROUP, dim=1)


def fp8_quantize(weight: torch.Tensor) -> dict:
    """E4M3 values with one bfloat16 scale per output row, which multiplies."""
    scale = (weight.abs().amax(1, keepdim=True) / E4M3_MAX).bfloat16()
    value = (weight / scale.float()).clamp(-E4M3_MAX, E4M3_MAX)
    return {"weight": value.to(torch.float8_e4m3fn), "weight_scale": scale}


def fp8_dequantize(parts: dict) -> torch.Tensor:
    return parts["weight"].float() * parts["weight_scale"].float()


def quantization_config(quant_format: str, weights: dict, activations: dict | None) -> dict:
    group = {
        "format": quant_format,
        "input_activations": activations,
        "output_activations": None,
        "targets": ["Linear"],
        "weights": weights,
    }
    return {
        "config_groups": {"group_0": group},
        "format": quant_format,
        "global_compression_ratio": None,
        "ignore": ["lm_head"],
        "kv_cache_scheme": None,
        "quant_method": "compressed-tensors",
        "quantization_status": "compressed",
    }


def arguments(num_bits: int, strategy: str, group_size=None, dynamic=False, scale_dtype=None) -> dict:
    return {
        "actorder": None,
        "block_structure": None,
        "dynamic": dynamic,
        "group_size": group_size,
        "num_bits": num_bits,
        "observer": None if dynamic else "minmax",
        "observer_kwargs": {},
        "scale_dtype": scale_dtype,
        "strategy": strategy,
        "symmetric": True,
        "type": "float",
        "zp_dtype": scale_dtype,
    }


# name -> (quantize, dequantize, largest relative error, quantization_config)
VARIANTS = {
    "nvfp4": (
        nvfp4_quantize,
        nvfp4_dequantize,
        0.15,
        quantization_config(
            "nvfp4-pack-quantized",
            arguments(4, "tensor_group", GROUP, scale_dtype="torch.float8_e4m3fn"),
            None,
        ),
    ),
    "fp8": (
        fp8_quantize,
        fp8_dequantize,
        0.05,
        quantization_config(
            "float-quantized",
            arguments(8, "channel"),
            arguments(8, "token", dynamic=True),
        ),
    ),
}


def linear_names(model: torch.nn.Module) -> list:
    modules = model.named_modules()
    return [name for name, m in modules if isinstance(m, torch.nn.Linear) and name != "lm_head"]


def save(model: torch.nn.Module, source: Path, folder: Path, variant: str) -> None:
    quantize, _, _, quantization = VARIANTS[variant]
    linears = linear_names(model)
    tensors = {}
    for name, tensor in model.state_dict().items():
        module = name.removesuffix(".weight")
        if module in linears:
            tensors |= {f"{module}.{part}": value for part, value in quantize(tensor).items()}
        elif name != "lm_head.weight":
            tensors[name] = tensor.bfloat16()
    tensors = {name: tensor.contiguous() for name, tensor in tensors.items()}
    save_file(tensors, folder / "model.safetensors", metadata={"format": "pt"})
    config = json.loads((source / "config.json").read_text())
    write_json(
        folder / "config.json", config | {"dtype": "bfloat16", "quantization_config": quantization}
    )
    write_json(folder / "generation_config.json", GENERATION_CONFIG)


@torch.no_grad()
def load_dequantized(model: torch.nn.Module, folder: Path, variant: str) -> None:
    """Fills `model` (which still holds the original weights) with the dequantized weights."""
    _, dequantize, limit, _ = VARIANTS[variant]
    stored = load_file(folder / "model.safetensors")
    linears = linear_names(model)
    for name, tensor in model.state_dict().items():
        module = name.removesuffix(".weight")
        if module in linears:
            parts = {k.removeprefix(module + "."): v for k, v in stored.items() if k.startswith(module + ".weight")}
            value = dequantize(parts)
            error = float((value - tensor).norm() / tensor.norm())
            if error > limit:
                raise RuntimeError(f"{variant}: {name} is off by {error:.3f}")
            tensor.copy_(value)
        elif name != "lm_head.weight" and not torch.equal(stored[name].float(), tensor):
            raise RuntimeError(f"{variant}: {name} changed")
