"""Ollama's own client pulls and pushes through the server, with a registry of this machine."""
import fcntl
import hashlib
import json
import pathlib
import sys

import httpx
import ollama
import pytest
from conftest import Server, wait_for

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "pull"))
from memory_registry import MemoryRegistry  # noqa: E402

DEMO = pathlib.Path(__file__).resolve().parent.parent.parent / "models" / "demo" / "pleiad-demo.gguf"
COUNT = [{"role": "user", "content": "Count from 1 to 5"}]


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    own = Server(tmp_path_factory.mktemp("pull"), preload=())
    yield own
    own.stop()


@pytest.fixture
def registry():
    registry = MemoryRegistry()
    registry.add_model("me/demo:latest", DEMO.read_bytes(), system="Be brief.", license="MIT License")
    yield registry
    registry.stop()


@pytest.fixture
def client(server):
    return ollama.Client(server.url)


def test_pull_streams_its_steps_and_the_model_answers(client, registry):
    steps = list(client.pull(f"{registry.host}/me/demo", stream=True))
    assert steps[0].status == "pulling manifest" and steps[-1].status == "success"
    moving = [step for step in steps if step.total and step.total > 1_000_000]
    assert moving and moving[-1].completed == moving[-1].total
    assert all(step.digest.startswith("sha256:") for step in moving)
    assert [step.completed for step in moving] == sorted(step.completed for step in moving)
    name = f"{registry.host}/me/demo:latest"
    assert name in [model.model for model in client.list().models]
    reply = client.chat(name, COUNT, options={"temperature": 0})
    assert reply.message.content == "1, 2, 3, 4, 5"
    assert "MIT License" in client.show(name).license
    client.delete(name)
    assert name not in [model.model for model in client.list().models]


def test_push_sends_what_can_be_pulled(client, registry):
    name = f"{registry.host}/me/mine"
    client.copy("demo", name)
    steps = [step.status for step in client.push(name, stream=True)]
    assert steps[0] == "retrieving manifest" and steps[-2:] == ["pushing manifest", "success"]
    assert "me/mine:latest" in registry.manifests
    client.delete(name)
    assert client.pull(name).status == "success"
    assert client.chat(name, COUNT, options={"temperature": 0}).message.content == "1, 2, 3, 4, 5"
    client.delete(name)


def test_what_is_not_there_is_an_error_of_the_stream(client, registry):
    for pull in (lambda: list(client.pull(f"{registry.host}/me/none", stream=True)), lambda: client.pull(f"{registry.host}/me/none")):
        with pytest.raises(ollama.ResponseError) as failure:
            pull()
        assert registry.host in str(failure.value)


def is_free(partial):
    """Nobody writes it: who downloads a file has it locked."""
    with partial.open("rb") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
    return True


def test_two_who_pull_share_one_download_and_the_last_who_leaves_stops_it(server, registry):
    registry.go_on.clear()
    name = f"{registry.host}/me/demo"
    partial = server.folder / "data/pleiad/models/partial" / ("sha256-" + hashlib.sha256(DEMO.read_bytes()).hexdigest())

    def pull():
        return httpx.stream("POST", f"{server.url}/api/pull", json={"model": name}, timeout=60)

    with pull() as first, pull() as second:
        lines = [(json.loads(line) for line in answer.iter_lines()) for answer in (first, second)]
        assert [next(one)["status"] for one in lines] == ["pulling manifest"] * 2
        assert wait_for(lambda: partial.exists() and partial.stat().st_size > 0)
        assert len([request for request in registry.requests if "/manifests/" in request]) == 1
        first.close()
        assert next(line for line in lines[1] if line.get("completed"))
        assert not is_free(partial), "the one who stays has it no more"
        second.close()
        # While nothing more comes from the registry: it has not ended, it was stopped.
        assert wait_for(lambda: is_free(partial)), "it goes on for nobody"
    kept = partial.stat().st_size
    assert 0 < kept < DEMO.stat().st_size
    registry.go_on.set()
    steps = list(ollama.Client(server.url).pull(name, stream=True))
    assert steps[-1].status == "success"
    ollama.Client(server.url).delete(name)


def test_a_server_may_refuse(tmp_path, registry):
    server = Server(tmp_path, "--no-pull", preload=())
    try:
        answer = httpx.post(f"{server.url}/api/pull", json={"model": f"{registry.host}/me/demo"})
        assert answer.status_code == 403 and "--no-pull" in answer.json()["error"]
        assert httpx.post(f"{server.url}/api/pull", json={"model": "demo", "stream": False}).json() == {"status": "success"}
        assert registry.requests == []
    finally:
        server.stop()
