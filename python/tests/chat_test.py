"""Conversations: whole, in parts, in tasks and in threads."""

import asyncio
import concurrent.futures
import ctypes
import json
import threading
import time

import pytest

import pleiad

COUNT = "Count from 1 to 5"
FIVE = "1 2 3 4 5"


def test_answers_a_question(model):
    reply = model.chat(COUNT, temperature=0)
    assert reply.content.replace(",", "") == FIVE
    assert str(reply) == reply.content
    assert reply.finish_reason == "stop"
    assert reply.prompt_tokens > reply.cached_tokens >= 0
    assert reply.completion_tokens > 4


def test_counts_what_the_form_compels(model):
    kind = {"type": "object", "properties": {"state_of_work": {"const": "in_progress"}}, "required": ["state_of_work"]}
    form = {"type": "json_schema", "json_schema": {"name": "a", "schema": kind}}
    fast = model.chat(COUNT, response_format=form, temperature=0)
    assert json.loads(fast.content) == {"state_of_work": "in_progress"}
    assert fast.forced_tokens > 4 and fast.saved_steps > 4
    slow = model.chat(COUNT, response_format=form, temperature=0, forced_text=False)
    assert slow.forced_tokens == slow.saved_steps == 0


def test_goes_on_with_a_conversation(model):
    messages = [{"role": "user", "content": COUNT}]
    messages.append(model.chat(messages, temperature=0).message)
    messages.append({"role": "user", "content": COUNT})
    assert model.chat(messages, temperature=0).content.replace(",", "") == FIVE


def test_a_stream_is_the_reply_in_parts(model):
    whole = model.chat(COUNT, temperature=0)
    with model.chat(COUNT, temperature=0, stream=True) as stream:
        parts = list(stream)
    assert len(parts) > 1 and {part.kind for part in parts} == {"content"}
    assert "".join(map(str, parts)) == whole.content
    assert stream.so_far.finish_reason == "stop"
    assert list(stream) == []


def test_a_stream_gives_the_whole_after_some_parts(model):
    stream = model.chat(COUNT, temperature=0, stream=True)
    next(stream)
    assert stream.reply().content.replace(",", "") == FIVE


def test_tasks_stream_side_by_side(model):
    async def one(upto):
        texts = []
        async for part in model.chat(f"Count from 1 to {upto}", temperature=0, stream=True):
            texts.append(str(part))
        return "".join(texts).replace(",", "")

    async def all_of_them():
        return await asyncio.gather(*(one(upto) for upto in (3, 4, 5)))

    assert asyncio.run(all_of_them()) == ["1 2 3", "1 2 3 4", "1 2 3 4 5"]


def test_a_stream_can_be_awaited(model):
    async def ask():
        return await model.chat(COUNT, temperature=0, stream=True)

    assert asyncio.run(ask()).content.replace(",", "") == FIVE


def test_the_loop_runs_while_a_task_waits(model):
    async def ask():
        ticks = 0

        async def tick():
            nonlocal ticks
            while True:
                ticks += 1
                await asyncio.sleep(0)

        ticking = asyncio.create_task(tick())
        await model.chat(COUNT, temperature=0, stream=True)
        ticking.cancel()
        return ticks

    assert asyncio.run(ask()) > 5


def test_a_task_that_is_cancelled_ends_the_answer(model):
    async def ask():
        stream = model.generate("1 2 3", ignore_eos=True, max_tokens=1500, stream=True)
        task = asyncio.ensure_future(stream._whole())
        await asyncio.sleep(0.01)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(ask())
    assert _becomes_idle(model)


def test_threads_share_the_model(model):
    expected = {upto: model.chat(f"Count from 1 to {upto}", temperature=0).content for upto in range(2, 8)}
    with concurrent.futures.ThreadPoolExecutor(6) as pool:
        asked = {upto: pool.submit(model.chat, f"Count from 1 to {upto}", temperature=0) for upto in expected}
        assert {upto: reply.result().content for upto, reply in asked.items()} == expected


def test_other_threads_run_while_one_waits(model):
    """The GIL is released: a thread that counts comes forward while the engine computes."""
    stop, counted = threading.Event(), []

    def count():
        n = 0
        while not stop.is_set():
            n += 1
        counted.append(n)

    thread = threading.Thread(target=count)
    thread.start()
    model.chat(COUNT, temperature=0)
    stop.set()
    thread.join()
    assert counted[0] > 1000


def test_who_stops_listening_ends_the_answer(model):
    stream = model.generate("1 2 3", ignore_eos=True, max_tokens=1500, stream=True)
    next(stream)
    del stream
    assert _becomes_idle(model)


