"""One engine of several: a whole server in the process of a Ray actor, on a socket that only this user has."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import warnings
from collections.abc import AsyncGenerator, AsyncIterator, Iterator, Mapping, Sequence
from typing import Any

import aiohttp
from yarl import URL

from ..server import Server, Setting
from .cores import Claim
from .folders import SocketFolder
from .messages import Head, ReplicaGone, Request, without_hop_headers

logger = logging.getLogger("ray.serve")

_READ_BYTES = 256 << 10
# Each part of an answer goes through three processes: after the first ones, what comes within this time is one.
_FIRST_PARTS = 4
_PAUSE_SECONDS = 0.02


@contextlib.contextmanager
def on_processors(cpus: set[int]) -> Iterator[None]:
    """Threads that are started within run on these processors alone; none: on all that this thread may use."""
    before = os.sched_getaffinity(0)
    if cpus:
        os.sched_setaffinity(0, cpus)
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


class Replica:
    """What the deployment has several of. Ray makes and ends it."""

    def __init__(
        self, models: Sequence[str], threads: int, pin: bool, settings: Mapping[str, Setting], name: str = ""
    ) -> None:
        """Loads the models, and returns when they are.

        Args:
            models: as of pleiad.Server.
            threads: that compute, and cores that it takes.
            pin: threads of the engine stay on cores that no other replica on this machine has.
            settings: as of pleiad.Server.
            name: which one it is, in answers and logs.
        """
        self._session: aiohttp.ClientSession | None = None
        self._server: Server | None = None
        self._claim: Claim | None = None
        self._folder: SocketFolder | None = None
        self._name = name or _replica_name()
        try:
            self._folder = SocketFolder()
            self._socket = str(self._folder.socket)
            with on_processors(self._take_cores(threads) if pin else set()):
                given: dict[str, Any] = {"threads": threads, "keep_alive": -1, **settings}
                self._server = Server(*models, host=f"unix:{self._socket}", **given)
        except BaseException:
            self._leave()
            raise

    def _take_cores(self, n_cores: int) -> set[int]:
        try:
            self._claim = Claim(n_cores)
        except OSError as error:
            logger.warning("pleiad: %s is not pinned: %s", self._name, error)
            return set()
        if not self._claim.cpus:
            logger.warning(
                "pleiad: %s is not pinned: expected %d cores that no other replica has, found fewer",
                self._name,
                n_cores,
            )
        return self._claim.cpus

    def _http(self) -> aiohttp.ClientSession:
        if self._session is None:
            self._session = aiohttp.ClientSession(
                connector=aiohttp.UnixConnector(self._socket, limit=0),
                cookie_jar=aiohttp.DummyCookieJar(),  # one caller's are not another's
                timeout=aiohttp.ClientTimeout(total=None, connect=30),
                auto_decompress=False,
                read_bufsize=_READ_BYTES,
                skip_auto_headers=("Accept", "Accept-Encoding", "User-Agent", "Content-Type"),
            )
        return self._session

    async def ask(self, request: Request, names: Sequence[bytes]) -> AsyncIterator[Head | bytes]:
        """Hands a request to the server, and what it answers back as it comes: a Head, then bytes. Who stops
        listening ends the answer.

        Args:
            request: to hand on.
            names: block_names() of it, for the router that sent it here.

        Raises:
            ReplicaGone: the server did not answer, or not to the end.
        """
        try:
            async with contextlib.aclosing(self._ask(request)) as parts:
                async for part in parts:
                    yield part
        except aiohttp.ClientError as error:
            raise ReplicaGone(f"{self._name}: {type(error).__name__}: {error}") from None

    async def _ask(self, request: Request) -> AsyncGenerator[Head | bytes, None]:
        async with self._http().request(
            request.method,
            URL("http://localhost" + request.target, encoded=True),
            headers=list(request.headers),
            data=request.body or None,
            allow_redirects=False,
        ) as answer:
            headers = [(name.decode("latin-1").lower(), value.decode("latin-1")) for name, value in answer.raw_headers]
            yield Head(answer.status, without_hop_headers(headers), self._name)
            clock = asyncio.get_running_loop().time
            n_parts, last = 0, clock()
            while True:
                early = last + _PAUSE_SECONDS - clock()
                if n_parts >= _FIRST_PARTS and early > 0 and not answer.content.is_eof():
                    await asyncio.sleep(early)
                part = await answer.content.readany()
                if not part:
                    return
                n_parts, last = n_parts + 1, clock()
                yield part

    async def about(self) -> dict[str, Any]:
        """Which process it is, where its engine computes, and what the server counted (Prometheus' text)."""
        async with self._http().get("http://localhost/metrics") as answer:
            metrics = await answer.text()
        cpus = sorted(self._claim.cpus) if self._claim else []
        return {"replica": self._name, "pid": os.getpid(), "cpus": cpus, "metrics": metrics}

    async def check_health(self) -> None:
        """Raises where the server does not answer, or not well. Ray then puts another in its place."""
        async with self._http().get("http://localhost/health", timeout=aiohttp.ClientTimeout(total=10)) as answer:
            if answer.status != 200:
                text = (await answer.text())[:200]
                raise RuntimeError(f"{self._name}: /health: expected status 200, found {answer.status}: {text}")

    def close(self) -> None:
        """Ends the server at once. May be called again."""
        if self._session is not None:
            with warnings.catch_warnings():  # that it was not awaited
                warnings.simplefilter("ignore")
                if self._session.connector is not None:
                    self._session.connector.close()
            self._session.detach()
        server, self._server = self._server, None
        if server is not None:
            server.close(0)
        self._leave()

    def __del__(self) -> None:
        """Ray calls this when all that the replica was asked has been answered."""
        self.close()

    def _leave(self) -> None:
        if self._claim:
            self._claim.close()
        if self._folder:
            self._folder.close()


def _replica_name() -> str:
    from ray import serve

    return serve.get_replica_context().replica_id.unique_id


__all__ = ["Replica"]
