"""Random weights of the towers. What is not said here is drawn as in ../weights.py."""

import math

import torch

import weights as text_weights

# Bounds that many values meet, unlike in a text of the released models' statistics.
LOW, HIGH = (-1.6, -0.8), (0.8, 1.6)
# As in the released files: keys and values share all bounds, and so do gate and up; queries
# share the inputs' with them. In the second layer nothing is shared but by the feed-forward.
SAME_BOUNDS = {
    "k_proj": "v_proj",
    "gate_proj": "up_proj",
    "q_proj.input": "v_proj.input",
}
UNBOUNDED = "encoder.layers.1.mlp.down_proj"


def is_bound(name: str) -> bool:
    return name.endswith(("input_min", "input_max", "output_min", "output_max"))


def name_of_bounds(name: str) -> str:
    """The name that the value of a bound is drawn for."""
    for linear, same in SAME_BOUNDS.items():
        module, side = (linear.split(".") + [""])[:2]
        if f".{module}.{side}" not in name:
            continue
        if "layers.1." in name and module in ("k_proj", "q_proj"):
            continue
        return name.replace(module, same.split(".")[0])
    return name


def draw(seed: int, family, name: str, shape: tuple) -> torch.Tensor:
    if is_bound(name):
        if UNBOUNDED in name:
            return torch.tensor(-math.inf if name.endswith("_min") else math.inf)
        rng = text_weights.generator(seed, f"{family.name}/vision/{name_of_bounds(name)}")
        return torch.tensor(rng.uniform(*(LOW if name.endswith("_min") else HIGH))).bfloat16().float()
    if name.endswith(("position_embedding_table", "pos_embedding")):
        rng = text_weights.generator(seed, f"{family.name}/{name}")
        return torch.from_numpy(rng.normal(0.0, 0.5, shape)).bfloat16().float()
    return text_weights.draw(seed, family, name, shape)


@torch.no_grad()
def randomize(model: torch.nn.Module, family, seed: int) -> None:
    for name, tensor in model.state_dict().items():
        if name != "lm_head.weight":
            tensor.copy_(draw(seed, family, name, tuple(tensor.shape)))
