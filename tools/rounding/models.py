"""Random models for studying what rounding costs: F32 GGUF files, dense or a mixture of experts.

They have Gemma 4's structure (sliding and full layers, in the mixture keys that are values) with rows
of a multiple of 256 values, so that every type of weights can hold them. The spread of each tensor is
that of tools/reference/weights.py: every term of the forward pass matters.
"""

import dataclasses
import math
import zlib

import gguf
import numpy as np

VOCAB = 512
VARIANTS = ("plain", "outliers")
OUTLIER_SHARE = 0.01
OUTLIER_SIZE = 30.0


@dataclasses.dataclass(frozen=True)
class Shape:
    pattern: str = "SSFSSF"  # S sliding, F full
    model_dim: int = 512
    ffn_dim: int = 1024
    heads: int = 4
    kv_heads: int = 2
    head_dim: int = 64
    full_head_dim: int = 128
    experts: int = 0
    experts_used: int = 0
    expert_ffn_dim: int = 256
    window: int = 64


SHAPES = {"dense": Shape(), "moe": Shape(ffn_dim=512, experts=16, experts_used=4),
          "wide": Shape(pattern="SSSFSSSF", model_dim=256, ffn_dim=256, experts=32, experts_used=8)}


class Draw:
    """Random tensors; each depends on the seed and its name alone."""

    def __init__(self, seed, variant):
        self.seed = seed
        self.variant = variant

    def generator(self, name):
        return np.random.default_rng([self.seed, zlib.crc32(name.encode())])

    def normal(self, name, shape, deviation, mean=0.0):
        return (mean + deviation * self.generator(name).standard_normal(shape)).astype(np.float32)

    def matrix(self, name, *shape):
        return self.normal(name, shape, 1 / math.sqrt(shape[-1]))

    def norm(self, name, size):
        """A norm's weight; with outliers, one channel in a hundred is thirty times as large."""
        weight = self.normal(name, size, 0.3, 1.0)
        if self.variant == "outliers":
            random = self.generator(name + "/outliers")
            weight[random.choice(size, max(1, round(size * OUTLIER_SHARE)), False)] *= OUTLIER_SIZE
        return weight

    def uniform(self, name, size, low, high):
        return self.generator(name).uniform(low, high, size).astype(np.float32)


def add_attention(tensors, draw, shape, layer):
    sliding = shape.pattern[layer] == "S"
    dims = shape.head_dim if sliding else shape.full_head_dim
    key_scale = 1.3 / math.sqrt(dims)
    at = f"blk.{layer}."
    tensors[at + "attn_norm.weight"] = draw.norm(at + "attn_norm", shape.model_dim)
    tensors[at + "attn_q.weight"] = draw.matrix(at + "attn_q", shape.heads * dims, shape.model_dim)
    tensors[at + "attn_k.weight"] = draw.matrix(at + "attn_k", shape.kv_heads * dims, shape.model_dim)
    if sliding or not shape.experts:
        tensors[at + "attn_v.weight"] = draw.matrix(at + "attn_v", shape.kv_heads * dims, shape.model_dim)
    tensors[at + "attn_q_norm.weight"] = draw.normal(at + "attn_q_norm", dims, 0.3, 1.0)
    tensors[at + "attn_k_norm.weight"] = draw.normal(at + "attn_k_norm", dims, 0.3 * key_scale, key_scale)
    tensors[at + "attn_output.weight"] = draw.matrix(at + "attn_output", shape.model_dim, shape.heads * dims)
    tensors[at + "post_attention_norm.weight"] = draw.normal(at + "post_attention_norm", shape.model_dim, 0.3, 1.0)


def add_feed_forward(tensors, draw, shape, layer):
    at = f"blk.{layer}."
    width, inner = shape.model_dim, shape.ffn_dim
    tensors[at + "ffn_norm.weight"] = draw.norm(at + "ffn_norm", width)
    for name in ("ffn_gate", "ffn_up"):
        tensors[f"{at}{name}.weight"] = draw.matrix(at + name, inner, width)
    tensors[at + "ffn_down.weight"] = draw.matrix(at + "ffn_down", width, inner)
    tensors[at + "post_ffw_norm.weight"] = draw.normal(at + "post_ffw_norm", width, 0.3, 1.0)
    tensors[at + "layer_output_scale.weight"] = draw.uniform(at + "layer_output_scale", 1, 0.5, 1.2)
    if not shape.experts:
        return
    n, inner = shape.experts, shape.expert_ffn_dim
    tensors[at + "ffn_gate_inp.weight"] = draw.normal(at + "ffn_gate_inp", (n, width), 1.5)
    tensors[at + "ffn_gate_inp.scale"] = draw.uniform(at + "ffn_gate_inp.scale", width, 0.5, 1.5)
    tensors[at + "ffn_gate_up_exps.weight"] = draw.matrix(at + "ffn_gate_up_exps", n, 2 * inner, width)
    tensors[at + "ffn_down_exps.weight"] = draw.matrix(at + "ffn_down_exps", n, width, inner)
    tensors[at + "ffn_down_exps.scale"] = draw.uniform(at + "ffn_down_exps.scale", n, 0.5, 1.5)
    tensors[at + "pre_ffw_norm_2.weight"] = draw.norm(at + "pre_ffw_norm_2", width)
    for name in ("post_ffw_norm_1", "post_ffw_norm_2"):
        tensors[f"{at}{name}.weight"] = draw.normal(at + name, width, 0.3, 1.0)


