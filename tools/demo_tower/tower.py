"""The demo model's vision tower: its shape, its initial weights, and a fast way to compute it.

The classes are transformers' own. `encode` computes what they compute for pictures of one size
without padding, in fewer and larger steps; `check` compares the two.
"""

import math

import numpy as np
import torch
from transformers import Gemma4VisionConfig
from transformers.models.gemma4.modeling_gemma4 import Gemma4MultimodalEmbedder, Gemma4VisionModel

TEXT_DIM = 256
BUDGET = 70
PATCH, POOL = 24, 2                                  # 24-pixel patches, four of which make a soft token


def make_config():
    return Gemma4VisionConfig(
        hidden_size=128, intermediate_size=384, num_hidden_layers=3, num_attention_heads=2, num_key_value_heads=2,
        head_dim=64, patch_size=PATCH, pooling_kernel_size=POOL, position_embedding_size=160, use_clipped_linears=False,
        standardize=False, default_output_length=BUDGET)


class Tower(torch.nn.Module):
    """The tower and the projector, with the names of a checkpoint."""

    def __init__(self):
        super().__init__()
        config = make_config()

        class Text:                                  # all that the projector asks of the text model
            hidden_size = TEXT_DIM

        self.config = config
        self.vision_tower = Gemma4VisionModel(config)
        self.embed_vision = Gemma4MultimodalEmbedder(config, Text)


@torch.no_grad()
def make_tower(seed=0):
    torch.manual_seed(seed)
    tower = Tower()
    for name, p in tower.named_parameters():
        if p.ndim == 2:
            torch.nn.init.normal_(p, std=p.shape[1] ** -0.5 * 0.8)
        elif "position_embedding_table" in name:
            torch.nn.init.normal_(p, std=0.02)
        elif name.endswith(("post_attention_layernorm.weight", "post_feedforward_layernorm.weight")):
            p.fill_(0.4)
        elif name.endswith("k_norm.weight"):
            p.fill_(64 ** -0.5 * 1.5)
        else:
            p.fill_(1.0)
    return tower


def patches_of(pictures):
    """float32 [n, patches, 3 * PATCH ** 2] of uint8 [n, height, width, 3]."""
    n, height, width, _ = pictures.shape
    grid = pictures.reshape(n, height // PATCH, PATCH, width // PATCH, PATCH, 3).transpose(0, 1, 3, 2, 4, 5)
    return torch.from_numpy(np.ascontiguousarray(grid).reshape(n, -1, 3 * PATCH * PATCH)).float() / 255


def rope_of(columns, rows, head_dim):
    """cos, sin [patches, head_dim]: half a head turns with each axis."""
    half = head_dim // 2
    frequency = 100.0 ** (-torch.arange(0, half, 2).float() / half)
    x = torch.arange(columns).repeat(rows)
    y = torch.arange(rows).repeat_interleave(columns)
    a, b = x[:, None] * frequency, y[:, None] * frequency
    angle = torch.cat([a, a, b, b], dim=1)
    return angle.cos(), angle.sin()


def turned(x, cos, sin):
    q = x.shape[-1] // 4
    a, b, c, d = x[..., :q], x[..., q:2 * q], x[..., 2 * q:3 * q], x[..., 3 * q:]
    return x * cos + torch.cat([-b, a, -d, c], dim=-1) * sin


def rms(x, weight=None, eps=1e-6):
    x = x.float()
    x = x * torch.rsqrt(x.square().mean(-1, keepdim=True) + eps)
    return x if weight is None else x * weight


def encode(tower, patches, columns, rows, tap=None):
    """Pooled and normalized vectors [n, soft tokens, hidden], before the projector; columns, rows of patches. With a tap also the
    patches' vectors [n, patches, hidden] behind so many layers."""
    body, config = tower.vision_tower, tower.config
    n, heads, dim = patches.shape[0], config.num_attention_heads, config.head_dim
    table = body.patch_embedder.position_embedding_table
    place = (table[0, :columns][None] + table[1, :rows][:, None]).reshape(rows * columns, -1)
    x = body.patch_embedder.input_proj(2 * (patches - 0.5)).float() + place
    cos, sin = (t[:, None] for t in rope_of(columns, rows, dim))
    tapped = None
    for number, layer in enumerate(body.encoder.layers):
        if number == tap:
            tapped = rms(x)
        a = layer.self_attn
        f = rms(x, layer.input_layernorm.weight)
        q, k, v = (p.linear(f).view(n, -1, heads, dim) for p in (a.q_proj, a.k_proj, a.v_proj))
        q, k, v = turned(rms(q, a.q_norm.weight), cos, sin), turned(rms(k, a.k_norm.weight), cos, sin), rms(v)
        if torch.is_autocast_enabled("cpu"):
            q, k, v = q.bfloat16(), k.bfloat16(), v.bfloat16()
        scores = q.transpose(1, 2) @ k.permute(0, 2, 3, 1)
        o = scores.softmax(-1) @ v.transpose(1, 2)
        o = a.o_proj.linear(o.transpose(1, 2).reshape(n, -1, heads * dim))
        x = x + rms(o, layer.post_attention_layernorm.weight)
        f = rms(x, layer.pre_feedforward_layernorm.weight)
        m = layer.mlp
        f = m.down_proj.linear(torch.nn.functional.gelu(m.gate_proj.linear(f), approximate="tanh") * m.up_proj.linear(f))
        x = x + rms(f, layer.post_feedforward_layernorm.weight)
    x = x.view(n, rows // POOL, POOL, columns // POOL, POOL, -1).mean(dim=(2, 4)).reshape(n, -1, config.hidden_size)
    x = rms(x * math.sqrt(config.hidden_size))
    return x if tap is None else (x, tapped)


def project(tower, pooled):
    """Soft tokens [n, soft tokens, width of the text model]."""
    return tower.embed_vision.embedding_projection(pooled)


@torch.no_grad()
def check(tower, columns=22, rows=10):
    """Asserts that `encode` and `project` are what the classes compute."""
    torch.manual_seed(1)
    patches = torch.rand(2, columns * rows, 3 * PATCH * PATCH)
    x, y = torch.meshgrid(torch.arange(columns), torch.arange(rows), indexing="xy")
    positions = torch.stack([x, y], -1).reshape(1, -1, 2).expand(2, -1, -1)
    tower.vision_tower.config._attn_implementation = "sdpa"
    theirs = tower.embed_vision(inputs_embeds=tower.vision_tower(
        pixel_values=patches, pixel_position_ids=positions).last_hidden_state.reshape(2, -1, tower.config.hidden_size))
    ours = project(tower, encode(tower, patches, columns, rows))
    worst = float((ours - theirs).abs().max() / theirs.abs().max())
    assert worst < 1e-5, f"the fast way differs by {worst}"


if __name__ == "__main__":
    tower = make_tower()
    check(tower)
    print(sum(p.numel() for p in tower.parameters()), "weights")
