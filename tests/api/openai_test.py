"""The official OpenAI client against our server."""
import asyncio
import json

import openai
import pytest
from pydantic import BaseModel
from conftest import wait_for
from questions import COUNT, COUNTED, LONG, PARAMETERS, TOOL, WEATHER

MODEL = "demo"


def test_chat(openai_client):
    answer = openai_client.chat.completions.create(model=MODEL, messages=COUNT, temperature=0)
    assert answer.object == "chat.completion"
    assert answer.choices[0].message.role == "assistant"
    assert answer.choices[0].message.content == COUNTED
    assert answer.choices[0].finish_reason == "stop"
    usage = answer.usage
    assert usage.total_tokens == usage.prompt_tokens + usage.completion_tokens
    assert usage.prompt_tokens_details.cached_tokens >= 0


def test_chat_stream(openai_client):
    chunks = list(openai_client.chat.completions.create(
        model=MODEL, messages=COUNT, temperature=0, stream=True, stream_options={"include_usage": True}))
    assert chunks[0].choices[0].delta.role == "assistant"
    text = "".join(c.choices[0].delta.content or "" for c in chunks if c.choices)
    assert text == COUNTED
    reasons = [c.choices[0].finish_reason for c in chunks if c.choices]
    assert reasons[-1] == "stop" and set(reasons[:-1]) == {None}
    assert chunks[-1].choices == [] and chunks[-1].usage.completion_tokens > 0
    assert len({c.id for c in chunks}) == 1 and len({c.created for c in chunks}) == 1


BEGUN = COUNT + [{"role": "assistant", "content": "1, 2, 3"}]


@pytest.mark.parametrize("extra", [{}, {"continue_final_message": True, "add_generation_prompt": False}])
@pytest.mark.parametrize("stream", [False, True])
def test_a_last_message_of_the_assistant_goes_on(openai_client, stream, extra):
    answer = openai_client.chat.completions.create(model=MODEL, messages=BEGUN, temperature=0, stream=stream,
                                                   extra_body=extra)
    if stream:
        chunks = list(answer)
        text = "".join(c.choices[0].delta.content or "" for c in chunks if c.choices)
        told = chunks[-1].model_extra.get("warnings", [])
    else:
        text, told = answer.choices[0].message.content, answer.model_extra.get("warnings", [])
    assert "1, 2, 3" + text == COUNTED
    assert bool(told) == (not extra)


def test_whether_a_message_goes_on_is_said_once(openai_client):
    with pytest.raises(openai.BadRequestError) as raised:
        openai_client.chat.completions.create(model=MODEL, messages=BEGUN, extra_body={
            "continue_final_message": True, "add_generation_prompt": True})
    assert raised.value.body["param"] == "continue_final_message"
    own = openai_client.chat.completions.create(model=MODEL, messages=BEGUN, temperature=0, max_tokens=50,
                                                extra_body={"continue_final_message": False})
    assert "warnings" not in own.model_extra
    assert "1, 2, 3" + (own.choices[0].message.content or "") != COUNTED


def test_what_is_begun_has_the_format_with_the_answer(openai_client):
    schema = {"type": "object", "properties": {"city": {"type": "string", "maxLength": 20}}, "required": ["city"],
              "additionalProperties": False}
    form = {"type": "json_schema", "json_schema": {"name": "f", "schema": schema}}
    asked = [{"role": "user", "content": "Name a city"}]
    begun = '{"city":'
    answer = openai_client.chat.completions.create(
        model=MODEL, temperature=0, response_format=form, messages=asked + [{"role": "assistant", "content": begun}])
    assert set(json.loads(begun + answer.choices[0].message.content)) == {"city"}
    with pytest.raises(openai.BadRequestError):
        openai_client.chat.completions.create(
            model=MODEL, response_format=form, messages=asked + [{"role": "assistant", "content": "Sure:"}])


def test_a_last_item_of_the_assistant_goes_on(openai_client):
    answer = openai_client.responses.create(model=MODEL, input=BEGUN, temperature=0)
    assert "1, 2, 3" + answer.output_text == COUNTED


def test_results_whose_calls_are_gone(openai_client):
    answer = openai_client.chat.completions.create(
        model=MODEL, tools=[TOOL], temperature=0, messages=[
            {"role": "user", "content": WEATHER},
            {"role": "tool", "tool_call_id": "call_1", "name": "get_weather", "content": "sunny, 21 degrees"}])
    assert "sunny" in answer.choices[0].message.content
    assert "messages[1]" in answer.model_extra["warnings"][0]


