"""The GGUF (F32) version of a checkpoint, with the names and keys of llama.cpp's `gemma4`."""

from pathlib import Path

import gguf
import numpy as np
import torch

GLOBAL_TENSORS = {
    "embed_tokens.weight": "token_embd.weight",
    "norm.weight": "output_norm.weight",
    "embed_tokens_per_layer.weight": "per_layer_token_embd.weight",
    "per_layer_model_projection.weight": "per_layer_model_proj.weight",
    "per_layer_projection_norm.weight": "per_layer_proj_norm.weight",
}
LAYER_TENSORS = {
    "input_layernorm.weight": "attn_norm.weight",
    "self_attn.q_proj.weight": "attn_q.weight",
    "self_attn.k_proj.weight": "attn_k.weight",
    "self_attn.v_proj.weight": "attn_v.weight",
    "self_attn.o_proj.weight": "attn_output.weight",
    "self_attn.q_norm.weight": "attn_q_norm.weight",
    "self_attn.k_norm.weight": "attn_k_norm.weight",
    "post_attention_layernorm.weight": "post_attention_norm.weight",
    "pre_feedforward_layernorm.weight": "ffn_norm.weight",
    "mlp.gate_proj.weight": "ffn_gate.weight",
    "mlp.up_proj.weight": "ffn_up.weight",
    "mlp.down_proj.weight": "ffn_down.weight",
    "post_feedforward_layernorm.weight": "post_ffw_norm.weight",
    "per_layer_input_gate.weight": "inp_gate.weight",
    "per_layer_projection.weight": "proj.weight",
    "post_per_layer_input_norm.weight": "post_norm.weight",
    "layer_scalar": "layer_output_scale.weight",
    "router.proj.weight": "ffn_gate_inp.weight",
    "router.scale": "ffn_gate_inp.scale",
    "router.per_expert_scale": "ffn_down_exps.scale",
    "experts.gate_up_proj": "ffn_gate_up_exps.weight",
    "experts.down_proj": "ffn_down_exps.weight",
    "pre_feedforward_layernorm_2.weight": "pre_ffw_norm_2.weight",
    "post_feedforward_layernorm_1.weight": "post_ffw_norm_1.weight",
    "post_feedforward_layernorm_2.weight": "post_ffw_norm_2.weight",
}


def gguf_name(name: str) -> str:
    if name in GLOBAL_TENSORS:
        return GLOBAL_TENSORS[name]
    _layers, index, rest = name.split(".", 2)
    return f"blk.{index}.{LAYER_TENSORS[rest]}"


def export(model: torch.nn.Module, family, path: Path, pieces: dict = {}) -> None:
    """`pieces`: by token, instead of placeholders of the vocabulary."""
    config = model.config.get_text_config()
    text = getattr(model.model, "language_model", model.model)
    writer = gguf.GGUFWriter(path, "gemma4")
    add_hyperparameters(writer, config, family)
    add_tokenizer(writer, config.vocab_size, pieces)
    if family.suppressed:
        writer.add_array("tokenizer.ggml.suppress_tokens", list(family.suppressed))
    writer.add_tensor("rope_freqs.weight", rope_freqs(config))
    for name, tensor in text.state_dict().items():
        writer.add_tensor(gguf_name(name), tensor.numpy())
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def rope_freqs(config) -> np.ndarray:
    """Divisors of the angles of full layers: 1 rotates, 1e30 leaves the pair unchanged."""
    rope = config.rope_parameters["full_attention"]
    head_dim = config.per_layer_config["full_attention"].head_dim
    rotated = int(rope["partial_rotary_factor"] * head_dim // 2)
    return np.array([1.0] * rotated + [1e30] * (head_dim // 2 - rotated), dtype=np.float32)


def add_hyperparameters(writer: gguf.GGUFWriter, config, family) -> None:
    layers = range(config.num_hidden_layers)
    first_shared = config.num_hidden_layers - config.num_kv_shared_layers
    per_layer = [config.per_layer_config[i] for i in layers]
    sliding = config.per_layer_config["sliding_attention"]
    full = config.per_layer_config["full_attention"]

    writer.add_name(f"tiny random gemma 4 {family.name}")
    writer.add_file_type(gguf.LlamaFileType.ALL_F32)
    writer.add_sampling_temp(1.0)
    writer.add_sampling_top_k(64)
    writer.add_sampling_top_p(0.95)
    writer.add_block_count(config.num_hidden_layers)
    writer.add_context_length(config.max_position_embeddings)
    writer.add_embedding_length(config.hidden_size)
    if config.use_double_wide_mlp:
        inner = config.intermediate_size
        writer.add_feed_forward_length([inner if i < first_shared else 2 * inner for i in layers])
    else:
        writer.add_feed_forward_length(config.intermediate_size)
    writer.add_head_count(config.num_attention_heads)
    kv_heads = [layer.num_key_value_heads for layer in per_layer]
    writer.add_head_count_kv(kv_heads if len(set(kv_heads)) > 1 else kv_heads[0])
    writer.add_key_length(full.head_dim)
    writer.add_value_length(full.head_dim)
    writer.add_key_length_swa(sliding.head_dim)
    writer.add_value_length_swa(sliding.head_dim)
    writer.add_layer_norm_rms_eps(config.rms_norm_eps)
    writer.add_sliding_window(config.sliding_window)
    writer.add_sliding_window_pattern([kind == "sliding_attention" for kind in config.layer_types])
    writer.add_shared_kv_layers(config.num_kv_shared_layers)
    writer.add_embedding_length_per_layer_input(getattr(config, "hidden_size_per_layer_input", 0))
    writer.add_rope_dimension_count(full.head_dim)
    writer.add_rope_dimension_count_swa(sliding.head_dim)
    writer.add_rope_freq_base(config.rope_parameters["full_attention"]["rope_theta"])
    writer.add_rope_freq_base_swa(config.rope_parameters["sliding_attention"]["rope_theta"])
    writer.add_final_logit_softcapping(config.final_logit_softcapping)
    if getattr(config, "enable_moe_block", False):
        writer.add_expert_count(config.num_experts)
        writer.add_expert_used_count(config.top_k_experts)
        writer.add_expert_feed_forward_length(config.moe_intermediate_size)


def add_tokenizer(writer: gguf.GGUFWriter, vocab_size: int, pieces: dict) -> None:
    """A placeholder vocabulary: four control tokens, the 256 bytes, unused tokens, no merges."""
    control, byte, unused = gguf.TokenType.CONTROL, gguf.TokenType.BYTE, gguf.TokenType.UNUSED
    tokens = ["<pad>", "<eos>", "<bos>", "<unk>"] + [f"<0x{value:02X}>" for value in range(256)]
    types = [control] * 4 + [byte] * 256
    spare = vocab_size - len(tokens)
    tokens += [f"<unused{index}>" for index in range(spare)]
    types += [unused] * spare
    for token, piece in pieces.items():
        tokens[token], types[token] = piece, control
    writer.add_tokenizer_model("gemma4")
    writer.add_token_list(tokens)
    writer.add_token_scores([0.0] * vocab_size)
    writer.add_token_types(types)
    writer.add_token_merges([])  # gguf-py leaves an empty array out of the file
    writer.add_pad_token_id(0)
    writer.add_eos_token_id(1)
    writer.add_bos_token_id(2)
    writer.add_unk_token_id(3)
    writer.add_add_bos_token(True)
    writer.add_add_space_prefix(False)
