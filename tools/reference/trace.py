"""Intermediate activations of one prompt, collected from the reference with hooks."""

import torch
from transformers.models.gemma4 import modeling_gemma4 as gemma4


@torch.no_grad()
def collect(model: torch.nn.Module, tokens: list) -> dict:
    """Name -> float32 tensor [tokens, width]; the names are listed in README.md."""
    text = getattr(model.model, "language_model", model.model)
    values = {}
    per_layer = {}
    hooks = []

    def keep(name, tensor):
        values[name] = tensor.detach().reshape(len(tokens), -1).clone()

    def on_output(module, name, index=None):
        def hook(_module, _inputs, output):
            keep(name, output if index is None else output[index])

        hooks.append(module.register_forward_hook(hook))

    def on_input(module, action):
        hooks.append(module.register_forward_pre_hook(lambda _module, inputs: action(inputs)))

    on_output(text.embed_tokens, "inp_embd")
    on_output(text.norm, "result_norm")
    for index, layer in enumerate(text.layers):
        on_output(layer.input_layernorm, f"l{index}.attn_norm")
        on_output(layer.self_attn, f"l{index}.attn_out", 0)
        on_input(layer.post_feedforward_layernorm, lambda inputs, i=index: keep(f"l{i}.ffn_out", inputs[0]))
        on_output(layer, f"l{index}.out")
        if layer.enable_moe_block:
            on_output(layer.router, f"l{index}.router_probs", 0)
        if layer.hidden_size_per_layer_input:
            on_input(layer, lambda inputs, i=index: per_layer.update({i: inputs[1]}))

    # Queries and keys after norm and rope exist only as arguments of the attention function.
    attention = gemma4.eager_attention_forward

    def recording_attention(module, query, key, value, *args, **kwargs):
        keep(f"l{module.layer_idx}.q", query[0].transpose(0, 1))
        if not module.is_kv_shared_layer:
            keep(f"l{module.layer_idx}.k", key[0].transpose(0, 1))
            keep(f"l{module.layer_idx}.v", value[0].transpose(0, 1))
        return attention(module, query, key, value, *args, **kwargs)

    gemma4.eager_attention_forward = recording_attention
    try:
        output = model(input_ids=torch.tensor([tokens]), use_cache=False)
    finally:
        gemma4.eager_attention_forward = attention
        for hook in hooks:
            hook.remove()
    keep("logits", output.logits)
    if per_layer:
        keep("ple", torch.stack([per_layer[i] for i in sorted(per_layer)], dim=2))
    return values
