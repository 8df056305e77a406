"""Writing the tiny checkpoints in the layouts an engine meets, and loading them back."""

import json
from pathlib import Path

import torch
from safetensors.torch import load_file, save_file

import weights
from families import GENERATION_CONFIG, GLOBAL_HEAD_DIM


def write_json(path: Path, value) -> None:
    path.write_text(json.dumps(value, indent=2, sort_keys=True) + "\n")


def build(family, seed: int) -> torch.nn.Module:
    config = family.config()
    config._attn_implementation = "eager"
    model = family.model_class(config).eval()
    weights.randomize(model, family, seed)
    return model


def save(model: torch.nn.Module, family, folder: Path, seed: int) -> None:
    """Writes config.json, generation_config.json and the safetensors of a family."""
    shard = {"max_shard_size": family.shard_size} if family.shard_size else {}
    model.save_pretrained(folder, **shard)
    if family.dead_shared_kv:
        path = folder / "model.safetensors"
        tensors = load_file(path) | weights.dead_shared_kv(model, family, seed)
        save_file(tensors, path, metadata={"format": "pt"})
    if family.released_config:
        path = folder / "config.json"
        write_json(path, released_style(json.loads(path.read_text()), family))
    write_json(folder / "generation_config.json", generation_config(family))


def generation_config(family) -> dict:
    return GENERATION_CONFIG | (dict(suppress_tokens=list(family.suppressed)) if family.suppressed else {})


def released_style(config: dict, family) -> dict:
    """Replaces `per_layer_config` by the fields of the released files and older transformers."""
    config = dict(config)
    text = dict(config.get("text_config", config))
    text.pop("per_layer_config")
    text["global_head_dim"] = GLOBAL_HEAD_DIM
    text["num_global_key_value_heads"] = family.global_kv_heads
    if "text_config" not in config:
        return text
    config["text_config"] = text
    config["eos_token_id"] = [1, 106]
    return config


def load(family, folder: Path) -> torch.nn.Module:
    """The reference model of a folder, in float32 with eager attention."""
    model = family.model_class.from_pretrained(folder, dtype=torch.float32, attn_implementation="eager")
    return model.eval()
