#!/usr/bin/env python3
"""Writes the seeds of fuzz_gguf, fuzz_safetensors, fuzz_npy, fuzz_config, fuzz_json, fuzz_http,
fuzz_saved_logits, fuzz_transcription, fuzz_media_answer, fuzz_document_text, fuzz_pdf_output, fuzz_html and fuzz_docx: small
good files and requests, and one for every kind of damage that readers are known to
have fallen for.

    python fuzz/make_seeds.py fuzz/corpus

Needs only Python. The result is the same at every run.
"""

import io
import json
import struct
import sys
import zipfile
from pathlib import Path

U8, U32, F32, BOOL, STRING, ARRAY, U64 = 0, 4, 6, 7, 8, 9, 10
HUGE = 1 << 63


def u32(value: int) -> bytes:
    return struct.pack("<I", value)


def u64(value: int) -> bytes:
    return struct.pack("<Q", value)


def text(value: str) -> bytes:
    encoded = value.encode()
    return u64(len(encoded)) + encoded


def header(n_tensors: int, n_keys: int, version: int = 3) -> bytes:
    return b"GGUF" + u32(version) + u64(n_tensors) + u64(n_keys)


def key(name: str, kind: int, payload: bytes) -> bytes:
    return text(name) + u32(kind) + payload


def tensor(name: str, dims: list[int], kind: int = 0, offset: int = 0) -> bytes:
    return text(name) + u32(len(dims)) + b"".join(map(u64, dims)) + u32(kind) + u64(offset)


def with_data(head: bytes, size: int, alignment: int = 32) -> bytes:
    return head + bytes(-len(head) % alignment) + b"\x01" * size


def gguf_damage() -> dict[str, bytes]:
    alignment = "general.alignment"
    return {
        "four_bytes": b"GGUF",
        "no_keys": header(0, 0),
        "version_1": header(0, 0, 1),
        "big_endian": header(0, 0, 0x03000000),
        "key_count_overflow": header(0, 0xFFFFFFFFFFFFFFFF),
        "tensor_count_overflow": header(0xFFFFFFFFFFFFFFFF, 0),
        "reserve_2_60": header(1 << 60, 0) + bytes(64),
        "empty_key": header(0, 1) + key("", U32, u32(1)),
        "key_length_2_63": header(0, 1) + u64(HUGE) + b"abc",
        "string_length_2_63": header(0, 1) + text("k") + u32(STRING) + u64(HUGE) + b"abc",
        "position_wraps": header(0, 1) + text("k") + u32(STRING) + u64(2**64 - 40) + b"abc",
        "duplicate_key": header(0, 2) + key("a", U8, b"\1") * 2,
        "unknown_value_type": header(0, 1) + key("a", 77, b"\1"),
        "array_count_2_61": header(0, 1) + key("a", ARRAY, u32(U64) + u64(1 << 61)) + bytes(16),
        "array_of_empty_strings": header(0, 1) + key("a", ARRAY, u32(STRING) + u64(1 << 60)) + bytes(64),
        "array_of_empty_arrays": header(0, 1)
        + key("a", ARRAY, u32(ARRAY) + u64(1 << 60))
        + (u32(U8) + u64(0)) * 20,
        "deep_arrays": header(0, 1) + key("a", ARRAY, (u32(ARRAY) + u64(1)) * 200),
        "alignment_0": header(0, 1) + key(alignment, U32, u32(0)),
        "alignment_3": header(0, 1) + key(alignment, U32, u32(3)),
        "alignment_2_31": header(1, 1) + key(alignment, U32, u32(1 << 31)) + tensor("t", [1]),
        "alignment_string": header(0, 1) + key(alignment, STRING, text("32")),
        "dim_0": with_data(header(1, 0) + tensor("t", [4, 0]), 64),
        "dim_2_63": with_data(header(1, 0) + tensor("t", [HUGE]), 64),
        "size_overflow": with_data(header(1, 0) + tensor("t", [1 << 32, 1 << 32]), 64),
        "bytes_overflow": with_data(header(1, 0) + tensor("t", [1 << 62]), 64),
        "many_dims": with_data(header(1, 0) + text("t") + u32(0xFFFFFFFF) + u64(1) * 4, 64),
        "partial_block": with_data(header(1, 0) + tensor("t", [33], kind=2), 64),
        "unknown_type": with_data(header(1, 0) + tensor("t", [32], kind=99), 64),
        "overlap": with_data(header(2, 0) + tensor("a", [16]) + tensor("b", [16], offset=32), 96),
        "duplicate_tensor": with_data(header(2, 0) + tensor("a", [8]) + tensor("a", [8], offset=32), 64),
        "offset_beyond_file": with_data(header(1, 0) + tensor("t", [16], offset=1 << 40), 64),
        "offset_wraps": with_data(header(1, 0) + tensor("t", [16], offset=2**64 - 32), 64),
        "data_cut_off": with_data(header(1, 0) + tensor("t", [16]), 60),
        "unaligned_offset": with_data(header(1, 0) + tensor("t", [1], offset=4), 64),
        "empty_tensor_name": with_data(header(1, 0) + tensor("", [1]), 32),
        "part_of_a_split": header(0, 1) + key("split.count", 2, struct.pack("<H", 3)),
        "lfs_pointer": b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n",
    }


