"""Who may call, and from where."""
import json
import os
import socket
import subprocess

import httpx
import pytest
from conftest import PROGRAM
from questions import COUNT


def test_foreign_hosts_and_origins_are_refused(http):
    assert http.get("/api/tags").status_code == 200
    assert http.get("/api/tags", headers={"Host": "evil.example"}).status_code == 403
    assert http.get("/api/tags", headers={"Origin": "http://evil.example"}).status_code == 403
    plain = http.post("/api/generate", content=json.dumps({"model": "demo", "prompt": "x"}),
                      headers={"Origin": "http://evil.example", "Content-Type": "text/plain"})
    assert plain.status_code == 403
    allowed = http.get("/api/tags", headers={"Origin": "http://localhost:3000"})
    assert allowed.headers["access-control-allow-origin"] == "http://localhost:3000"


def test_a_listed_origin_may_call(start_server):
    running = start_server(environment={"OLLAMA_ORIGINS": "https://chat.example"})
    answer = httpx.options(running.url + "/api/chat", headers={
        "Origin": "https://chat.example", "Access-Control-Request-Method": "POST",
        "Access-Control-Request-Headers": "content-type"})
    assert answer.status_code in (200, 204)
    assert answer.headers["access-control-allow-origin"] == "https://chat.example"


def test_keys_and_their_scopes(start_server, tmp_path):
    (tmp_path / "use").write_text("use-key-1\n# a comment\nuse-key-2\n")
    (tmp_path / "admin").write_text("admin-key\n")
    running = start_server("--api-key-file", str(tmp_path / "use"), "--admin-key-file",
                           str(tmp_path / "admin"))
    with httpx.Client(base_url=running.url) as client:
        def status(key, method="GET", path="/api/tags", **options):
            headers = {"Authorization": f"Bearer {key}"} if key else {}
            return client.request(method, path, headers=headers, **options).status_code

        assert status(None) == 401
        assert status("wrong") == 401
        assert status("use-key-2") == 200
        assert client.get("/api/tags", headers={"x-api-key": "use-key-1"}).status_code == 200
        assert status(None, path="/health") == 200
        gone = {"json": {"model": "nothing"}}
        assert status("use-key-1", "DELETE", "/api/delete", **gone) == 403
        assert status("admin-key", "DELETE", "/api/delete", **gone) == 404
    assert "use-key" not in running.text() and "admin-key" not in running.text().replace(
        "--admin-key-file", "")


def run_command(*words, **environment):
    base = {k: v for k, v in os.environ.items() if not k.startswith(("PLEIAD_", "OLLAMA_"))}
    return subprocess.run([PROGRAM, *words], capture_output=True, text=True, timeout=120,
                          stdin=subprocess.DEVNULL, env=base | environment)


def test_commands_say_which_key_a_server_asks_for(start_server, tmp_path):
    running = start_server("--api-key", "right-key")
    where = {"PLEIAD_HOST": running.url.removeprefix("http://"), "HOME": str(tmp_path)}
    commands = (("run", "demo", "Count from 1 to 4", "--temperature", "0"), ("ps",), ("stop", "demo"))
    for words in commands:
        missing = run_command(*words, **where)
        assert missing.returncode == 1 and missing.stdout == "", words
        assert f"{running.url} asks for a key" in missing.stderr and "PLEIAD_API_KEY" in missing.stderr
        wrong = run_command(*words, **where, PLEIAD_API_KEY="wrong-key")
        assert wrong.returncode == 1 and "does not know the key in PLEIAD_API_KEY" in wrong.stderr
        assert "wrong-key" not in wrong.stderr
    assert "--local" in run_command(*commands[0], **where).stderr
    here = run_command(*commands[0], "--local", **where)
    assert here.stdout.strip() == "1, 2, 3, 4", here.stderr
    there = run_command(*commands[0], "--verbose", **where, PLEIAD_API_KEY="right-key")
    assert there.stdout.strip() == "1, 2, 3, 4" and running.url in there.stderr
    assert "demo:latest" in run_command("ps", **where, PLEIAD_API_KEY="right-key").stdout


def test_slashes_open_nothing(start_server, tmp_path):
    (tmp_path / "use").write_text("use-key\n")
    (tmp_path / "admin").write_text("admin-key\n")
    running = start_server("--api-key-file", str(tmp_path / "use"), "--admin-key-file",
                           str(tmp_path / "admin"))
    address = running.url.removeprefix("http://").split(":")

    def status(method, path, key=None, host="localhost"):
        with socket.create_connection((address[0], int(address[1])), timeout=30) as client:
            body = '{"model": "nothing"}'
            client.sendall(f"{method} {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n"
                           f"{f'x-api-key: {key}' if key else 'X-None: x'}\r\n"
                           f"Content-Length: {len(body)}\r\n\r\n{body}".encode())
            return int(client.recv(4096).split(b" ")[1])

    for path in ("//api/delete", "/api//delete/", "/api/delete/", "////api////delete////"):
        assert status("DELETE", path) == 401, path
        assert status("DELETE", path, "use-key") == 403, path
        assert status("DELETE", path, "admin-key") == 404, path
    for path in ("/%2Fapi/delete", "/api/delete%2F", "/api%2F%2Fdelete"):
        assert status("DELETE", path, "use-key") == 404, path
    for path in ("/api/../api/delete", "//../api/delete", "/%2e%2e/api/delete", "/health/../api/delete",
                 "/health//..//api//delete", "/./api/delete/"):
        assert status("DELETE", path, "admin-key") == 400, path
    # As what is served without a key, nothing else is.
    assert status("GET", "//health//") == 200
    assert status("GET", "/health//api/tags") == 404
    assert status("GET", "//api//tags//") == 401


