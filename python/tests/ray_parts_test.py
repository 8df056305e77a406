"""What pleiad.ray does without Ray: beginnings, where they go, cores and folders, and what is refused."""

import os
import pathlib
import subprocess
import sys
import tempfile

import pytest

import pleiad.ray
from pleiad.ray.cores import Claim, parse_cpu_list, physical_cores
from pleiad.ray.folders import SocketFolder, remove_left
from pleiad.ray.prefixes import BLOCK_BYTES, MOST_BLOCKS, PrefixIndex, block_names, prompt_text
from pleiad.ray.replica import Replica
from pleiad.ray.routes import refusal

LONG = "All that is known of rivers stands here. " * 50


def _turn(role, content):
    return {"role": role, "content": content}


# Beginnings.


def test_a_conversation_that_goes_on_begins_as_before():
    first = {"model": "demo", "messages": [_turn("system", LONG), _turn("user", "Which is the longest?")]}
    further = {**first, "messages": [*first["messages"], _turn("assistant", "The Nile."), _turn("user", "And then?")]}
    assert prompt_text(further).startswith(prompt_text(first))
    names = block_names(prompt_text(first))
    assert len(names) == len(prompt_text(first)) // BLOCK_BYTES > 5
    assert block_names(prompt_text(further))[: len(names)] == names


@pytest.mark.parametrize(
    "change",
    [{"model": "other"}, {"tools": [{"type": "function"}]}, {"messages": [_turn("system", "x" + LONG)]}],
)
def test_another_beginning_has_other_names(change):
    body = {"model": "demo", "messages": [_turn("system", LONG)]}
    ours, others = block_names(prompt_text(body)), block_names(prompt_text({**body, **change}))
    assert ours and others and ours[0] != others[0]


def test_what_names_depend_on():
    text = prompt_text({"messages": [_turn("user", LONG)]})
    assert block_names(text) == block_names(text)
    assert not set(block_names(text, b"a")) & set(block_names(text, b"b"))
    changed = text[:600] + b"!" + text[601:]
    assert block_names(changed)[:2] == block_names(text)[:2] and block_names(changed)[2] != block_names(text)[2]
    # What follows depends on all before it.
    assert not set(block_names(changed)[2:]) & set(block_names(text)[2:])
    assert len(block_names(b"x" * (BLOCK_BYTES * (MOST_BLOCKS + 5)))) == MOST_BLOCKS
    assert block_names(b"x" * (BLOCK_BYTES - 1)) == () and len(block_names(b"x" * BLOCK_BYTES)) == 1


def test_bodies_that_are_no_requests():
    assert prompt_text({}) == prompt_text({"model": "demo"}) == b""
    for value in ({"messages": 7}, {"messages": [None, [[]], 1e400]}, {"prompt": ["a", "b"]}, {"input": "\ud800"}):
        assert prompt_text(value)


def test_only_the_beginning_of_a_large_request_is_read():
    most = BLOCK_BYTES * MOST_BLOCKS
    picture = {"type": "image_url", "image_url": {"url": "data:" + "A" * 2 * most}}
    body = {"messages": [_turn("user", [picture, {"text": object()}])]}  # what is behind it is not looked at
    text = prompt_text(body)
    assert len(text) == most and prompt_text({"messages": [_turn("user", [picture])]}) == text
    assert len(prompt_text({"messages": [_turn("user", "é" * most)]})) == most


def test_a_request_goes_where_its_beginning_is():
    index = PrefixIndex()
    names = [bytes([number]) * 16 for number in range(10)]
    index.add(names[:8], "a")
    index.add(names[:3], "b")
    assert index.matched(names) == {"a": 8 * BLOCK_BYTES, "b": 3 * BLOCK_BYTES}
    assert index.matched([b"z" * 16, *names]) == {}
    idle = {"a": 0, "b": 0, "c": 0}
    assert index.rank(names, idle, worth_bytes=256, slack=8)[:2] == ["a", "b"]
    # A block is worth one request.
    assert index.rank(names, {"a": 7, "b": 3, "c": 0}, worth_bytes=256, slack=8)[0] == "a"
    assert index.rank(names, {"a": 9, "b": 2, "c": 0}, worth_bytes=256, slack=8)[0] == "b"
    index.remove("a")
    assert index.matched(names) == {"b": 3 * BLOCK_BYTES} and len(index) == 3


