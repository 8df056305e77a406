"""A second, independent forward pass: float64 numpy, reading nothing but the GGUF file.

It confirms that names, orientations and keys of the GGUF say the same as the checkpoint.
"""

from pathlib import Path

import gguf
import numpy as np

EPS = 1e-6


def rms(x: np.ndarray, weight=1.0) -> np.ndarray:
    return x / np.sqrt((x * x).mean(-1, keepdims=True) + EPS) * weight


def gelu(x: np.ndarray) -> np.ndarray:
    return 0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)))


def softmax(x: np.ndarray) -> np.ndarray:
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


class GgufModel:
    def __init__(self, path: Path):
        reader = gguf.GGUFReader(path)
        self.tensors = {t.name: np.array(t.data, dtype=np.float64) for t in reader.tensors}
        self.keys = {name: field.contents() for name, field in reader.fields.items()}

    def key(self, name: str, default=None):
        return self.keys.get(f"gemma4.{name}", default)

    def per_layer(self, name: str, layer: int):
        value = self.key(name)
        return value[layer] if isinstance(value, list) else value

    def rope(self, x: np.ndarray, sliding: bool) -> np.ndarray:
        """Rotates x [tokens, heads, dims]."""
        dims = x.shape[-1]
        base = self.key("rope.freq_base_swa" if sliding else "rope.freq_base")
        factors = 1.0 if sliding else self.tensors["rope_freqs.weight"]
        frequency = base ** (-2.0 * np.arange(dims // 2) / dims) / factors
        angle = np.arange(len(x))[:, None, None] * frequency
        first, second = x[..., : dims // 2], x[..., dims // 2 :]
        cos, sin = np.cos(angle), np.sin(angle)
        return np.concatenate([first * cos - second * sin, second * cos + first * sin], -1)

    def attention(self, layer: int, a: np.ndarray, cache: dict) -> np.ndarray:
        def w(name):
            return self.tensors[f"blk.{layer}.{name}.weight"]

        n = len(a)
        sliding = bool(self.key("attention.sliding_window_pattern")[layer])
        dims = self.key("attention.key_length_swa" if sliding else "attention.key_length")
        heads = self.per_layer("attention.head_count", layer)
        kv_heads = self.per_layer("attention.head_count_kv", layer)
        q = self.rope(rms((a @ w("attn_q").T).reshape(n, heads, dims), w("attn_q_norm")), sliding)
        if layer < self.key("block_count") - self.key("attention.shared_kv_layers"):
            raw = (a @ w("attn_k").T).reshape(n, kv_heads, dims)
            k = self.rope(rms(raw, w("attn_k_norm")), sliding)
            has_v = f"blk.{layer}.attn_v.weight" in self.tensors
            v = rms((a @ w("attn_v").T).reshape(n, kv_heads, dims) if has_v else raw)
            cache[sliding] = k, v  # the last layer of a kind serves the shared layers
        k, v = cache[sliding]
        distance = np.arange(n)[:, None] - np.arange(n)[None, :]
        visible = distance >= 0
        if sliding:
            visible &= distance < self.key("attention.sliding_window")
        group = heads // kv_heads
        out = np.empty((n, heads, dims))
        for head in range(heads):
            scores = np.where(visible, q[:, head] @ k[:, head // group].T, -np.inf)
            out[:, head] = softmax(scores) @ v[:, head // group]
        return out.reshape(n, -1) @ w("attn_output").T

    def experts(self, layer: int, r: np.ndarray) -> np.ndarray:
        def t(name):
            return self.tensors[f"blk.{layer}.{name}"]

        z = rms(r) * t("ffn_gate_inp.scale") * r.shape[-1] ** -0.5
        probabilities = softmax(z @ t("ffn_gate_inp.weight").T)
        x = rms(r, t("pre_ffw_norm_2.weight"))
        out = np.zeros_like(r)
        for row, p in enumerate(probabilities):
            chosen = np.argsort(-p)[: self.key("expert_used_count")]
            for e in chosen:
                gate, up = np.split(t("ffn_gate_up_exps.weight")[e] @ x[row], 2)
                y = t("ffn_down_exps.weight")[e] @ (gelu(gate) * up)
                out[row] += p[e] / p[chosen].sum() * t("ffn_down_exps.scale")[e] * y
        return rms(out, t("post_ffw_norm_2.weight"))

    def per_layer_inputs(self, tokens: list, h: np.ndarray):
        width = self.key("embedding_length_per_layer_input")
        if not width:
            return None
        shape = (len(tokens), self.key("block_count"), width)
        token = (self.tensors["per_layer_token_embd.weight"][tokens] * width**0.5).reshape(shape)
        context = (h @ self.tensors["per_layer_model_proj.weight"].T * h.shape[-1] ** -0.5).reshape(shape)
        return (rms(context, self.tensors["per_layer_proj_norm.weight"]) + token) * 2**-0.5

    def logits(self, tokens: list) -> np.ndarray:
        embedding = self.tensors["token_embd.weight"]
        h = embedding[tokens] * embedding.shape[1] ** 0.5
        ple = self.per_layer_inputs(tokens, h)
        cache = {}
        for layer in range(self.key("block_count")):

            def w(name):
                return self.tensors[f"blk.{layer}.{name}.weight"]

            a = self.attention(layer, rms(h, w("attn_norm")), cache)
            h = h + rms(a, w("post_attention_norm"))
            f = rms(h, w("ffn_norm"))
            f = (gelu(f @ w("ffn_gate").T) * (f @ w("ffn_up").T)) @ w("ffn_down").T
            if self.key("expert_count"):
                f = rms(f, w("post_ffw_norm_1")) + self.experts(layer, h)
            h = h + rms(f, w("post_ffw_norm"))
            if ple is not None:
                g = gelu(h @ w("inp_gate").T) * ple[:, layer]
                h = h + rms(g @ w("proj").T, w("post_norm"))
            h = h * w("layer_output_scale")
        cap = self.key("final_logit_softcapping")
        return cap * np.tanh(rms(h, self.tensors["output_norm.weight"]) @ embedding.T / cap)
