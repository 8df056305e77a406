"""Running the reference: logits, router margins, and prompts chosen to have safe margins."""

import numpy as np
import torch
from transformers.models.gemma4.modeling_gemma4 import Gemma4TextRouter

import weights
from families import FIRST_MEDIA_TOKEN

MIN_MARGIN = 1e-3
BOS = 2


@torch.no_grad()
def logits(model: torch.nn.Module, tokens: list) -> torch.Tensor:
    """Logits [tokens, vocab] of one causal pass over the whole prompt."""
    return model(input_ids=torch.tensor([tokens]), use_cache=False).logits[0]


@torch.no_grad()
def logits_and_margin(model: torch.nn.Module, tokens: list) -> tuple:
    """Logits, and the smallest gap that rounding would have to bridge to change a discrete choice:
    the argmax of a row, or the set of experts of a token."""
    gaps = []

    def record(module, _inputs, output):
        best = output[0].sort(dim=-1, descending=True).values
        k = module.config.top_k_experts
        gaps.append((best[:, k - 1] - best[:, k]).min())

    hooks = [m.register_forward_hook(record) for m in model.modules() if isinstance(m, Gemma4TextRouter)]
    result = logits(model, tokens)
    for hook in hooks:
        hook.remove()
    best = result.topk(2, dim=-1).values
    gaps.append((best[:, 0] - best[:, 1]).min())
    return result, float(min(gaps))


def find_prompt(model: torch.nn.Module, name: str, length: int, seed: int) -> tuple:
    """A random prompt, with its logits, whose margins are all larger than MIN_MARGIN."""
    rng = weights.generator(seed, f"prompt/{name}/{length}")
    for _ in range(2000):
        tokens = [BOS] + rng.integers(4, FIRST_MEDIA_TOKEN, length - 1).tolist()
        result, margin = logits_and_margin(model, tokens)
        if margin > MIN_MARGIN:
            return tokens, result
    raise RuntimeError(f"no prompt of {length} tokens with safe margins for {name}")


def case_lengths(window: int) -> dict:
    """Prompt lengths around the edges of the sliding window."""
    return {
        "window-1": window - 1,
        "window": window,
        "window+1": window + 1,
        "2*window+5": 2 * window + 5,
        "long": 70,
    }


def write_case(folder, name: str, tokens: list, result: torch.Tensor) -> dict:
    file = f"logits-{len(tokens)}.npy"
    np.save(folder / file, result.numpy().astype(np.float32))
    return {"name": name, "tokens": tokens, "logits_file": file, "rows": len(tokens)}
