"""The tower's projector file in both directions; run as a script it writes one from a checkpoint.

Names, keys and orders of dimensions are those of llama.cpp's `gemma4v`. Matrices of the layers are
BF16, the patch embedding F16, the rest float32.

    python tower_gguf.py --checkpoint tower.pt --out mmproj-pleiad-demo.gguf

With --into FILE the tower takes the place of the one in that file; of the audio tower there no bit changes.
"""

import argparse
import tempfile

import gguf
import numpy as np
import torch
from gguf import GGMLQuantizationType as Kind

from tower import BUDGET, PATCH, TEXT_DIM, make_config, make_tower

LAYER_NAMES = {
    "input_layernorm": "ln1", "post_attention_layernorm": "attn_post_norm", "pre_feedforward_layernorm": "ln2",
    "post_feedforward_layernorm": "ffn_post_norm", "self_attn.q_norm": "attn_q_norm", "self_attn.k_norm": "attn_k_norm",
    "self_attn.q_proj.linear": "attn_q", "self_attn.k_proj.linear": "attn_k", "self_attn.v_proj.linear": "attn_v",
    "self_attn.o_proj.linear": "attn_out", "mlp.gate_proj.linear": "ffn_gate", "mlp.up_proj.linear": "ffn_up",
    "mlp.down_proj.linear": "ffn_down"}
PATCHES = "v.patch_embd.weight"
TOP_NAMES = {"vision_tower.patch_embedder.input_proj.weight": PATCHES,
             "vision_tower.patch_embedder.position_embedding_table": "v.position_embd.weight",
             "embed_vision.embedding_projection.weight": "mm.input_projection.weight"}


def gguf_name(name):
    """The GGUF name of a weight of tower.Tower."""
    if name in TOP_NAMES:
        return TOP_NAMES[name]
    _, _, _, number, rest = name.removesuffix(".weight").split(".", 4)
    return f"v.blk.{number}.{LAYER_NAMES[rest]}.weight"


def begin(path, name):
    """A projector file to add towers to."""
    w = gguf.GGUFWriter(path, "clip")
    w.add_type("mmproj")
    w.add_name(name)
    w.add_description("A toy tower for trying the Pleiad software; it is not Google's Gemma 4.")
    w.add_file_type(gguf.LlamaFileType.MOSTLY_BF16)
    return w


def add_vision(w, weights):
    """Adds the tower with weights (names of tower.Tower)."""
    config = make_config()
    w.add_bool("clip.has_vision_encoder", True)
    w.add_bool("clip.use_gelu", True)
    w.add_string("clip.vision.projector_type", "gemma4v")
    w.add_uint32("clip.vision.projection_dim", TEXT_DIM)
    w.add_uint32("clip.vision.image_size", 384)
    w.add_uint32("clip.vision.patch_size", config.patch_size)
    w.add_uint32("clip.vision.projector.scale_factor", config.pooling_kernel_size)
    w.add_uint32("clip.vision.embedding_length", config.hidden_size)
    w.add_uint32("clip.vision.feed_forward_length", config.intermediate_size)
    w.add_uint32("clip.vision.block_count", config.num_hidden_layers)
    w.add_uint32("clip.vision.attention.head_count", config.num_attention_heads)
    w.add_float32("clip.vision.attention.layer_norm_epsilon", config.rms_norm_eps)
    w.add_array("clip.vision.image_mean", [0.0, 0.0, 0.0])
    w.add_array("clip.vision.image_std", [1.0, 1.0, 1.0])
    w.add_uint32("clip.vision.soft_tokens_per_image", BUDGET)
    for name, tensor in weights.items():
        to, values = gguf_name(name), tensor.float().numpy()
        if to == PATCHES:                            # (row, column, channel) becomes (channel, row, column)
            values = values.reshape(-1, PATCH, PATCH, 3).transpose(0, 3, 1, 2)
            w.add_tensor(to, np.ascontiguousarray(values).astype(np.float16))
        else:
            add_tensor(w, to, values)


def add_tensor(w, name, values):
    """A matrix as BF16, all else as float32."""
    if values.ndim == 2:
        w.add_tensor(name, gguf.quants.quantize(values, Kind.BF16), raw_dtype=Kind.BF16)
    else:
        w.add_tensor(name, values)


def finish(w):
    w.write_header_to_file()
    w.write_kv_data_to_file()
    w.write_tensors_to_file()
    w.close()


def read(path):
    """The tower in float32 with the weights of a projector file."""
    stored = {t.name: gguf.quants.dequantize(t.data, t.tensor_type) for t in gguf.GGUFReader(path).tensors}
    tower = make_tower()
    state = tower.state_dict()
    for name in state:
        values = np.array(stored[gguf_name(name)], dtype=np.float32)
        if gguf_name(name) == PATCHES:
            values = values.reshape(-1, 3, PATCH, PATCH).transpose(0, 2, 3, 1)
        state[name] = torch.tensor(np.ascontiguousarray(values)).reshape(state[name].shape)
    tower.load_state_dict(state)
    return tower.eval()


def replaced(path, by):
    """The bytes of the projector file at path with the vision tower of the file `by`."""
    data = bytearray(open(path, "rb").read())
    ours = {t.name: t for t in gguf.GGUFReader(by).tensors}
    for t in gguf.GGUFReader(path).tensors:
        if t.name in ours:
            assert (t.tensor_type, list(t.shape)) == (ours[t.name].tensor_type, list(ours[t.name].shape)), t.name
            at = int(t.data_offset)
            data[at:at + t.n_bytes] = ours.pop(t.name).data.tobytes()
    assert not ours, f"not in {path}: {list(ours)}"
    return data


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--checkpoint", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--into", help="a projector file with towers; may be the same as --out")
    args = parser.parse_args()
    weights = torch.load(args.checkpoint)["average"]
    weights.pop("rows")                              # rows_gguf.py's
    with tempfile.TemporaryDirectory() as folder:
        alone = folder + "/tower.gguf"
        w = begin(alone, "Pleiad demo, vision tower")
        add_vision(w, weights)
        finish(w)
        data = replaced(args.into, alone) if args.into else open(alone, "rb").read()
    with open(args.out, "wb") as file:
        file.write(data)
    again = read(args.out).state_dict()
    assert all(torch.equal(again[n], w.bfloat16().float()) for n, w in weights.items() if "proj.linear" in n)


if __name__ == "__main__":
    main()