def test_calls_without_results_at_the_end(openai_client):
    call = {"id": "c", "type": "function", "function": {"name": "get_weather", "arguments": "{}"}}
    with pytest.raises(openai.BadRequestError) as raised:
        openai_client.chat.completions.create(model=MODEL, tools=[TOOL], messages=[
            {"role": "user", "content": WEATHER}, {"role": "assistant", "content": None, "tool_calls": [call]}])
    assert "results" in raised.value.message


def test_n_choices_with_a_seed(openai_client):
    hard = [{"role": "user", "content": "Reverse the word incomprehensible."}]

    def ask():
        return openai_client.chat.completions.create(
            model=MODEL, messages=hard, n=3, seed=5, temperature=2, max_completion_tokens=12)

    first, again = ask(), ask()
    assert [c.index for c in first.choices] == [0, 1, 2]
    texts = [c.message.content for c in first.choices]
    assert texts == [c.message.content for c in again.choices]
    assert len(set(texts)) > 1


def test_length_and_stop(openai_client):
    answer = openai_client.chat.completions.create(model=MODEL, messages=LONG, temperature=0, max_tokens=4)
    assert answer.choices[0].finish_reason == "length"
    assert answer.usage.completion_tokens == 4
    answer = openai_client.chat.completions.create(model=MODEL, messages=COUNT, temperature=0, stop=[", 4"])
    assert answer.choices[0].message.content == "1, 2, 3"
    assert answer.choices[0].finish_reason == "stop"


def test_tools(openai_client):
    messages = [{"role": "user", "content": WEATHER}]
    answer = openai_client.chat.completions.create(model=MODEL, messages=messages, tools=[TOOL], temperature=0)
    choice = answer.choices[0]
    assert choice.finish_reason == "tool_calls"
    call = choice.message.tool_calls[0]
    assert call.type == "function" and call.id
    assert json.loads(call.function.arguments) == {"city": "Paris"}
    messages += [choice.message, {"role": "tool", "tool_call_id": call.id, "content": "sunny, 21 degrees"}]
    answer = openai_client.chat.completions.create(model=MODEL, messages=messages, tools=[TOOL], temperature=0)
    assert "sunny" in answer.choices[0].message.content


def test_streamed_tool_calls_can_be_put_together(openai_client):
    messages = [{"role": "user", "content": WEATHER}]
    with openai_client.chat.completions.stream(model=MODEL, messages=messages, tools=[TOOL],
                                               temperature=0) as stream:
        for _ in stream:
            pass
        final = stream.get_final_completion()
    call = final.choices[0].message.tool_calls[0]
    assert call.function.name == "get_weather"
    assert json.loads(call.function.arguments) == {"city": "Paris"}
    assert final.choices[0].finish_reason == "tool_calls"


@pytest.mark.parametrize("choice", ["required", {"type": "function", "function": {"name": "get_weather"}}])
def test_a_required_tool_is_called(openai_client, choice):
    answer = openai_client.chat.completions.create(
        model=MODEL, messages=[{"role": "user", "content": "Hello"}], tools=[TOOL], tool_choice=choice,
        temperature=0)
    assert answer.choices[0].message.tool_calls[0].function.name == "get_weather"
    assert isinstance(json.loads(answer.choices[0].message.tool_calls[0].function.arguments)["city"], str)


def test_no_tool_where_none_may_be_called(openai_client):
    answer = openai_client.chat.completions.create(
        model=MODEL, messages=[{"role": "user", "content": WEATHER}], tools=[TOOL], tool_choice="none",
        temperature=0)
    assert not answer.choices[0].message.tool_calls


class Sum(BaseModel):
    answer: int


def test_structured_output(openai_client):
    messages = [{"role": "user", "content": "What is 20 + 30? Answer in JSON."}]
    answer = openai_client.chat.completions.parse(model=MODEL, messages=messages, response_format=Sum,
                                                  temperature=0)
    assert answer.choices[0].message.parsed.answer == 50
    answer = openai_client.chat.completions.create(model=MODEL, messages=messages, temperature=0,
                                                   response_format={"type": "json_object"})
    json.loads(answer.choices[0].message.content)