def test_nobody_gets_more_than_the_bound():
    index = PrefixIndex()
    names = block_names(b"x" * BLOCK_BYTES * 100)
    index.add(names, "a")
    loads = {"a": 0, "b": 0, "c": 0}
    for _ in range(60):
        chosen = index.rank(names, loads, worth_bytes=256, slack=4)[0]
        loads[chosen] += 1
        assert max(loads.values()) - min(loads.values()) <= 5
    assert sum(loads.values()) == 60


def test_routers_that_know_nothing_agree():
    names = [block_names(bytes([number]) * BLOCK_BYTES) for number in range(40)]
    one, other = PrefixIndex(), PrefixIndex()
    forward, backward = {"a": 0, "b": 0, "c": 0}, {"c": 0, "b": 0, "a": 0}
    chosen = [one.rank(name, forward, 2048, 8) for name in names]
    assert chosen == [other.rank(name, backward, 2048, 8) for name in names]
    assert {ranks[0] for ranks in chosen} == {"a", "b", "c"}


def test_what_was_used_least_recently_is_forgotten_from_its_end():
    index = PrefixIndex(most_names=6)
    old, new = [[bytes([kind, number]) * 8 for number in range(4)] for kind in (1, 2)]
    index.add(old, "a")
    index.add(new, "b")
    assert len(index) == 6
    assert index.matched(old) == {"a": 2 * BLOCK_BYTES} and index.matched(new) == {"b": 4 * BLOCK_BYTES}


# Cores.


def test_lists_of_processors():
    assert parse_cpu_list("0,4-6\n") == [0, 4, 5, 6] and parse_cpu_list("3") == [3]
    with pytest.raises(ValueError):
        parse_cpu_list("")


def test_cores_by_their_siblings(tmp_path):
    for cpu, siblings in {0: "0,2", 1: "1,3", 2: "0,2", 3: "1,3"}.items():
        folder = tmp_path / f"cpu{cpu}" / "topology"
        folder.mkdir(parents=True)
        (folder / "thread_siblings_list").write_text(siblings)
    assert physical_cores({0, 1, 2, 3}, tmp_path) == [(0, 2), (1, 3)]
    assert physical_cores({1, 2}, tmp_path) == [(1,), (2,)]
    assert physical_cores({7}, tmp_path) == [(7,)]


def test_each_core_is_one_process_s(tmp_path):
    cores = [(0, 4), (1, 5), (2, 6)]
    first = Claim(2, tmp_path, cores)
    assert first.cpus == {0, 4, 1, 5}
    assert Claim(2, tmp_path, cores).cpus == set()  # not half of what was asked for
    second = Claim(1, tmp_path, cores)
    assert second.cpus == {2, 6}
    first.close()
    first.close()
    assert Claim(2, tmp_path, cores).cpus == {0, 4, 1, 5}
    second.close()


