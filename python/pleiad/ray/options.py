"""What is checked of the arguments of pleiad.ray before anything is started. Knows no Ray."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..errors import RequestError

# Of the router by beginnings: what each is unless told, and the least that it can be.
_ROUTER = {"worth_bytes": (2048, 1), "slack": (8, 0), "most_names": (262_144, 1)}


def request_error(field: str, problem: str) -> RequestError:
    """A RequestError that names its field."""
    error = RequestError(f"{field}: {problem}")
    error.field = field
    return error


def at_least(least: int, **values: int) -> None:
    """Raises: RequestError where one is no integer, or less."""
    for name, value in values.items():
        if not isinstance(value, int) or isinstance(value, bool) or value < least:
            raise request_error(name, f"expected an integer of {least} at least, found {value!r}")


def prefix_router_options(given: Mapping[str, Any]) -> dict[str, int]:
    """All options of the router by beginnings (pleiad.ray.router says what they are).

    Raises: RequestError where there is none of a name, or a value is out of range.
    """
    for name in given:
        if name not in _ROUTER:
            raise request_error(name, f"there is no such option of the router; known are {', '.join(_ROUTER)}")
    found: dict[str, int] = {}
    for name, (usual, least) in _ROUTER.items():
        found[name] = given.get(name, usual)
        at_least(least, **{name: found[name]})
    return found


__all__ = ["at_least", "prefix_router_options", "request_error"]
