"""Files of models but GGUF: safetensors, configurations, NumPy arrays, saved logits."""

import json
import struct

from seeds.gguf import HUGE, u32, u64


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
