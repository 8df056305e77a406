"""What can go wrong. Every error of the engine is an Error; its text names the file or the field, what
was expected and what was found."""

from __future__ import annotations


class Error(Exception):
    """The base of all others: an operation ended because of something outside of it."""


class LoadError(Error):
    """A model's file cannot be used: it is missing, damaged, or of another kind."""


class FileChangedError(LoadError):
    """A model's file was written to while it was in use; what was computed is thrown away."""


class ModelNotFoundError(Error, LookupError):
    """There is no model of that name, and no file; the text says where it was looked for."""


class RequestError(Error, ValueError):
    """An argument is wrong.

    Attributes:
        field: which one, as a path ("messages[2].content", "temperature"); empty where it is none.
    """

    field: str = ""


class ContextExceededError(RequestError):
    """A prompt leaves no room in the context.

    Attributes:
        prompt_tokens: that it has.
        limit_tokens: that there is room for, with the reply.
    """

    prompt_tokens: int = 0
    limit_tokens: int = 0


class UnsupportedError(RequestError):
    """The model cannot do this: it sees no pictures, say."""


class OutOfMemoryError(Error, MemoryError):
    """The system has not enough memory, now or ever; the text has the numbers."""


class BusyError(Error):
    """More requests wait than there is room for."""


class DeadlineError(Error, TimeoutError):
    """It took longer than was allowed."""


class ClosedError(Error):
    """The model or server was closed, or belongs to another process."""


class InternalError(Error, RuntimeError):
    """A mistake of the engine's; please report it."""


__all__ = [
    "BusyError",
    "ClosedError",
    "ContextExceededError",
    "DeadlineError",
    "Error",
    "FileChangedError",
    "InternalError",
    "LoadError",
    "ModelNotFoundError",
    "OutOfMemoryError",
    "RequestError",
    "UnsupportedError",
]
