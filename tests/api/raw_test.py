"""The bytes on the wire: names and types of fields, order of the events of streams."""
import json
import re

from conftest import wait_for
from questions import COUNT, COUNTED, TOOL, WEATHER

GREEDY = {"temperature": 0}
DATE = re.compile(r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d)$")
FINAL = {"total_duration": int, "load_duration": int, "prompt_eval_count": int,
         "prompt_eval_cached_count": int, "prompt_eval_duration": int, "eval_count": int,
         "eval_duration": int}


def lines(http, path, body):
    with http.stream("POST", path, json=body) as answer:
        assert answer.status_code == 200
        assert answer.headers["content-type"].startswith("application/x-ndjson")
        return [json.loads(line) for line in answer.iter_lines()]


def events(http, path, body, headers=None):
    """(event, data) of a stream of server-sent events."""
    found, name = [], None
    with http.stream("POST", path, json=body, headers=headers) as answer:
        assert answer.status_code == 200, answer.read()
        assert answer.headers["content-type"].startswith("text/event-stream")
        for line in answer.iter_lines():
            if line.startswith("event: "):
                name = line[7:]
            elif line.startswith("data: "):
                data = line[6:]
                found.append((name, data if data == "[DONE]" else json.loads(data)))
                name = None
            else:
                assert line == ""
    return found


def check_final(part):
    assert part["done"] is True and part["done_reason"] == "stop"
    for name, kind in FINAL.items():
        assert type(part[name]) is kind and part[name] >= 0, name


def test_ollama_chat_lines(http):
    parts = lines(http, "/api/chat", {"model": "demo", "messages": COUNT, "options": GREEDY})
    for part in parts:
        assert part["model"] == "demo"
        assert DATE.match(part["created_at"])
        assert part["message"]["role"] == "assistant"
        assert type(part["message"]["content"]) is str
        assert type(part["done"]) is bool
    for part in parts[:-1]:
        assert part["done"] is False and not set(part) & (set(FINAL) | {"done_reason"})
    assert parts[-1]["message"]["content"] == ""
    check_final(parts[-1])


def test_ollama_generate_lines(http):
    parts = lines(http, "/api/generate", {"model": "demo", "prompt": COUNT[0]["content"], "options": GREEDY})
    assert "".join(part["response"] for part in parts) == COUNTED
    check_final(parts[-1])


def test_ollama_whole_answer(http):
    answer = http.post("/api/chat", json={"model": "demo", "messages": COUNT, "stream": False,
                                          "options": GREEDY})
    assert answer.headers["content-type"] == "application/json; charset=utf-8"
    check_final(answer.json())


def test_ollama_tool_calls_have_arguments_as_objects(http):
    parts = lines(http, "/api/chat", {"model": "demo", "messages": [{"role": "user", "content": WEATHER}],
                                      "tools": [TOOL], "options": GREEDY})
    (call,) = [call for part in parts for call in part["message"].get("tool_calls", [])]
    assert call["function"]["arguments"] == {"city": "Paris"}
    assert re.match(r"^call_[a-z0-9]{8}$", call["id"])


def test_ollama_warns_of_what_it_does_not_know(http):
    answer = http.post("/api/chat", json={"model": "demo", "messages": COUNT, "stream": False,
                                          "options": GREEDY | {"num_gpu": 1, "wibble": 2}}).json()
    assert any("wibble" in warning for warning in answer["warnings"])
    assert any("num_gpu" in warning for warning in answer["warnings"])


def test_ollama_context_error_has_numbers(http):
    answer = http.post("/api/chat", json={"model": "demo", "stream": False, "options": {"num_ctx": 64},
                                          "messages": [{"role": "user", "content": "one two " * 100}]})
    assert answer.status_code == 400
    assert answer.json()["code"] == "context_length_exceeded"
    cut = http.post("/api/chat", json={
        "model": "demo", "stream": False, "truncate": True, "options": GREEDY | {"num_ctx": 160},
        "messages": [{"role": "user", "content": "one two " * 100},
                     {"role": "assistant", "content": "yes"}] + COUNT})
    assert cut.status_code == 200, cut.text
    assert any("drop" in warning for warning in cut.json()["warnings"])


def test_ollama_small_endpoints(http):
    assert http.get("/").text == "Ollama is running"
    assert http.head("/").status_code == 200
    version = http.get("/api/version").json()
    assert tuple(map(int, version["version"].split("."))) >= (0, 13, 4), "what clients ask for"
    assert re.match(r"^\d+\.\d+\.\d+", version["pleiad"])
    model = next(m for m in http.get("/api/tags").json()["models"] if m["name"] == "demo:latest")
    assert model["model"] == "demo:latest" and model["size"] > 0 and DATE.match(model["modified_at"])
    assert re.match(r"^[0-9a-f]{64}$", model["digest"])
    assert set(model["details"]) >= {"parent_model", "format", "family", "families", "parameter_size",
                                     "quantization_level"}
    loaded = next(m for m in http.get("/api/ps").json()["models"] if m["name"] == "demo:latest")
    assert set(loaded) >= {"name", "model", "size", "digest", "details", "expires_at", "size_vram",
                           "context_length"}
    assert http.get("/api/nothing").status_code == 404
    assert http.get("/api/chat").status_code == 405


