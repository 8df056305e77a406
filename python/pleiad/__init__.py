"""Runs Gemma 4 language models on the processor, in this process.

    import pleiad

    model = pleiad.Model.load("demo")
    print(model.chat("Count from 1 to 10"))
    for part in model.chat("Count from 1 to 10", stream=True):
        print(part, end="", flush=True)

docs/python.md of the project has the rest.
"""

from . import _native
from .errors import *  # noqa: F403
from .errors import __all__ as _errors
from .measure import bench, fit
from .media import media
from .model import Model
from .quantizing import quantize
from .replies import Delta, Logprob, Reply, Stream, TokenLogprob, ToolCall
from .server import Server

__version__: str = _native.version()

__all__ = [
    "Delta",
    "Logprob",
    "Model",
    "Reply",
    "Server",
    "Stream",
    "TokenLogprob",
    "ToolCall",
    "bench",
    "fit",
    "media",
    "quantize",
    *_errors,
]
