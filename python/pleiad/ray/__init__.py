"""Several engines behind one address by Ray Serve, and many conversations answered by Ray Data.

    from ray import serve
    import pleiad.ray

    serve.run(pleiad.ray.app("demo", replicas=2, insecure=True))      # http://127.0.0.1:8000/v1

Needs the extra: pip install "pleiad[ray]". docs/ray.md of the project has the rest.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .answers import Answers
    from .batch import Report, answer
    from .serving import PREFIX_ROUTER, Options, app, application

_WHERE = {
    "Answers": "answers",
    "Report": "batch",
    "answer": "batch",
    "PREFIX_ROUTER": "serving",
    "Options": "serving",
    "app": "serving",
    "application": "serving",
}


def __getattr__(name: str) -> Any:
    """Each name with what of Ray it needs: batches need no Serve, and the parts that need no Ray are used alone."""
    if name not in _WHERE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        return getattr(importlib.import_module(f"{__name__}.{_WHERE[name]}"), name)
    except ModuleNotFoundError as error:
        if (error.name or "").startswith(__name__):
            raise
        raise ImportError(f'pleiad.ray.{name} needs Ray ({error}): pip install "pleiad[ray]"') from error


__all__ = ["PREFIX_ROUTER", "Answers", "Options", "Report", "answer", "app", "application"]
