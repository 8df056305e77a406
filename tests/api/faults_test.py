"""Clients that misbehave, files that go away, signals: the server stays up and right."""
import concurrent.futures
import json
import os
import pathlib
import select
import shutil
import signal
import socket
import threading
import time
import urllib.parse

import httpx
import ollama
import pytest
from conftest import wait_for
from questions import COUNT, COUNTED, LONG

MODEL = "demo"
GREEDY = {"temperature": 0}


def open_socket(url):
    place = urllib.parse.urlsplit(url)
    return socket.create_connection((place.hostname, place.port), timeout=60)


def request_bytes(path, body):
    payload = json.dumps({"model": MODEL, "messages": LONG} | body).encode()
    return (f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
            f"Content-Length: {len(payload)}\r\n\r\n").encode() + payload


def endless(**fields):
    """A stream that ends with the context: no token that ends a turn can come."""
    return request_bytes("/v1/chat/completions", {
        "stream": True, "temperature": 2, "seed": 3,
        "logit_bias": {"1": -100, "106": -100, "50": -100}} | fields)


def running_answers(http):
    lines = [line for line in http.get("/metrics").text.splitlines()
             if line.startswith("pleiad_answers_running{")]
    return sum(float(line.rsplit(" ", 1)[1]) for line in lines)


def is_well(http):
    answer = http.post("/api/chat", json={"model": MODEL, "messages": COUNT, "stream": False,
                                          "options": GREEDY})
    assert answer.status_code == 200
    assert answer.json()["message"]["content"] == COUNTED


def test_a_client_that_vanishes_frees_its_place(server, http):
    clients = []
    for _ in range(8):
        one = open_socket(server.url)
        one.sendall(endless())
        one.recv(100)
        clients.append(one)
    for one in clients:
        one.close()
    assert wait_for(lambda: running_answers(http) == 0)
    is_well(http)


def test_a_client_that_vanishes_without_streaming_is_noticed_too(server, http):
    one = open_socket(server.url)
    one.sendall(endless(stream=False))
    assert wait_for(lambda: running_answers(http) == 1)
    one.close()
    assert wait_for(lambda: running_answers(http) == 0)


def test_a_client_that_never_reads_stops_nobody(server, http):
    deaf = open_socket(server.url)
    deaf.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1024)
    deaf.sendall(endless())
    is_well(http)
    deaf.close()
    assert wait_for(lambda: running_answers(http) == 0)


def test_a_request_byte_by_byte_is_answered(server):
    with open_socket(server.url) as slow:
        for byte in b"GET /api/version HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n":
            slow.sendall(bytes([byte]))
        assert b'"version"' in read_all(slow)


def read_all(one):
    data = b""
    while piece := one.recv(65536):
        data += piece
    return data


@pytest.mark.parametrize("garbage", [
    b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"\x00" * 200,
    b"GET\r\n\r\n", b"\x00" * 1000, b"GET / HTTP/9.9\r\n\r\n",
    b"POST /api/chat HTTP/1.1\r\nHost: localhost\r\nContent-Length: -5\r\n\r\n",
    b"POST /api/chat HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999999999999999999\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: localhost\r\n" + b"".join(b"X-%d: y\r\n" % i for i in range(10_000)) + b"\r\n",
    b"GET /" + b"a" * 100_000 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n",
])
def test_garbage_is_refused(server, http, garbage):
    with open_socket(server.url) as one:
        try:
            one.sendall(garbage)
            one.shutdown(socket.SHUT_WR)
            answer = read_all(one)
        except ConnectionError:
            answer = b""
    assert answer == b"" or b" 40" in answer.split(b"\r\n")[0] or b" 43" in answer.split(b"\r\n")[0] \
        or b" 41" in answer.split(b"\r\n")[0] or b" 505" in answer.split(b"\r\n")[0]
    is_well(http)


def test_long_hostile_bodies_stop_nobody(server, http):
    body = b'{"model":"demo","x":[' + b",".join([b"{}"] * 4_600_000) + b"]}"
    answered = []

    def send():
        answer = httpx.post(server.url + "/api/chat", content=body, timeout=300)
        assert answer.status_code == 400
        assert "128,000,000 bytes of memory, at x[1" in answer.json()["error"]
        answered.append("body")

    with concurrent.futures.ThreadPoolExecutor(4) as clients:
        sending = [clients.submit(send) for _ in range(4)]
        assert http.get("/api/version").status_code == 200
        while not answered:  # others are answered meanwhile, not after them
            assert http.get("/api/version").status_code == 200
            answered.append("version")
        for one in sending:
            one.result()
    assert answered[0] == "version"
    assert answered.count("body") == 4
    is_well(http)


def test_half_a_body_is_given_up(server, http):
    with open_socket(server.url) as one:
        one.sendall(b"POST /api/chat HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n{\"model\"")
    is_well(http)


def test_a_model_file_that_disappears(start_server, tmp_path, request):
    folder = tmp_path / "models"
    folder.mkdir()
    path = folder / "mine.gguf"
    shutil.copy(request.config.rootpath / "models/demo/pleiad-demo.gguf", path)
    running = start_server(preload=())
    client = ollama.Client(host=running.url)
    assert client.chat(str(path), COUNT, options=GREEDY).message.content == COUNTED
    path.unlink()
    # Loaded: it goes on. Unloaded: the next request says what is missing.
    client.generate(str(path), "", keep_alive=0) if path.exists() else None
    with pytest.raises(ollama.ResponseError) as error:
        for _ in range(2):
            client.chat(str(path), COUNT, keep_alive=0, options=GREEDY)
            time.sleep(0.5)
    assert error.value.status_code == 404
    assert client.chat(MODEL, COUNT, options=GREEDY).message.content == COUNTED


