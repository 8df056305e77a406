"""The GGUF of a tower alone (mmproj), with the names and keys of llama.cpp's `gemma4v`."""

import re
from pathlib import Path

import gguf
import numpy as np
import torch

LAYER_TENSORS = {
    "input_layernorm": "ln1",
    "post_attention_layernorm": "attn_post_norm",
    "pre_feedforward_layernorm": "ln2",
    "post_feedforward_layernorm": "ffn_post_norm",
    "self_attn.q_norm": "attn_q_norm",
    "self_attn.k_norm": "attn_k_norm",
    "self_attn.q_proj": "attn_q",
    "self_attn.k_proj": "attn_k",
    "self_attn.v_proj": "attn_v",
    "self_attn.o_proj": "attn_out",
    "mlp.gate_proj": "ffn_gate",
    "mlp.up_proj": "ffn_up",
    "mlp.down_proj": "ffn_down",
}
LAYER = re.compile(r"vision_tower\.encoder\.layers\.(\d+)\.(.+?)(\.linear)?\.(weight|(?:in|out)put_(?:min|max))$")


UNIFIED_TENSORS = {
    "embed_vision.patch_ln1.weight": "v.patch_norm.1.weight",
    "embed_vision.patch_ln1.bias": "v.patch_norm.1.bias",
    "embed_vision.patch_dense.weight": "v.patch_embd.weight",
    "embed_vision.patch_dense.bias": "v.patch_embd.bias",
    "embed_vision.patch_ln2.weight": "v.patch_norm.2.weight",
    "embed_vision.patch_ln2.bias": "v.patch_norm.2.bias",
    "embed_vision.pos_embedding": "v.position_embd.weight",
    "embed_vision.pos_norm.weight": "v.patch_norm.3.weight",
    "embed_vision.pos_norm.bias": "v.patch_norm.3.bias",
    "embed_vision.multimodal_embedder.embedding_projection.weight": "mm.input_projection.weight",
    "embed_audio.embedding_projection.weight": "mm.a.input_projection.weight",
}


def tensor_name(name: str) -> str:
    if match := LAYER.match(name):
        return f"v.blk.{match[1]}.{LAYER_TENSORS[match[2]]}.{match[4]}"
    return {
        "vision_tower.patch_embedder.input_proj.weight": "v.patch_embd.weight",
        "vision_tower.patch_embedder.position_embedding_table": "v.position_embd.weight",
        "vision_tower.std_bias": "v.std_bias",
        "vision_tower.std_scale": "v.std_scale",
        "embed_vision.embedding_projection.weight": "mm.input_projection.weight",
    }[name]


def export_unified(model: torch.nn.Module, family, path: Path) -> None:
    """The embedders of the unified model, with the names and keys of llama.cpp's `gemma4uv` and `gemma4ua`."""
    vision, audio = model.config.vision_config, model.config.audio_config
    hidden = model.config.get_text_config().hidden_size
    writer = gguf.GGUFWriter(path, "clip")
    writer.add_type("mmproj")
    writer.add_name(f"tiny random embedders {family.name}")
    writer.add_bool("clip.has_vision_encoder", True)
    writer.add_bool("clip.has_audio_encoder", True)
    writer.add_string("clip.vision.projector_type", "gemma4uv")
    writer.add_string("clip.audio.projector_type", "gemma4ua")
    for part, width in (("vision", vision.mm_embed_dim), ("audio", audio.audio_embed_dim)):
        writer.add_uint32(f"clip.{part}.projection_dim", hidden)
        writer.add_uint32(f"clip.{part}.embedding_length", width)
        writer.add_uint32(f"clip.{part}.feed_forward_length", 0)
        writer.add_uint32(f"clip.{part}.block_count", 0)
        writer.add_uint32(f"clip.{part}.attention.head_count", 1)
        writer.add_float32(f"clip.{part}.attention.layer_norm_epsilon", vision.rms_norm_eps)
    writer.add_uint32("clip.vision.image_size", 224)
    writer.add_uint32("clip.vision.patch_size", vision.patch_size)
    add_pixel_keys(writer)
    writer.add_uint32("clip.audio.num_mel_bins", audio.audio_embed_dim)
    side = vision.patch_size * vision.pooling_kernel_size
    for name, tensor in model.model.state_dict().items():
        if name not in UNIFIED_TENSORS:
            continue
        values = tensor.float().numpy()
        if "patch_ln1" in name or name.endswith("patch_dense.weight"):
            # A patch's values go from (row, column, channel) to (channel, row, column).
            shape = values.shape
            values = np.moveaxis(values.reshape(-1, side, side, 3), 3, 1).reshape(shape)
        elif name.endswith("pos_embedding"):
            values = values.transpose(1, 0, 2)
        values = np.ascontiguousarray(values)
        if values.ndim == 2:
            add_matrix(writer, UNIFIED_TENSORS[name], values)
        else:
            writer.add_tensor(UNIFIED_TENSORS[name], values)
    finish(writer)


def export(model: torch.nn.Module, family, path: Path) -> None:
    if family.unified:
        return export_unified(model, family, path)
    config = model.config.vision_config
    writer = gguf.GGUFWriter(path, "clip")
    writer.add_type("mmproj")
    writer.add_name(f"tiny random tower {family.name}")
    add_vision_keys(writer, config, model.config.get_text_config().hidden_size)
    for name, tensor in model.model.state_dict().items():
        if not name.startswith(("vision_tower.", "embed_vision.")):
            continue
        add_tensor(writer, tensor_name(name), tensor, config.patch_size)
    finish(writer)


def add_vision_keys(writer: gguf.GGUFWriter, config, width: int) -> None:
    """Those of a tower for a text model of this width."""
    writer.add_bool("clip.has_vision_encoder", True)
    writer.add_string("clip.vision.projector_type", "gemma4v")
    writer.add_uint32("clip.vision.projection_dim", width)
    writer.add_uint32("clip.vision.image_size", 224)
    writer.add_uint32("clip.vision.patch_size", config.patch_size)
    writer.add_uint32("clip.vision.embedding_length", config.hidden_size)
    writer.add_uint32("clip.vision.feed_forward_length", config.intermediate_size)
    writer.add_uint32("clip.vision.block_count", config.num_hidden_layers)
    writer.add_uint32("clip.vision.attention.head_count", config.num_attention_heads)
    writer.add_float32("clip.vision.attention.layer_norm_epsilon", config.rms_norm_eps)
    add_pixel_keys(writer)


def add_pixel_keys(writer: gguf.GGUFWriter) -> None:
    writer.add_array("clip.vision.image_mean", [0.0, 0.0, 0.0])
    writer.add_array("clip.vision.image_std", [1.0, 1.0, 1.0])


def add_matrix(writer: gguf.GGUFWriter, name: str, values: np.ndarray) -> None:
    kind = gguf.GGMLQuantizationType.BF16
    writer.add_tensor(name, gguf.quants.quantize(values, kind), raw_dtype=kind)


def finish(writer: gguf.GGUFWriter) -> None:
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def add_tensor(writer: gguf.GGUFWriter, name: str, tensor: torch.Tensor, patch: int) -> None:
    """Matrices of layers are BF16, all else F32. A patch's values go from (row, column, channel)
    to (channel, row, column)."""
    values = tensor.float().numpy()
    if name == "v.patch_embd.weight":
        values = np.ascontiguousarray(values.reshape(-1, patch, patch, 3).transpose(0, 3, 1, 2))
    elif values.ndim == 2:
        return add_matrix(writer, name, values)
    writer.add_tensor(name, values.reshape(1) if values.ndim == 0 else values)