def test_reasoning_is_given_apart(openai_client):
    messages = [{"role": "user", "content": "What is 7 + 8?"}]
    answer = openai_client.chat.completions.create(model=MODEL, messages=messages, temperature=0,
                                                   reasoning_effort="high")
    message = answer.choices[0].message
    assert message.reasoning_content and "15" in message.content
    answer = openai_client.chat.completions.create(model=MODEL, messages=messages, temperature=0)
    assert not getattr(answer.choices[0].message, "reasoning_content", None)


def test_logprobs_and_bias(openai_client):
    answer = openai_client.chat.completions.create(model=MODEL, messages=COUNT, temperature=0, logprobs=True,
                                                   top_logprobs=2)
    content = answer.choices[0].logprobs.content
    assert "".join(one.token for one in content).strip() == COUNTED
    assert all(len(one.top_logprobs) == 2 for one in content)
    assert bytes(content[0].bytes).decode() == content[0].token
    whole = openai_client.chat.completions.create(model=MODEL, messages=COUNT, temperature=0,
                                                  logit_bias={"106": 100}, max_tokens=5)
    assert whole.choices[0].message.content in ("", None)
    assert whole.choices[0].finish_reason == "stop"


def test_completions(openai_client):
    prompt = "<bos><|turn>user\nCount from 1 to 10<turn|>\n<|turn>model\n"
    answer = openai_client.completions.create(model=MODEL, prompt=prompt, temperature=0, max_tokens=8)
    assert answer.object == "text_completion"
    assert COUNTED.startswith(answer.choices[0].text.strip())
    two = openai_client.completions.create(model=MODEL, prompt=[prompt, prompt], temperature=0, max_tokens=8)
    assert [c.text for c in two.choices] == [answer.choices[0].text] * 2
    chunks = list(openai_client.completions.create(model=MODEL, prompt=prompt, temperature=0, max_tokens=8,
                                                   stream=True))
    assert "".join(c.choices[0].text for c in chunks if c.choices) == answer.choices[0].text


def test_a_prompt_is_scored_with_echo(openai_client):
    prompt = "<bos><|turn>user\nCount from 1 to 10<turn|>\n<|turn>model\n"
    asked = {"model": MODEL, "temperature": 0, "logprobs": 1, "echo": True}
    said = openai_client.completions.create(prompt=prompt, max_tokens=8, **asked)
    assert said.choices[0].text.startswith(prompt) and said.usage.completion_tokens == 8
    # What it said is as likely when it is read, and nothing is said then.
    read = openai_client.completions.create(prompt=said.choices[0].text, max_tokens=0, **asked)
    found, expected = read.choices[0].logprobs, said.choices[0].logprobs
    assert read.choices[0].text == said.choices[0].text and read.usage.completion_tokens == 0
    assert found.tokens == expected.tokens and found.text_offset == expected.text_offset
    assert found.token_logprobs[0] is None and found.top_logprobs[0] is None
    assert found.token_logprobs[1:] == pytest.approx(expected.token_logprobs[1:], abs=1e-2)
    # Each has one more than its prompt, whatever the token of the reply is.
    two = openai_client.completions.create(prompt=[[2, 5, 7], [2, 5]], max_tokens=1, **asked)
    assert [len(choice.logprobs.token_logprobs) for choice in two.choices] == [4, 3]
    assert two.choices[0].logprobs.token_logprobs[:2] == two.choices[1].logprobs.token_logprobs[:2]
    with pytest.raises(openai.BadRequestError, match="too long"):
        openai_client.completions.create(prompt=[[2] * 200] * 100, max_tokens=1, **{**asked, "logprobs": 20})


def test_embeddings(openai_client):
    # The client asks for base64 by itself and decodes it.
    got = openai_client.embeddings.create(model=MODEL, input=["Hello", "World"])
    assert len(got.data) == 2 and got.usage.prompt_tokens > 0
    plain = openai_client.embeddings.create(model=MODEL, input="Hello", encoding_format="float")
    assert plain.data[0].embedding == pytest.approx(got.data[0].embedding, abs=1e-6)
    short = openai_client.embeddings.create(model=MODEL, input="Hello", dimensions=16)
    assert len(short.data[0].embedding) == 16


def test_models(openai_client):
    ids = [model.id for model in openai_client.models.list()]
    assert "demo:latest" in ids or "demo" in ids
    assert openai_client.models.retrieve("demo").object == "model"