def test_logprobs_and_alternatives(model):
    reply = model.chat(COUNT, temperature=0, logprobs=True, top_logprobs=3)
    assert b"".join(token.bytes for token in reply.logprobs).decode().startswith(reply.content[:1])
    first = reply.logprobs[0]
    assert len(first.top) == 3 and first.top[0].id == first.id
    assert first.logprob == first.top[0].logprob >= first.top[1].logprob >= first.top[2].logprob
    assert first.logprob <= 0


def test_a_reply_has_the_form_that_is_asked_for(model):
    schema = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
    reply = model.chat("Give me a number", format=schema, seed=1, max_tokens=64)
    value = json.loads(reply.content)
    assert set(value) == {"n"} and isinstance(value["n"], int)


def test_a_continuation_has_the_form_that_is_asked_for(model):
    schema = {"type": "object", "properties": {"n": {"type": "integer", "maximum": 99}}, "required": ["n"]}
    assert set(json.loads(model.generate("A number: ", format=schema, seed=1, max_tokens=64).content)) == {"n"}


def test_what_a_form_leaves_out_is_told_by_its_path(model):
    schema = {"type": "object", "properties": {"n": {"enum": ["a"]}, "x": {"foo": 1}}}
    reply = model.chat("Give me a number", format=schema, seed=1, max_tokens=64)
    assert [warning.split(":")[0] for warning in reply.warnings] == ["format.properties.x"]


def test_a_call_of_a_tool(model):
    tool = {
        "type": "function",
        "function": {
            "name": "get_weather",
            "description": "Weather of a city",
            "parameters": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
        },
    }
    reply = model.chat(
        "What is the weather in Paris?", tools=[tool], tool_choice="required", temperature=0, max_tokens=64
    )
    assert reply.finish_reason == "tool_calls"
    (call,) = reply.tool_calls
    assert call.name == "get_weather" and isinstance(call.arguments["city"], str) and not call.problem
    (said,) = reply.message["tool_calls"]
    assert json.loads(said["function"]["arguments"]) == call.arguments


def test_stop_strings_and_lengths(model):
    assert model.chat(COUNT, temperature=0, stop="4").content.replace(",", "").strip() == "1 2 3"
    assert model.chat(COUNT, temperature=0, max_tokens=2).finish_reason == "length"


def test_a_reply_that_repeats_itself_is_ended(model):
    (token,) = set(model.tokenize("1 1 1")) & set(model.tokenize("1"))
    reply = model.chat(COUNT, temperature=0, logit_bias={str(token): 100}, max_tokens=1800)
    assert (reply.finish_reason, reply.ended_by, reply.thinking_ended_by) == ("length", "repetition", None)
    assert reply.completion_tokens < 1800 and reply.warnings
    assert model.chat(COUNT, temperature=0).ended_by is None


def test_answers_go_on_while_python_is_busy_beside_scores(model):
    """Who scores waits for the GIL without the engine's turn."""
    with model.generate("1 2", ignore_eos=True, max_tokens=2000, temperature=1, seed=1, stream=True) as stream:
        next(stream)
        scores = threading.Thread(target=lambda: model.score([5] * 2000))
        scores.start()
        time.sleep(0.02)
        before = model.stats()["tokens_generated"]
        ctypes.PyDLL(None).usleep(400_000)  # with the GIL
        generated = model.stats()["tokens_generated"] - before
        scores.join()
    assert generated > 20


def test_a_seed_makes_it_the_same_again(model):
    def say():
        return model.chat("Tell me something", seed=7, max_tokens=12)

    assert say().content == say().content
    assert say().seed == 7


def test_a_picture_is_seen(model):
    import importlib.resources

    picture = importlib.resources.files("pleiad") / "share/pleiad/demo/shapes.png"
    content = [pleiad.media(picture), {"type": "text", "text": "What is in the picture?"}]
    assert model.sees
    assert "red circles" in model.chat([{"role": "user", "content": content}], temperature=0).content


def test_a_file_that_is_no_picture_is_refused(model):
    content = [pleiad.media(b"nothing", media_type="image/png"), {"type": "text", "text": "What is it?"}]
    with pytest.raises(pleiad.RequestError, match="messages") as refused:
        model.chat([{"role": "user", "content": content}])
    assert refused.value.field.startswith("messages[0].content[0]")


def _becomes_idle(model):
    end = time.monotonic() + 20
    while model.stats()["running"] and time.monotonic() < end:
        time.sleep(0.01)
    return model.stats()["running"] == 0
