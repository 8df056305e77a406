"""A model's file that is cut off or written over while it is served: its requests end with an
error, it is loaded anew, and all else goes on."""
import itertools
import json
import os
import shutil

import httpx
import pytest
from conftest import wait_for
from questions import COUNT, COUNTED, LONG

GREEDY = {"temperature": 0}
UNENDING = {"temperature": 2, "seed": 3, "logit_bias": {"1": -100, "106": -100, "50": -100}}


def cut_off(path):
    os.truncate(path, path.stat().st_size // 2)


def empty(path):
    os.truncate(path, 0)


def write_over(path):
    """A file as long, of other bytes, in the same place: what `cp` makes."""
    with open(path, "r+b") as file:
        file.write(b"\x11" * path.stat().st_size)


def write_over_and_set_times_back(path):
    before = path.stat()
    write_over(path)
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


CHANGES = [empty, cut_off, write_over, write_over_and_set_times_back]


@pytest.fixture
def demo(request):
    return request.config.rootpath / "models/demo/pleiad-demo.gguf"


@pytest.fixture
def mine(tmp_path, demo):
    path = tmp_path / "mine.gguf"
    shutil.copy(demo, path)
    return path


def chat(http, model, messages, **options):
    return http.post("/api/chat", json={"model": str(model), "messages": messages, "stream": False,
                                        "options": GREEDY | options})


def is_refused(answer, model):
    """It says what is wrong with the file; the status tells who found it, the list or the load."""
    return answer.status_code in (400, 500) and str(model) in answer.json()["error"]


def loaded(http):
    return [one["name"] for one in http.get("/api/ps").json()["models"]]


def stream(http, model):
    """The events of an answer without an end."""
    body = {"model": str(model), "messages": LONG, "stream": True} | UNENDING
    with http.stream("POST", "/v1/chat/completions", json=body) as answer:
        assert answer.status_code == 200
        for line in answer.iter_lines():
            if line.startswith("data: {"):
                yield json.loads(line.removeprefix("data: "))


def text_of(events, count):
    """Of so many events; the rest is not wanted."""
    found = [one["choices"][0]["delta"].get("content", "") for one in itertools.islice(events, count)]
    events.close()
    assert len(found) == count
    return "".join(found)


@pytest.mark.parametrize("change", CHANGES)
def test_a_file_that_changes_under_a_stream(start_server, mine, demo, change):
    running = start_server()
    with httpx.Client(base_url=running.url, timeout=120) as http:
        alone = text_of(stream(http, "demo"), 400)
        other = stream(http, "demo")
        first = next(other)
        events = stream(http, mine)
        for _ in range(3):
            assert "error" not in next(events)
        change(mine)
        rest = list(events)
        assert "changed while it was in use" in rest[-1]["error"]["message"]
        assert str(mine) in rest[-1]["error"]["message"]
        assert rest[-1]["error"]["code"] == "model_changed"
        assert first["choices"][0]["delta"].get("content", "") + text_of(other, 399) == alone
        assert wait_for(lambda: all("mine" not in name for name in loaded(http)))

        refused = chat(http, mine, COUNT)
        assert is_refused(refused, mine)

        shutil.copy(demo, mine)
        answer = chat(http, mine, COUNT)
        assert answer.status_code == 200, answer.text
        assert answer.json()["message"]["content"] == COUNTED
        assert chat(http, "demo", COUNT).json()["message"]["content"] == COUNTED
    assert running.stop() == 0


@pytest.mark.parametrize("change", CHANGES)
def test_a_file_that_changes_while_nobody_asks_is_loaded_anew(start_server, mine, demo, change):
    running = start_server(preload=())
    with httpx.Client(base_url=running.url, timeout=120) as http:
        assert chat(http, mine, COUNT).json()["message"]["content"] == COUNTED
        change(mine)
        assert is_refused(chat(http, mine, COUNT), mine)
        shutil.copy(demo, mine)
        assert chat(http, mine, COUNT).json()["message"]["content"] == COUNTED
    assert running.stop() == 0


def test_a_file_that_is_replaced_by_another_goes_on_as_it_was(start_server, mine, tmp_path):
    running = start_server(preload=())
    with httpx.Client(base_url=running.url, timeout=120) as http:
        events = stream(http, mine)
        for _ in range(3):
            next(events)
        (tmp_path / "new.gguf").write_bytes(b"no model")
        os.replace(tmp_path / "new.gguf", mine)
        for _ in range(20):
            assert "error" not in next(events)
        events.close()
    assert running.stop() == 0