def test_responses(openai_client):
    first = openai_client.responses.create(model=MODEL, input="Count from 1 to 10", temperature=0)
    assert first.status == "completed"
    assert first.output_text == COUNTED
    assert first.usage.input_tokens_details.cached_tokens >= 0
    second = openai_client.responses.create(model=MODEL, input="What is 7 + 8?", temperature=0,
                                            previous_response_id=first.id)
    assert second.previous_response_id == first.id
    assert second.usage.input_tokens > first.usage.input_tokens
    assert openai_client.responses.retrieve(first.id).output_text == COUNTED
    openai_client.responses.delete(first.id)
    with pytest.raises(openai.NotFoundError):
        openai_client.responses.retrieve(first.id)


def test_responses_stream(openai_client):
    events = list(openai_client.responses.create(model=MODEL, input="Count from 1 to 10", temperature=0,
                                                 stream=True))
    kinds = [event.type for event in events]
    assert kinds[0] == "response.created"
    assert kinds[-1] == "response.completed"
    assert "".join(e.delta for e in events if e.type == "response.output_text.delta") == COUNTED
    assert [event.sequence_number for event in events] == list(range(len(events)))


def test_responses_tools(openai_client):
    tool = {"type": "function", "name": "get_weather", "description": "Get the weather of a city",
            "parameters": PARAMETERS}
    first = openai_client.responses.create(model=MODEL, input=WEATHER, tools=[tool], temperature=0)
    call = next(item for item in first.output if item.type == "function_call")
    assert json.loads(call.arguments) == {"city": "Paris"}
    second = openai_client.responses.create(
        model=MODEL, previous_response_id=first.id, tools=[tool], temperature=0,
        input=[{"type": "function_call_output", "call_id": call.call_id, "output": "sunny, 21 degrees"}])
    assert "sunny" in second.output_text


@pytest.mark.parametrize("arguments, error, text", [
    ({"model": "nothing"}, openai.NotFoundError, "nothing"),
    ({"temperature": 9}, openai.BadRequestError, "temperature"),
    ({"n": 0}, openai.BadRequestError, "n"),
    ({"messages": []}, openai.BadRequestError, "messages"),
    ({"messages": [{"role": "user", "content": "a " * 40_000}]}, openai.BadRequestError, "context"),
    ({"tool_choice": "required"}, openai.BadRequestError, "tool"),
    ({"messages": [{"role": "user", "content": [
        {"type": "image_url", "image_url": {"url": "http://localhost/x.png"}}]}]},
     openai.BadRequestError, "--media-hosts"),
])
def test_errors(openai_client, arguments, error, text):
    with pytest.raises(error) as raised:
        openai_client.chat.completions.create(**({"model": MODEL, "messages": COUNT} | arguments))
    assert text in raised.value.message


# What clients send beside the API's fields, each with a value that they give it.
SPARE = {"thread": "t1", "client_metadata": {"app": "x"}, "prediction": {"type": "content", "content": "1"},
         "verbosity": "low", "web_search_options": {}, "moderation": {}, "audio": {"voice": "alloy", "format": "wav"},
         "mirostat": 0, "min_tokens": 1, "skip_special_tokens": True, "n_keep": 4, "slot_id": -1,
         "provider": {"order": ["a"]}, "transforms": [], "wibble": 1}
HONOURED = {"chat_template_kwargs": {"enable_thinking": False}, "repeat_penalty": 1.0, "min_p": 0.0, "typical_p": 0.9, "top_k": 1,
            "num_ctx": 2048, "keep_alive": "5m", "think": False, "cache_prompt": True, "ignore_eos": False, "thinking_budget": -1, "repetition_guard": True,
            "stop_token_ids": [1], "service_tier": "auto", "store": False, "max_tokens": -1, "top_p": 0,
            "stream_options": None}


def test_fields_without_effect_are_named_and_stop_nothing(openai_client):
    raw = openai_client.chat.completions.with_raw_response.create(
        model=MODEL, messages=COUNT, temperature=0, extra_body=SPARE | HONOURED)
    answer = raw.parse()
    assert answer.choices[0].message.content == COUNTED
    warnings = answer.model_extra["warnings"]
    assert len(warnings) == len(SPARE)
    for field in SPARE:
        assert any(field in warning for warning in warnings), field
        assert field in raw.headers["x-pleiad-warnings"]


