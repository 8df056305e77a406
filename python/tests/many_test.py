"""What an evaluation asks: many texts scored, many prompts continued."""

import importlib.util
import os
import pathlib
import time
import tomllib

import numpy as np
import pytest

import pleiad
from pleiad._many import Repeats, continue_all, last_tokens, score_pairs, split_pair


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


def test_what_is_compared_is_rounded_alike(model):
    context = tuple(model.tokenize("1 2 3", bos=True))
    four, long = tuple(model.tokenize(" 4")), tuple(model.tokenize(" 4 5 6"))
    asked = []

    class Asked:
        def score(self, tokens):
            asked.append(tokens)
            return model.score(tokens)

        def score_next(self, tokens, candidates):
            raise AssertionError("the other arithmetic")

    found = {index: logprob for index, logprob, _ in score_pairs(Asked(), [(context, four[:1]), (context, long)])}
    assert asked == [context + four[:1], context + long]
    assert found[0] == model.score(context + four[:1])[0][-1]


def test_a_context_has_a_token(model):
    with pytest.raises(ValueError, match="pair 1: expected a context of one token at least"):
        list(score_pairs(model, [((2,), (5,)), ((), (5, 6))]))


@pytest.mark.parametrize(
    ("context", "continuation", "expected_before", "n_following"),
    [
        ("1 2", " 3", "1 2", 2),
        ("Count ", "from", "Count", 1),  # the space is of what follows
        ("Count fr", "om", "Count", 1),  # " from" is one token
        ("1 2", "", "1 2", 0),
        ("", "1", "", 1),
    ],
)
def test_pairs_are_split_where_both_together_are(model, context, continuation, expected_before, n_following):
    def encode(text):
        return model.tokenize(text, bos=True)

    before, following = split_pair(encode, context, continuation)
    assert before + following == encode(context + continuation)
    assert before == encode(expected_before) and len(following) == n_following


def test_a_whole_context_may_melt_into_what_follows():
    tokens = {"foo": [7, 8], "foobar": [9], "foot": [7, 9]}
    assert split_pair(tokens.__getitem__, "foo", "bar") == ([], [9])
    assert split_pair(tokens.__getitem__, "foo", "t") == ([7], [9])


def test_bos_stays_the_first_of_what_is_shortened():
    assert last_tokens([2, 5, 6, 7], 4, 2) == [2, 5, 6, 7]
    assert last_tokens([2, 5, 6, 7], 3, 2) == [2, 6, 7]
    assert last_tokens([2, 5, 6, 7], 1, 2) == [2]
    assert last_tokens([5, 6, 2, 7], 3, 2) == [6, 2, 7]


def test_repeats_have_seeds_of_their_own():
    repeats = Repeats()
    warm, hot = {"temperature": 1.0, "until": ["x"]}, {"until": ["x"], "temperature": 2.0}
    assert [repeats.seed(7, "a", warm), repeats.seed(7, "b", warm), repeats.seed(7, "a", hot)] == [7, 7, 7]
    assert [repeats.seed(7, "a", dict(reversed(warm.items()))), repeats.seed(7, "a", warm)] == [8, 9]


def test_the_model_says_how_many_it_runs(model):
    assert model.parallel == 32
    with pleiad.Model.load("demo", threads=1, context_length=64, parallel=3) as other:
        assert other.parallel == 3


def test_what_other_programs_need_is_among_the_extras():
    project = pathlib.Path(os.environ["PLEIAD_ROOT"]) / "pyproject.toml"
    assert {"lm-eval", "ray"} <= set(tomllib.loads(project.read_text())["project"]["optional-dependencies"])


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


def test_what_the_model_does_not_run_at_once_is_not_begun():
    class Counted:
        parallel = 3
        begun = ended = most = 0

        def generate(self, tokens, stream):
            self.begun += 1
            self.most = max(self.most, self.begun - self.ended)
            return self

        def reply(self):
            self.ended += 1
            return self.ended

    counted = Counted()
    assert list(continue_all(counted, [([2], {})] * 7, 600)) == [(i, i + 1) for i in range(7)]
    assert counted.most == 3


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
