"""Rows answered by pleiad.ray without Ray: what a bad row or a wrong option does, and whose answers a folder has."""

import json
import pathlib

import numpy as np
import pytest

import pleiad
from pleiad.ray.answers import ANSWER_COLUMNS, Answers, check_columns, conversation
from pleiad.ray.options import at_least, prefix_router_options
from pleiad.ray.run_file import begin_run

COUNT = [{"role": "user", "content": "Count from 1 to 5"}]
LOAD = {"threads": 1, "context_length": 1024}


def _column(values):
    column = np.empty(len(values), dtype=object)
    column[:] = values
    return column


def _answered(values, **arguments):
    options = {"temperature": 0, "max_tokens": 40, **arguments.pop("options", {})}
    return Answers("demo", load=LOAD, options=options, **arguments)({"messages": _column(values), "id": values})


def test_bad_rows_are_rows():
    deep = "[" * 5000 + "]" * 5000
    bad = {
        "no conversation": None,
        "a float that is none": float("nan"),
        "one message": COUNT[0],
        "bytes": [{"role": "user", "content": b"x"}],
        "no name": [{"role": "user", "content": "x", 7: "y"}],
        "a date": [{"role": "user", "content": np.datetime64("2020-01-01")}],
        "deep text": deep,
        "too deep for Python": "[" * 100_000,
        "deep": json.loads(deep[4900:5100]),
        "no JSON": "[x",
        "nobody": [{"role": "nobody", "content": "x"}],
        "half a character": [{"role": "user", "content": "\ud800"}],
        "too long": "all " * 5000,
    }
    rows = _answered([COUNT, *bad.values(), json.dumps(COUNT), np.array(COUNT, dtype=object), "Count from 1 to 5"])
    n = len(bad)
    assert list(rows["answer"]) == ["1, 2, 3, 4, 5", *[""] * n, *["1, 2, 3, 4, 5"] * 3]
    assert list(rows["finish_reason"]) == ["stop", *["error"] * n, *["stop"] * 3]
    for name, error in zip(bad, rows["error"][1:], strict=False):
        assert error, name
    assert not any(rows["error"][[0, -3, -2, -1]]) and rows["completion_tokens"][0] > 0
    assert "found NoneType" in rows["error"][1]


@pytest.mark.parametrize(
    ("options", "field"),
    [
        ({"max_tokns": 3}, "max_tokns"),
        ({"temperature": 9}, "temperature"),
        ({"logit_bias": {"99999999": 1}}, "logit_bias"),
        ({"stop": ["a"] * 100}, "stop"),
        ({"format": {"type": "colour"}}, "format"),
        ({"format": "xml"}, "format"),
        ({"think": "what"}, "think"),
        ({"tool_choice": "required"}, "tool_choice"),
    ],
)
def test_a_wrong_option_is_no_answer(options, field):
    with pytest.raises(pleiad.RequestError) as error:
        _answered([COUNT, COUNT], options=options)
    assert error.value.field.split("[")[0].split(".")[0] == field


class Counted:
    """A model whose streams are counted."""

    def __init__(self, model):
        self._model = model
        self.open, self.most = [], 0

    def chat(self, messages, **options):
        stream = self._model.chat(messages, **options)
        self.open.append(stream)
        self.most = max(self.most, sum(not stream._ended for stream in self.open))
        return stream


def test_no_more_are_asked_than_the_engine_lets_wait():
    stage = Answers("demo", load=LOAD, options={"max_tokens": 1})
    stage._model = counted = Counted(stage._model)
    rows = stage({"messages": _column([f"{number}" for number in range(100)])})
    assert set(rows["finish_reason"]) == {"length"} and len(counted.open) == 100
    assert counted.most == 48


def test_what_was_begun_ends_with_an_error():
    stage = Answers("demo", load=LOAD, options={"logit_bias": {"99999999": 1}})
    stage._model = counted = Counted(stage._model)
    with pytest.raises(pleiad.RequestError):
        stage({"messages": _column(["x", "y", "z"])})
    assert len(counted.open) == 3 and all(stream._ended for stream in counted.open)


def test_calls_and_thoughts_are_kept():
    tool = {"type": "function", "function": {"name": "look", "parameters": {"type": "object", "properties": {}}}}
    rows = _answered(["What do you see?"], options={"tools": [tool], "tool_choice": "required"})
    assert rows["finish_reason"][0] == "tool_calls"
    (call,) = json.loads(rows["tool_calls"][0])
    assert call["name"] == "look" and call["arguments"] == {} and call["problem"] == "" and call["id"]
    assert set(ANSWER_COLUMNS) < set(rows)


def test_no_column_is_written_over():
    for name in ANSWER_COLUMNS:
        with pytest.raises(pleiad.RequestError, match=f"^{name}: "):
            check_columns(["id", name])
    stage = Answers("demo", load=LOAD, options={"max_tokens": 1})
    with pytest.raises(pleiad.RequestError, match="answer"):
        stage({"messages": _column(["x"]), "answer": ["gold"]})
    assert Answers("demo", load=LOAD, options={"max_tokens": 1}, keep=["id"])(
        {"messages": _column(["x"]), "answer": ["gold"], "id": [1]}
    )["id"] == [1]


def test_fields_that_are_null_are_left_out():
    value = np.array([{"role": "user", "content": "x", "name": None, "n": np.int64(3)}], dtype=object)
    assert conversation(value) == [{"role": "user", "content": "x", "n": 3}]


def test_answers_of_a_folder_are_made_alike(tmp_path):
    folder = tmp_path / "new" / "target"
    settings = {"model": "demo", "options": {"temperature": 0}, "load": {"threads": 1, "projector": pathlib.Path("p")}}
    begin_run(folder, {**settings, "model": "other"}, has_answers=False)
    begin_run(folder, settings, has_answers=False)  # nothing was answered
    begin_run(folder, {**settings, "load": {"threads": 8, "projector": "p"}}, has_answers=True)
    for name, value in {"model": "other", "options": {}, "load": {"context_length": 9}}.items():
        with pytest.raises(pleiad.Error, match=f"run.json: .*{name}"):
            begin_run(folder, {**settings, name: value}, has_answers=True)
    with pytest.raises(pleiad.RequestError, match="options"):
        begin_run(folder, {**settings, "options": {"seed": b"x"}}, has_answers=True)
    file = folder / "run.json"
    assert [file] == list(folder.iterdir())
    for text in ("", "[]", "[" * 100_000):
        file.write_text(text)
        with pytest.raises(pleiad.Error, match="run.json"):
            begin_run(folder, settings, has_answers=True)
    file.unlink()
    with pytest.raises(pleiad.Error, match="no such file"):
        begin_run(folder, settings, has_answers=True)


def test_options_that_are_wrong_are_named():
    assert prefix_router_options({"slack": 0}) == {"worth_bytes": 2048, "slack": 0, "most_names": 262_144}
    for given in ({"slak": 3}, {"slack": -1}, {"worth_bytes": 0}, {"most_names": "7"}, {"slack": True}):
        with pytest.raises(pleiad.RequestError, match=f"^{next(iter(given))}: "):
            prefix_router_options(given)
    at_least(1, threads=1)
    with pytest.raises(pleiad.RequestError) as error:
        at_least(1, replicas=2, threads=0)
    assert error.value.field == "threads"
