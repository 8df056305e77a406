"""The official Anthropic client against our server."""
import asyncio
import base64

import anthropic
import pytest
from documents import pdf
from questions import COUNT, COUNTED, LONG, PARAMETERS, WEATHER

MODEL = "demo"
# The client has no argument for it; the API takes it.
GREEDY = {"temperature": 0}
TOOL = {"name": "get_weather", "description": "Get the weather of a city", "input_schema": PARAMETERS}


def test_messages(anthropic_client):
    answer = anthropic_client.messages.create(model=MODEL, messages=COUNT, max_tokens=100, extra_body=GREEDY)
    assert answer.type == "message" and answer.role == "assistant"
    assert answer.content[0].type == "text" and answer.content[0].text == COUNTED
    assert answer.stop_reason == "end_turn"
    assert answer.usage.output_tokens > 0
    assert answer.usage.cache_read_input_tokens >= 0


def test_stream(anthropic_client):
    with anthropic_client.messages.stream(model=MODEL, messages=COUNT, max_tokens=100,
                                          extra_body=GREEDY) as stream:
        assert "".join(stream.text_stream) == COUNTED
        final = stream.get_final_message()
    assert final.stop_reason == "end_turn" and final.usage.output_tokens > 0


def test_order_of_the_events(anthropic_client):
    events = [event.type for event in anthropic_client.messages.create(
        model=MODEL, messages=COUNT, max_tokens=100, extra_body=GREEDY, stream=True)]
    events = [event for event in events if event != "ping"]
    assert events[:2] == ["message_start", "content_block_start"]
    assert events[-3:] == ["content_block_stop", "message_delta", "message_stop"]
    assert set(events[2:-3]) == {"content_block_delta"}


def test_a_last_message_of_the_assistant_goes_on(anthropic_client):
    begun = COUNT + [{"role": "assistant", "content": "1, 2, 3"}]
    answer = anthropic_client.messages.create(model=MODEL, messages=begun, max_tokens=100, extra_body=GREEDY,
                                              stop_sequences=[", 2", ", 9"])
    assert "1, 2, 3" + answer.content[0].text + ", 9, 10" == COUNTED
    assert answer.stop_sequence == ", 9"
    with anthropic_client.messages.stream(model=MODEL, messages=begun, max_tokens=100, extra_body=GREEDY) as stream:
        assert "1, 2, 3" + "".join(stream.text_stream) == COUNTED
    counted = anthropic_client.messages.count_tokens(model=MODEL, messages=begun)
    usage = answer.usage
    assert counted.input_tokens == usage.input_tokens + usage.cache_read_input_tokens
    with pytest.raises(anthropic.BadRequestError) as raised:
        anthropic_client.messages.create(model=MODEL, max_tokens=100,
                                         messages=COUNT + [{"role": "assistant", "content": "1, 2, "}])
    assert "white space" in raised.value.message


def test_results_whose_calls_are_gone(anthropic_client):
    answer = anthropic_client.messages.create(
        model=MODEL, max_tokens=100, tools=[TOOL], extra_body=GREEDY, messages=[
            {"role": "user", "content": WEATHER},
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "get_weather",
                                          "content": "sunny, 21 degrees"}]}])
    assert "sunny" in answer.content[0].text
    assert "messages[1].content[0]" in answer.model_extra["warnings"][0]


def test_documents_of_text(anthropic_client):
    def source(kind, **fields):
        return [{"role": "user", "content": [
            {"type": "document", "title": "Note", "source": {"type": kind, **fields}},
            {"type": "text", "text": COUNT[0]["content"]}]}]

    text = source("text", media_type="text/plain", data="Nothing here. " * 40)
    answer = anthropic_client.messages.create(model=MODEL, messages=text, max_tokens=5)
    plain = anthropic_client.messages.create(model=MODEL, messages=COUNT, max_tokens=5)
    def prompt(usage):
        return usage.input_tokens + usage.cache_read_input_tokens
    assert prompt(answer.usage) > prompt(plain.usage) + 40
    with pytest.raises(anthropic.BadRequestError) as raised:
        anthropic_client.messages.create(model=MODEL, max_tokens=5, messages=source(
            "base64", media_type="application/pdf", data="f0VMRgAA"))
    assert "messages[0].content[0]: is not a document" in raised.value.message


def test_documents_that_are_files(anthropic_client):
    # What it is shows its content: text needs no other program to be read.
    data = base64.b64encode(b"Nothing here. " * 40).decode()
    answer = anthropic_client.messages.create(model=MODEL, max_tokens=5, messages=[
        {"role": "user", "content": [
            {"type": "document", "title": "Note", "source": {
                "type": "base64", "media_type": "application/pdf", "data": data}},
            {"type": "text", "text": COUNT[0]["content"]}]}])
    assert answer.model_extra["media"][0]["kind"] == "document"
    assert answer.model_extra["media"][0]["pages"] == 1
    plain = anthropic_client.messages.create(model=MODEL, max_tokens=5, messages=COUNT)
    n_tokens = [one.usage.input_tokens + one.usage.cache_read_input_tokens for one in (answer, plain)]
    told = answer.model_extra["media"][0]
    assert told["tokens"] > 40 and "dropped" not in told
    assert n_tokens[0] >= n_tokens[1] + told["tokens"]


def test_limits(anthropic_client):
    answer = anthropic_client.messages.create(model=MODEL, messages=LONG, max_tokens=4, extra_body=GREEDY)
    assert answer.stop_reason == "max_tokens" and answer.usage.output_tokens == 4
    answer = anthropic_client.messages.create(model=MODEL, messages=COUNT, max_tokens=100, extra_body=GREEDY,
                                              stop_sequences=[", 3"])
    assert answer.stop_reason == "stop_sequence" and answer.stop_sequence == ", 3"
    assert answer.content[0].text == "1, 2"