def test_a_prompt_that_is_too_long_has_its_code(openai_client):
    with pytest.raises(openai.BadRequestError) as raised:
        openai_client.chat.completions.create(
            model=MODEL, messages=[{"role": "user", "content": "a " * 40_000}])
    assert raised.value.code == "context_length_exceeded"


def test_async_client(server):
    async def run():
        client = openai.AsyncOpenAI(base_url=server.url + "/v1", api_key="none", max_retries=0)
        answers = await asyncio.gather(*[
            client.chat.completions.create(model=MODEL, messages=COUNT, temperature=0) for _ in range(8)])
        assert [a.choices[0].message.content for a in answers] == [COUNTED] * 8
        text = ""
        async for chunk in await client.chat.completions.create(model=MODEL, messages=COUNT, temperature=0,
                                                                stream=True):
            if chunk.choices:
                text += chunk.choices[0].delta.content or ""
        assert text == COUNTED

    asyncio.run(run())


def test_token_lists(openai_client):
    # <bos> and what stands for a text are known here from what the server gives.
    answer = openai_client.completions.create(model=MODEL, prompt=[2, 106, 107], temperature=0, max_tokens=2)
    assert answer.usage.prompt_tokens == 3
    both = openai_client.completions.create(model=MODEL, prompt=[[2, 106, 107], [2, 5]], temperature=0, max_tokens=2)
    assert len(both.choices) == 2 and both.usage.prompt_tokens == 5
    assert both.choices[0].text == answer.choices[0].text
    got = openai_client.embeddings.create(model=MODEL, input=[[2, 5], [2, 6, 7]])
    assert len(got.data) == 2 and got.usage.prompt_tokens == 5
    assert "tiktoken" in got.model_extra["warnings"][0]
    for create in (lambda: openai_client.completions.create(model=MODEL, prompt=[5_000_000]),
                   lambda: openai_client.embeddings.create(model=MODEL, input=[[5_000_000]])):
        with pytest.raises(openai.BadRequestError) as raised:
            create()
        assert "no token 5000000" in raised.value.message


FUNCTION = {"name": "get_weather", "description": "Get the weather of a city", "parameters": PARAMETERS}


def test_legacy_functions(openai_client):
    messages = [{"role": "user", "content": WEATHER}]
    answer = openai_client.chat.completions.create(model=MODEL, messages=messages, functions=[FUNCTION],
                                                   temperature=0)
    choice = answer.choices[0]
    assert choice.finish_reason == "function_call" and not choice.message.tool_calls
    assert choice.message.function_call.name == "get_weather"
    assert json.loads(choice.message.function_call.arguments) == {"city": "Paris"}
    messages += [choice.message, {"role": "function", "name": "get_weather", "content": "sunny, 21 degrees"}]
    answer = openai_client.chat.completions.create(model=MODEL, messages=messages, functions=[FUNCTION],
                                                   temperature=0)
    assert "sunny" in answer.choices[0].message.content
    chunks = list(openai_client.chat.completions.create(
        model=MODEL, messages=[{"role": "user", "content": "Hello"}], functions=[FUNCTION],
        function_call={"name": "get_weather"}, temperature=0, stream=True))
    calls = [c.choices[0].delta.function_call for c in chunks if c.choices and c.choices[0].delta.function_call]
    assert [call.name for call in calls if call.name] == ["get_weather"] and calls[0].name
    assert isinstance(json.loads("".join(call.arguments for call in calls))["city"], str)
    assert chunks[-1].choices[0].finish_reason == "function_call"


def test_allowed_tools(openai_client):
    other = {"type": "function", "function": {"name": "get_time", "parameters": PARAMETERS}}
    answer = openai_client.chat.completions.create(
        model=MODEL, messages=[{"role": "user", "content": WEATHER}], tools=[TOOL, other], temperature=0,
        tool_choice={"type": "allowed_tools", "allowed_tools": {
            "mode": "required", "tools": [{"type": "function", "function": {"name": "get_time"}}]}})
    assert answer.choices[0].message.tool_calls[0].function.name == "get_time"
    flat = [{"type": "function"} | tool["function"] for tool in (TOOL, other)]
    answer = openai_client.responses.create(
        model=MODEL, input=WEATHER, tools=flat, temperature=0,
        tool_choice={"type": "allowed_tools", "mode": "required",
                     "tools": [{"type": "function", "name": "get_time"}]})
    assert [item.name for item in answer.output if item.type == "function_call"] == ["get_time"]


