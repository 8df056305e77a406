"""The audio tower in a projector file, with the names and keys of llama.cpp's `gemma4a`."""

import re

import gguf
import numpy as np
import torch

from projector_export import add_matrix, add_tensor as add_vision_tensor, add_vision_keys, finish
from projector_export import tensor_name as vision_name

LAYER_TENSORS = {
    "feed_forward1.pre_layer_norm": "ffn_norm",
    "feed_forward1.ffw_layer_1": "ffn_up",
    "feed_forward1.ffw_layer_2": "ffn_down",
    "feed_forward1.post_layer_norm": "ffn_post_norm",
    "norm_pre_attn": "attn_pre_norm",
    "self_attn.q_proj": "attn_q",
    "self_attn.k_proj": "attn_k",
    "self_attn.v_proj": "attn_v",
    "self_attn.post": "attn_out",
    "self_attn.relative_k_proj": "attn_k_rel",
    "self_attn.per_dim_scale": "per_dim_scale",
    "norm_post_attn": "attn_post_norm",
    "lconv1d.pre_layer_norm": "conv_norm",  # llama.cpp's converter swaps these two
    "lconv1d.conv_norm": "norm_conv",
    "lconv1d.linear_start": "conv_pw1",
    "lconv1d.depthwise_conv1d": "conv_dw",
    "lconv1d.linear_end": "conv_pw2",
    "feed_forward2.pre_layer_norm": "ffn_norm_1",
    "feed_forward2.ffw_layer_1": "ffn_up_1",
    "feed_forward2.ffw_layer_2": "ffn_down_1",
    "feed_forward2.post_layer_norm": "ffn_post_norm_1",
    "norm_out": "ln2",
}
LAYER = re.compile(r"audio_tower\.layers\.(\d+)\.(.+?)(\.linear)?(?:\.(weight|(?:in|out)put_(?:min|max)))?$")
SUBSAMPLE = re.compile(r"audio_tower\.subsample_conv_projection\.layer(\d)\.(conv|norm)\.weight$")


def tensor_name(name: str) -> str:
    if match := LAYER.match(name):
        return f"a.blk.{match[1]}.{LAYER_TENSORS[match[2]]}.{match[4] or 'weight'}"
    if match := SUBSAMPLE.match(name):
        return f"a.conv1d.{match[1]}{'.norm' if match[2] == 'norm' else ''}.weight"
    return {
        "audio_tower.subsample_conv_projection.input_proj_linear.weight": "a.input_projection.weight",
        "audio_tower.output_proj.weight": "a.pre_encode.out.weight",
        "audio_tower.output_proj.bias": "a.pre_encode.out.bias",
        "embed_audio.embedding_projection.weight": "mm.a.input_projection.weight",
    }[name]


def add_keys(writer: gguf.GGUFWriter, config, width: int) -> None:
    writer.add_bool("clip.has_audio_encoder", True)
    writer.add_string("clip.audio.projector_type", "gemma4a")
    writer.add_uint32("clip.audio.projection_dim", width)
    writer.add_uint32("clip.audio.embedding_length", config.hidden_size)
    writer.add_uint32("clip.audio.feed_forward_length", 4 * config.hidden_size)
    writer.add_uint32("clip.audio.block_count", config.num_hidden_layers)
    writer.add_uint32("clip.audio.attention.head_count", config.num_attention_heads)
    writer.add_uint32("clip.audio.num_mel_bins", 128)
    writer.add_float32("clip.audio.attention.layer_norm_epsilon", 1e-5)  # wrong, as converters wrote it


def export(model: torch.nn.Module, path, with_vision: bool) -> None:
    """Matrices are BF16, convolutions, norms and the rest F32."""
    width = model.config.get_text_config().hidden_size
    writer = gguf.GGUFWriter(path, "clip")
    writer.add_type("mmproj")
    writer.add_name("tiny random towers" if with_vision else "tiny random audio tower")
    add_keys(writer, model.config.audio_config, width)
    if with_vision:
        add_vision_keys(writer, model.config.vision_config, width)
    for name, tensor in model.model.state_dict().items():
        if name.startswith(("vision_tower.", "embed_vision.")) and with_vision:
            add_vision_tensor(writer, vision_name(name), tensor, model.config.vision_config.patch_size)
        if not name.startswith(("audio_tower.", "embed_audio.")):
            continue
        values = tensor.float()
        if name.endswith("per_dim_scale"):
            values = torch.nn.functional.softplus(values)
        if name.endswith("depthwise_conv1d.weight"):
            values = values.squeeze(1)
        values = np.ascontiguousarray(values.numpy())
        ours = tensor_name(name)
        if values.ndim == 2 and not ours.endswith("conv_dw.weight"):
            add_matrix(writer, ours, values)
        else:
            writer.add_tensor(ours, values.reshape(1) if values.ndim == 0 else values)
    finish(writer)