@pytest.mark.parametrize("stream", [False, True])
def test_tools(anthropic_client, stream):
    messages = [{"role": "user", "content": WEATHER}]
    arguments = dict(model=MODEL, max_tokens=100, tools=[TOOL], extra_body=GREEDY)
    if stream:
        with anthropic_client.messages.stream(messages=messages, **arguments) as events:
            answer = events.get_final_message()
    else:
        answer = anthropic_client.messages.create(messages=messages, **arguments)
    assert answer.stop_reason == "tool_use"
    call = next(block for block in answer.content if block.type == "tool_use")
    assert call.name == "get_weather" and call.input == {"city": "Paris"}
    messages += [{"role": "assistant", "content": answer.content},
                 {"role": "user", "content": [{"type": "tool_result", "tool_use_id": call.id,
                                               "content": "sunny, 21 degrees"}]}]
    answer = anthropic_client.messages.create(messages=messages, **arguments)
    assert answer.stop_reason == "end_turn" and "sunny" in answer.content[0].text


def test_thinking(anthropic_client):
    answer = anthropic_client.messages.create(
        model=MODEL, messages=[{"role": "user", "content": "What is 7 + 8?"}], max_tokens=2000, extra_body=GREEDY,
        thinking={"type": "enabled", "budget_tokens": 1024})
    kinds = [block.type for block in answer.content]
    assert kinds == ["thinking", "text"]
    assert "15" in answer.content[1].text


def test_count_tokens(anthropic_client):
    counted = anthropic_client.messages.count_tokens(model=MODEL, messages=COUNT)
    answer = anthropic_client.messages.create(model=MODEL, messages=COUNT, max_tokens=5)
    usage = answer.usage
    assert counted.input_tokens == (usage.input_tokens + usage.cache_read_input_tokens
                                    + usage.cache_creation_input_tokens)


def test_fields_without_effect_are_named_and_stop_nothing(anthropic_client):
    spare = {"thread": "t1", "mcp_servers": [], "container": "c", "wibble": 1}
    raw = anthropic_client.messages.with_raw_response.create(
        model=MODEL, messages=COUNT, max_tokens=100, extra_body=GREEDY | spare | {"repeat_penalty": 1.0},
        tools=[{"type": "web_search_20250305", "name": "web_search", "max_uses": 3}])
    warnings = raw.parse().model_extra["warnings"]
    assert len(warnings) == len(spare) + 1
    for field in [*spare, "tools[0].type"]:
        assert any(field in warning for warning in warnings), field
        assert field in raw.headers["x-pleiad-warnings"]


def test_errors(anthropic_client):
    with pytest.raises(anthropic.NotFoundError):
        anthropic_client.messages.create(model="nothing", messages=COUNT, max_tokens=5)
    with pytest.raises(anthropic.BadRequestError) as raised:
        anthropic_client.messages.create(model=MODEL, messages=COUNT, max_tokens=0)
    assert "max_tokens" in raised.value.message
    with pytest.raises(anthropic.BadRequestError):
        anthropic_client.messages.create(model=MODEL, messages=COUNT, max_tokens=5, extra_body={"temperature": 3})


def test_async_client(server):
    async def run():
        client = anthropic.AsyncAnthropic(base_url=server.url, api_key="none", max_retries=0)
        answers = await asyncio.gather(*[
            client.messages.create(model=MODEL, messages=COUNT, max_tokens=100, extra_body=GREEDY)
            for _ in range(4)])
        assert [a.content[0].text for a in answers] == [COUNTED] * 4

    asyncio.run(run())


def cited_question(source):
    """A question whose answer is known, behind a document of an earlier turn."""
    document = {"type": "document", "source": source, "title": "Numbers", "citations": {"enabled": True}}
    return [{"role": "user", "content": [document]}, {"role": "assistant", "content": "I have read it."}, *COUNT]


def text_of(message):
    return "".join(block.text for block in message.content if block.type == "text")


@pytest.mark.parametrize("source, location", [
    ({"type": "text", "media_type": "text/plain", "data": "Zahlen: 4, 5, 6, 7 and so on."},
     {"type": "char_location", "start_char_index": 8, "end_char_index": 18}),
    ({"type": "base64", "media_type": "application/pdf",
      "data": base64.b64encode(pdf(b"BT /F 12 Tf 20 150 Td (Here are the numbers 4, 5, 6, 7.) Tj ET")).decode()},
     {"type": "page_location", "start_page_number": 1, "end_page_number": 2}),
], ids=["text", "pdf"])
def test_what_is_quoted_is_cited(anthropic_client, source, location):
    asked = {"model": MODEL, "messages": cited_question(source), "max_tokens": 100, "extra_body": GREEDY}
    answer = anthropic_client.messages.create(**asked)
    cited = [block for block in answer.content if block.citations]
    assert [block.text for block in cited] == ["4, 5, 6, 7"], answer.content
    [citation] = cited[0].citations
    assert citation.document_index == 0 and citation.document_title == "Numbers"
    assert citation.cited_text == "4, 5, 6, 7"
    assert {key: getattr(citation, key) for key in location} == location
    with anthropic_client.messages.stream(**asked) as stream:
        told = [event.citation for event in stream if event.type == "citation"]
        final = stream.get_final_message()
    assert told == [citation]
    assert [(block.text, block.citations) for block in final.content if block.citations] == [(cited[0].text, cited[0].citations)]
    # Nothing is lost between the blocks, and the prompt is the same.
    asked["messages"][0]["content"][0]["citations"] = {"enabled": False}
    [plain] = anthropic_client.messages.create(**asked).content
    assert plain.citations is None
    assert plain.text == text_of(answer) == text_of(final)
