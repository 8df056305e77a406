"""Random weights under which every term of the forward pass matters.

The value of a tensor depends only on the seed and its name, so the order of creation is irrelevant.
"""

import math
import zlib

import numpy as np
import torch


def generator(seed: int, name: str) -> np.random.Generator:
    return np.random.default_rng([seed, zlib.crc32(name.encode())])


def draw(seed: int, family, name: str, shape: tuple) -> torch.Tensor:
    """The random tensor `name` of a checkpoint."""
    mean, std, uniform = distribution(family, name, shape)
    rng = generator(seed, f"{family.name}/{name}")
    if uniform is not None:
        values = rng.uniform(*uniform, size=shape)
    else:
        values = mean + std * rng.standard_normal(shape)
    tensor = torch.from_numpy(np.asarray(values, dtype=np.float32))
    return tensor.bfloat16().float() if family.bf16_exact else tensor


def distribution(family, name: str, shape: tuple):
    """(mean, standard deviation, uniform bounds or None) of a tensor."""
    hidden = family.text["hidden_size"]
    leaf = name.split(".")
    if name.endswith(("input_min", "output_min")):
        return 0, 0, (-8.0, -6.0)
    if name.endswith(("input_max", "output_max")):
        return 0, 0, (6.0, 8.0)
    if name.endswith("layer_scalar"):
        return 0, 0, (0.5, 1.2)
    if name.endswith(("router.per_expert_scale", "router.scale", "std_scale")):
        return 0, 0, (0.5, 1.5)
    if name.endswith("k_norm.weight"):
        # Scores are q.k without a 1/sqrt(head_dim): this gives them a spread of about 1.3,
        # so that attention is neither uniform nor one-hot.
        scale = 1.3 / math.sqrt(shape[0])
        return scale, 0.3 * scale, None
    if any("norm" in part or "_ln" in part for part in leaf[-2:]) and len(shape) == 1:
        return (0.0, 0.3, None) if leaf[-1] == "bias" else (1.0, 0.3, None)
    if name.endswith("embed_tokens.weight"):
        return 0.0, 0.7, None  # also the output head: logits of several units
    if name.endswith("embed_tokens_per_layer.weight"):
        return 0.0, 1 / math.sqrt(family.text["hidden_size_per_layer_input"]), None
    if name.endswith("pos_embedding"):
        return 0.0, 0.5, None
    if name.endswith("router.proj.weight"):
        return 0.0, 1.5, None
    if name.endswith("per_layer_input_gate.weight"):
        return 0.0, 0.4 / math.sqrt(hidden), None  # reads the un-normed stream
    if len(shape) >= 2:
        return 0.0, 1 / math.sqrt(shape[-1]), None
    return 0.0, 0.3, None


@torch.no_grad()
def randomize(model: torch.nn.Module, family, seed: int) -> None:
    """Overwrites every stored tensor of `model`."""
    for name, tensor in model.state_dict().items():
        if name == "lm_head.weight":
            continue  # tied to the embedding
        tensor.copy_(draw(seed, family, name, tuple(tensor.shape)))


def dead_shared_kv(model: torch.nn.Module, family, seed: int) -> dict:
    """k_proj, v_proj and k_norm of the KV-shared layers, as Google's files carry them (unused)."""
    config = model.config.get_text_config()
    first = config.num_hidden_layers - config.num_kv_shared_layers
    tensors = {}
    for index in range(first, config.num_hidden_layers):
        layer = config.per_layer_config[index]
        prefix = f"model.language_model.layers.{index}.self_attn"
        rows = layer.num_key_value_heads * layer.head_dim
        for name, shape in (
            ("k_proj", (rows, config.hidden_size)),
            ("v_proj", (rows, config.hidden_size)),
            ("k_norm", (layer.head_dim,)),
        ):
            key = f"{prefix}.{name}.weight"
            tensors[key] = draw(seed, family, key, shape)
    return tensors
