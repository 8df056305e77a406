"""What fits this machine, and how fast it is."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from typing import Any, Literal

from . import _native
from .model import _PACKAGE

KvType = Literal["f32", "f16", "bf16", "q8_0", "q4_0"]


def fit(
    models: Sequence[str] = (),
    types: Sequence[str] = (),
    *,
    context_length: int = 8192,
    kv_type: KvType = "bf16",
    threads: int = 0,
    bandwidth: float | None = None,
    memory: float | None = None,
    compute: float | None = None,
) -> dict[str, Any]:
    """Which model, as which type, on this machine or another: what `pleiad fit --json` prints. Nothing is
    downloaded or loaded; to measure this machine takes a few seconds.

    Args:
        models: "e2b", "e4b", "12b", "26b-a4b", "31b"; none: all.
        types: "q4_0", "bf16" and so on; none: all.
        context_length: tokens of the conversation.
        kv_type: how keys and values are cached.
        threads: to measure with; 0: one for each physical core.
        bandwidth: of another machine, in GB/s.
        memory: of it, in GiB.
        compute: of it, in TFLOP/s of bf16; without it rates of prompts are None.

    Raises: RequestError.
    """
    report: dict[str, Any] = json.loads(
        _native.fit(
            models=list(models),
            types=list(types),
            context_length=context_length,
            kv_type=kv_type,
            threads=threads,
            bandwidth=bandwidth,
            memory=memory,
            compute=compute,
        )
    )
    return report


def bench(
    model: str | os.PathLike[str] | None = None,
    *,
    synthetic: str | None = None,
    prompt: Sequence[int] = (512,),
    generate: Sequence[int] = (64,),
    depth: Sequence[int] = (0,),
    batch: Sequence[int] = (1,),
    kv_type: Sequence[KvType] = ("bf16",),
    threads: Sequence[int] = (),
    online: Literal["fp8", "q8_0", "q4_0"] | None = None,
    activations: Literal[8, 16] | None = None,
    repetitions: int = 5,
    seed: int = 1,
) -> dict[str, Any]:
    """How fast a model is here, beside the limits of the machine: what `pleiad bench --json` prints. Every
    combination of the lists is a test.

    Args:
        model: as of Model.load(); or
        synthetic: "e2b:q4_0", "e4b:bf16": one of random weights, made in memory.
        prompt: tokens of prompts; 0: none.
        generate: tokens that are generated; 0: none.
        depth: tokens in the context before.
        batch: sequences that generate together.
        kv_type, online, activations: as of Model.load().
        threads: to compute with; none: one for each physical core.
        repetitions: of every test.
        seed: of the random tokens.

    Raises: RequestError, LoadError, ModelNotFoundError, Error where a test does not fit into the
    context; KeyboardInterrupt within a pass.
    """
    if (model is None) == (synthetic is None):
        raise TypeError("bench() takes a model, or synthetic=, one of them")
    report: dict[str, Any] = json.loads(
        _native.bench(
            model=os.fspath(model) if model is not None else "",
            synthetic=synthetic or "",
            prompt=list(prompt),
            generate=list(generate),
            depth=list(depth),
            batch=list(batch),
            kv_type=list(kv_type),
            threads=list(threads),
            online=online,
            activations=str(activations) if activations is not None else None,
            repetitions=repetitions,
            seed=seed,
            package=str(_PACKAGE),
        )
    )
    return report


__all__ = ["bench", "fit"]
