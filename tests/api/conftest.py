"""A server on the demo model, and the clients that people already run.

PLEIAD_PROGRAM names the program; `make test` sets it.
"""
import os
import pathlib
import re
import signal
import subprocess
import time

import anthropic
import httpx
import ollama
import openai
import pytest
from pictures import folder_with_blind_model, folder_with_model

PROGRAM = os.environ["PLEIAD_PROGRAM"]
MODEL = "demo"


def wait_for(condition, seconds=30):
    """Whether it comes true in time."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.02)
    return False


class Server:
    """`pleiad serve` on a free port, with folders of its own."""

    def __init__(self, folder, *flags, environment=None, preload=(MODEL,), wrapper=()):
        self.folder = pathlib.Path(folder)
        self.log_path = self.folder / "server.log"
        env = {k: v for k, v in os.environ.items() if not k.startswith(("PLEIAD_", "OLLAMA_"))}
        env |= {
            "HOME": str(self.folder),
            "XDG_DATA_HOME": str(self.folder / "data"),
            "XDG_STATE_HOME": str(self.folder / "state"),
            "HF_HOME": str(self.folder / "hf"),
            # The demo model takes microseconds a layer: where tests share the cores, threads that wait
            # for each other would cost several times what they compute. The page's tests and those of
            # the commands have all threads.
            "PLEIAD_THREADS": "1",
        }
        if "PLEIAD_ISA" in os.environ:
            env["PLEIAD_ISA"] = os.environ["PLEIAD_ISA"]
        env |= environment or {}
        self.log = open(self.log_path, "wb")
        self.process = subprocess.Popen(
            [*wrapper, PROGRAM, "serve", *([] if "--host" in flags else ["--host", "127.0.0.1:0"]), *flags,
             *preload],
            env=env, stdout=self.log, stderr=self.log)
        self.url = self._wait_for_address()
        self._wait_until_healthy()

    def _wait_for_address(self, seconds=60):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            found = re.search(r"http://(127\.0\.0\.1|0\.0\.0\.0):\d+", self.text())
            if found:
                return found[0].replace("0.0.0.0", "127.0.0.1")
            if self.process.poll() is not None:
                break
            time.sleep(0.02)
        raise AssertionError(f"the server did not start:\n{self.text()}")

    def _wait_until_healthy(self, seconds=120):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if httpx.get(self.url + "/health").status_code == 200:
                return
            assert self.process.poll() is None, self.text()
            time.sleep(0.02)
        raise AssertionError(f"the server did not become healthy:\n{self.text()}")

    def text(self):
        return self.log_path.read_text(errors="replace")

    def children(self):
        """What the server has started, and the state of each."""
        found = {}
        for entry in pathlib.Path("/proc").iterdir():
            try:
                state, parent = (entry / "stat").read_text().rpartition(")")[2].split()[:2]
            except (OSError, ValueError):
                continue
            if entry.name.isdigit() and int(parent) == self.process.pid:
                found[int(entry.name)] = state
        return found

    def stop(self, how=signal.SIGTERM, seconds=60):
        if self.process.poll() is None:
            self.process.send_signal(how)
        status = self.process.wait(seconds)
        self.log.close()
        return status


@pytest.fixture(scope="session")
def server(tmp_path_factory):
    running = Server(tmp_path_factory.mktemp("server"))
    yield running
    assert running.stop() == 0, running.text()


@pytest.fixture(scope="session")
def greedy(server):
    """The demo model with temperature 0 as its default, for clients that send none of their own."""
    body = {"model": "greedy", "from": MODEL, "parameters": {"temperature": 0}, "stream": False}
    assert httpx.post(server.url + "/api/create", json=body).status_code == 200
    yield "greedy"
    httpx.request("DELETE", server.url + "/api/delete", json={"model": "greedy"})


@pytest.fixture(scope="session")
def seeing(tmp_path_factory):
    """A server with the models `seeing` and `blind` (pictures.py)."""
    folder = tmp_path_factory.mktemp("seeing")
    folders = f"{folder_with_model(folder)}:{folder_with_blind_model(folder)}"
    running = Server(folder, environment={"PLEIAD_MODEL_FOLDERS": folders}, preload=())
    yield running
    assert running.stop() == 0, running.text()


@pytest.fixture
def start_server(tmp_path):
    """Starts further servers; they are gone at the end of the test."""
    started = []

    def start(*flags, **options):
        folder = tmp_path / f"server{len(started)}"
        folder.mkdir()
        started.append(Server(folder, *flags, **options))
        return started[-1]

    yield start
    for one in started:
        if one.process.poll() is None:
            one.process.kill()
            one.process.wait()


@pytest.fixture
def ollama_client(server):
    return ollama.Client(host=server.url)


@pytest.fixture
def openai_client(server):
    return openai.OpenAI(base_url=server.url + "/v1", api_key="none", max_retries=0)


@pytest.fixture
def anthropic_client(server):
    return anthropic.Anthropic(base_url=server.url, api_key="none", max_retries=0)


@pytest.fixture
def http(server):
    with httpx.Client(base_url=server.url, timeout=120) as client:
        yield client