@pytest.mark.skipif(not pathlib.Path("/dev/shm").is_dir() or os.geteuid() != 0,
                    reason="needs to mount a small file system")
def test_a_full_disk_during_create_leaves_nothing(start_server, tmp_path, request):
    import subprocess
    small = tmp_path / "small"
    small.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=300k", "none", str(small)]).returncode:
        pytest.skip("may not mount")
    try:
        running = start_server(environment={"XDG_DATA_HOME": str(small)})
        client = ollama.Client(host=running.url)
        with pytest.raises(ollama.ResponseError):
            client.create_blob(request.config.rootpath / "models/demo/pleiad-demo.gguf")
        left = [path for path in small.rglob("*") if path.is_file() and path.stat().st_size > 1000]
        assert left == []
        assert client.chat(MODEL, COUNT, options=GREEDY).message.content == COUNTED
    finally:
        running.stop()
        subprocess.run(["umount", str(small)])


def test_sigterm_lets_answers_finish_and_a_second_one_does_not_wait(start_server):
    running = start_server()
    client = ollama.Client(host=running.url)
    with concurrent.futures.ThreadPoolExecutor() as pool:
        answer = pool.submit(client.chat, MODEL, LONG, options=GREEDY)
        with httpx.Client(base_url=running.url) as http:
            assert wait_for(lambda: running_answers(http) == 1 or answer.done())
        assert running.stop(seconds=60) == 0
        assert answer.result().done_reason == "stop"

    endless_server = start_server("--grace", "60s")
    one = open_socket(endless_server.url)
    one.sendall(endless())
    one.recv(100)
    endless_server.process.send_signal(signal.SIGTERM)
    time.sleep(0.3)
    start = time.monotonic()
    endless_server.stop(signal.SIGTERM, 20)
    assert time.monotonic() - start < 15
    one.close()


def read_refusals(sockets, found):
    readable, _, _ = select.select([one for one in sockets if one not in found], [], [], 0.1)
    for one in readable:
        found[one] = one.recv(65536)
    return len(found) == 5


def test_a_full_queue_answers_503_in_the_documented_words(start_server):
    running = start_server("--parallel", "1", "--max-queue", "2")
    opened = []
    for _ in range(8):
        one = open_socket(running.url)
        one.sendall(endless(stream=False))
        opened.append(one)
    # One is computed and two wait; which ones, their threads decide.
    refused = {}
    assert wait_for(lambda: len(refused) == 5 or read_refusals(opened, refused))
    for answer in refused.values():
        assert answer.startswith(b"HTTP/1.1 503"), answer
        assert b"server busy, please try again.  maximum pending requests exceeded" in answer
    for one in opened:
        one.close()


def test_hundreds_of_open_streams(server, http):
    import resource
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 8192), hard))
    opened = []
    try:
        for _ in range(400):
            one = open_socket(server.url)
            one.sendall(endless())
            opened.append(one)
        assert http.get("/api/version").status_code == 200
    finally:
        for one in opened:
            one.close()
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    assert wait_for(lambda: running_answers(http) == 0, 60)
    is_well(http)


def test_many_threads_of_clients(server):
    client = ollama.Client(host=server.url)
    wrong = []

    def work():
        for _ in range(3):
            if client.chat(MODEL, COUNT, options=GREEDY).message.content != COUNTED:
                wrong.append(1)

    threads = [threading.Thread(target=work) for _ in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_an_upload_of_a_killed_server_is_removed_by_the_next(start_server, tmp_path):
    store = tmp_path / "store"
    environment = {"PLEIAD_MODELS": str(store)}
    running = start_server(environment=environment, preload=())
    host, port = running.url.removeprefix("http://").split(":")
    digest = "0" * 64

    def half_an_upload():
        client = socket.create_connection((host, int(port)))
        client.sendall(f"POST /api/blobs/sha256:{digest} HTTP/1.1\r\nHost: localhost\r\n"
                       f"Content-Length: 1000000\r\n\r\n".encode() + b"x" * 500_000)
        return client

    def partial():
        return list((store / "blobs").glob("*.partial-*")) if (store / "blobs").exists() else []

    client = half_an_upload()
    assert wait_for(lambda: any(path.stat().st_size == 500_000 for path in partial()))
    # Another server at the same store leaves it alone while it is written.
    other = start_server(environment=environment, preload=())
    assert len(partial()) == 1
    running.process.kill()
    running.process.wait()
    client.close()
    assert len(partial()) == 1
    other.stop()
    last = start_server(environment=environment, preload=())
    assert partial() == []
    assert "removed what was half written" in last.text()


def test_silent_connections_keep_nobody_out(start_server):
    running = start_server("--max-connections-per-address", "20", preload=())
    host, port = running.url.removeprefix("http://").split(":")
    silent = []
    for i in range(60):
        silent.append(socket.create_connection((host, int(port))))
        if i % 2:
            silent[-1].sendall(b"GET / HTTP/1.1\r\nHost:")
        if i % 20 == 19:
            assert httpx.get(running.url + "/api/version").status_code == 200
    for one in silent:
        one.close()