def random_tensors(shape, seed=1, variant="plain"):
    """name -> float32 array, outermost dimension first.

    outliers: one channel of a norm in a hundred is thirty times as large.
    """
    draw = Draw(seed, variant)
    half = shape.full_head_dim // 2
    turning = half // 4
    tensors = {
        "token_embd.weight": draw.normal("token_embd", (VOCAB, shape.model_dim), 0.7),
        "output_norm.weight": draw.normal("output_norm", shape.model_dim, 0.3, 1.0),
        "rope_freqs.weight": np.array([1.0] * turning + [1e30] * (half - turning), np.float32)}
    for layer in range(len(shape.pattern)):
        add_attention(tensors, draw, shape, layer)
        add_feed_forward(tensors, draw, shape, layer)
    return tensors


def add_keys(writer, shape):
    writer.add_name("random model for rounding")
    writer.add_file_type(gguf.LlamaFileType.ALL_F32)
    writer.add_block_count(len(shape.pattern))
    writer.add_context_length(4096)
    writer.add_embedding_length(shape.model_dim)
    writer.add_feed_forward_length(shape.ffn_dim)
    writer.add_head_count(shape.heads)
    writer.add_head_count_kv([shape.kv_heads] * len(shape.pattern))
    writer.add_key_length(shape.full_head_dim)
    writer.add_value_length(shape.full_head_dim)
    writer.add_key_length_swa(shape.head_dim)
    writer.add_value_length_swa(shape.head_dim)
    writer.add_layer_norm_rms_eps(1e-6)
    writer.add_sliding_window(shape.window)
    writer.add_sliding_window_pattern([kind == "S" for kind in shape.pattern])
    writer.add_shared_kv_layers(0)
    writer.add_embedding_length_per_layer_input(0)
    writer.add_rope_dimension_count(shape.full_head_dim)
    writer.add_rope_dimension_count_swa(shape.head_dim)
    writer.add_rope_freq_base(1e6)
    writer.add_rope_freq_base_swa(1e4)
    writer.add_final_logit_softcapping(30.0)
    if shape.experts:
        writer.add_expert_count(shape.experts)
        writer.add_expert_used_count(shape.experts_used)
        writer.add_expert_feed_forward_length(shape.expert_ffn_dim)


def add_tokenizer(writer):
    """Four control tokens, the 256 bytes, one merge (llama.cpp wants some), and unused ones."""
    kinds = gguf.TokenType
    tokens = ["<pad>", "<eos>", "<bos>", "<unk>"] + [f"<0x{value:02X}>" for value in range(256)]
    tokens += ["a", "b", "ab"]
    types = [kinds.CONTROL] * 4 + [kinds.BYTE] * 256 + [kinds.NORMAL] * 3
    spare = VOCAB - len(tokens)
    writer.add_tokenizer_model("gemma4")
    writer.add_token_list(tokens + [f"<unused{i}>" for i in range(spare)])
    writer.add_token_scores([0.0] * VOCAB)
    writer.add_token_types(types + [kinds.UNUSED] * spare)
    writer.add_token_merges(["a b"])
    writer.add_pad_token_id(0)
    writer.add_eos_token_id(1)
    writer.add_bos_token_id(2)
    writer.add_unk_token_id(3)
    writer.add_add_bos_token(True)
    writer.add_add_space_prefix(False)


def write(path, shape, tensors):
    """tensors: name -> float32 array."""
    writer = gguf.GGUFWriter(path, "gemma4")
    add_keys(writer, shape)
    add_tokenizer(writer)
    for name, values in tensors.items():
        writer.add_tensor(name, values)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def decoded_tensors(path):
    """name -> float32 array: what the blocks of a file mean, by gguf-py's decoders."""
    tensors = {}
    for tensor in gguf.GGUFReader(path).tensors:
        values = gguf.quants.dequantize(tensor.data, tensor.tensor_type)
        tensors[tensor.name] = np.array(values, np.float32)
    return tensors