@pytest.mark.parametrize("flags, key", [
    (("--insecure",), None), (("--api-key", "the-key"), "the-key"),
    (("--trusted-proxy", "127.0.0.1", "--api-key", "the-key"), "the-key")])
def test_folders_of_the_server_are_its_own(start_server, tmp_path, flags, key):
    folder = tmp_path / "secret-folder"
    (folder / "below").mkdir(parents=True)
    (folder / "below" / "cut.gguf").write_bytes(b"GGUF")
    running = start_server(*flags, environment={"PLEIAD_MODEL_FOLDERS": str(folder)})
    headers = {"x-api-key": key} if key else {}
    with httpx.Client(base_url=running.url, headers=headers) as client:
        for model in ("nothing", "cut"):
            question = {"model": model, "messages": [{"role": "user", "content": "x"}], "max_tokens": 4}
            answers = [client.post("/api/chat", json={"model": model, "messages": question["messages"]}),
                       client.post("/api/show", json={"model": model}),
                       client.post("/api/embed", json={"model": model, "input": "x"}),
                       client.post("/v1/chat/completions", json=question),
                       client.get("/v1/models/" + model),
                       client.post("/v1/messages", json=question)]
            for answer in answers:
                assert answer.status_code >= 400 or "cut" in answer.text
                assert "secret-folder" not in answer.text, (model, answer.url, answer.text)
        assert "secret-folder" not in client.get("/api/tags").text
        shown = client.post("/api/show", json={"model": "demo"}).json()
        assert "FROM demo" in shown["modelfile"] and "pleiad-demo.gguf" not in json.dumps(shown)


def test_folders_are_told_where_everybody_is_local(start_server, tmp_path):
    running = start_server(environment={"PLEIAD_MODEL_FOLDERS": str(tmp_path / "mine")}, preload=())
    for path, body in (("/api/show", {"model": "nothing"}), ("/v1/completions", {"model": "nothing", "prompt": "x"})):
        answer = httpx.post(running.url + path, json=body)
        assert answer.status_code == 404 and str(tmp_path / "mine") in answer.text


def test_no_server_for_everybody_without_a_key(tmp_path):
    done = subprocess.run([PROGRAM, "serve", "--host", "0.0.0.0:0"], capture_output=True, text=True,
                          timeout=60, env={"HOME": str(tmp_path)})
    assert done.returncode == 1
    assert "--api-key-file" in done.stderr and "--insecure" in done.stderr


@pytest.mark.parametrize("body", [
    b"", b"{", b"[]", b"null", b'"x"', b'{"model": 1}', b'{"model": "demo", "messages": 5}',
    b'{"model": "demo", "messages": [5]}', b'{"model": "demo", "messages": [{"role": "user"}], "options": 5}',
    b"[" * 100_000, b'{"a":' * 5000, b'\xff\xfe{"model": "demo"}', b'{"model": "\xff"}',
    b'{"model": "../../etc/passwd", "messages": [{"role": "user", "content": "x"}]}',
    b'{"model": "demo", "options": {"num_ctx": 1e300}, "messages": [{"role": "user", "content": "x"}]}',
    b'{"model": "demo", "options": {"num_predict": -99999999999}, "messages": []}',
    b'{"model": "demo", "logprobs": true, "top_logprobs": 21, "messages": [{"role": "user", "content": "x"}]}',
])
@pytest.mark.parametrize("path", ["/api/chat", "/api/generate", "/v1/chat/completions", "/v1/responses",
                                  "/v1/messages", "/api/embed", "/api/show", "/api/create"])
def test_bad_bodies_get_an_error_and_nothing_breaks(http, path, body):
    answer = http.post(path, content=body)
    if answer.status_code == 200 and may_be_fine(path, body):
        return
    assert 400 <= answer.status_code < 500, answer.text
    assert "error" in answer.json()
    assert "root:" not in answer.text


def may_be_fine(path, body):
    """Objects that name a model: Ollama's endpoints name the fields that they do not know in warnings,
    and for some of them what is left is a request."""
    return path in ("/api/show", "/api/generate", "/api/embed") and body.startswith(b'{"model": "')


def test_a_turn_of_thoughts_alone(http):
    thoughts = {"role": "assistant", "content": [{"type": "thinking", "thinking": ""}]}
    body = {"model": "demo", "max_tokens": 4, "messages": [thoughts]}
    assert http.post("/v1/messages", json=body).status_code == 200
    body["messages"].append({"role": "user", "content": "x"})
    assert http.post("/v1/messages", json=body).status_code == 200


