"""Projector files: towers of one layer for pictures and for sound."""

from seeds.gguf import STRING, U32, key, text, u32, whole


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
        return whole(keys, shapes)

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
        return whole(keys, shapes)

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
