"""Smaller files of a model."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Sequence
from typing import Any, Literal

from . import _native
from .model import _PACKAGE


def _path(path: str | os.PathLike[str] | None) -> str:
    return "" if path is None else os.fspath(path)


def quantize(
    source: str | os.PathLike[str],
    target: str | os.PathLike[str],
    type: str,
    *,
    keep: Sequence[str] = (),
    rounding: Literal["search", "nearest"] = "search",
    calibrate: str | os.PathLike[str] | None = None,
    from_quantized: bool = False,
    force: bool = False,
    threads: int = 0,
    projector: str | os.PathLike[str] | None = None,
    target_projector: str | os.PathLike[str] | None = None,
    vision_type: str | None = None,
    audio_type: str | None = None,
    on_progress: Callable[[str, int, int], object] | None = None,
) -> dict[str, Any]:
    """Writes a smaller file of a model; it is whole or not there.

    Args:
        source: a GGUF file, a Hugging Face folder, or the name of a model at hand.
        target: a GGUF file, or a folder for the types that make one.
        type: "q4_0", "q4_k_m", "q8_0", "nvfp4a16" and so on, as of `pleiad quantize --type`.
        keep: another type for a class of tensors: "ple=q8_0".
        rounding: "search" for the scales of least squared error, or the format's plain rule.
        calibrate: a file of text like what the model will see: columns count by what meets them in it.
        from_quantized: takes a source that has less than six bits a weight already.
        force: replaces what is there.
        threads: to work with; 0: all processors. The bytes are the same with any number.
        projector: the file with the source's towers; None: its own, or the mmproj file beside it.
        target_projector: where a GGUF file's towers go; None: mmproj-NAME.gguf beside it.
        vision_type, audio_type: of the towers' matrices; "none" leaves a tower out; None: as they are.
        on_progress: called with what is done ("calibrating", "writing"), how much of it, and of how
            much; what it raises ends the work.

    Returns:
        What `pleiad quantize --json` prints (sizes, bits per weight, rounding errors by class), and
        "notes": what there is to say, a list of sentences.

    Raises: RequestError, LoadError, ModelNotFoundError, Error (the target is there, the disk is full).
    Ctrl-C leaves nothing behind.
    """
    report, notes = json.loads(
        _native.quantize(
            source=os.fspath(source),
            target=os.fspath(target),
            type=type,
            keep=list(keep),
            rounding=rounding,
            calibrate=_path(calibrate),
            from_quantized=from_quantized,
            force=force,
            threads=threads,
            projector=_path(projector),
            target_projector=_path(target_projector),
            vision_type=vision_type or "",
            audio_type=audio_type or "",
            package=str(_PACKAGE),
            on_progress=on_progress,
        )
    )
    return {**report, "notes": notes}


__all__ = ["quantize"]
