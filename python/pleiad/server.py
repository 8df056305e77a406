"""A server in this process."""

from __future__ import annotations

import atexit
import os
import weakref
from collections.abc import Sequence

from . import _native
from .errors import RequestError
from .model import _HELPER, _PACKAGE, _path_text

Setting = str | int | float | bool | os.PathLike[str] | Sequence[str]

_open: weakref.WeakSet[Server] = weakref.WeakSet()


@atexit.register
def _close_all() -> None:
    for server in list(_open):
        server.close(0)


def _text(value: Setting) -> str:
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, (list, tuple)):
        return ",".join(value)
    return os.fspath(value) if isinstance(value, os.PathLike) else str(value)


class Server:
    """What `pleiad serve` is, on threads of this process: the APIs of Ollama, OpenAI and Anthropic.

        with pleiad.Server("demo") as server:
            client = openai.OpenAI(base_url=server.url + "/v1", api_key="none")

    Its models are its own; those of pleiad.Model are others.
    """

    def __init__(
        self, *models: str | os.PathLike[str], host: str = "127.0.0.1", port: int = 0, log_level: str = "warn", **settings: Setting
    ) -> None:
        """Listens, and returns when the models are loaded. Ctrl-C ends it.

        Args:
            *models: to load now; others are when they are asked for.
            host: an address, or "unix:PATH".
            port: 0: any that is free.
            log_level: what goes to the error output: "debug", "info", "warn", "error".
            **settings: as the flags of `pleiad serve`, with underscores: keep_alive="1h", parallel=8,
                api_key_file=path, origins=[...], insecure=True. Variables (PLEIAD_KEEP_ALIVE,
                OLLAMA_...) count where nothing is said.

        Raises:
            RequestError: a setting is wrong, or there is none of that name.
            ModelNotFoundError, LoadError: a model cannot be loaded.
            Error: the address is in use, say.
        """
        known = set(_native.setting_names())
        given: dict[str, str] = {"host": host, "log-level": log_level}
        if not host.startswith("unix:"):
            given["port"] = str(port)
        for name, value in settings.items():
            flag = name.replace("_", "-")
            if flag not in known or flag in ("host", "port", "log-level"):
                error = RequestError(f"{name}: there is no such setting; known are {', '.join(sorted(known))}")
                error.field = name
                raise error
            given[flag] = _text(value)
        paths = [_path_text("models", model) for model in models]
        self._native = _native.serve(settings=given, models=paths, package=str(_PACKAGE), helper=_HELPER)
        self._url = self._native.address()
        _open.add(self)

    @property
    def url(self) -> str:
        """ "http://127.0.0.1:11434", or "unix:PATH"."""
        return self._url

    def close(self, grace_seconds: float | None = None) -> None:
        """Accepts no more, lets running answers end for so many seconds (None: as the setting `grace`
        says, 30 unless told otherwise), then ends them. May be called again."""
        _open.discard(self)
        self._native.stop(-1 if grace_seconds is None else grace_seconds)

    def __enter__(self) -> Server:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<pleiad.Server {self._url}>"


__all__ = ["Server"]
