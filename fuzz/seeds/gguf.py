"""GGUF files: whole, and with every kind of damage."""

import math
import struct

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


def counted(name: str, count: int) -> list[float]:
    return [float(i % 4 - 2) for i in range(count)]


def whole(keys: list[bytes], shapes: dict[str, list[int]], values=counted) -> bytes:
    """A file of these keys, and of a tensor in F32 for each shape. `values(name, count)`: what is in it."""
    infos, data = [], b""
    for name, dims in shapes.items():
        count = math.prod(dims)
        infos.append(tensor(name, dims, offset=len(data)))
        numbers = struct.pack(f"<{count}f", *values(name, count))
        data += numbers + bytes(-len(numbers) % 32)
    head = header(len(infos), len(keys)) + b"".join(keys) + b"".join(infos)
    return head + bytes(-len(head) % 32) + data


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
    special = {"rope_freqs.weight": [1.0, 1e30]}
    return whole(keys, shapes, lambda name, count: special.get(name, [1.0] * count))
