"""Puts the audio tower into the projector file, beside the vision tower that is there; what is there of a tower of before is left
out. Of the vision tower no bit changes.

Names, keys and orders of dimensions are those of llama.cpp's `gemma4a`. Matrices are BF16, convolutions, norms and the rest float32.

    python ear_gguf.py --checkpoint ear.pt --projector mmproj-pleiad-demo.gguf --out mmproj-pleiad-demo.gguf
"""

import argparse
import os
import pathlib
import sys

import gguf
import numpy as np
import torch

from ear import TEXT_DIM, make_config, make_ear
from features import BANDS

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "demo_tower"))
import tower_gguf  # noqa: E402

LAYER_NAMES = {
    "feed_forward1.pre_layer_norm": "ffn_norm", "feed_forward1.ffw_layer_1": "ffn_up", "feed_forward1.ffw_layer_2": "ffn_down",
    "feed_forward1.post_layer_norm": "ffn_post_norm", "norm_pre_attn": "attn_pre_norm", "self_attn.q_proj": "attn_q",
    "self_attn.k_proj": "attn_k", "self_attn.v_proj": "attn_v", "self_attn.post": "attn_out",
    "self_attn.relative_k_proj": "attn_k_rel", "self_attn.per_dim_scale": "per_dim_scale", "norm_post_attn": "attn_post_norm",
    "lconv1d.pre_layer_norm": "conv_norm", "lconv1d.conv_norm": "norm_conv",   # llama.cpp's converter swaps these two
    "lconv1d.linear_start": "conv_pw1", "lconv1d.depthwise_conv1d": "conv_dw", "lconv1d.linear_end": "conv_pw2",
    "feed_forward2.pre_layer_norm": "ffn_norm_1", "feed_forward2.ffw_layer_1": "ffn_up_1",
    "feed_forward2.ffw_layer_2": "ffn_down_1", "feed_forward2.post_layer_norm": "ffn_post_norm_1", "norm_out": "ln2"}
TOP_NAMES = {"audio_tower.subsample_conv_projection.layer0.conv": "a.conv1d.0.weight",
             "audio_tower.subsample_conv_projection.layer0.norm": "a.conv1d.0.norm.weight",
             "audio_tower.subsample_conv_projection.layer1.conv": "a.conv1d.1.weight",
             "audio_tower.subsample_conv_projection.layer1.norm": "a.conv1d.1.norm.weight",
             "audio_tower.subsample_conv_projection.input_proj_linear": "a.input_projection.weight",
             "audio_tower.output_proj": "a.pre_encode.out.weight", "audio_tower.output_proj.bias": "a.pre_encode.out.bias",
             "embed_audio.embedding_projection": "mm.a.input_projection.weight"}


def gguf_name(name):
    """The GGUF name of a weight of ear.Ear."""
    name = name.removesuffix(".weight").removesuffix(".linear")
    if name in TOP_NAMES:
        return TOP_NAMES[name]
    _, _, number, rest = name.split(".", 3)
    return f"a.blk.{number}.{LAYER_NAMES[rest]}.weight"


def with_unlike_norm(weights):
    """The same function, bit for bit. Training leaves the first norm as it begins, all ones, which `pleiad verify` takes for a
    file that lost its values: each second channel counts twice there, and half in the filters behind it."""
    layers = "audio_tower.subsample_conv_projection.layer"
    norm, filters = (weights[layers + n].clone() for n in ("0.norm.weight", "1.conv.weight"))
    norm[1::2] *= 2
    filters[:, 1::2] *= 0.5
    return {**weights, layers + "0.norm.weight": norm, layers + "1.conv.weight": filters}


def add_audio(w, weights):
    """Adds the tower with weights (names of ear.Ear)."""
    config = make_config()
    w.add_bool("clip.has_audio_encoder", True)
    w.add_string("clip.audio.projector_type", "gemma4a")
    w.add_uint32("clip.audio.projection_dim", TEXT_DIM)
    w.add_uint32("clip.audio.embedding_length", config.hidden_size)
    w.add_uint32("clip.audio.feed_forward_length", 4 * config.hidden_size)
    w.add_uint32("clip.audio.block_count", config.num_hidden_layers)
    w.add_uint32("clip.audio.attention.head_count", config.num_attention_heads)
    w.add_uint32("clip.audio.num_mel_bins", BANDS)
    w.add_float32("clip.audio.attention.layer_norm_epsilon", config.rms_norm_eps)
    for name, tensor in with_unlike_norm(weights).items():
        values = tensor.float()
        if name.endswith("per_dim_scale"):
            values = torch.nn.functional.softplus(values)
        to, values = gguf_name(name), values.numpy()
        if "conv_dw" in to:
            w.add_tensor(to, np.ascontiguousarray(values[:, 0]))
        else:
            tower_gguf.add_tensor(w, to, values)


def read(path):
    """The tower in float32 with the weights of a projector file."""
    stored = {t.name: gguf.quants.dequantize(t.data, t.tensor_type) for t in gguf.GGUFReader(path).tensors}
    ear = make_ear()
    state = ear.state_dict()
    for name in state:
        values = torch.tensor(np.array(stored[gguf_name(name)], dtype=np.float32))
        if name.endswith("per_dim_scale"):
            values = torch.log(torch.expm1(values))
        state[name] = values.reshape(state[name].shape)
    ear.load_state_dict(state)
    return ear.eval()


def vision_bytes(path):
    """The vision tower's tensors as they are stored."""
    return {t.name: (t.tensor_type, t.data.tobytes()) for t in gguf.GGUFReader(path).tensors if not t.name.startswith(("a.", "mm.a."))}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--checkpoint", required=True)
    parser.add_argument("--projector", required=True, help="with the vision tower")
    parser.add_argument("--out", required=True)
    args = parser.parse_args()
    weights = torch.load(args.checkpoint)["average"]
    weights.pop("rows", None)                        # rows_gguf.py's
    vision, before = tower_gguf.read(args.projector), vision_bytes(args.projector)
    w = tower_gguf.begin(args.out + ".part", "Pleiad demo, vision and audio towers")
    tower_gguf.add_vision(w, vision.state_dict())
    add_audio(w, weights)
    tower_gguf.finish(w)
    assert vision_bytes(args.out + ".part") == before
    again = read(args.out + ".part").state_dict()
    assert all(torch.equal(again[n], t.bfloat16().float()) for n, t in weights.items() if "linear" in n)
    os.replace(args.out + ".part", args.out)


if __name__ == "__main__":
    main()
