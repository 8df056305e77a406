"""What the front and a replica say to each other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

# Of one connection alone: they are the transport's, not the message's.
HOP_HEADERS = frozenset(
    "connection keep-alive proxy-authenticate proxy-authorization proxy-connection "
    "te trailer transfer-encoding upgrade".split()
)


class ReplicaGone(Exception):
    """The replica that a request was given to has ended, or its server did not answer to the end."""


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


def without_hop_headers(headers: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    """Without those of the connection, and those that it names.

    Args:
        headers: names in small letters, and values.
    """
    named = {part.strip().lower() for name, value in headers if name == "connection" for part in value.split(",")}
    return [(name, value) for name, value in headers if name not in HOP_HEADERS and name not in named]


__all__ = ["HOP_HEADERS", "Head", "ReplicaGone", "Request", "without_hop_headers"]
