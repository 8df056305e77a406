"""Pictures that are made to hurt the server, and URLs that would lead it where it must not go."""
import http.server
import ipaddress
import os
import pathlib
import signal
import socket
import struct
import threading
import zlib

import httpx
import pytest
from conftest import wait_for
from pictures import NAME, RED, folder_with_model, in_base64, png

QUESTION = {"model": "demo", "prompt": "Tell me of the sea.", "options": {"temperature": 0, "num_predict": 60}}


@pytest.fixture
def client(seeing):
    with httpx.Client(base_url=seeing.url, timeout=120) as one:
        yield one


def ask(client, image, model=NAME):
    return client.post("/api/chat", json={"model": model, "stream": False, "options": {"num_predict": 2},
                                          "messages": [{"role": "user", "content": "?", "images": [image]}]})


def picture_helpers(server):
    """The processes that decode pictures; those for sound may be there from tests before."""
    found = []
    for pid in server.children():
        try:
            words = pathlib.Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        if words[1:3] == [b"media-helper", b"picture"]:
            found.append(pid)
    return found


def with_size(picture, width, height):
    """A PNG whose header is right but for the size that it tells."""
    header = b"IHDR" + struct.pack(">II", width, height) + picture[24:29]
    return picture[:12] + header + struct.pack(">I", zlib.crc32(header)) + picture[33:]


def hostile():
    yield with_size(RED, 65_535, 65_535)
    yield with_size(RED, 9_999, 9_999)
    yield RED[:len(RED) - 20]
    yield b"\xff\xd8\xff\xe0" + bytes(200)
    yield b"GIF89a" + b"\xff" * 200
    yield b"RIFF\xff\xff\xff\x7fWEBPVP8X" + bytes(100)
    yield b"II*\0" + b"\xff" * 200
    yield b"BM" + b"\xff" * 100
    yield b"\0\0\0\x18ftypheic" + bytes(200)
    yield b"<svg xmlns='http://www.w3.org/2000/svg'/>"


def test_they_cost_their_own_requests_alone(seeing, client):
    alone = client.post("/api/generate", json={**QUESTION, "stream": False, "cache": False}).json()["response"]
    meanwhile = {}

    def answer():
        with httpx.Client(base_url=seeing.url, timeout=120) as own:
            meanwhile["text"] = own.post("/api/generate", json={**QUESTION, "stream": False, "cache": False}).json()

    running = threading.Thread(target=answer)
    running.start()
    for picture in hostile():
        refused = ask(client, in_base64(picture))
        assert refused.status_code == 400, (picture[:20], refused.text)
        assert refused.json()["error"].startswith("messages[0].images[0]: ")
    running.join()
    assert meanwhile["text"]["response"] == alone
    assert ask(client, in_base64(RED)).status_code == 200
    assert wait_for(lambda: len(picture_helpers(seeing)) <= 1 and "Z" not in seeing.children().values())


def test_a_process_that_is_lost_costs_nothing(seeing, client):
    assert ask(client, in_base64(RED)).status_code == 200
    assert wait_for(lambda: len(picture_helpers(seeing)) == 1)
    ready, = picture_helpers(seeing)
    os.kill(ready, signal.SIGKILL)
    assert wait_for(lambda: seeing.children().get(ready, "Z") == "Z")
    assert ask(client, in_base64(png(48, 96))).status_code == 200


@pytest.fixture
def picture_server():
    asked = []

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            asked.append(self.path)
            self.send_response(200)
            self.send_header("Content-Type", "image/png")
            self.end_headers()
            self.wfile.write(RED)

        def log_message(self, *_):
            pass

    with http.server.HTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield server.server_port, asked
        server.shutdown()
        thread.join()


def leads_to_no_public_address(name):
    """Whether addresses are known for the name, all of them of this machine or its network."""
    try:
        found = {entry[4][0].split("%")[0] for entry in socket.getaddrinfo(name, None)}
    except OSError:
        return False
    return not any(ipaddress.ip_address(address).is_global for address in found)


def test_urls_lead_to_named_hosts_of_the_internet_alone(start_server, picture_server, tmp_path):
    port, asked = picture_server
    own_name = socket.gethostname().lower()
    reasons = {f"http://127.0.0.1:{port}/a.png": "none of the hosts",
               "http://example.org/a.png": "none of the hosts",
               "http://user:pass@a.example.org/": "user or a password"}
    if leads_to_no_public_address(own_name):  # on most machines
        reasons[f"http://{own_name}:{port}/a.png"] = "no public address"
    server = start_server("--media-hosts", f"{own_name}:{port},*.example.org",
                          environment={"PLEIAD_MODEL_FOLDERS": str(folder_with_model(tmp_path))}, preload=())
    with httpx.Client(base_url=server.url, timeout=120) as client:
        for url, why in reasons.items():
            refused = ask(client, url)
            assert refused.status_code == 400, refused.text
            assert why in refused.json()["error"], refused.text
            assert "messages[0].images[0]" in refused.json()["error"]
            assert "127.0.0.1" not in refused.json()["error"] or "127.0.0.1" in url
    assert asked == []
