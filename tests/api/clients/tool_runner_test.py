"""The loops that Anthropic's client runs by itself: tool_runner, whole and streamed."""
import asyncio

import anthropic
import pytest
from anthropic import beta_async_tool, beta_tool
from pydantic import BaseModel
from questions import COUNT, WEATHER

ASK = dict(model="demo", max_tokens=200, messages=[{"role": "user", "content": WEATHER}],
           extra_body={"temperature": 0})


class Asked:
    """A tool that remembers for which cities it was asked."""

    def __init__(self):
        self.cities = []

        @beta_tool
        def get_weather(city: str) -> str:
            """Get the weather of a city

            Args:
                city: The city
            """
            self.cities.append(city)
            return "sunny, 21 degrees"

        self.tool = get_weather


def test_until_done(anthropic_client):
    asked = Asked()
    last = anthropic_client.beta.messages.tool_runner(tools=[asked.tool], **ASK).until_done()
    assert asked.cities == ["Paris"]
    assert last.stop_reason == "end_turn" and "sunny" in last.content[0].text


@pytest.mark.parametrize("eagerly", [False, True])
def test_streamed(anthropic_client, eagerly):
    asked = Asked()
    runner = anthropic_client.beta.messages.tool_runner(tools=[asked.tool], stream=True, run_tools_eagerly=eagerly, **ASK)
    reasons, text = [], ""
    for stream in runner:
        text = "".join(event.text for event in stream if event.type == "text")
        reasons.append(stream.get_final_message().stop_reason)
    assert reasons == ["tool_use", "end_turn"]
    assert asked.cities == ["Paris"] and "sunny" in text


def test_a_tool_of_anthropics_servers_is_left_out(anthropic_client):
    asked = Asked()
    search = {"type": "web_search_20250305", "name": "web_search", "max_uses": 3}
    last = anthropic_client.beta.messages.tool_runner(tools=[asked.tool, search], **ASK).until_done()
    assert "sunny" in last.content[0].text
    assert any("tools[1].type" in warning for warning in last.model_extra["warnings"])


def test_iterations_are_counted_by_the_client(anthropic_client):
    asked = Asked()
    last = anthropic_client.beta.messages.tool_runner(tools=[asked.tool], max_iterations=1, **ASK).until_done()
    assert last.stop_reason == "tool_use"


def test_async(server):
    @beta_async_tool
    async def get_weather(city: str) -> str:
        """Get the weather of a city"""
        return "sunny, 21 degrees"

    async def run():
        client = anthropic.AsyncAnthropic(base_url=server.url, api_key="none", max_retries=0)
        last = await client.beta.messages.tool_runner(tools=[get_weather], **ASK).until_done()
        assert "sunny" in last.content[0].text

    asyncio.run(run())


class Sum(BaseModel):
    answer: int


def test_typed_answers_and_counts(anthropic_client):
    question = [{"role": "user", "content": "What is 20 + 30? Answer in JSON."}]
    answer = anthropic_client.beta.messages.parse(model="demo", max_tokens=50, messages=question, output_format=Sum,
                                                  extra_body={"temperature": 0})
    assert answer.parsed_output == Sum(answer=50)
    assert anthropic_client.beta.messages.count_tokens(model="demo", messages=COUNT).input_tokens > 5