def test_more_calls_than_a_context_holds(http):
    calls = [{"id": f"c{i}", "function": {"name": "f"}} for i in range(20_000)]
    results = [{"role": "tool", "tool_call_id": "c19999", "content": ""}] * 5_000
    answer = http.post("/v1/chat/completions", json={
        "model": "demo", "messages": [{"role": "assistant", "tool_calls": calls}, *results]})
    assert answer.status_code == 400
    assert answer.json()["error"]["code"] == "context_length_exceeded"


def test_blobs_with_hostile_digests(http):
    for digest in ("sha256:..%2f..%2fetc%2fpasswd", "sha256:" + "g" * 64, "md5:" + "0" * 32, "x"):
        assert http.head("/api/blobs/" + digest).status_code in (400, 404)
        assert http.post("/api/blobs/" + digest, content=b"x").status_code in (400, 404)
    assert http.post("/api/blobs/sha256:" + "0" * 64, content=b"x").status_code == 400
    assert http.head("/api/blobs/sha256:" + "0" * 64).status_code == 404


def test_the_server_is_well_after_all_this(http):
    answer = http.post("/api/chat", json={"model": "demo", "messages": COUNT, "stream": False,
                                          "options": {"temperature": 0}})
    assert answer.status_code == 200 and answer.json()["message"]["content"].startswith("1, 2, 3")


def test_who_comes_through_a_proxy_is_not_local(start_server, server, http, tmp_path):
    forwarded = {"X-Forwarded-For": "203.0.113.9"}
    refused = http.get("/api/tags", headers=forwarded)
    assert refused.status_code == 403 and "--trusted-proxy" in refused.json()["error"]
    assert http.get("/health", headers={"Via": "1.1 proxy"}).status_code == 200
    (tmp_path / "use").write_text("use-key\n")
    running = start_server("--api-key-file", str(tmp_path / "use"), "--trusted-proxy", "10.0.0.0/8",
                           "--trusted-proxy", "127.0.0.1", "--log-level", "info")
    key = {"x-api-key": "use-key"}
    gone = {"json": {"model": "nothing"}}
    with httpx.Client(base_url=running.url, headers=key) as client:
        assert client.get("/api/version", headers=forwarded).status_code == 200
        for headers in ({}, forwarded, {"X-Forwarded-For": "127.0.0.1"}):
            assert client.request("DELETE", "/api/delete", headers=headers, **gone).status_code == 403
        path = client.post("/api/show", json={"model": "/etc/hostname"})
        assert path.status_code == 404 and "paths cannot be given here" in path.text
    assert "peer=203.0.113.9 " in running.text()


def test_a_proxy_needs_a_key_or_an_explicit_word(tmp_path):
    done = subprocess.run([PROGRAM, "serve", "--host", "127.0.0.1:0", "--trusted-proxy", "127.0.0.1"],
                          capture_output=True, text=True, timeout=60, env={"HOME": str(tmp_path)})
    assert done.returncode == 1
    assert "--trusted-proxy = 127.0.0.1" in done.stderr and "--insecure" in done.stderr


def test_a_rebound_name_reads_nothing_where_nobody_has_a_key(start_server):
    running = start_server("--host", "0.0.0.0:0", "--insecure", "--allowed-hosts", "llm.example",
                           preload=())
    port = running.url.rsplit(":", 1)[1]
    with httpx.Client(base_url=f"http://127.0.0.1:{port}") as client:
        def status(host):
            return client.get("/api/tags", headers={"Host": host}).status_code

        assert status("rebound.example:" + port) == 403
        for host in ("127.0.0.1", "203.0.113.9:" + port, "[2001:db8::1]", "gpubox", "llm.example"):
            assert status(host) == 200, host


@pytest.mark.parametrize("method, path, most", [
    ("POST", "/api/show", 64 << 10), ("POST", "/api/copy", 64 << 10), ("DELETE", "/api/delete", 64 << 10),
    ("POST", "/api/pull", 64 << 10), ("GET", "/api/tags", 16 << 10), ("POST", "/api/create", 4 << 20),
    ("POST", "/api/embed", 8 << 20), ("POST", "/v1/embeddings", 8 << 20),
    ("POST", "/v1/messages/count_tokens", 64 << 20), ("POST", "/api/chat", 64 << 20),
    ("POST", "/v1/chat/completions", 64 << 20), ("POST", "/v1/responses", 64 << 20)])
def test_a_body_is_refused_from_its_length(server, method, path, most):
    # The head alone: nobody has to send what is refused.
    address = server.url.removeprefix("http://").split(":")
    for length, wanted in ((most + 1, b" 413 "), (most, b"")):
        with socket.create_connection((address[0], int(address[1])), timeout=30) as client:
            client.sendall(f"{method} {path} HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\n"
                           f"Content-Length: {length}\r\n\r\n".encode())
            line = client.recv(4096).split(b"\r\n")[0]
            assert (wanted in line) if wanted else b" 100 " in line, (path, length, line)
