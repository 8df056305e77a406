"""What made the answers of a folder, so that those of two models or options are never mixed. Knows no Ray."""

from __future__ import annotations

import json
import os
import pathlib
from collections.abc import Mapping
from typing import Any

from ..errors import Error
from .options import request_error

# Of `load`: they say how fast, not what.
_SPEED = ("threads", "parallel", "kv_bytes")


def begin_run(folder: pathlib.Path, settings: Mapping[str, Any], has_answers: bool) -> None:
    """Writes `folder`/run.json, or compares with it where the folder has answers.

    Args:
        folder: of the run; it is made.
        settings: what answers depend on; of its "load" not what changes the speed alone.
        has_answers: some have been written.

    Raises:
        RequestError: a setting is not what JSON can say.
        Error: the answers were made otherwise, or nothing says how.
    """
    load = {name: value for name, value in settings.get("load", {}).items() if name not in _SPEED}
    texts = {}
    for name, value in {**settings, "load": load}.items():
        try:
            texts[name] = json.loads(json.dumps(value, allow_nan=False, default=os.fspath))
        except (TypeError, ValueError, RecursionError) as error:
            raise request_error(name, f"expected what JSON can say: {error}") from None
    file = folder / "run.json"
    if has_answers:
        before = _read(file)
        for name, value in texts.items():
            if before.get(name) != value:
                raise Error(
                    f"{file}: the answers that stand there were made with {name} {json.dumps(before.get(name))}, "
                    f"found {json.dumps(value)}: choose another folder, or ask for the same"
                )
        return
    folder.mkdir(parents=True, exist_ok=True)
    beside = folder / f"run.json.{os.getpid()}"
    beside.write_text(json.dumps(texts, indent=2) + "\n")
    beside.replace(file)


def _read(file: pathlib.Path) -> dict[str, Any]:
    try:
        found = json.loads(file.read_text())
    except FileNotFoundError:
        raise Error(f"{file}: expected what made the answers beside it, found no such file") from None
    except (ValueError, RecursionError) as error:
        raise Error(f"{file}: expected a JSON object that says what made the answers: {error}") from None
    if not isinstance(found, dict):
        raise Error(f"{file}: expected a JSON object that says what made the answers, found {type(found).__name__}")
    return found


__all__ = ["begin_run"]
