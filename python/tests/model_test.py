"""Texts, tokens, numbers, and what goes wrong."""

import asyncio
import importlib.resources
import math
import multiprocessing
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import textwrap
import threading
import time

import numpy as np
import pytest

import pleiad


def test_tokens_and_back(model):
    text = "Grüße, 42 <turn|>"
    tokens = model.tokenize(text)
    assert model.detokenize(tokens) == text
    assert model.tokenize("a", bos=True)[1:] == model.tokenize("a")
    (turn,) = model.tokenize("<turn|>", control=True)
    assert len(model.tokenize("<turn|>")) > 1
    assert model.detokenize([turn]) == "" and model.detokenize([turn], control=True) == "<turn|>"
    assert model.detokenize(np.array(tokens)) == text


def test_a_prompt_as_text(model):
    prompt = model.render([{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Hi <turn|>"}])
    assert prompt.startswith("<bos><|turn>system\n") and prompt.endswith("<|turn>model\n")
    assert "Be brief." in prompt and "Hi <turn|>" in prompt


def test_text_and_tokens_are_continued_alike(model):
    prompt = model.render("Count from 1 to 4")
    tokens = model.tokenize(prompt, control=True)
    by_text = model.generate(prompt, temperature=0)
    by_tokens = model.generate(tokens, temperature=0)
    assert by_text.content == by_tokens.content == model.chat("Count from 1 to 4", temperature=0).content


def test_embeddings_have_length_one(model):
    two = model.embed(["red circles", "red circle"])
    assert two.shape == (2, model.embedding_length) and two.dtype == np.float32
    assert np.allclose(np.linalg.norm(two, axis=1), 1, atol=1e-6)
    one = model.embed("red circles")
    assert one.shape == (model.embedding_length,) and np.array_equal(one, two[0])
    assert model.embed("red circles", dimensions=8).shape == (8,)
    assert model.embed([]).shape == (0, model.embedding_length)


def test_logits_are_those_that_replies_are_chosen_by(model):
    prompt = model.tokenize(model.render("Count from 1 to 4"), control=True)
    logits = model.logits(prompt)
    assert logits.shape == (len(prompt), model.vocab_size) and logits.dtype == np.float32
    assert np.isfinite(logits).all()
    assert logits.base is not None and not logits.flags.owndata  # the engine's memory, no copy
    last = model.logits(prompt, last_only=True)
    assert last.shape == (1, model.vocab_size)
    first = model.generate(prompt, temperature=0, max_tokens=1, logprobs=0).logprobs[0]
    assert int(last[0].argmax()) == first.id
    row = last[0].astype(np.float64)
    assert math.isclose(row[first.id] - np.log(np.exp(row - row.max()).sum()) - row.max(), first.logprob, abs_tol=1e-6)


def test_scores_are_those_of_the_logits(model):
    tokens = model.tokenize("1 2 3 4 5 6", bos=True)
    logprobs, likeliest = model.score(tokens)
    rows = model.logits(tokens)[:-1].astype(np.float64)
    rows -= rows.max(axis=1, keepdims=True)
    expected = rows - np.log(np.exp(rows).sum(axis=1, keepdims=True))
    following = np.array(tokens[1:])
    assert np.allclose(logprobs, expected[np.arange(len(following)), following], atol=1e-9)
    assert np.array_equal(likeliest, rows.argmax(axis=1) == following)
    assert [len(part) for part in model.score([tokens[0]])] == [0, 0]


def test_logits_that_do_not_fit_are_refused_before_they_are_computed(model, monkeypatch):
    tokens = [5] * 100
    row = 4 * model.vocab_size
    monkeypatch.setattr(pleiad.model._native, "available_memory", lambda: 100 * row - 1)
    with pytest.raises(pleiad.OutOfMemoryError, match="logits of 100 tokens .*last_only"):
        model.logits(tokens)
    assert model.logits(tokens, last_only=True).shape == (1, model.vocab_size)
    assert len(model.score(tokens)[0]) == 99
    assert model.logits(tokens[1:]).shape == (99, model.vocab_size)


def test_texts_are_scored_within_the_limit_of_keys_and_values():
    with pleiad.Model.load("demo", threads=1, kv_bytes=300_000) as small:
        few = small.score([5] * 64)
        with pytest.raises(pleiad.OutOfMemoryError, match="2,000 tokens need .* for keys and values; the limit is"):
            small.score([5] * 2000)
        assert np.array_equal(small.score([5] * 64)[0], few[0])


def test_logits_beside_an_answer(model):
    """They take turns on one model, and neither sees the other."""
    tokens = model.tokenize("1 2 3", bos=True)
    expected = model.logits(tokens)
    with model.generate("1 2 3", ignore_eos=True, max_tokens=400, temperature=0, stream=True) as stream:
        next(stream)
        assert np.array_equal(model.logits(tokens), expected)


@pytest.mark.parametrize(
    ("field", "ask"),
    [
        ("temperature", lambda model: model.chat("Hi", temperature=-1)),
        ("temperature", lambda model: model.chat("Hi", temperature=math.nan)),
        ("max_tokens", lambda model: model.chat("Hi", max_tokens="many")),
        ("colour", lambda model: model.chat("Hi", colour="red")),
        ("keep_alive", lambda model: model.chat("Hi", keep_alive=0)),
        ("n", lambda model: model.chat("Hi", n=2)),
        ("messages[0].role", lambda model: model.chat([{"role": "king", "content": "Hi"}])),
        ("messages", lambda model: model.chat([])),
        ("format", lambda model: model.chat("Hi", format="yaml")),
        ("format", lambda model: model.chat("Hi", format="json", guided_regex="a")),
        ("format.type", lambda model: model.chat("Hi", format={"type": "colour"})),
        ("format.type", lambda model: model.generate("Hi", format={"type": "colour"})),
        ("prompt", lambda model: model.generate([])),
        ("prompt", lambda model: model.generate([10**8])),
        ("tokens", lambda model: model.logits([-1])),
        ("tokens", lambda model: model.logits([])),
        ("tokens", lambda model: model.detokenize([10**8])),
    ],
)
def test_what_is_wrong_is_named(model, field, ask):
    with pytest.raises(pleiad.RequestError) as refused:
        ask(model)
    assert refused.value.field.startswith(field), str(refused.value)
    assert isinstance(refused.value, ValueError) and isinstance(refused.value, pleiad.Error)


def test_a_prompt_that_is_too_long(model):
    for ask in (lambda: model.chat("word " * 5000), lambda: model.logits([5] * 5000)):
        with pytest.raises(pleiad.ContextExceededError) as refused:
            ask()
        assert refused.value.prompt_tokens >= 5000 and refused.value.limit_tokens == 2048


def test_wrong_types_are_type_errors(model):
    for problem, ask in (
        ("tokenize", lambda: model.tokenize(3)),
        ("tools: expected what JSON can say: .* set ", lambda: model.chat("Hi", tools={object()})),
        ("messages: .* bytes ", lambda: model.chat([{"role": "user", "content": b"Hi"}])),
        ("messages: expected a text or a list of messages, found NoneType", lambda: model.chat(None)),
        ("NoneType", lambda: pleiad.Model.load(None)),
    ):
        with pytest.raises(TypeError, match=problem):
            ask()


def test_models_that_cannot_be_loaded(tmp_path):
    with pytest.raises(pleiad.ModelNotFoundError, match="no-such-model"):
        pleiad.Model.load("no-such-model")
    with pytest.raises(pleiad.LoadError, match="absent.gguf"):
        pleiad.Model.load(tmp_path / "absent.gguf")
    broken = tmp_path / "broken.gguf"
    broken.write_bytes(b"GGUF" + bytes(100))
    with pytest.raises(pleiad.LoadError, match="broken.gguf"):
        pleiad.Model.load(broken)
    with pytest.raises(pleiad.RequestError, match="kv_type: expected bf16"):
        pleiad.Model.load("demo", kv_type="q2")
    with pytest.raises(pleiad.RequestError, match="threads: expected 0 to 1024"):
        pleiad.Model.load("demo", threads=-1)


def test_what_on_progress_raises_ends_loading():
    def stop(done, total):
        assert 0 <= done <= total
        raise KeyError("enough")

    with pytest.raises(KeyError, match="enough"):
        pleiad.Model.load("demo", on_progress=stop)


def test_on_progress_hears_of_the_end():
    told = []
    pleiad.Model.load("demo", on_progress=lambda *bytes: told.append(bytes)).close()
    assert told[-1][0] == told[-1][1] > 0 and told == sorted(told)


def test_a_closed_model_says_so():
    model = pleiad.Model.load("demo", threads=1)
    stream = model.generate("1 2 3", ignore_eos=True, max_tokens=4000, stream=True)
    next(stream)
    model.close()
    model.close()
    with pytest.raises(pleiad.ClosedError):
        for _ in stream:
            pass
    for ask in (lambda: model.chat("Hi"), lambda: model.embed("Hi"), lambda: model.logits([2])):
        with pytest.raises(pleiad.ClosedError):
            ask()


def test_closing_while_others_ask(model):
    other = pleiad.Model.load("demo", threads=1)
    ended = []

    def ask():
        try:
            while True:
                other.score([5] * 64)
                other.chat("Count from 1 to 9")
        except pleiad.ClosedError as error:
            ended.append(error)

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    other.score([5] * 64)
    other.close()
    for thread in threads:
        thread.join(20)
    assert len(ended) == 4


def _ask_in_a_fork(ask, results):
    try:
        ask()
    except pleiad.ClosedError as error:
        results.put(str(error))


@pytest.mark.parametrize(
    "ask",
    [
        lambda model, stream: model.chat("Hi"),
        lambda model, stream: list(stream),
        lambda model, stream: stream.reply(),
        lambda model, stream: asyncio.run(stream._whole()),
    ],
)
def test_a_fork_is_told_instead_of_hanging(model, ask):
    context = multiprocessing.get_context("fork")
    results = context.Queue()
    stream = model.generate("1 2 3", ignore_eos=True, max_tokens=8, stream=True)
    child = context.Process(target=_ask_in_a_fork, args=(lambda: ask(model, stream), results))
    child.start()
    assert "forked" in results.get(timeout=20)
    child.join(20)
    assert child.exitcode == 0
    assert stream.reply().completion_tokens == 8


def _run(program, after=None):
    """A program in a process of its own, interrupted once it has said something."""
    command = [sys.executable, "-I", "-c", textwrap.dedent(program)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if after:
        assert process.stdout.readline() == after
        time.sleep(0.2)  # amid what it waits for
        os.kill(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=60)
    return process.returncode, out, err


@pytest.mark.parametrize(
    "wait",
    [
        "for _ in model.generate('1 2', ignore_eos=True, max_tokens=100000, stream=True): pass",
        "model.generate('1 2', ignore_eos=True, max_tokens=100000)",
        "model.logits([5] * 4000)",
        "model.logits([5] * 4000, last_only=True)",
    ],
)
def test_ctrl_c_ends_what_waits(wait):
    status, out, err = _run(
        f"""
        import pleiad
        model = pleiad.Model.load("demo", threads=1)
        try:
            print("ready", flush=True)
            while True:
                {wait}
        except KeyboardInterrupt:
            print(model.chat("Count from 1 to 3", temperature=0))
        """,
        after="ready\n",
    )
    assert (status, out.replace(",", ""), err) == (0, "1 2 3\n", "")


def test_a_signal_handler_may_ask_the_model():
    """The engine is free while Python is asked for signals."""
    status, out, err = _run(
        """
        import os, pleiad, signal, threading, time
        model = pleiad.Model.load("demo", threads=1)
        answers = []
        signal.signal(signal.SIGUSR1, lambda *_: answers.append(model.chat("Count from 1 to 3", temperature=0)))
        threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGUSR1)).start()
        end = time.monotonic() + 30
        while not answers and time.monotonic() < end:
            model.score([5] * 2000)
        print(*answers)
        """
    )
    assert (status, out.replace(",", ""), err) == (0, "1 2 3\n", "")


@pytest.mark.parametrize(
    "work",
    [
        "pleiad.quantize(demo, folder + '/x.gguf', 'q8_0', from_quantized=True, force=True, on_progress=print)",
        "pleiad.bench('demo', prompt=[64], generate=[8], threads=[1], repetitions=3)",
        "pleiad.Model.load('demo', threads=1, on_progress=print)",
        "model.score([5] * 2000)",
        "model.generate('1 2', ignore_eos=True, max_tokens=1000)",
    ],
)
def test_a_program_may_end_amid_the_work_of_a_daemon_thread(work, tmp_path):
    status, _, err = _run(
        f"""
        import importlib.resources, pleiad, threading, time
        demo = importlib.resources.files("pleiad") / "share/pleiad/demo/pleiad-demo.gguf"
        folder = {str(tmp_path)!r}
        model = pleiad.Model.load("demo", threads=1)
        def work():
            try:
                while True:
                    {work}
            except pleiad.ClosedError:
                pass
        threading.Thread(target=work, daemon=True).start()
        time.sleep(0.4)
        """
    )
    assert (status, err) == (0, "")


def test_a_model_whose_file_was_changed_is_loaded_anew(tmp_path):
    path = tmp_path / "model.gguf"
    shutil.copy(importlib.resources.files("pleiad") / "share/pleiad/demo/pleiad-demo.gguf", path)
    with pleiad.Model.load(path, threads=1) as model:
        expected = model.logits([2, 5])
        for _ in range(2):
            with open(path, "r+b") as file:
                first = file.read(1)
                file.seek(0)
                file.write(first)
            with pytest.raises(pleiad.FileChangedError):
                model.logits([2, 5])
            assert np.array_equal(model.logits([2, 5]), expected)


def test_what_the_readme_shows():
    text = (pathlib.Path(os.environ["PLEIAD_ROOT"]) / "README.md").read_text()
    (shown,) = [block for block in re.findall(r"```python\n(.*?)```", text, re.S) if "import pleiad\n" in block]
    assert len(shown.splitlines()) <= 10
    status, out, err = _run(shown + "print(); print(vectors.shape[0], logits.shape[0])")
    assert (status, err) == (0, "")
    assert out.replace(",", "").splitlines()[:2] == ["1 2 3 4 5", "1 2 3 4 5 6 7"]
    assert out.splitlines()[2].split()[0] == "2"


def test_a_program_may_end_amid_an_answer():
    status, _, err = _run(
        """
        import pleiad
        model = pleiad.Model.load("demo", threads=1)
        stream = model.generate("1 2 3", ignore_eos=True, max_tokens=4000, stream=True)
        next(stream)
        """
    )
    assert (status, err) == (0, "")
