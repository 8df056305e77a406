"""Which replica has the beginning of a prompt: by the text of requests, without their tokens.

A request's text is cut into blocks, each named by a hash of all text up to its end, so that two requests
have as many first names in common as blocks of their texts are equal. An index remembers which replica was given which names.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
from collections import OrderedDict
from collections.abc import Hashable, Mapping, Sequence
from typing import Any, Generic, TypeVar

BLOCK_BYTES = 256
MOST_BLOCKS = 1024  # of one request: what is behind 256 KiB is not looked at

# What a prompt is made of, in the order in which templates place it.
_FIELDS = ("tools", "functions", "system", "instructions", "messages", "input", "prompt")

Replica = TypeVar("Replica", bound=Hashable)


def prompt_text(body: Mapping[str, Any]) -> bytes:
    """What of a request decides its prompt, in the prompt's order. A conversation that goes on begins
    with the text that it had before; empty where the request has no prompt.

    Returns: 256 KiB at most.

    Raises: RecursionError where it is deeper than Python goes, some 900 levels.
    """
    fields = [field for field in _FIELDS if body.get(field)]
    if not fields:
        return b""
    text = _Text(BLOCK_BYTES * MOST_BLOCKS)
    with contextlib.suppress(_Full):
        text.add_value(body.get("model"))
        for field in fields:
            text.add_value(body[field])
    return b"".join(text.parts)


class _Full(Exception):
    """What follows is not looked at."""


class _Text:
    """The beginning of values as text, made in time that its size bounds, not theirs.

    Attributes:
        parts: of it.
    """

    def __init__(self, most_bytes: int) -> None:
        self.parts: list[bytes] = []
        self._left = most_bytes

    def _add(self, text: str) -> None:
        part = text[: self._left].encode("utf-8", "surrogatepass")[: self._left]
        self.parts.append(part)
        self._left -= len(part)
        if not self._left:
            raise _Full

    def add_value(self, value: Any) -> None:
        if isinstance(value, list):  # without a bracket at its end, which moves
            for item in value:
                self._add("\x1e")
                self.add_value(item)
        elif isinstance(value, dict):
            self._add("{")
            for key, item in value.items():
                self.add_value(key)
                self._add(":")
                self.add_value(item)
                self._add(",")
            self._add("}")
        elif isinstance(value, str):
            self._add(json.dumps(value[: self._left], ensure_ascii=False))
        else:
            self._add(json.dumps(value))


def block_names(text: bytes, owner: bytes = b"") -> tuple[bytes, ...]:
    """The names of a text's whole blocks, 16 bytes each, the first 1,024 at most.

    Args:
        text: prompt_text().
        owner: whose it is, where callers' caches are apart: texts of two owners have no name in common.
    """
    running = hashlib.blake2b(owner, digest_size=16)
    names = []
    for end in range(BLOCK_BYTES, min(len(text), BLOCK_BYTES * MOST_BLOCKS) + 1, BLOCK_BYTES):
        running.update(text[end - BLOCK_BYTES : end])
        names.append(running.digest())
    return tuple(names)


class PrefixIndex(Generic[Replica]):
    """Which replicas were given which beginnings. The names that were used least recently are forgotten;
    what a replica's own cache dropped is not known here, and costs a computation, no more."""

    def __init__(self, most_names: int = 262_144) -> None:
        self._most_names = most_names
        self._holders: OrderedDict[bytes, set[Replica]] = OrderedDict()

    def __len__(self) -> int:
        return len(self._holders)

    def add(self, names: Sequence[bytes], replica: Replica) -> None:
        """A replica was given a text. The last of its blocks are the first to be forgotten."""
        for name in reversed(names):
            self._holders.setdefault(name, set()).add(replica)
            self._holders.move_to_end(name)
        while len(self._holders) > self._most_names:
            self._holders.popitem(last=False)

    def remove(self, replica: Replica) -> None:
        """A replica is gone, and its cache with it."""
        for name in [name for name, holders in self._holders.items() if replica in holders]:
            holders = self._holders[name]
            holders.discard(replica)
            if not holders:
                del self._holders[name]

    def matched(self, names: Sequence[bytes]) -> dict[Replica, int]:
        """Bytes of the beginning that each replica has, of those that have some."""
        found: dict[Replica, int] = {}
        having: set[Replica] | None = None
        for number, name in enumerate(names, 1):
            holders = self._holders.get(name, set())
            having = set(holders) if having is None else having & holders
            if not having:
                break
            for replica in having:
                found[replica] = number * BLOCK_BYTES
        return found

    def rank(self, names: Sequence[bytes], loads: Mapping[Replica, int], worth_bytes: int, slack: int) -> list[Replica]:
        """Replicas, the one to ask first.

        A replica counts as loaded by the requests that it has, less one for each `worth_bytes` of the
        beginning that it holds, less `slack` of them at most: so none is preferred that has more than `slack`
        requests more than the least loaded. Among equals goes who holds more, then who a hash of the
        text's first block says, so that several routers that know nothing agree.

        Args:
            names: block_names() of the request.
            loads: requests of each replica.
        """
        matched = self.matched(names)
        first = names[0] if names else b""

        def place(replica: Replica) -> tuple[float, int, bytes]:
            held = matched.get(replica, 0)
            draw = hashlib.blake2b(first + str(replica).encode(), digest_size=8).digest() if first else b""
            return loads[replica] - min(held / worth_bytes, slack), -held, draw

        return sorted(loads, key=place)