PATCH = {"name": "apply_patch", "description": "Edits files."}


def test_custom_tools(openai_client):
    answer = openai_client.chat.completions.create(
        model=MODEL, messages=[{"role": "user", "content": "Hello"}], tools=[{"type": "custom", "custom": PATCH}],
        tool_choice={"type": "custom", "custom": {"name": "apply_patch"}}, temperature=0, max_tokens=200)
    call = answer.choices[0].message.tool_calls[0]
    assert call.type == "custom" and call.custom.name == "apply_patch" and isinstance(call.custom.input, str)


def test_responses_custom_tools(openai_client):
    tools = [{"type": "custom", **PATCH, "format": {"type": "grammar", "syntax": "lark",
                                                    "definition": "start: \"x\""}}, {"type": "web_search"}]
    with openai_client.responses.stream(
            model=MODEL, input="Hello", tools=tools, temperature=0, max_output_tokens=200,
            tool_choice={"type": "custom", "name": "apply_patch"}) as stream:
        kinds = [event.type for event in stream]
        first = stream.get_final_response()
    assert "response.custom_tool_call_input.delta" in kinds and "response.custom_tool_call_input.done" in kinds
    call = first.output[0]
    assert call.type == "custom_tool_call" and call.name == "apply_patch"
    assert call.input == "x"
    assert len(first.model_extra["warnings"]) == 1
    second = openai_client.responses.create(
        model=MODEL, previous_response_id=first.id, tools=tools, max_output_tokens=4,
        input=[{"type": "custom_tool_call_output", "call_id": call.call_id, "output": "done"}])
    assert second.status in ("completed", "incomplete")


def test_responses_refer_to_items(openai_client):
    first = openai_client.responses.create(model=MODEL, input="Count from 1 to 10", temperature=0)
    asked = openai_client.responses.input_items.list(first.id).data[0]
    again = openai_client.responses.create(
        model=MODEL, temperature=0, max_output_tokens=4,
        input=[{"type": "item_reference", "id": asked.id}, {"type": "item_reference", "id": first.output[0].id},
               {"role": "user", "content": "What is 7 + 8?"}])
    whole = openai_client.responses.create(model=MODEL, input="What is 7 + 8?", temperature=0,
                                           max_output_tokens=4, previous_response_id=first.id)
    assert again.usage.input_tokens == whole.usage.input_tokens
    assert again.output_text == whole.output_text
    with pytest.raises(openai.BadRequestError):
        openai_client.responses.create(model=MODEL, input=[{"type": "item_reference", "id": "msg_none"}])


def test_responses_in_the_background(openai_client):
    made = openai_client.responses.create(model=MODEL, input="Count from 1 to 10", temperature=0, background=True)
    assert made.status in ("queued", "in_progress") and made.background is True
    assert wait_for(lambda: openai_client.responses.retrieve(made.id).status == "completed")
    assert openai_client.responses.retrieve(made.id).output_text == COUNTED
    with pytest.raises(openai.BadRequestError):
        openai_client.responses.cancel(made.id)
    long = openai_client.responses.create(model=MODEL, input="Count from 1 to 10", background=True,
                                          extra_body={"ignore_eos": True, "max_output_tokens": 100_000})
    assert openai_client.responses.cancel(long.id).status == "cancelled"
    assert openai_client.responses.retrieve(long.id).status == "cancelled"


def test_responses_are_counted_and_compacted(openai_client):
    conversation = [{"role": "user", "content": "Count from 1 to 10"}, {"role": "assistant", "content": COUNTED}]
    count = openai_client.responses.input_tokens.count(model=MODEL, input=conversation)
    asked = openai_client.responses.create(model=MODEL, max_output_tokens=1, input=conversation[:1])
    assert count.object == "response.input_tokens" and count.input_tokens > asked.usage.input_tokens
    one = openai_client.responses.input_tokens.count(model=MODEL, input=conversation[:1])
    assert one.input_tokens == asked.usage.input_tokens
    shorter = openai_client.responses.compact(model=MODEL, input=conversation)
    assert shorter.object == "response.compaction"
    assert [item.type for item in shorter.output] == ["message", "compaction"]
    items = [item.to_dict() for item in shorter.output]
    after = openai_client.responses.create(model=MODEL, max_output_tokens=2,
                                           input=items + [{"role": "user", "content": "Go on."}])
    assert "warnings" not in (after.model_extra or {})
