"""PleiadLM beside what the engine says of the same tokens, and lm-eval's command line; where lm-eval is alone."""

import json
import math
import os
import subprocess
import sys

import numpy as np
import pytest

import pleiad

pytest.importorskip("lm_eval")
from lm_eval.api.instance import Instance
from lm_eval.api.model import TemplateLM

from pleiad.lm_eval import PleiadLM


@pytest.fixture(scope="module")
def lm(model):
    return PleiadLM(model)


def _asked(kind, *arguments):
    return [Instance(request_type=kind, doc={}, arguments=each, idx=0) for each in arguments]


def _scored(lm, *pairs):
    return lm.loglikelihood(_asked("loglikelihood", *pairs), disable_tqdm=True)


def _by_hand(model, tokens, n_last):
    logprobs, likeliest = model.score(tokens)
    return logprobs[-n_last:].sum(), bool(likeliest[-n_last:].all())


def _assert_same(found, expected):
    for (logprob, is_greedy), (expected_logprob, expected_is_greedy) in zip(found, expected, strict=True):
        assert np.isclose(logprob, expected_logprob, atol=1e-3) and is_greedy == expected_is_greedy


@pytest.mark.parametrize(
    ("context", "continuation", "n_last"),
    [
        ("Count from 1 to 5", ": 1, 2", None),
        ("Count from ", "1", 2),  # the space is the continuation's
        ("", "Count from 1", None),  # behind <bos>
        ("", "<bos>Count", 1),  # which a text may bring
        (" ", "Count", None),
        ("Count fr", "om", 1),  # "from" is one token
    ],
)
@pytest.mark.parametrize("add_bos_token", [True, False])
def test_continuations_are_scored_behind_their_contexts(model, context, continuation, n_last, add_bos_token):
    lm = PleiadLM(model, add_bos_token=add_bos_token)
    whole = model.tokenize(context + continuation, control=True)
    if add_bos_token or not context.strip():
        whole = [model.tokenize("", bos=True)[0], *(whole[1:] if whole[0] == 2 else whole)]
    n_last = n_last or len(whole) - max(1, len(lm.tok_encode(context.rstrip())))
    _assert_same(_scored(lm, (context, continuation)), [_by_hand(model, whole, n_last)])


@pytest.mark.parametrize("continuation", [" 3, 4", "om 1 to 5", "", "o, 2", "\n", "<turn|>"])
@pytest.mark.parametrize("context", ["Count fr", "1,", "1, ", "<|turn>model\n", " \n", "<bos>1"])
@pytest.mark.parametrize("add_bos_token", [True, False])
def test_pairs_are_split_as_lm_eval_does(model, context, continuation, add_bos_token):
    lm = PleiadLM(model, add_bos_token=add_bos_token)
    before, following = TemplateLM._encode_pair(lm, context, continuation)
    if following:
        assert lm._encode_pair(context, continuation) == (before or [2], following)
    else:
        assert continuation == ""


def test_no_prompt_is_continued_behind_bos(model):
    lm = PleiadLM(model, add_bos_token=False)
    options = {"max_gen_toks": 4, "until": []}
    replies = lm.generate_until(_asked("generate_until", ("", options)), disable_tqdm=True)
    assert replies == [model.generate([2], temperature=0, max_tokens=4).content]


def test_a_choice_that_melts_into_its_context_is_not_certain(lm):
    (logprob, _), (other, _) = _scored(lm, ("Count fr", "om"), ("Count fr", "ee"))
    assert logprob < 0 and other < 0


def test_a_continuation_without_tokens_is_refused(lm):
    for context in ("", "Count"):
        with pytest.raises(ValueError, match="a continuation without a token"):
            _scored(lm, (context, ""))


def test_what_is_shortened_keeps_bos(model):
    lm = PleiadLM(model, max_length=16)
    numbers = " ".join(str(number) for number in range(40))
    whole = model.tokenize(numbers + " 40", bos=True)
    n_last = len(whole) - len(model.tokenize(numbers, bos=True))
    _assert_same(_scored(lm, (numbers, " 40")), [_by_hand(model, [whole[0], *whole[-15:]], n_last)])
    options = {"max_gen_toks": 6, "until": []}
    (reply,) = lm.generate_until(_asked("generate_until", (numbers, options)), disable_tqdm=True)
    prompt = model.tokenize(numbers, bos=True)
    assert reply == model.generate([prompt[0], *prompt[-9:]], temperature=0, max_tokens=6).content


def test_what_the_model_says_is_greedy(model, lm):
    prompt = lm.apply_chat_template([{"role": "user", "content": "Count from 1 to 5"}])
    said = model.generate(prompt, temperature=0).content
    prompt += said[0]  # white space at a prompt's end, which the model never said, would be scored too
    (_, is_greedy), (_, is_other_greedy) = _scored(lm, (prompt, said[1:]), (prompt, said[1:].replace("4", "7")))
    assert is_greedy and not is_other_greedy


