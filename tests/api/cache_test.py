"""The prefix cache, seen from outside: what is cached is told, and never shows in an answer."""
import asyncio
import os
import random
import subprocess
import time

import httpx
from questions import COUNT

MODEL = "demo"
PROGRAM = os.environ["PLEIAD_PROGRAM"]
OPTIONS = {"temperature": 0, "num_predict": 12}
WORDS = "one two three four five six seven eight nine ten red green blue black white".split()


def words(seed, count):
    rng = random.Random(seed)
    return " ".join(rng.choice(WORDS) for _ in range(count))


def ask(http, messages, **fields):
    answer = http.post("/api/chat", json={
        "model": MODEL, "messages": messages, "stream": False, "options": OPTIONS,
        "logprobs": True} | fields)
    assert answer.status_code == 200, answer.text
    return answer.json()


def same(a, b):
    """The same tokens with the same probabilities, to the last bit."""
    assert a["message"] == b["message"]
    assert a["logprobs"] == b["logprobs"]


def test_a_repeated_prompt_is_found_whole(http):
    messages = [{"role": "user", "content": words(1, 400)}]
    cold = ask(http, messages)
    warm = ask(http, messages)
    assert cold["prompt_eval_cached_count"] < 64  # the template's first tokens at most
    assert warm["prompt_eval_count"] == cold["prompt_eval_count"]
    # The last token's logits are what comes next.
    assert warm["prompt_eval_cached_count"] == warm["prompt_eval_count"] - 1
    same(cold, warm)
    uncached = ask(http, messages, cache=False)
    assert uncached["prompt_eval_cached_count"] == 0
    same(cold, uncached)


def test_a_growing_conversation_computes_what_is_new(http):
    messages = [{"role": "system", "content": words(2, 300)}]
    before = 0
    for turn in range(6):
        messages.append({"role": "user", "content": words(100 + turn, 60)})
        warm = ask(http, messages)
        assert warm["prompt_eval_cached_count"] >= before
        same(ask(http, messages, cache=False), warm)
        before = warm["prompt_eval_count"]
        messages.append(warm["message"])


def test_a_reply_is_not_read_again(http):
    first = ask(http, COUNT)
    messages = [*COUNT, first["message"], {"role": "user", "content": "And from 3 to 5?"}]
    computed = first["prompt_eval_count"] + first["eval_count"]
    if "amx" in subprocess.run([PROGRAM, "--version"], capture_output=True, text=True, timeout=60).stdout:
        time.sleep(1)  # it is read once more when nothing else is to do
    second = ask(http, messages)
    # The last token was told and not computed where the reply was cut off.
    assert second["prompt_eval_cached_count"] >= computed - (first["done_reason"] == "length")
    same(ask(http, messages, cache=False), second)
    # Beside what the other APIs count.
    body = {"model": MODEL, "messages": messages, "max_tokens": 1, "temperature": 0}
    usage = http.post("/v1/chat/completions", json=body).json()["usage"]
    assert usage["prompt_tokens_details"]["cached_tokens"] == usage["prompt_tokens"] - 1
    usage = http.post("/v1/messages", json=body).json()["usage"]
    assert usage["cache_read_input_tokens"] > computed and usage["input_tokens"] == 1


def test_any_branch_of_a_prompt_is_found_at_any_depth(http):
    base = words(3, 1500).split()
    whole = ask(http, [{"role": "user", "content": " ".join(base)}])
    for depth in (1400, 900, 300, 120):
        branch = [{"role": "user", "content": " ".join(base[:depth]) + " " + words(depth, 40)}]
        warm = ask(http, branch)
        # Sliding windows have long moved on from there.
        assert warm["prompt_eval_cached_count"] > depth * 0.5
        assert warm["prompt_eval_cached_count"] < whole["prompt_eval_count"]
        same(ask(http, branch, cache=False), warm)


def test_interleaved_conversations_do_not_disturb_each_other(http):
    chats = [[{"role": "system", "content": words(50 + i, 250)}] for i in range(4)]
    lengths = [0] * 4
    for turn in range(3):
        for i, messages in enumerate(chats):
            messages.append({"role": "user", "content": words(1000 + 10 * turn + i, 30)})
            warm = ask(http, messages)
            assert warm["prompt_eval_cached_count"] >= lengths[i]
            same(ask(http, messages, cache=False), warm)
            lengths[i] = warm["prompt_eval_count"]
            messages.append(warm["message"])


def test_eviction_under_a_small_budget_changes_no_answer(start_server):
    running = start_server("--kv-memory", "24M", "--ctx", "1024")
    with httpx.Client(base_url=running.url, timeout=120) as http:
        prompts = [[{"role": "user", "content": words(200 + i, 300)}] for i in range(12)]
        first = [ask(http, prompt) for prompt in prompts]
        for _ in range(2):
            for prompt, expected in zip(prompts, first):
                same(ask(http, prompt), expected)
        metrics = http.get("/metrics").text
    assert metrics.count("pleiad_kv_bytes{") >= 3


def test_cache_debug_says_where_prompts_part(http):
    base, rest = words(4, 400), words(5, 200)
    ask(http, [{"role": "user", "content": f"{base} red {rest}"}])
    answer = ask(http, [{"role": "user", "content": f"{base} blue {rest}"}], cache_debug=True)
    debug = answer["cache_debug"]
    assert debug["cached_tokens"] == answer["prompt_eval_cached_count"]
    assert debug["common_tokens"] >= debug["cached_tokens"]
    assert "red" in debug["cached_text"] and "blue" in debug["prompt_text"]


def test_requests_with_one_prompt_at_a_time_compute_it_once(server):
    body = {"model": MODEL, "messages": [{"role": "user", "content": words(6, 1200)}], "stream": False,
            "options": OPTIONS}

    async def run():
        async with httpx.AsyncClient(base_url=server.url, timeout=240) as client:
            got = await asyncio.gather(*[client.post("/api/chat", json=body) for _ in range(6)])
        answers = [one.json() for one in got]
        assert len({answer["message"]["content"] for answer in answers}) == 1
        total = answers[0]["prompt_eval_count"]
        evaluated = [answer["prompt_eval_count"] - answer["prompt_eval_cached_count"] for answer in answers]
        assert sum(evaluated) <= total + 5 * 64

    asyncio.run(run())


def test_company_does_not_change_an_answer(server, http):
    prompts = [[{"role": "user", "content": words(300 + i, 10 + 40 * (i % 7))}] for i in range(24)]
    prompts += [COUNT] * 8
    expected = [ask(http, prompt, cache=False) for prompt in prompts]

    async def run():
        async with httpx.AsyncClient(base_url=server.url, timeout=240) as client:
            got = await asyncio.gather(*[client.post("/api/chat", json={
                "model": MODEL, "messages": prompt, "stream": False, "options": OPTIONS,
                "logprobs": True}) for prompt in prompts])
        for answer, alone in zip(got, expected):
            same(answer.json(), alone)

    asyncio.run(run())
