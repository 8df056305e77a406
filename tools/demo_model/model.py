"""The shape and the initial weights of the demo model (a small Gemma 4 of the E2B type)."""

import torch
from transformers import Gemma4ForCausalLM, Gemma4TextConfig

S, F = "sliding_attention", "full_attention"


def make_config(vocab_size):
    """Eight layers: five with their own keys and values, three that share them."""
    return Gemma4TextConfig(
        vocab_size=vocab_size, vocab_size_per_layer_input=vocab_size,
        hidden_size=256, intermediate_size=512, num_hidden_layers=8,
        layer_types=[S, S, F, S, F, S, S, F], num_kv_shared_layers=3, use_double_wide_mlp=True,
        num_attention_heads=4, num_key_value_heads=1, head_dim=32, global_head_dim=64,
        hidden_size_per_layer_input=32, sliding_window=128, max_position_embeddings=4096,
        final_logit_softcapping=30.0, tie_word_embeddings=True,
        hidden_activation="gelu_pytorch_tanh", rms_norm_eps=1e-6,
        pad_token_id=0, eos_token_id=[1, 106, 50], bos_token_id=2)


@torch.no_grad()
def make_model(vocab_size, seed=0):
    """A model with initial weights that train well without attention scaling."""
    torch.manual_seed(seed)
    model = Gemma4ForCausalLM(make_config(vocab_size))
    model.set_attn_implementation("sdpa")
    body = model.model
    for name, p in model.named_parameters():
        if p.ndim == 2:
            torch.nn.init.normal_(p, std=p.shape[1] ** -0.5 * 0.7)
    torch.nn.init.normal_(body.embed_tokens.weight, std=0.05)
    torch.nn.init.normal_(body.embed_tokens_per_layer.weight, std=0.1)
    for i, layer in enumerate(body.layers):
        layer.layer_scalar.fill_(0.875 + 0.03125 * (i % 4))
        for norm in (layer.post_attention_layernorm, layer.post_feedforward_layernorm,
                     layer.post_per_layer_input_norm):
            norm.weight.fill_(0.4)
        attention = layer.self_attn
        if not attention.is_kv_shared_layer:
            attention.k_norm.weight.fill_(attention.head_dim ** -0.5)
    return model


def sliding_mask(length, window):
    """Boolean [1, 1, length, length]: may query i see key j?"""
    i = torch.arange(length)
    return ((i[None, :] <= i[:, None]) & (i[None, :] > i[:, None] - window))[None, None]
