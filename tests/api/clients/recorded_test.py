"""What clients send that cannot be installed for a test, request by request, in their order.

Each file of recorded/ says where its requests come from. Names, order and kinds of the fields are the client's;
texts are ours, short enough for the demo model. `answer`, `each` and `last` are what the client reads of an answer,
as schemas: what it would fail without is required, with the type that it takes.
"""
import json
import pathlib
import re

import jsonschema
import pytest

FOLDER = pathlib.Path(__file__).parent / "recorded"
FILES = sorted(FOLDER.glob("*.json"))


def load(path):
    return json.loads(path.read_text())


def fill(value, names):
    """The value with each string that is one of `names` replaced by what it stands for."""
    if isinstance(value, dict):
        return {key: fill(one, names) for key, one in value.items()}
    if isinstance(value, list):
        return [fill(one, names) for one in value]
    return names.get(value, value) if isinstance(value, str) else value


def read_events(answer):
    """(name, data) of server-sent events; `[DONE]` is a name without data."""
    assert answer.headers["content-type"].startswith("text/event-stream")
    found = []
    for block in answer.text.split("\n\n"):
        lines = dict(line.split(": ", 1) for line in block.splitlines() if ": " in line)
        if lines.get("data") == "[DONE]":
            found.append(("[DONE]", None))
        elif "data" in lines:
            data = json.loads(lines["data"])
            found.append((lines["event"] if "event" in lines else kind_of_chunk(data), data))
    return [(name, data) for name, data in found if name != "ping"]


def kind_of_chunk(chunk):
    """Chunks of Chat Completions have no names: what a client looks for in them."""
    if not chunk["choices"]:
        return "usage"
    (choice,) = chunk["choices"]
    if choice["finish_reason"]:
        return "finish"
    return next((key for key in ("tool_calls", "role", "reasoning_content", "content") if key in choice["delta"]), "empty")


def without_repetition(names):
    return [name for i, name in enumerate(names) if i == 0 or names[i - 1] != name]


def text_of(parts):
    """What a person would read of an answer, in whichever form it came."""
    text = ""
    for part in parts:
        if part is None:
            continue
        if "message" in part and isinstance(part["message"], dict):  # /api/chat
            text += part["message"].get("content") or ""
        elif "response" in part and isinstance(part["response"], str):  # /api/generate
            text += part["response"]
        for choice in part.get("choices", []):
            text += choice.get("delta", choice.get("message", {})).get("content") or ""
        if part.get("type") == "response.output_text.delta":
            text += part["delta"]
        if part.get("type") == "content_block_delta":
            text += part["delta"].get("text", "")
        if part.get("type") == "message":
            text += "".join(block.get("text", "") for block in part["content"])
    return text


def check(value, schema, what):
    try:
        jsonschema.validate(value, schema)
    except jsonschema.ValidationError as error:
        raise AssertionError(f"{what}: {error.message} at {error.json_path} of {json.dumps(value)[:1000]}") from error


def replay(http, step, names):
    body = fill(step["body"], names) if "body" in step else None
    answer = http.request(step["method"], step["path"], json=body, headers=step.get("headers"))
    what = f"{step['method']} {step['path']} ({step['does']})"
    assert answer.status_code == step.get("status", 200), f"{what}: {answer.status_code} {answer.text[:1000]}"
    kind = answer.headers.get("content-type", "")
    if kind.startswith("text/event-stream"):
        found = read_events(answer)
        if "events" in step:
            assert without_repetition([name for name, _ in found]) == step["events"], what
        for name, data in found:
            if name in step.get("each", {}):
                check(data, fill(step["each"][name], names), f"{what}, {name}")
        parts = [data for _, data in found]
        check(parts[-1], step.get("last", {}), what)
    elif kind.startswith("application/x-ndjson"):
        parts = [json.loads(line) for line in answer.text.splitlines()]
        for part in parts:
            check(part, fill(step.get("each", {}), names), what)
        check(parts[-1], fill(step.get("last", {}), names), what)
    else:
        parts = [answer.json()] if answer.content else []
        check(parts[0] if parts else None, fill(step.get("answer", {}), names), what)
    if "text" in step:
        assert text_of(parts) == step["text"], what
    if "contains" in step:
        assert step["contains"] in text_of(parts), what
    if "warns" in step:
        for name in step["warns"]:
            assert name in answer.headers.get("x-pleiad-warnings", ""), f"{what}: no word of {name}"
    return parts


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_replay(http, greedy, path):
    recorded = load(path)
    names = {"$MODEL": greedy + ":latest", "$NAME": greedy} | recorded.get("names", {})
    for step in recorded["steps"]:
        replay(http, step, names)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_every_file_says_where_it_comes_from(path):
    recorded = load(path)
    assert {"client", "version", "source", "how", "settings", "steps"} <= set(recorded)
    assert recorded["how"] in ("read in the source", "recorded from the program")
    table = (pathlib.Path(__file__).parents[3] / "docs/clients.md").read_text()
    assert any(word in table for word in re.split(r"[ (]", recorded["version"]) if re.search(r"\d", word))
    assert all({"does", "method", "path"} <= set(step) for step in recorded["steps"])


def test_the_table_has_the_versions_that_are_tried():
    api = pathlib.Path(__file__).parents[1]
    table = (api.parents[1] / "docs/clients.md").read_text()
    tools_of_ours = {"jsonschema", "pytest", "schemathesis"}
    for line in (api / "requirements.txt").read_text().splitlines():
        if "==" in line:
            name, version = re.split(r"(?:\[.*\])?==", line)
            assert name in tools_of_ours or re.search(rf"{re.escape(name)}`?\)? .*\| {re.escape(version)} \|", table), line