def tiny_gguf_model() -> bytes:
    """A whole model: one sliding and one full layer, per-layer embeddings."""
    d, heads, head_dims, ffn, ple, vocab = 2, 1, [2, 4], 3, 2, 5
    name = "gemma4."
    keys = [
        key("general.architecture", STRING, text("gemma4")),
        key(name + "block_count", U32, u32(2)),
        key(name + "context_length", U32, u32(64)),
        key(name + "embedding_length", U32, u32(d)),
        key(name + "feed_forward_length", ARRAY, u32(U32) + u64(2) + u32(ffn) * 2),
        key(name + "attention.head_count", U32, u32(heads)),
        key(name + "attention.head_count_kv", U32, u32(1)),
        key(name + "attention.key_length", U32, u32(head_dims[1])),
        key(name + "attention.key_length_swa", U32, u32(head_dims[0])),
        key(name + "attention.layer_norm_rms_epsilon", F32, struct.pack("<f", 1e-6)),
        key(name + "attention.sliding_window", U32, u32(16)),
        key(name + "attention.sliding_window_pattern", ARRAY, u32(BOOL) + u64(2) + b"\1\0"),
        key(name + "embedding_length_per_layer_input", U32, u32(ple)),
        key(name + "final_logit_softcapping", F32, struct.pack("<f", 30.0)),
        key("general.sampling.temp", F32, struct.pack("<f", 1.0)),
        key("tokenizer.ggml.eos_token_id", U32, u32(1)),
    ]
    shapes = {
        "token_embd.weight": [d, vocab],
        "output_norm.weight": [d],
        "per_layer_token_embd.weight": [2 * ple, vocab],
        "per_layer_model_proj.weight": [d, 2 * ple],
        "per_layer_proj_norm.weight": [ple],
        "rope_freqs.weight": [head_dims[1] // 2],
    }
    for layer, hd in enumerate(head_dims):
        block = {
            "attn_norm": [d], "attn_q": [d, heads * hd], "attn_k": [d, hd], "attn_v": [d, hd],
            "attn_q_norm": [hd], "attn_k_norm": [hd], "attn_output": [heads * hd, d],
            "post_attention_norm": [d], "ffn_norm": [d], "ffn_gate": [d, ffn], "ffn_up": [d, ffn],
            "ffn_down": [ffn, d], "post_ffw_norm": [d], "inp_gate": [d, ple], "proj": [ple, d],
            "post_norm": [d], "layer_output_scale": [1],
        }  # fmt: skip
        shapes |= {f"blk.{layer}.{n}.weight": shape for n, shape in block.items()}
    infos, data = [], b""
    for tensor_name, dims in shapes.items():
        count = 1
        for dim in dims:
            count *= dim
        infos.append(tensor(tensor_name, dims, offset=len(data)))
        values = struct.pack(f"<{count}f", *([1.0] * count))
        if tensor_name == "rope_freqs.weight":
            values = struct.pack("<2f", 1.0, 1e30)
        data += values + bytes(-len(values) % 32)
    head = header(len(infos), len(keys)) + b"".join(keys) + b"".join(infos)
    return head + bytes(-len(head) % 32) + data


def projector_damage() -> dict[str, bytes]:
    """A vision tower of one layer, alone and in a model's file, whole and with what may be wrong."""

    def made(prefix: str, clamp: int = 0, changes: dict | None = None, **shapes_by_name: list[int]) -> bytes:
        d, ffn, patch, positions, text_dim = 8, 4, 1, 4, 2
        values = {"block_count": 1, "embedding_length": d, "feed_forward_length": ffn,
                  "attention.head_count": 1, "patch_size": patch, "projector.scale_factor": 1}  # fmt: skip
        keys = [key(f"{prefix}.{name}", U32, u32(value)) for name, value in (values | (changes or {})).items()]
        if prefix == "clip.vision":
            keys.append(key("general.architecture", STRING, text("clip")))
            keys.append(key("clip.vision.projector_type", STRING, text("gemma4v")))
            keys.append(key("clip.vision.projection_dim", U32, u32(text_dim)))
        shapes = {"v.patch_embd.weight": [patch, patch, 3, d], "v.position_embd.weight": [d, positions, 2],
                  "mm.input_projection.weight": [d, text_dim], "v.std_bias": [d], "v.std_scale": [d]}  # fmt: skip
        layer = {"ln1": [d], "attn_q": [d, d], "attn_k": [d, d], "attn_v": [d, d], "attn_q_norm": [d],
                 "attn_k_norm": [d], "attn_out": [d, d], "attn_post_norm": [d], "ln2": [d], "ffn_gate": [d, ffn],
                 "ffn_up": [d, ffn], "ffn_down": [ffn, d], "ffn_post_norm": [d]}  # fmt: skip
        shapes |= {f"v.blk.0.{name}.weight": shape for name, shape in layer.items()}
        if clamp:
            shapes["v.clamp_data"] = [clamp]
        else:
            shapes["v.blk.0.attn_q.input_min"] = [1]
        shapes |= {name.replace("__", "."): shape for name, shape in shapes_by_name.items()}
        infos, data = [], b""
        for name, dims in shapes.items():
            count = 1
            for dim in dims:
                count *= dim
            infos.append(tensor(name, dims, offset=len(data)))
            values_of_tensor = struct.pack(f"<{count}f", *(float(i % 4 - 2) for i in range(count)))
            data += values_of_tensor + bytes(-len(values_of_tensor) % 32)
        head = header(len(infos), len(keys)) + b"".join(keys) + b"".join(infos)
        return head + bytes(-len(head) % 32) + data

    return {
        "projector": made("clip.vision"),
        "projector_in_a_model": made("gemma4.vision", clamp=32),
        "projector_clamp_too_short": made("gemma4.vision", clamp=5),
        "projector_many_layers": made("clip.vision", changes={"block_count": 1024}),
        "projector_no_heads": made("clip.vision", changes={"attention.head_count": 0}),
        "projector_heads_do_not_divide": made("clip.vision", changes={"attention.head_count": 3}),
        "projector_flat_positions": made("clip.vision", **{"v__position_embd__weight": [16, 4]}),
        "projector_huge": made("clip.vision", changes={"embedding_length": 65536, "patch_size": 256}),
    }


def audio_projectors() -> dict[str, bytes]:
    """An audio tower of one layer, alone and beside a vision tower's keys, and the 12B's embedder of sound; whole and
    with what may be wrong."""
    text_dim = 2

    def made(shapes: dict[str, list[int]], values: dict, kind: str | None, **changes) -> bytes:
        keys = [key(f"clip.audio.{name}", U32, u32(value)) for name, value in (values | changes).items()]
        keys.append(key("general.architecture", STRING, text("clip")))
        keys.append(key("clip.audio.projection_dim", U32, u32(text_dim)))
        if kind:
            keys.append(key("clip.audio.projector_type", STRING, text(kind)))
        infos, data = [], b""
        for name, dims in shapes.items():
            count = 1
            for dim in dims:
                count *= dim
            infos.append(tensor(name, dims, offset=len(data)))
            numbers = struct.pack(f"<{count}f", *(float(i % 4 - 2) for i in range(count)))
            data += numbers + bytes(-len(numbers) % 32)
        head = header(len(infos), len(keys)) + b"".join(keys) + b"".join(infos)
        return head + bytes(-len(head) % 32) + data

    def tower(kind: str | None = "gemma4a", shapes: dict | None = None, **changes) -> bytes:
        d, ffn, channels, out = 4, 16, (4, 2), 3
        all_shapes = {
            "a.conv1d.0.weight": [3, 3, 1, channels[0]], "a.conv1d.0.norm.weight": [channels[0]],
            "a.conv1d.1.weight": [3, 3, channels[0], channels[1]], "a.conv1d.1.norm.weight": [channels[1]],
            "a.input_projection.weight": [channels[0] // 4 * channels[1], d],
            "a.pre_encode.out.weight": [d, out], "a.pre_encode.out.bias": [out],
            "mm.a.input_projection.weight": [out, text_dim],
        }  # fmt: skip
        layer = {name: [d] for name in ("ffn_norm", "ffn_post_norm", "attn_pre_norm", "attn_post_norm", "conv_norm",
                                        "norm_conv", "ffn_norm_1", "ffn_post_norm_1", "ln2", "per_dim_scale")}
        layer |= {name: [d, d] for name in ("attn_q", "attn_k", "attn_v", "attn_out", "attn_k_rel", "conv_pw2")}
        layer |= {name: [d, ffn] for name in ("ffn_up", "ffn_up_1")}
        layer |= {name: [ffn, d] for name in ("ffn_down", "ffn_down_1")}
        layer |= {"conv_pw1": [d, 2 * d], "conv_dw": [5, d]}
        all_shapes |= {f"a.blk.0.{name}.weight": shape for name, shape in layer.items()}
        all_shapes |= {"a.blk.0.attn_q.input_min": [1], "a.blk.0.attn_q.input_max": [1]}
        values = {"block_count": 1, "embedding_length": d, "feed_forward_length": ffn, "attention.head_count": 1,
                  "num_mel_bins": 128}  # fmt: skip
        return made(all_shapes | (shapes or {}), values, kind, **changes)

    def embedder(kind: str = "gemma4ua", frame: int = 6, rank: int = 2, **changes) -> bytes:
        shape = [frame, text_dim, 1][:rank]
        return made({"mm.a.input_projection.weight": shape}, {"num_mel_bins": 6, "block_count": 0}, kind, **changes)

    return {
        "audio_tower": tower(),
        "audio_tower_of_no_type": tower(None),
        "audio_tower_of_another_type": tower("qwen3a"),
        "audio_tower_of_many_layers": tower(block_count=1024),
        "audio_tower_without_heads": tower(**{"attention.head_count": 0}),
        "audio_tower_heads_do_not_divide": tower(**{"attention.head_count": 3}),
        "audio_tower_of_odd_width": tower(embedding_length=3),
        "audio_tower_huge": tower(embedding_length=65536, feed_forward_length=262144),
        "audio_tower_of_other_bands": tower(num_mel_bins=80),
        "audio_tower_flat_convolution": tower(shapes={"a.conv1d.0.weight": [9, 4]}),
        "audio_tower_of_few_channels": tower(shapes={"a.conv1d.0.weight": [3, 3, 1, 1]}),
        "audio_tower_wide_kernel": tower(shapes={"a.blk.0.conv_dw.weight": [65, 4]}),
        "audio_embedder": embedder(),
        "audio_embedder_of_other_bands": embedder(num_mel_bins=640),
        "audio_embedder_flat": embedder(rank=1),
        "audio_embedder_deep": embedder(rank=3),
        "audio_embedder_as_a_tower": embedder("gemma4a"),
    }


def safetensors(head: str, size: int) -> bytes:
    encoded = head.encode()
    return u64(len(encoded)) + encoded + b"\x01" * size


def entry(dtype: str, shape: list[int], begin: int, end: int) -> dict:
    return {"dtype": dtype, "shape": shape, "data_offsets": [begin, end]}


def safetensors_seeds() -> dict[str, bytes]:
    good = {"__metadata__": {"format": "pt"}, "a": entry("F32", [2], 0, 8), "b": entry("BF16", [], 8, 10)}

    def one(**tensors: dict) -> bytes:
        return safetensors(json.dumps(tensors), 16)

    return {
        "good": safetensors(json.dumps(good), 10),
        "seven_bytes": b"1234567",
        "header_2_64": u64(2**64 - 1) + b"{}",
        "header_beyond_file": u64(100) + b"{}",
        "not_json": safetensors("{", 0),
        "deep": safetensors('{"a":' + "[" * 200, 0),
        "duplicate": safetensors('{"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},' * 2 + '"b":1}', 2),
        "dim_0": one(a=entry("F32", [0], 0, 0)),
        "size_overflow": one(a=entry("F64", [2**62], 0, 0)),
        "negative": one(a=entry("F32", [-1], 0, 4)),
        "wrong_size": one(a=entry("F32", [3], 0, 4)),
        "backwards": one(a=entry("F32", [1], 8, 4)),
        "beyond_file": one(a=entry("U8", [4], 2**63 - 5, 2**63 - 1)),
        "overlap": one(a=entry("U8", [4], 0, 4), b=entry("U8", [4], 3, 7)),
        "index": json.dumps({"weight_map": {"a": "x-1.safetensors"}}).encode(),
        "index_leaves_folder": json.dumps({"weight_map": {"a": "../../etc/passwd"}}).encode(),
        "index_absolute": json.dumps({"weight_map": {"a": "/etc/passwd"}}).encode(),
    }


def config_seeds() -> dict[str, bytes]:
    text_config = {
        "model_type": "gemma4_text", "vocab_size": 272, "hidden_size": 32, "intermediate_size": 64,
        "num_hidden_layers": 6, "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 16,
        "global_head_dim": 32, "num_global_key_value_heads": 1, "attention_k_eq_v": True,
        "num_kv_shared_layers": 2, "use_double_wide_mlp": True, "hidden_size_per_layer_input": 8,
        "vocab_size_per_layer_input": 272, "sliding_window": 16, "rms_norm_eps": 1e-6,
        "final_logit_softcapping": 30.0, "enable_moe_block": True, "num_experts": 4,
        "top_k_experts": 2, "moe_intermediate_size": 16, "tie_word_embeddings": True,
        "layer_types": ["sliding_attention", "sliding_attention", "full_attention"] * 2,
        "rope_parameters": {
            "full_attention": {"rope_type": "proportional", "rope_theta": 1e6, "partial_rotary_factor": 0.25},
            "sliding_attention": {"rope_type": "default", "rope_theta": 1e4},
        },
    }  # fmt: skip
    released = {"architectures": ["Gemma4ForConditionalGeneration"], "model_type": "gemma4",
                "eos_token_id": [1, 106], "text_config": text_config}  # fmt: skip
    flat = {"architectures": ["Gemma4ForCausalLM"], **text_config}
    newer = {**flat, "per_layer_config": {"2": {"head_dim": 32}, "5": {"head_dim": 32, "num_key_value_heads": 1}}}
    generation = {"do_sample": True, "eos_token_id": [1, 106, 50], "temperature": 1.0, "top_k": 64, "top_p": 0.95,
                  "suppress_tokens": [270, 261]}
    files = {
        "released": released,
        "with_vision": released | {
            "vision_config": {
                "hidden_size": 8, "intermediate_size": 4, "num_hidden_layers": 2, "num_attention_heads": 1,
                "num_key_value_heads": 1, "head_dim": 8, "patch_size": 2, "pooling_kernel_size": 3,
                "position_embedding_size": 16, "use_clipped_linears": True, "standardize": True,
                "rope_parameters": {"rope_type": "default", "rope_theta": 100.0},
            },
            "boi_token_id": 265, "image_token_id": 261, "eoi_token_id": 270,
            "vision_soft_tokens_per_image": 280,
        },
        "vision_wrong": released | {
            "vision_config": {"hidden_size": -1, "head_dim": 3, "rope_parameters": {"rope_theta": "x"}},
            "image_token_id": 1 << 40,
        },
        "with_audio": released | {
            "audio_config": {
                "hidden_size": 8, "num_hidden_layers": 1, "num_attention_heads": 2, "subsampling_conv_channels": [128, 8],
                "conv_kernel_size": 5, "attention_chunk_size": 12, "attention_context_left": 13,
                "attention_context_right": 0, "residual_weight": 0.5, "attention_logit_cap": 50.0, "hidden_act": "silu",
                "output_proj_dims": 12, "rms_norm_eps": 1e-6, "use_clipped_linears": True,
            },
            "boa_token_id": 262, "audio_token_id": 264, "eoa_token_index": 263,
        },
        "audio_wrong": released | {
            "audio_config": {"hidden_size": 6, "num_attention_heads": 4, "subsampling_conv_channels": [1, 0, 2],
                             "attention_context_right": 1, "attention_logit_cap": 0, "hidden_act": "relu",
                             "conv_kernel_size": 1 << 40},
            "eoa_token_id": 1 << 40,
        },
        "audio_of_few_channels": released | {
            "audio_config": {"hidden_size": 8, "num_attention_heads": 8, "subsampling_conv_channels": [3, 1]},
        },
        "processor": {"image_processor": {"max_soft_tokens": 280, "patch_size": 16}},
        "flat": flat,
        "newer": newer,
        "generation": generation,
        "llama": {"architectures": ["LlamaForCausalLM"], "model_type": "llama"},
        "unified": {
            "architectures": ["Gemma4UnifiedForConditionalGeneration"], "model_type": "gemma4_unified",
            "text_config": {key: value for key, value in text_config.items() if "per_layer" not in key} | {
                "model_type": "gemma4_unified_text", "enable_moe_block": False, "num_kv_shared_layers": 0,
            },
            "vision_config": {"mm_embed_dim": 8, "output_proj_dims": 8, "mm_posemb_size": 16, "patch_size": 2,
                              "pooling_kernel_size": 3, "rms_norm_eps": 1e-6},
            "boi_token_id": 265, "image_token_id": 261, "eoi_token_id": 270,
            "audio_config": {"audio_embed_dim": 640, "rms_norm_eps": 1e-6},
            "boa_token_id": 262, "audio_token_id": 264, "eoa_token_index": 263, "video_token_id": 260,
        },
        "zeros": {**flat, "num_hidden_layers": 0, "hidden_size": 0, "num_attention_heads": 0},
        "negative": {**flat, "num_kv_shared_layers": -1, "head_dim": -2},
        "huge": {**flat, "num_hidden_layers": 2**63, "vocab_size": 1e300},
        "all_shared": {**flat, "num_kv_shared_layers": 6},
        "wrong_types": {**flat, "layer_types": 3, "rope_parameters": [], "head_dim": "16"},
    }
    seeds = {name: json.dumps(content).encode() for name, content in files.items()}
    seeds["deep"] = b'{"a":' + b"[" * 500
    seeds["deep_closed"] = b'{"a":' + b"[" * 2000 + b"]" * 2000 + b',"b":1,"c":2}'
    return seeds


def http_seeds() -> dict[str, bytes]:
    host = "Host: localhost\r\n"

    def request(line: str, headers: str = host, body: bytes = b"") -> bytes:
        return f"{line} HTTP/1.1\r\n{headers}\r\n".encode() + body

    def post(headers: str, body: bytes = b"{}") -> bytes:
        return request("POST /api/chat", host + headers, body)

    return {
        "get": request("GET /"),
        "post": post("Content-Length: 2\r\n"),
        "chunked": post("Transfer-Encoding: chunked\r\n", b"2;a=b\r\n{}\r\n0\r\nLate: x\r\n\r\n"),
        "two_lengths": post("Content-Length: 2\r\nContent-Length: 3\r\n"),
        "length_and_chunked": post("Content-Length: 2\r\nTransfer-Encoding: chunked\r\n"),
        "length_list": post("Content-Length: 2, 2\r\n"),
        "length_overflow": post("Content-Length: 18446744073709551616\r\n"),
        "chunk_overflow": post("Transfer-Encoding: chunked\r\n", b"ffffffffffffffff1\r\n"),
        "folded": request("GET /", host + "A: b\r\n c\r\n"),
        "line_feeds": b"GET / HTTP/1.1\nHost: localhost\n\n",
        "nul_in_header": request("GET /", "Host: local\0host\r\n"),
        "many_headers": request("GET /", host + "A: b\r\n" * 50),
        "escapes": request("GET /v1/models/a%2Fb?c=%C3%A9&d=+&e"),
        "bad_escape": request("GET /v1/models/%zz%00"),
        "climbs": request("POST /api/blobs/..%2f..%2fetc"),
        "absolute": request("GET http://localhost/v1/models/a?b"),
        "options": request("OPTIONS /api/chat", host + "Origin: http://localhost:3000\r\n"
                           "Access-Control-Request-Method: POST\r\n"
                           "Access-Control-Request-Headers: authorization\r\n"),
        "foreign_host": request("GET /", "Host: evil.test:80\r\n"),
        "foreign_origin": request("GET /", host + "Origin: https://evil.test\r\n"),
        "allowed_origin": request("GET /", host + "Origin: https://a.example\r\n"),
        "address": request("GET /", "Host: [::ffff:127.0.0.1]:80\r\n"),
        "key": request("GET /v1/models/a", host + "Authorization: Bearer use\r\n"),
        "admin_key": request("POST /api/blobs/x", host + "x-api-key: admin\r\nContent-Length: 0\r\n"),
        "expect": post("Content-Length: 2\r\nExpect: 100-continue\r\n"),
        "tls": bytes.fromhex("16030102000100"),
        "http_1_0": b"GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n",
    }  # fmt: skip


def npy_seeds() -> dict[str, bytes]:
    def file(header: str, data: bytes, version: bytes = b"\x01\x00") -> bytes:
        size = struct.pack("<H" if version[0] == 1 else "<I", len(header))
        return b"\x93NUMPY" + version + size + header.encode() + data

    good = "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 2), }\n"
    return {
        "good": file(good, bytes(8)),
        "version_2": file(good, bytes(8), b"\x02\x00"),
        "short": file(good, bytes(7)),
        "doubles": file(good.replace("f4", "f8"), bytes(16)),
        "columns_first": file(good.replace("False", "True"), bytes(8)),
        "no_rows": file(good.replace("(1, 2)", "(0, 4611686018427387905)"), b""),
        "overflow": file(good.replace("(1, 2)", "(4611686018427387905, 8)"), bytes(8)),
        "negative": file(good.replace("(1, 2)", "(-1, -2)"), bytes(8)),
        "long_header": b"\x93NUMPY\x02\x00\xff\xff\xff\xff{}",
    }


def saved_logits_seeds() -> dict[str, bytes]:
    def header(tokens: list[int], context: int = 8, stride: int = 4, vocab: int = 3,
               method: int = 0, version: int = 2) -> bytes:
        return (b"PLEIADLP" + u32(version) + u32(vocab) + u64(7) + struct.pack("<d", 1e-3) + bytes([method])
                + u64(context) + u64(stride) + u64(0) + b"\x04name" + u32(2) + u64(len(tokens))
                + b"".join(map(u32, tokens)))

    def row(n_kept: int = 2, tail: float = 0.0) -> bytes:
        half = struct.pack("<I", round(0.6931471805599453 * 524288))[:3]
        entries = (b"\x00" + half) * n_kept
        return (bytes([n_kept, 0]) + struct.pack("<f", -0.6931472) + struct.pack("<f", tail)
                + struct.pack("<f", -1e9) + entries)

    good = header([0, 1, 2]) + row() * 3
    return {
        "two_halves": good,
        "no_text": header([]),
        "chunks": header([0, 1, 2] * 3, method=1) + row() * 3,
        "cut_off": good[:-5],
        "longer": good + b"\x00",
        "sum_is_half": header([0]) + row(1),
        "stride_0": header([0], stride=0) + row(),
        "huge_text": header([0]).replace(u64(1) + u32(0), u64(HUGE)),
        "unknown_token": header([3]) + row(),
        "earlier_version": header([0], version=1) + row(),
        "later_version": header([0], version=3) + row(),
        "tail_is_no_number": header([0]) + row(2, float("nan")),
    }


def json_seeds() -> dict[str, bytes]:
    keys = ",".join(f'"k{i % 20}":{i}' for i in range(40))
    return {
        "object": b'{"b":{"c":[1,-2.5e-3,true,null]},"a":"\\u00e9\\n"}',
        "repeated_keys": b'{"a":1,"b":{"a":{"x":[]}},"a":{"b":2}}',
        "many_repeated_keys": f"[{{{keys}}}]".encode(),
        "repeated_before_and_after_the_sixteenth": (
            "[{" + ",".join(f'"k{i}":{i}' for i in range(12))
            + ',"":20,"k1":21,"k3":22,"k3":23,"k4":249}]').encode(),
        "small_objects": b"[" + b",".join([b"{}"] * 50) + b"]",
        "deep_64": b"[" * 64 + b"]" * 64,
        "deep_65": b"[" * 65 + b"]" * 65,
        "cut_off": b'{"a":[{"b"',
        "two_values": b"{} {}",
        "not_utf8": b'"\xff"',
        "overflow": b"[1e400,123456789012345678901234567890]",
    }


def transcription_seeds() -> dict[str, bytes]:
    def form(files: list[tuple[str, str]], ending: str = "--x--\r\n", **fields: str) -> bytes:
        body = "".join(f'--x\r\nContent-Disposition: form-data; name="{name.replace("__", "[]")}"\r\n\r\n{value}\r\n'
                       for name, value in fields.items())
        body += "".join(f'--x\r\nContent-Disposition: form-data; name="file"; filename="{name}"\r\n'
                        f"Content-Type: audio/wav\r\n\r\n{content}\r\n" for name, content in files)
        return b"multipart/form-data; boundary=x\n" + (body + ending).encode("latin-1")

    sound = [("a.wav", "RIFF\x24\0\0\0WAVE")]
    return {
        "all_fields": form(sound, model="demo", language="de", prompt="Guten Tag", response_format="verbose_json",
                           temperature="0.2", timestamp_granularities__="segment", stream="false"),
        "least": form(sound, model="demo"),
        "name_of_a_language": form(sound, model="demo", language="Portuguese", response_format="srt"),
        "arrows": form(sound, model="demo", prompt="a ----> b\n\n2\n00:00 --> 00:01\n<i>&", response_format="vtt"),
        "two_files": form(sound * 2, model="demo"),
        "empty_file": form([("a.wav", "")], model="demo"),
        "no_file": form([], model="demo", file="RIFF"),
        "no_model": form(sound),
        "words": form(sound, model="demo", timestamp_granularities__="word"),
        "unknown_language": form(sound, model="demo", language="tlh"),
        "no_number": form(sound, model="demo", temperature="nan"),
        "no_text": form(sound, model="demo", prompt="\xff\xfe"),
        "cut": form(sound, ending="", model="demo"),
    }


def media_answer_seeds() -> dict[str, bytes]:
    def message(kind: int, numbers: tuple = (0,) * 6, n_bytes: int = 0, confined: int = 0) -> bytes:
        return (u64(0x504C454941442131) + u32(kind) + u32(confined) + b"".join(map(u32, numbers))
                + u64(n_bytes))

    # 640 x 480 at a budget of 70 soft tokens is 432 x 336: 9 x 7 tokens.
    good = (640, 480, 432, 336, 70, 63)
    size = 432 * 336 * 3
    ready, refused, picture, failure, sound, video = 1, 2, 3, 4, 5, 6
    sound_head = u32(44100) + u32(2) + b"MP3".ljust(48, b"\0")

    def video_head(has_sound: int = 0, total: int = 100) -> bytes:
        return struct.pack("<dq", 12.5, total) + u32(3) + u32(has_sound) + b"H.264".ljust(48, b"\0")

    heard = message(sound, n_bytes=4000) + sound_head
    return {
        "sound": b"\0" + heard + b"s",
        "sound_of_hours": b"\0" + message(sound, n_bytes=1 << 40) + sound_head + b"s",
        "sound_of_few_samples": b"\0" + message(sound, n_bytes=8) + sound_head + struct.pack("<ff", 1, float("nan")),
        "video": b"\0" + message(video, good, 3 * size) + video_head() + b"v",
        "video_with_sound": b"\x80" + message(video, good, 3 * size) + video_head(1) + heard + b"s",
        "video_of_a_billion_frames": b"\0" + message(video, good, 3 * size) + video_head(0, 10**9) + b"v",
        "ready": b"\0" + message(ready, confined=3),
        "not_confined": b"\0" + message(refused, n_bytes=4) + b"why?",
        "picture": b"\0" + message(picture, good, size) + b"p",
        "picture_of_another_budget": b"\1" + message(picture, good, size) + b"p",
        "picture_that_is_cut_off": b"\0" + message(picture, good, size),
        "more_bytes_than_pixels": b"\0" + message(picture, good, (1 << 64) - 1) + b"p",
        "larger_than_asked_for": b"\0" + message(picture, (640, 480, 48000, 48000, 70, 63), size) + b"p",
        "no_pixels": b"\0" + message(picture, (0, 0, 0, 0, 70, 0)) + b"p",
        "too_many_pixels": b"\x40" + message(picture, good, size) + b"p",
        "failure": b"\0" + message(failure, n_bytes=13) + b"is no picture",
        "failure_with_controls": b"\0" + message(failure, n_bytes=6) + b"\x1b[1m\n\xff",
        "failure_without_end": b"\0" + message(failure, n_bytes=1 << 40) + b"is",
        "failure_without_text": b"\0" + message(failure),
        "another_begin": b"\0" + bytes(48),
    }


def document_text_seeds() -> dict[str, bytes]:
    return {
        "utf8": "Gr\u00fc\u00dfe, \u4e16\u754c\n".encode(),
        "utf8_with_mark": "\ufefftext".encode(),
        "utf8_cut": "\u00e4\u00f6 \u4e16".encode()[:-1],
        "utf16_little": "\ufefftext \U0001f642".encode("utf-16-le"),
        "utf16_big": "\ufefftext \U0001f642".encode("utf-16-be"),
        "utf16_half_a_pair": b"\xff\xfe\x3d\xd8a\0b",
        "windows_1252": "caf\u00e9 \u20ac \u201cx\u201d".encode("cp1252"),
        "ends_of_lines": b"a\r\nb\rc\fd\ve",
        "controls": b"\x1b[31mred\x7f\xc2\x9b",
        "binary": b"a\0b",
        "pdf": b"%PDF-1.7\n",
        "pdf_behind": b"x\0%PDF-1.7\n",
        "zip": b"PK\3\4",
        "html": b"<?xml version='1.0'?><!-- <x> -->\n<!DOCTYPE html><p>x",
        "pages": b"3-7,9, 12-",
        "no_pages": b"7-3,,99999999999",
    }


def pdf_output_seeds() -> dict[str, bytes]:
    info = b"Title: x\nPages: 7\nPages:  2\nPage    1 size: 595.276 x 841.89 pts (A4)\nPage    2 size: 3 x 14400 pts\n"
    return {
        "info": b"\0" + info,
        "info_of_no_size": b"\0Pages: -1\nPage 1 size: nan x inf\nPage 2 size: 1e300 x 0.1\n",
        "picture": b"\1P6\n3 2\n255\n" + bytes(range(18)),
        "picture_of_one_colour": b"\1P6\n2 2\n255\n" + b"\xff" * 12,
        "picture_cut": b"\1P6\n3 2\n255\n" + bytes(17),
        "picture_too_large": b"\1P6\n99999 99999\n255\n",
        "pages": b"\2a\n\f\fb\f",
        "converted": b"\3warning: one\nwarning: two\ntext\nhello",
        "announced": b"\3confined 6\nSyntax Error\n",
    }


def html_seeds() -> dict[str, bytes]:
    return {
        "page": b"<!doctype html><title>t</title><h1>h</h1><p>a<br>b<ul><li>x<ol start=4><li>y</ol></ul>",
        "table": b"<table><tr><th>a<td>b<tr><td><table><tr><td>c</table></table>",
        "layout_table": b"<table><tr><td>menu<td><p>" + b"w" * 600 + b"<p>x</table>",
        "unseen": b"<script>a<b</script><style>p</style><div hidden>x</div><p style='display: none'>y</p>z",
        "verbatim": b"<pre>\n a\n\n  b</pre><textarea>\tx</textarea>",
        "entities": b"&lt;&#x80;&#233;&euro;&nosuch;&#0;&#x110000;<img alt='a&amp;b'>",
        "damage": b"<p>a</div></b><td>b</tr><li>c<",
        "deep": b"<div><table><tr><td><ul><li>" * 40,
        "other_charset": b"<meta charset=shift_jis>x",
    }


def docx_seeds() -> dict[str, bytes]:
    word = "xmlns:w='http://schemas.openxmlformats.org/wordprocessingml/2006/main'"
    relations = (
        "<Relationships xmlns='http://schemas.openxmlformats.org/package/2006/relationships'><Relationship Id='r' "
        "Target='word/document.xml' Type='http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument'/>"
        "</Relationships>"
    )
    body = (
        f"<w:document {word}><w:body><w:p><w:pPr><w:pStyle w:val='H'/><w:numPr><w:ilvl w:val='1'/><w:numId w:val='1'/>"
        "</w:numPr></w:pPr><w:r><w:t>a</w:t><w:tab/><w:br/><w:footnoteReference w:id='2'/></w:r></w:p><w:tbl><w:tr><w:tc>"
        "<w:p><w:r><w:rPr><w:vanish/></w:rPr><w:t>h</w:t></w:r><w:del><w:r><w:delText>d</w:delText></w:r></w:del></w:p>"
        "</w:tc></w:tr></w:tbl></w:body></w:document>"
    )
    numbering = (
        f"<w:numbering {word}><w:abstractNum w:abstractNumId='5'><w:lvl w:ilvl='1'><w:start w:val='3'/>"
        "<w:numFmt w:val='upperRoman'/><w:lvlText w:val='%1.%2)'/></w:lvl></w:abstractNum>"
        "<w:num w:numId='1'><w:abstractNumId w:val='5'/></w:num></w:numbering>"
    )
    styles = (
        f"<w:styles {word}><w:style w:styleId='H'><w:name w:val='heading 2'/><w:basedOn w:val='H'/>"
        "<w:outlineLvl w:val='4'/></w:style></w:styles>"
    )
    notes = f"<w:footnotes {word}><w:footnote w:id='2'><w:p><w:r><w:t>n</w:t></w:r></w:p></w:footnote></w:footnotes>"

    def package(parts: dict[str, str], how: int) -> bytes:
        file = io.BytesIO()
        with zipfile.ZipFile(file, "w", how) as archive:
            for name, text in parts.items():
                archive.writestr(zipfile.ZipInfo(name, (2020, 1, 1, 0, 0, 0)), text, how)
        return file.getvalue()

    whole = {
        "_rels/.rels": relations,
        "word/document.xml": body,
        "word/numbering.xml": numbering,
        "word/styles.xml": styles,
        "word/footnotes.xml": notes,
    }
    return {
        "stored": b"\0" + package(whole, zipfile.ZIP_STORED),
        "packed": b"\0" + package(whole, zipfile.ZIP_DEFLATED),
        "other_package": b"\0" + package({"mimetype": "x"}, zipfile.ZIP_STORED),
        "cut": b"\0" + package(whole, zipfile.ZIP_STORED)[:-30],
        "body": b"\1" + body.encode(),
        "numbering": b"\1" + numbering.encode(),
        "styles": b"\1" + styles.encode(),
        "notes": b"\1" + notes.encode(),
        "laughs": b"\1<!DOCTYPE w [<!ENTITY a 'ha'><!ENTITY b '&a;&a;'>]><w>&b;</w>",
        "deep": b"\1" + b"<w>" * 300,
    }


def main() -> None:
    corpus = Path(sys.argv[1])
    for target, seeds in {
        "gguf": gguf_damage() | {"tiny_model": tiny_gguf_model()} | projector_damage() | audio_projectors(),
        "safetensors": safetensors_seeds(),
        "npy": npy_seeds(),
        "config": config_seeds(),
        "json": json_seeds(),
        "http": http_seeds(),
        "saved_logits": saved_logits_seeds(),
        "transcription": transcription_seeds(),
        "media_answer": media_answer_seeds(),
        "document_text": document_text_seeds(),
        "pdf_output": pdf_output_seeds(),
        "html": html_seeds(),
        "docx": docx_seeds(),
    }.items():
        folder = corpus / target
        folder.mkdir(parents=True, exist_ok=True)
        for name, content in seeds.items():
            (folder / name).write_bytes(content)


if __name__ == "__main__":
    main()
