"""GGUF in both directions: a model to a file, and a file back to the reference class."""

import gguf
import numpy as np
import torch
from gguf import GGMLQuantizationType as Kind
from transformers import Gemma4ForCausalLM

from build_tokenizer import make_tokenizer, token_type
from model import make_config

LAYER_NAMES = {
    "input_layernorm": "attn_norm", "self_attn.q_proj": "attn_q", "self_attn.k_proj": "attn_k",
    "self_attn.v_proj": "attn_v", "self_attn.o_proj": "attn_output", "self_attn.q_norm": "attn_q_norm",
    "self_attn.k_norm": "attn_k_norm", "post_attention_layernorm": "post_attention_norm",
    "pre_feedforward_layernorm": "ffn_norm", "mlp.gate_proj": "ffn_gate", "mlp.up_proj": "ffn_up",
    "mlp.down_proj": "ffn_down", "post_feedforward_layernorm": "post_ffw_norm",
    "per_layer_input_gate": "inp_gate", "per_layer_projection": "proj",
    "post_per_layer_input_norm": "post_norm"}
TOP_NAMES = {"embed_tokens": "token_embd", "norm": "output_norm", "embed_tokens_per_layer": "per_layer_token_embd",
             "per_layer_model_projection": "per_layer_model_proj", "per_layer_projection_norm": "per_layer_proj_norm"}


def gguf_name(name):
    """The GGUF name of a weight of the reference class, or None."""
    name = name.removeprefix("model.")
    if name.startswith("layers."):
        _, number, rest = name.split(".", 2)
        if rest == "layer_scalar":
            return f"blk.{number}.layer_output_scale.weight"
        return f"blk.{number}.{LAYER_NAMES[rest.removesuffix('.weight')]}.weight"
    top = TOP_NAMES.get(name.removesuffix(".weight"))
    return top and top + ".weight"


def write(path, weights, tokenizer, merges, sampling):
    """Write weights (names of the reference class) and the tokenizer as one GGUF file."""
    config = make_config(tokenizer.get_vocab_size())
    shared = config.num_kv_shared_layers
    own = config.num_hidden_layers - shared
    sliding = [kind == "sliding_attention" for kind in config.layer_types]
    head, head_full = (config.per_layer_config[kind].head_dim for kind in ("sliding_attention", "full_attention"))
    w = gguf.GGUFWriter(path, "gemma4")
    w.add_name("Pleiad demo")
    w.add_description("A toy model for trying the Pleiad software; it is not Google's Gemma 4.")
    w.add_file_type(gguf.LlamaFileType.MOSTLY_Q8_0)
    w.add_quantization_version(gguf.GGML_QUANT_VERSION)
    w.add_sampling_temp(sampling["temp"])
    w.add_sampling_top_k(sampling["top_k"])
    w.add_sampling_top_p(sampling["top_p"])
    w.add_block_count(config.num_hidden_layers)
    w.add_context_length(config.max_position_embeddings)
    w.add_embedding_length(config.hidden_size)
    w.add_feed_forward_length([config.intermediate_size] * own + [2 * config.intermediate_size] * shared)
    w.add_head_count(config.num_attention_heads)
    w.add_head_count_kv(config.num_key_value_heads)
    w.add_key_length(head_full)
    w.add_value_length(head_full)
    w.add_key_length_swa(head)
    w.add_value_length_swa(head)
    w.add_layer_norm_rms_eps(config.rms_norm_eps)
    w.add_sliding_window(config.sliding_window)
    w.add_sliding_window_pattern(sliding)
    w.add_shared_kv_layers(shared)
    w.add_embedding_length_per_layer_input(config.hidden_size_per_layer_input)
    w.add_rope_dimension_count(head_full)
    w.add_rope_dimension_count_swa(head)
    w.add_rope_freq_base(config.rope_parameters["full_attention"]["rope_theta"])
    w.add_rope_freq_base_swa(config.rope_parameters["sliding_attention"]["rope_theta"])
    w.add_final_logit_softcapping(config.final_logit_softcapping)

    vocab = tokenizer.get_vocab()
    pieces = sorted(vocab, key=vocab.get)
    w.add_tokenizer_model("gemma4")
    w.add_token_list(pieces)
    w.add_token_scores([-1000.0] * len(pieces))
    w.add_token_types([token_type(i, piece) for i, piece in enumerate(pieces)])
    w.add_token_merges([f"{a} {b}" for a, b in merges])
    w.add_bos_token_id(2)
    w.add_eos_token_id(1)
    w.add_eot_token_id(106)
    w.add_unk_token_id(3)
    w.add_pad_token_id(0)
    w.add_add_space_prefix(False)
    w.add_add_bos_token(True)

    pairs = head_full // 2
    turning = int(config.rope_parameters["full_attention"]["partial_rotary_factor"] * head_full / 2)
    w.add_tensor("rope_freqs.weight", np.array([1.0] * turning + [1e30] * (pairs - turning), np.float32))
    for name, tensor in weights.items():
        to = gguf_name(name)
        if to is None:
            continue
        data = tensor.float().numpy()
        if data.ndim == 2:
            w.add_tensor(to, gguf.quants.quantize(data, Kind.Q8_0), raw_dtype=Kind.Q8_0)
        else:
            w.add_tensor(to, data)
    w.write_header_to_file()
    w.write_kv_data_to_file()
    w.write_tensors_to_file()
    w.close()


def read(path):
    """The reference class in float32 with the (dequantized) weights of a GGUF file."""
    reader = gguf.GGUFReader(path)
    tensors = {t.name: gguf.quants.dequantize(t.data, t.tensor_type) for t in reader.tensors}
    vocab_size = tensors["token_embd.weight"].shape[0]
    model = Gemma4ForCausalLM(make_config(vocab_size)).float()
    state = model.state_dict()
    for name in state:
        source = gguf_name(name)
        if source:
            state[name] = torch.tensor(np.array(tensors[source])).reshape(state[name].shape)
    state["lm_head.weight"] = state["model.embed_tokens.weight"]
    model.load_state_dict(state)
    model.set_attn_implementation("sdpa")
    return model.eval()


def read_tokenizer(path):
    """The tokenizer rebuilt from the pieces and merges of a GGUF file."""
    fields = gguf.GGUFReader(path).fields
    pieces = fields["tokenizer.ggml.tokens"].contents()
    merges = [tuple(m.split(" ", 1)) for m in fields["tokenizer.ggml.merges"].contents()]
    return make_tokenizer({piece: i for i, piece in enumerate(pieces)}, merges)