def test_a_process_that_is_killed_gives_its_cores_back(tmp_path):
    script = (
        "import pathlib, sys\nfrom pleiad.ray.cores import Claim\n"
        "claim = Claim(1, pathlib.Path(sys.argv[1]), [(0,)])\nprint(claim.cpus, flush=True)\nsys.stdin.read()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", script, str(tmp_path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as other:
        assert other.stdout.readline() == "{0}\n"
        assert Claim(1, tmp_path, [(0,)]).cpus == set()
        other.kill()
        other.wait()
    assert Claim(1, tmp_path, [(0,)]).cpus == {0}


# What goes to no replica.


@pytest.mark.parametrize(
    ("method", "path", "body", "status"),
    [
        ("POST", "/api/pull", {"model": "x"}, 501),
        ("POST", "//api/pull/", {"model": "x"}, 501),
        ("HEAD", "/api/blobs/sha256:00", None, 501),
        ("GET", "/metrics", None, 501),
        ("GET", "/v1/responses/resp_1", None, 501),
        ("POST", "/v1/responses", {"input": "x", "previous_response_id": "resp_1"}, 400),
        ("POST", "/v1/responses", {"input": "x", "background": True}, 400),
        ("POST", "/api/generate", {"model": "demo", "keep_alive": 0}, 501),
        ("POST", "/api/generate", {"model": "demo", "prompt": "", "keep_alive": "0s"}, 501),
        ("POST", "/api/chat", {"model": "demo", "messages": [], "keep_alive": "0"}, 501),
    ],
)
def test_what_one_replica_alone_could_do(method, path, body, status):
    problem = refusal(method, path, body)
    assert problem is not None and problem.status == status


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/v1/chat/completions", {"messages": []}),
        ("/v1/responses", {"input": "x"}),
        ("/v1/responses/input_tokens", {"input": "x"}),
        ("/api/chat", None),
        ("/api/chat", {"model": "demo", "messages": [{}], "keep_alive": 0}),
        ("/api/generate", {"model": "demo", "keep_alive": "10m"}),
        ("/api/generate", {"model": "demo", "keep_alive": False}),
        ("/api/generate", {"model": "demo"}),
        ("/api/pulls", None),
        ("/", None),
    ],
)
def test_what_any_replica_can_do(path, body):
    assert refusal("POST", path, body) is None


@pytest.fixture
def temporary(monkeypatch):
    """Stands for the system's folder for temporary files, with a path that is short enough for sockets."""
    with tempfile.TemporaryDirectory(prefix="p") as folder:
        monkeypatch.setattr(tempfile, "tempdir", folder)
        yield pathlib.Path(folder)


def test_cores_that_cannot_be_had_are_no_failure(temporary, caplog):
    folder = temporary / f"pleiad-cores-{os.getuid()}"
    folder.mkdir()
    folder.chmod(0o777)
    with pytest.raises(PermissionError, match="drwxrwxrwx"):
        Claim(1)
    replica = Replica(["demo"], threads=1, pin=True, settings={}, name="r1")
    replica.close()
    assert "r1 is not pinned" in caplog.text and "drwxrwxrwx" in caplog.text
    folder.chmod(0o700)
    claim = Claim(1)
    assert claim.cpus
    claim.close()


def test_the_folder_of_a_replica_that_was_killed(temporary):
    script = "import sys\nfrom pleiad.ray.folders import SocketFolder\n"
    script += "folder = SocketFolder()\nprint(folder.path, flush=True)\nsys.stdin.read()"
    with subprocess.Popen(
        [sys.executable, "-c", script],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "TMPDIR": str(temporary)},
    ) as other:
        left = pathlib.Path(other.stdout.readline().strip())
        ours = SocketFolder()
        assert left.is_dir() and left.parent == ours.path.parent == temporary  # it is in use
        other.kill()
        other.wait()
    remove_left()
    assert not left.exists() and ours.path.is_dir()
    ours.close()
    ours.close()
    assert not list(temporary.iterdir())


def test_a_path_that_no_socket_has(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / ("x" * 100)))
    (tmp_path / ("x" * 100)).mkdir()
    with pytest.raises(pleiad.Error, match="107 bytes at most.*TMPDIR"):
        SocketFolder()
    assert not list((tmp_path / ("x" * 100)).iterdir())


def test_what_needs_ray_says_so(monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    for name in [name for name in sys.modules if name.startswith(("ray.", "pleiad.ray."))]:
        monkeypatch.delitem(sys.modules, name)
    with pytest.raises(ImportError, match=r"pleiad\[ray\]"):
        pleiad.ray.app  # noqa: B018
    with pytest.raises(AttributeError):
        pleiad.ray.colour  # noqa: B018
