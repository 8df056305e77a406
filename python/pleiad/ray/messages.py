"""What the front and a replica say to each other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

# Of one connection alone: they are the transport's, not the message's.
HOP_HEADERS = frozenset(
    "connection keep-alive proxy-authenticate proxy-authorization te trailer transfer-encoding upgrade".split()
)


@dataclass(frozen=True)
class Request:
    """A request as it came to the front.

    Attributes:
        method: "POST".
        target: path and query, as they came: "/v1/models?x=1".
        headers: names in small letters, and values.
        body: all of it.
    """

    method: str
    target: str
    headers: Sequence[tuple[str, str]]
    body: bytes


@dataclass(frozen=True)
class Head:
    """The beginning of an answer.

    Attributes:
        status: 200.
        headers: as the server wrote them, names in small letters, without those of the connection.
        replica: which one answers.
    """

    status: int
    headers: Sequence[tuple[str, str]]
    replica: str


__all__ = ["HOP_HEADERS", "Head", "Request"]
