"""What the front lets through, and in which form it says no: rules of several replicas behind one
address. All else is the server's own."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

MOST_BODY_BYTES = 64 << 20  # as the server's own limit

_ONE_REPLICA = (
    ("/api/pull", "/api/push", "/api/create", "/api/copy", "/api/delete", "/api/blobs"),
    "models are managed on the nodes (pleiad pull): this request would change one replica of several",
)
# Where nothing is asked, {"model": "demo", "keep_alive": 0} is to unload it.
_ASKED = {"/api/generate": "prompt", "/api/chat": "messages"}
_METRICS = "each replica has its own; Ray has those of the deployment"
_RESPONSES = (
    "a response is kept by the one replica that made it: send the whole conversation as input, "
    "without previous_response_id and background"
)


@dataclass(frozen=True)
class Refusal:
    """Why a request goes to no replica."""

    status: int
    text: str
    code: str


def refusal(method: str, path: str, body: Mapping[str, Any] | None) -> Refusal | None:
    """What cannot be asked of several replicas; None: it can.

    Args:
        method: "GET", ...
        path: as the server sees it, "/v1/responses".
        body: a JSON object that was read; None where there is none, or something else.
    """
    path = "/" + "/".join(part for part in path.split("/") if part)
    folders, why = _ONE_REPLICA
    if any(path == folder or path.startswith(folder + "/") for folder in folders):
        return Refusal(501, why, "not_supported")
    if path == "/metrics":
        return Refusal(501, _METRICS, "not_supported")
    asked = _ASKED.get(path)
    if asked and body and not body.get(asked) and _is_zero(body.get("keep_alive")):
        return Refusal(501, why, "not_supported")
    if path.startswith("/v1/responses/") and path not in ("/v1/responses/input_tokens", "/v1/responses/compact"):
        return Refusal(501, _RESPONSES, "not_supported")
    if path.startswith("/v1/responses") and body and (body.get("previous_response_id") or body.get("background")):
        return Refusal(400, _RESPONSES, "not_supported")
    return None


def _is_zero(keep_alive: Any) -> bool:
    """0, "0", "0s", "0m0s"."""
    if isinstance(keep_alive, str):
        return re.fullmatch(r"[+-]?\.?0[0.a-zµ]*", keep_alive) is not None
    return isinstance(keep_alive, (int, float)) and not isinstance(keep_alive, bool) and keep_alive == 0


def error_body(path: str, problem: Refusal) -> bytes:
    """JSON of an error, as the API of that path has it: OpenAI's, Anthropic's or Ollama's."""
    kind = "invalid_request_error" if problem.status < 500 or problem.status == 501 else "server_error"
    if path.startswith("/v1/messages"):
        kind = "api_error" if kind == "server_error" else kind
        kind = "overloaded_error" if problem.status == 503 else kind
        value: dict[str, Any] = {"type": "error", "error": {"type": kind, "message": problem.text}}
    elif path.startswith("/v1/"):
        value = {"error": {"message": problem.text, "type": kind, "param": None, "code": problem.code}}
    else:
        value = {"error": problem.text}
    return json.dumps(value).encode()


def stream_end(path: str, content_type: str, problem: Refusal) -> bytes:
    """What ends a stream that had begun, so that no client takes it for whole."""
    body = error_body(path, problem)
    if not content_type.startswith("text/event-stream"):
        return body + b"\n"
    return (b"event: error\n" if path.startswith("/v1/messages") else b"") + b"data: " + body + b"\n\n"