def test_openai_chunks(http):
    found = events(http, "/v1/chat/completions", {
        "model": "demo", "messages": COUNT, "temperature": 0, "stream": True,
        "stream_options": {"include_usage": True}})
    chunks = [data for _, data in found]
    assert chunks[-1] == "[DONE]"
    *body, usage, _ = chunks
    assert body[0]["choices"][0]["delta"]["role"] == "assistant"
    assert all("role" not in chunk["choices"][0]["delta"] for chunk in body[1:])
    assert [chunk["choices"][0]["finish_reason"] for chunk in body] == [None] * (len(body) - 1) + ["stop"]
    assert body[-1]["choices"][0]["delta"] == {}
    assert usage["choices"] == []
    assert type(usage["usage"]["prompt_tokens_details"]["cached_tokens"]) is int
    assert all(chunk["object"] == "chat.completion.chunk" and chunk["usage"] is None for chunk in body)


def test_openai_tool_call_deltas(http):
    found = events(http, "/v1/chat/completions", {
        "model": "demo", "messages": [{"role": "user", "content": WEATHER}], "tools": [TOOL],
        "temperature": 0, "stream": True})
    deltas = [data["choices"][0]["delta"] for _, data in found if data != "[DONE]" and data["choices"]]
    calls = [call for delta in deltas for call in delta.get("tool_calls", [])]
    assert calls[0]["index"] == 0 and calls[0]["type"] == "function" and calls[0]["id"]
    assert calls[0]["function"]["name"] == "get_weather"
    assert json.loads("".join(call["function"].get("arguments", "") for call in calls)) == {"city": "Paris"}


def test_openai_errors_have_their_envelope(http):
    answer = http.post("/v1/chat/completions", json={"model": "nothing", "messages": COUNT})
    assert answer.status_code == 404
    assert set(answer.json()["error"]) >= {"message", "type", "param", "code"}
    answer = http.post("/v1/chat/completions", content=b"{")
    assert answer.status_code == 400 and "message" in answer.json()["error"]


def test_anthropic_events(http):
    found = events(http, "/v1/messages", {"model": "demo", "messages": COUNT, "max_tokens": 100,
                                          "temperature": 0, "stream": True},
                   {"anthropic-version": "2023-06-01"})
    for name, data in found:
        assert name == data["type"]
    names = [name for name, _ in found if name != "ping"]
    assert names[0] == "message_start" and names[-1] == "message_stop" and names[-2] == "message_delta"
    text = "".join(data["delta"]["text"] for name, data in found if name == "content_block_delta")
    assert text == COUNTED
    answer = http.post("/v1/messages", json={"model": "nothing", "messages": COUNT, "max_tokens": 5},
                       headers={"anthropic-version": "2023-06-01"})
    assert answer.json()["type"] == "error" and answer.json()["error"]["type"] == "not_found_error"


def test_metrics_health_and_request_ids(http):
    assert http.get("/health").json()["status"] == "ok"
    answer = http.post("/api/chat", json={"model": "demo", "messages": COUNT, "stream": False},
                       headers={"X-Request-Id": "mine-42"})
    assert answer.headers["x-request-id"] == "mine-42"
    metrics = http.get("/metrics")
    assert metrics.headers["content-type"].startswith("text/plain")
    for name in ("pleiad_http_requests_total", "pleiad_tokens_total", "pleiad_time_to_first_token_seconds_bucket",
                 "pleiad_time_between_tokens_seconds_bucket", "pleiad_kv_bytes", "pleiad_model_loads_total",
                 "pleiad_answers_running", "pleiad_resident_memory_bytes"):
        assert f"\n{name}" in metrics.text, name


def test_the_log_has_one_access_line_a_request_and_no_prompts(server, http):
    http.post("/api/chat", json={"model": "demo", "stream": False, "options": {"num_predict": 1},
                                 "messages": [{"role": "user", "content": "a secret prompt"}]},
              headers={"X-Request-Id": "one-line"})

    def lines():
        return [line for line in server.text().splitlines()
                if "msg=\"request\"" in line and "request=one-line" in line]

    # It is written once the answer has gone, so the client may be here before.
    assert wait_for(lines)
    # One more request: by the time that its line is there, a second one of the first would be.
    http.get("/health", headers={"X-Request-Id": "another"})
    assert wait_for(lambda: "request=another" in server.text())
    assert len(lines()) == 1
    assert "a secret prompt" not in server.text()
