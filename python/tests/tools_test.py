"""Quantizing, fitting, measuring, and a server in the process."""

import ast
import importlib.resources
import json
import urllib.error
import urllib.request

import pytest

import pleiad
from pleiad import _native

DEMO = importlib.resources.files("pleiad") / "share/pleiad/demo/pleiad-demo.gguf"


def test_a_smaller_file_answers(tmp_path):
    target = tmp_path / "small.gguf"
    seen = []
    report = pleiad.quantize(
        DEMO, target, "q8_0", rounding="nearest", from_quantized=True, on_progress=lambda *told: seen.append(told)
    )
    assert report["target"] == str(target) and report["type"] == "q8_0" and report["bits_per_weight"] < 16
    assert isinstance(report["notes"], list)
    assert seen and {what for what, _, _ in seen} == {"writing"} and seen[-1][1] <= seen[-1][2]
    with pleiad.Model.load(target, threads=1) as model:
        assert model.chat("Count from 1 to 5", temperature=0).content.replace(",", "") == "1 2 3 4 5"
    with pytest.raises(pleiad.Error, match="is there already"):
        pleiad.quantize(DEMO, target, "q8_0", from_quantized=True)


def test_what_on_progress_raises_leaves_nothing(tmp_path):
    def stop(what, done, total):
        raise KeyError("enough")

    with pytest.raises(KeyError):
        pleiad.quantize(DEMO, tmp_path / "out.gguf", "q8_0", from_quantized=True, on_progress=stop)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("what", "options"),
    [
        ("q9_9", {"type": "q9_9"}),
        ("rounding", {"type": "q8_0", "rounding": "up"}),
        ("threads", {"type": "q8_0", "threads": -1}),
        ("keep", {"type": "q8_0", "keep": ["knees=q8_0"]}),
    ],
)
def test_what_cannot_be_quantized_so(tmp_path, what, options):
    with pytest.raises(pleiad.RequestError, match=what):
        pleiad.quantize(DEMO, tmp_path / "out.gguf", from_quantized=True, **options)
    assert list(tmp_path.iterdir()) == []


def test_what_fits_another_machine():
    report = pleiad.fit(["e2b", "e4b"], ["q4_0"], bandwidth=100, memory=32)
    assert {answer["model"] for answer in report["models"]} == {"e2b", "e4b"}
    with pytest.raises(pleiad.RequestError, match="memory"):
        pleiad.fit(bandwidth=100)
    with pytest.raises(pleiad.RequestError, match="e3b"):
        pleiad.fit(["e3b"], bandwidth=100, memory=32)
    with pytest.raises(pleiad.RequestError, match="bandwidth: expected"):
        pleiad.fit(bandwidth=float("nan"), memory=32)


def test_measuring(monkeypatch):
    monkeypatch.setenv("PLEIAD_READ_BUFFER_MIB", "16")
    report = pleiad.bench("demo", prompt=[16], generate=[4], threads=[1], repetitions=2)
    assert [test["name"] for test in report["tests"]] == ["pp16", "tg4"]
    assert all(test["repetitions"] == 2 for test in report["tests"])
    with pytest.raises(pleiad.RequestError, match="batch"):
        pleiad.bench("demo", batch=[0])
    with pytest.raises(pleiad.ModelNotFoundError):
        pleiad.bench("no-such-model")
    with pytest.raises(TypeError):
        pleiad.bench()


def _ask(server, path, body=None):
    data = json.dumps(body).encode() if body is not None else None
    request = urllib.request.Request(server.url + path, data, {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=60) as answer:
        return json.load(answer)


def test_a_server_beside_a_model(model):
    with pleiad.Server("demo", threads=1, strict_fields=True) as server:
        body = {"model": "demo", "messages": [{"role": "user", "content": "Count from 1 to 5"}], "temperature": 0}
        answer = _ask(server, "/v1/chat/completions", body)
        assert answer["choices"][0]["message"]["content"] == model.chat("Count from 1 to 5", temperature=0).content
        with pytest.raises(urllib.error.HTTPError) as refused:
            _ask(server, "/v1/chat/completions", {**body, "colour": "red"})
        assert refused.value.code == 400
        url = server.url
    with pytest.raises(OSError):
        urllib.request.urlopen(url + "/health", timeout=5)
    server.close()


def test_servers_that_cannot_be():
    with pytest.raises(pleiad.RequestError) as refused:
        pleiad.Server(colour="red")
    assert refused.value.field == "colour"
    with pytest.raises(pleiad.Error, match="keep-alive"):
        pleiad.Server(keep_alive="soon")
    with pytest.raises(pleiad.ModelNotFoundError, match="no-such-model"):
        pleiad.Server("no-such-model")
    with pleiad.Server() as server, pytest.raises(pleiad.Error, match="address|use"):
        pleiad.Server(port=int(server.url.rsplit(":", 1)[1]))


def test_the_stub_is_what_the_extension_has():
    tree = ast.parse((importlib.resources.files("pleiad") / "_native.pyi").read_text())

    def names(node):
        return {child.name for child in node.body if isinstance(child, ast.FunctionDef) and child.name[0] != "_"}

    classes = {node.name: node for node in tree.body if isinstance(node, ast.ClassDef)}
    del classes["Facts"]  # a dict
    public = {name: value for name, value in vars(_native).items() if name[0] != "_"}
    assert set(public) == names(tree) | set(classes)
    for name, node in classes.items():
        assert {method for method in vars(public[name]) if method[0] != "_"} == names(node)
