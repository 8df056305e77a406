"""The address before the replicas: an ASGI application that reads a request, has it answered by one of
them, and passes on what comes as it comes."""

from __future__ import annotations

import asyncio
import hashlib
import ipaddress
import json
import logging
from collections.abc import AsyncGenerator, Awaitable, Callable, MutableMapping, Sequence
from typing import Any

from .messages import Head, ReplicaGone, Request, without_hop_headers
from .prefixes import block_names, prompt_text
from .routes import MOST_BODY_BYTES, Refusal, error_body, refusal, stream_end

logger = logging.getLogger("ray.serve")

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]


class TooManyWait(Exception):
    """All replicas are full, and as many requests wait as may."""


class Disconnected(Exception):
    """The client is gone."""


class _Refused(Exception):
    """A body is not taken; its argument is the Refusal."""


Ask = Callable[[Request, Sequence[bytes]], AsyncGenerator["Head | bytes", None]]


class Front:
    """The ASGI application, which knows no Ray: replicas are reached by a function.

    A replica that ends before anything of its answer was passed on is no error: the request goes to another.
    An answer that comes at once, not in a stream, is passed on when it is whole, so that this holds for all of it.
    """

    def __init__(
        self,
        ask: Ask,
        *,
        most_tries: int = 3,
        most_held_bytes: int = 1 << 30,
        body_seconds: float = 300,
        behind_proxy: bool = False,
    ) -> None:
        """
        Args:
            ask: answers a request: a Head, then bytes. Raises ReplicaGone, TooManyWait. Closing it
                ends the answer.
            most_tries: replicas that a request may be given to, one after another.
            most_held_bytes: of bodies, of all requests that are read and answered; more are told to come again.
            body_seconds: for which a body may take to come.
            behind_proxy: callers come through a proxy that does not say who they are: none is of this machine.
        """
        self._ask = ask
        self._most_tries = most_tries
        self._most_held_bytes = most_held_bytes
        self._held_bytes = 0
        self._body_seconds = body_seconds
        self._behind_proxy = behind_proxy

    async def __call__(self, scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await _live(receive, send)
        elif scope["type"] == "http":
            held = _Held(self)
            try:
                await self._serve(scope, receive, send, held)
            except Disconnected:
                pass
            finally:
                held.give_back()
        else:
            raise ValueError(f"expected http, found {scope['type']}")

    def hold(self, n_bytes: int) -> None:
        """Counts bytes of bodies. Raises _Refused where there are too many."""
        if self._held_bytes + n_bytes > self._most_held_bytes:
            text = f"bodies of other requests take the {self._most_held_bytes} bytes that there are for them; ask again"
            raise _Refused(Refusal(503, text, "server_busy"))
        self._held_bytes += n_bytes

    def let_go(self, n_bytes: int) -> None:
        """They are no longer held."""
        self._held_bytes -= n_bytes

    async def _serve(self, scope: MutableMapping[str, Any], receive: Receive, send: Send, held: _Held) -> None:
        path = scope["path"].removeprefix(scope.get("root_path", "")) or "/"
        try:
            async with asyncio.timeout(self._body_seconds):
                body = await _whole_body(receive, held)
        except _Refused as refused:
            return await _refuse(send, path, refused.args[0])
        except TimeoutError:
            text = f"body: expected all of it within {self._body_seconds:g} seconds"
            return await _refuse(send, path, Refusal(408, text, "timeout"))
        headers = _forwarded_headers(scope, self._behind_proxy)
        request = Request(scope["method"], _target(scope), headers, body)
        value = _object(body)
        problem = refusal(request.method, path, value)
        if problem:
            return await _refuse(send, path, problem)
        names = _names(request, value) if value else ()
        # Whoever waits for the client's end is what notices it: no other messages come any more.
        gone = asyncio.ensure_future(_until_gone(receive))
        answering = asyncio.ensure_future(self._answer(path, request, names, send))
        try:
            await asyncio.wait({gone, answering}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in (gone, answering):
                task.cancel()
            results = await asyncio.gather(gone, answering, return_exceptions=True)
        if isinstance(results[1], Exception):
            raise results[1]

    async def _answer(self, path: str, request: Request, names: Sequence[bytes], send: Send) -> None:
        for left in reversed(range(self._most_tries)):
            passing = _Passing(path, send)
            parts = self._ask(request, names)
            try:
                async for part in parts:
                    await passing.take(part)
                return await passing.end()
            except TooManyWait as error:
                return await _refuse(send, path, Refusal(503, str(error), "server_busy"))
            except ReplicaGone as error:
                logger.warning("pleiad: %s %s: %s", request.method, path, error)
                if passing.begun:
                    return await passing.break_off()
                if not left:
                    text = f"{self._most_tries} replicas ended while they made this answer"
                    return await _refuse(send, path, Refusal(502, text, "replica_gone"))
            finally:
                await parts.aclose()


class _Held:
    """Bytes of one request's body that a front holds."""

    def __init__(self, front: Front) -> None:
        self._front = front
        self._n_bytes = 0

    def take(self, n_bytes: int) -> None:
        """Raises: _Refused."""
        if self._n_bytes + n_bytes > MOST_BODY_BYTES:
            raise _Refused(Refusal(413, f"body: expected {MOST_BODY_BYTES} bytes at most", "too_large"))
        self._front.hold(n_bytes)
        self._n_bytes += n_bytes

    def give_back(self) -> None:
        """All of them."""
        self._front.let_go(self._n_bytes)
        self._n_bytes = 0


class _Passing:
    """An answer on its way to the client."""

    def __init__(self, path: str, send: Send) -> None:
        self._path, self._send = path, send
        self._head: Head | None = None
        self._held: list[bytes] = []
        self._streams = False
        self.begun = False

    async def take(self, part: Head | bytes) -> None:
        if isinstance(part, Head):
            self._head = part
            self._streams = not any(name == "content-length" for name, _ in part.headers)
        elif self._streams:
            await self._begin()
            await self._send({"type": "http.response.body", "body": part, "more_body": True})
        else:
            self._held.append(part)

    async def _begin(self) -> None:
        if self.begun:
            return
        self.begun = True
        assert self._head is not None
        headers = [*self._head.headers, ("x-pleiad-replica", self._head.replica)]
        encoded = [(name.encode("latin-1"), value.encode("latin-1")) for name, value in headers]
        await self._send({"type": "http.response.start", "status": self._head.status, "headers": encoded})

    async def end(self) -> None:
        await self._begin()
        await self._send({"type": "http.response.body", "body": b"".join(self._held), "more_body": False})

    async def break_off(self) -> None:
        """The stream ends with an error of its API: what has come is not all."""
        assert self._head is not None
        content_type = dict(self._head.headers).get("content-type", "")
        problem = Refusal(502, "the replica that made this answer ended; ask again", "replica_gone")
        end = stream_end(self._path, content_type, problem)
        await self._send({"type": "http.response.body", "body": end, "more_body": False})


async def _live(receive: Receive, send: Send) -> None:
    while True:
        message = await receive()
        await send({"type": message["type"] + ".complete"})
        if message["type"] == "lifespan.shutdown":
            return


async def _whole_body(receive: Receive, held: _Held) -> bytes:
    """Raises: Disconnected, _Refused."""
    parts: list[bytes] = []
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise Disconnected
        part = message.get("body", b"")
        held.take(len(part))
        parts.append(part)
        if not message.get("more_body"):
            return b"".join(parts)


async def _until_gone(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


async def _refuse(send: Send, path: str, problem: Refusal) -> None:
    body = error_body(path, problem)
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    if problem.status == 503:
        headers.append((b"retry-after", b"1"))
    await send({"type": "http.response.start", "status": problem.status, "headers": headers})
    await send({"type": "http.response.body", "body": body, "more_body": False})


def _target(scope: MutableMapping[str, Any]) -> str:
    raw = scope.get("raw_path") or scope["path"].encode()
    path = raw.split(b"?")[0].decode("latin-1").removeprefix(scope.get("root_path", "")) or "/"
    query = scope.get("query_string", b"").decode("latin-1")
    return f"{path}?{query}" if query else path


def _forwarded_headers(scope: MutableMapping[str, Any], behind_proxy: bool) -> list[tuple[str, str]]:
    """The client's, and who he is where he is on another machine: the server sees this machine alone, and
    lets other machines in by a key."""
    headers = [(name.decode("latin-1").lower(), _header_text(value)) for name, value in scope["headers"]]
    headers = [pair for pair in without_hop_headers(headers) if pair[0] != "content-length"]
    client = (scope.get("client") or ("unknown",))[0]
    if behind_proxy or not _is_loopback(client):
        headers.append(("x-forwarded-for", client))
    return headers


def _header_text(value: bytes) -> str:
    """Its way to the server is UTF-8, so that bytes that are stay what they are."""
    try:
        return value.decode()
    except UnicodeDecodeError:
        return value.decode("latin-1")


def _is_loopback(address: str) -> bool:
    try:
        return ipaddress.ip_address(address).is_loopback
    except ValueError:
        return False


def _owner(request: Request) -> bytes:
    """Callers with different keys have caches of their own in the server."""
    keys = [value for name, value in request.headers if name in ("authorization", "x-api-key")]
    return hashlib.blake2b("\n".join(keys).encode(), digest_size=16).digest() if keys else b""


def _names(request: Request, value: dict[str, Any]) -> tuple[bytes, ...]:
    try:
        return block_names(prompt_text(value), _owner(request))
    except RecursionError:  # deeper than the server takes
        return ()


def _object(body: bytes) -> dict[str, Any] | None:
    """Of a body that is a JSON object; whether it is a good one the server says."""
    if not body.lstrip()[:1] == b"{":
        return None
    try:
        value = json.loads(body)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


__all__ = ["Front", "TooManyWait"]
