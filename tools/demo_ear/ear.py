"""The demo model's audio tower: its shape, its initial weights, and a fast way to compute it.

The classes are transformers' own. `encode` computes what they compute for clips of one size without padding, in
fewer and larger steps; `check` compares the two. The first convolution stays as it is drawn: its filters are
many for nine values each, and what follows picks among them.
"""

import math

import torch
from transformers import Gemma4AudioConfig
from transformers.models.gemma4.modeling_gemma4 import Gemma4AudioModel, Gemma4MultimodalEmbedder

from features import BANDS, TOKEN, log_mel

TEXT_DIM = 256
functional = torch.nn.functional


def make_config():
    return Gemma4AudioConfig(
        hidden_size=96, num_hidden_layers=3, num_attention_heads=4, subsampling_conv_channels=(128, 16),
        output_proj_dims=96, use_clipped_linears=False)


class Ear(torch.nn.Module):
    """The tower and the projector, with the names of a checkpoint."""

    def __init__(self):
        super().__init__()
        config = make_config()

        class Text:                                  # all that the projector asks of the text model
            hidden_size = TEXT_DIM

        self.config = config
        self.audio_tower = Gemma4AudioModel(config)
        self.embed_audio = Gemma4MultimodalEmbedder(config, Text)


@torch.no_grad()
def make_ear(seed=0):
    torch.manual_seed(seed)
    ear = Ear()
    for name, p in ear.named_parameters():
        if p.ndim == 4:
            torch.nn.init.normal_(p, std=(p.shape[1] * 9) ** -0.5)
        elif p.ndim == 3:                            # taps of a frame and those before it: they begin as its own
            torch.nn.init.normal_(p, std=0.2)
            p[:, 0, -1] += 1
        elif p.ndim == 2:
            torch.nn.init.normal_(p, std=p.shape[1] ** -0.5)
        elif name.endswith(("per_dim_scale", "bias")):
            p.zero_()
        elif "post_layer_norm" in name:
            p.fill_(0.6)
        elif "norm_post_attn" in name:
            p.fill_(0.4)
        else:
            p.fill_(1.0)
    ear.audio_tower.subsample_conv_projection.layer0.requires_grad_(False)
    return ear


def rms(x, weight=None, eps=1e-6):
    x = x.float()
    x = x * torch.rsqrt(x.square().mean(-1, keepdim=True) + eps)
    return x if weight is None else x * weight


@torch.no_grad()
def first_convolution(part, features):
    """[n, channels, half the frames, half the bands]. Its layer norm is one of nine values: the channels' mean is taken off the
    filters, their variance is a square form of what a filter meets."""
    dtype = torch.bfloat16 if torch.is_autocast_enabled("cpu") else torch.float32
    with torch.autocast("cpu", enabled=False):
        filters = part.conv.weight.flatten(1)
        filters = filters - filters.mean(0)
        met = functional.pad(features, (1, 1, 1, 1)).unfold(1, 3, 2).unfold(2, 3, 2).flatten(3)
        variance = ((met @ (filters.T @ filters / len(filters))) * met).sum(-1, keepdim=True)
        met = (met * torch.rsqrt(variance.clamp(min=0) + 1e-6)).to(dtype)
        return functional.relu_(met @ (filters * part.norm.weight[:, None]).T.to(dtype)).permute(0, 3, 1, 2)


def second_convolution(part, x):
    """[n, soft tokens, bands * channels]"""
    x = part.conv(x).permute(0, 2, 3, 1)
    return functional.relu(functional.layer_norm(x, x.shape[-1:], part.norm.weight, None, 1e-6)).flatten(2)


def half_feed_forward(part, x):
    y = functional.silu(part.ffw_layer_1.linear(rms(x, part.pre_layer_norm.weight)))
    return x + 0.5 * rms(part.ffw_layer_2.linear(y), part.post_layer_norm.weight)


def attended(part, x, config):
    n, t, width = x.shape
    heads, dim, window = config.num_attention_heads, width // config.num_attention_heads, config.attention_context_left - 1
    q, k, v = (p.linear(x).float().view(n, t, heads, dim).transpose(1, 2) for p in (part.q_proj, part.k_proj, part.v_proj))
    q = q * (dim ** -0.5 / math.log(2)) * functional.softplus(part.per_dim_scale)
    k = k * (math.log(1 + math.e) / math.log(2))
    half = width // 2
    rate = torch.exp(torch.arange(half) * -(math.log(10_000) / (half - 1)))
    angle = torch.arange(window)[:, None] * rate
    far = functional.linear(torch.cat([angle.sin(), angle.cos()], -1), part.relative_k_proj.weight)
    far = far.float().view(window, heads, dim).permute(1, 2, 0)
    distance = torch.arange(t)[:, None] - torch.arange(t)
    scores = q @ k.transpose(2, 3) + (q @ far).gather(-1, distance.clamp(0, window - 1).expand(n, heads, t, t))
    scores = 50 * torch.tanh(scores / 50)
    scores = scores.masked_fill((distance < 0) | (distance >= window), -1e9)
    return part.post.linear((scores.softmax(-1) @ v).transpose(1, 2).reshape(n, t, width))


def convolved(part, x):
    y = functional.glu(part.linear_start.linear(rms(x, part.pre_layer_norm.weight)).float(), -1)
    taps = part.depthwise_conv1d.weight                # [width, 1, taps]
    padded = functional.pad(y, (0, 0, taps.shape[-1] - 1, 0))
    y = sum(padded[:, i:i + y.shape[1]] * taps[:, 0, i] for i in range(taps.shape[-1]))
    return x + part.linear_end.linear(functional.silu(rms(y, part.conv_norm.weight)))


def encode(ear, features):
    """Normalized vectors [n, soft tokens, output width], before the projector, of features [n, frames, BANDS]."""
    body, config = ear.audio_tower, ear.config
    sub = body.subsample_conv_projection
    x = second_convolution(sub.layer1, first_convolution(sub.layer0, features))
    x = sub.input_proj_linear(x).float()
    for layer in body.layers:
        x = half_feed_forward(layer.feed_forward1, x)
        y = attended(layer.self_attn, rms(x, layer.norm_pre_attn.weight), config)
        x = x + rms(y, layer.norm_post_attn.weight)
        x = half_feed_forward(layer.feed_forward2, convolved(layer.lconv1d, x))
        x = rms(x, layer.norm_out.weight)
    return rms(body.output_proj(x))


def project(ear, encoded):
    """Soft tokens [n, soft tokens, width of the text model]."""
    return ear.embed_audio.embedding_projection(encoded)


@torch.no_grad()
def check(ear, n_tokens=30):
    """Asserts that `encode` and `project` are what the classes compute."""
    features = log_mel(torch.rand(2, n_tokens * TOKEN) - 0.5)
    mask = torch.ones(features.shape[:2], dtype=torch.bool)
    theirs = ear.embed_audio(inputs_embeds=ear.audio_tower(features, mask).last_hidden_state)
    ours = project(ear, encode(ear, features))
    assert features.shape[2] == BANDS and ours.shape[1] == n_tokens
    worst = float((ours - theirs).abs().max() / theirs.abs().max())
    assert worst < 1e-4, f"the fast way differs by {worst}"


if __name__ == "__main__":
    tower = make_ear()
    check(tower)
    print(sum(p.numel() for p in tower.parameters()), "weights")
