"""What an evaluation asks: many texts scored, many prompts continued."""

import importlib.util
import time

import numpy as np
import pytest

import pleiad
from pleiad._many import continue_all, score_pairs


def test_what_comes_next_is_as_likely_as_score_says(model):
    context = model.tokenize("1 2 3", bos=True)
    candidates = [model.tokenize(text)[0] for text in (" 4", " 9", " 4")]
    logprobs, likeliest = model.score_next(context, candidates)
    assert logprobs.dtype == np.float64 and likeliest.dtype == np.bool_
    expected = [model.score([*context, token]) for token in candidates]
    # With AMX a prompt's token and one that is to be generated are rounded in other ways.
    assert np.allclose(logprobs, [values[-1] for values, _ in expected], atol=1e-3)
    assert likeliest.tolist() == [bool(flags[-1]) for _, flags in expected]
    assert [len(part) for part in model.score_next(context, [])] == [0, 0]


def test_pairs_are_scored_once_each(model):
    context = tuple(model.tokenize("1 2 3", bos=True))
    other = tuple(model.tokenize("red", bos=True))
    four, nine = (tuple(model.tokenize(text)) for text in (" 4", " 9"))
    long = tuple(model.tokenize(" 4 5 6"))
    pairs = [(context, four), (other, long), (context, nine), (context, long), (context, four), (context, ())]
    before = model.stats()["tokens_generated"]
    found = {index: (logprob, flag) for index, logprob, flag in score_pairs(model, pairs)}
    assert sorted(found) == list(range(len(pairs))) and model.stats()["tokens_generated"] == before
    assert found[5] == (0.0, True) and found[0] == found[4]
    for index, (before_it, following) in enumerate(pairs[:-1]):
        logprobs, likeliest = model.score(before_it + following)
        assert np.isclose(found[index][0], logprobs[len(before_it) - 1 :].sum(), atol=1e-3)
        assert found[index][1] == bool(likeliest[len(before_it) - 1 :].all())


def test_what_the_model_says_itself_is_the_likeliest(model):
    prompt = tuple(model.tokenize(model.render("Count from 1 to 5"), control=True))
    said = tuple(token.id for token in model.generate(prompt, temperature=0, logprobs=0).logprobs)
    assert len(said) > 4
    found = {index: flag for index, _, flag in score_pairs(model, [(prompt, said), (prompt, said[::-1])])}
    assert found == {0: True, 1: False}


def test_prompts_are_continued_in_their_order(model):
    prompts = [
        (model.tokenize(model.render(f"Count from 1 to {last}"), control=True), {"temperature": 0, "max_tokens": 40})
        for last in (7, 3, 5, 4)
    ]
    alone = [model.generate(tokens, **options).content for tokens, options in prompts]
    for at_once in (1, 3, 9):
        together = list(continue_all(model, prompts, at_once))
        assert [index for index, _ in together] == [0, 1, 2, 3]
        assert [reply.content for _, reply in together] == alone
    assert [text.count(",") for text in alone] == [6, 2, 4, 3]


def test_who_stops_asking_ends_what_runs(model):
    endless = {"ignore_eos": True, "max_tokens": 2000, "repetition_guard": False}
    prompts = [([2, 5], {"max_tokens": 1}), ([2, 6], endless), ([2, 7], endless)]
    replies = continue_all(model, prompts, 3)
    assert next(replies)[1].completion_tokens <= 1
    replies.close()
    deadline = time.monotonic() + 60
    while model.stats()["running"] + model.stats()["waiting"] > 0:
        assert time.monotonic() < deadline
        time.sleep(0.005)


@pytest.mark.skipif(importlib.util.find_spec("lm_eval") is not None, reason="lm-eval is here")
def test_lm_eval_is_asked_for_by_name():
    with pytest.raises(ImportError, match=r"pip install pleiad\[lm-eval\]"):
        importlib.import_module("pleiad.lm_eval")


def _nested(depth):
    inner = []
    for _ in range(depth):
        inner = [inner]
    return inner


@pytest.mark.parametrize(
    ("field", "ask"),
    [
        ("tokens", lambda model: model.logits([2**40])),
        ("tokens", lambda model: model.detokenize([2**33])),
        ("prompt", lambda model: model.generate([-(2**31) - 1])),
        ("candidates", lambda model: model.score_next([2], [10**8])),
        ("candidates", lambda model: model.score_next([2], [-1])),
        ("tokens", lambda model: model.score_next([], [5])),
        ("dimensions", lambda model: model.embed([], dimensions=-3)),
        ("dimensions", lambda model: model.embed([], dimensions=0)),
        ("", lambda model: model.chat("half \ud800")),
        ("messages", lambda model: model.chat([{"role": "user", "content": float("nan")}])),
        ("messages", lambda model: model.chat([_nested(100_000)])),
        ("temperature", lambda model: model.generate("1 2", temperature=float("inf"))),
        ("model", lambda model: pleiad.Model.load("no\udcff.gguf")),
        ("models", lambda model: pleiad.Server("no\udcff.gguf")),
    ],
)
def test_what_cannot_be_said_is_a_request_error(model, field, ask):
    with pytest.raises(pleiad.RequestError) as refused:
        ask(model)
    assert refused.value.field == field, str(refused.value)