def test_whole_texts_are_scored_behind_bos(model, lm):
    (found,) = lm.loglikelihood_rolling(_asked("loglikelihood_rolling", ("Count from 1 to 5",)), disable_tqdm=True)
    logprobs, _ = model.score("Count from 1 to 5")
    assert np.isclose(found, logprobs.sum(), atol=1e-3)


def test_repeats_are_other_samples_and_the_same_again(lm):
    options = {"do_sample": True, "temperature": 1.5, "max_gen_toks": 12, "until": []}
    asked = _asked("generate_until", *[("Once", dict(options))] * 6, ("Once", {**options, "do_sample": False}))
    replies = lm.generate_until(asked, disable_tqdm=True)
    assert len(set(replies[:6])) > 1
    assert lm.generate_until(asked, disable_tqdm=True) == replies


@pytest.mark.parametrize(
    ("named", "arguments"),
    [
        ("context_length", {"context_length": 512}),
        ("max_length: expected a whole number, 2 at least, found -3", {"max_length": -3}),
        ("max_length: expected a whole number, 2 at least, found 'x'", {"max_length": "x"}),
        ("seed", {"seed": "x"}),
        ("max_length: expected 2 to 2048, found 4096", {"max_length": 4096}),
        ("max_gen_toks", {"max_gen_toks": 0}),
        ("max_batch_size", {"batch_size": "auto", "max_batch_size": 0}),
        ("batch_size", {"batch_size": "many"}),
        ("device", {"device": "cuda:1"}),
    ],
)
def test_wrong_arguments_are_named(model, named, arguments):
    with pytest.raises(ValueError, match=named):
        PleiadLM(model, **arguments)


def test_more_at_once_than_the_engine_takes_wait_here(model, caplog):
    lm = PleiadLM(model, batch_size=100_000)
    assert f"batch_size: {model.parallel}, the most" in caplog.text
    asked = _asked("generate_until", *[("1", {"max_gen_toks": 1, "until": []})] * 700)
    assert len(lm.generate_until(asked, disable_tqdm=True)) == 700


TASKS = {
    "choices": """
output_type: multiple_choice
doc_to_text: "Count from 1 to {{last}}"
doc_to_choice: ["3, 1, 2", "1, 2, 3"]
doc_to_target: 1
metric_list: [{metric: acc, aggregation: mean, higher_is_better: true}]
""",
    "texts": """
output_type: loglikelihood_rolling
doc_to_text: ""
doc_to_target: "Count from 1 to {{last}}"
metric_list: [{metric: word_perplexity}]
""",
    "replies": """
output_type: generate_until
doc_to_text: "Count from 1 to {{last}}"
doc_to_target: "{{numbers}}"
repeats: 2
generation_kwargs: {until: ["\\n"], max_gen_toks: 40, do_sample: false}
metric_list: [{metric: exact_match, aggregation: mean, higher_is_better: true}]
""",
}


def test_the_command_line_runs_to_its_end(model, tmp_path):
    data = tmp_path / "data.jsonl"
    rows = [{"last": last, "numbers": ", ".join(str(n) for n in range(1, last + 1))} for last in (3, 4)]
    data.write_text("".join(json.dumps(row) + "\n" for row in rows))
    for name, rest in TASKS.items():
        dataset = json.dumps({"data_files": {"test": str(data)}})
        (tmp_path / f"{name}.yaml").write_text(
            f"task: pleiad_{name}\ndataset_path: json\ndataset_kwargs: {dataset}\ntest_split: test{rest}"
        )
    command = [sys.executable, "-m", "pleiad.lm_eval", "run", "--model", "pleiad"]
    command += ["--model_args", "pretrained=demo,threads=1,max_length=512", "--batch_size", "auto"]
    command += ["--apply_chat_template", "--include_path", str(tmp_path), "--output_path", str(tmp_path / "out")]
    command += ["--tasks", *(f"pleiad_{name}" for name in TASKS)]
    environment = {**os.environ, "HF_HOME": str(tmp_path / "hf"), "HF_HUB_OFFLINE": "1", "HF_DATASETS_OFFLINE": "1"}
    done = subprocess.run(command, cwd=tmp_path, env=environment, text=True, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    (written,) = (tmp_path / "out").rglob("results_*.json")
    found = json.loads(written.read_text())
    assert found["results"]["pleiad_replies"]["exact_match,none"] == 1
    assert found["results"]["pleiad_choices"]["acc,none"] == 1
    logprob = sum(model.score(f"Count from 1 to {row['last']}")[0].sum() for row in rows)
    perplexity = math.exp(-logprob / (5 * len(rows)))
    assert np.isclose(found["results"]["pleiad_texts"]["word_perplexity,none"], perplexity, rtol=1e-3)
    assert found["config"]["pleiad_version"] == pleiad.__version__
    assert found["config"]["token_counts"]["completion_tokens"] > 0
