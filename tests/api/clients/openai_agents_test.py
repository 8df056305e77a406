"""OpenAI's Agents SDK against our server, with Responses and with Chat Completions."""
import asyncio

import agents
import openai
import pytest
from agents import Agent, ModelSettings, Runner, SQLiteSession, WebSearchTool, function_tool
from pydantic import BaseModel
from questions import COUNTED, WEATHER

MODEL = "demo"
BOTH = pytest.mark.parametrize("kind", [agents.OpenAIResponsesModel, agents.OpenAIChatCompletionsModel],
                               ids=["responses", "chat_completions"])
agents.set_tracing_disabled(True)


class Sum(BaseModel):
    answer: int


@function_tool
def get_weather(city: str) -> str:
    """Get the weather of a city"""
    return "sunny, 21 degrees"


class Asked:
    """An agent's model on our server, and the warnings of its answers."""

    def __init__(self, server, kind):
        self.warnings = []

        async def note(response):
            self.warnings.append(response.headers.get("x-pleiad-warnings", ""))

        self.client = openai.AsyncOpenAI(
            base_url=server.url + "/v1", api_key="none", max_retries=0,
            http_client=openai.DefaultAsyncHttpxClient(event_hooks={"response": [note]}))
        self.model = kind(model=MODEL, openai_client=self.client)

    def agent(self, **more):
        return Agent(name="Helper", model=self.model, model_settings=ModelSettings(temperature=0), **more)


@BOTH
def test_run(server, kind):
    result = Runner.run_sync(Asked(server, kind).agent(), "Count from 1 to 10")
    assert result.final_output == COUNTED
    assert result.raw_responses[0].usage.output_tokens > 0


@BOTH
def test_a_loop_with_a_function(server, kind):
    result = Runner.run_sync(Asked(server, kind).agent(tools=[get_weather]), WEATHER)
    assert "sunny" in result.final_output
    assert [item.type for item in result.new_items] == ["tool_call_item", "tool_call_output_item", "message_output_item"]


@BOTH
def test_a_streamed_loop(server, kind):
    async def run():
        result = Runner.run_streamed(Asked(server, kind).agent(tools=[get_weather]), WEATHER)
        text = ""
        async for event in result.stream_events():
            if event.type == "raw_response_event" and event.data.type == "response.output_text.delta":
                text += event.data.delta
        assert "sunny" in text and text == result.final_output

    asyncio.run(run())


@BOTH
def test_a_typed_output(server, kind):
    result = Runner.run_sync(Asked(server, kind).agent(output_type=Sum), "What is 20 + 30? Answer in JSON.")
    assert result.final_output == Sum(answer=50)


@BOTH
def test_a_session_remembers(server, kind):
    async def run():
        agent, session = Asked(server, kind).agent(), SQLiteSession("one")
        first = await Runner.run(agent, "What is 12 + 35?", session=session)
        assert "47" in first.final_output
        second = await Runner.run(agent, "Now subtract 7 from that.", session=session)
        assert "40" in second.final_output

    asyncio.run(run())


def test_hosted_tools_are_left_out_and_named(server):
    asked = Asked(server, agents.OpenAIResponsesModel)
    hosted = [WebSearchTool(), agents.FileSearchTool(vector_store_ids=["vs_1"]),
              agents.CodeInterpreterTool({"type": "code_interpreter", "container": {"type": "auto"}}),
              agents.ImageGenerationTool({"type": "image_generation"}),
              agents.HostedMCPTool({"type": "mcp", "server_label": "x", "server_url": "http://localhost:1/mcp",
                                    "require_approval": "never"})]
    result = Runner.run_sync(asked.agent(tools=[get_weather, *hosted]), WEATHER)
    assert "sunny" in result.final_output
    assert len(asked.warnings) == 2, "a call, then the answer"
    for warning in asked.warnings:
        assert "tools[1].type" in warning
        for left_out in ("web_search", "file_search", "code_interpreter", "image_generation", "mcp"):
            assert '"%s"' % left_out in warning


def test_the_client_itself_has_no_hosted_tools_with_chat_completions(server):
    with pytest.raises(agents.UserError, match="Hosted tools"):
        Runner.run_sync(Asked(server, agents.OpenAIChatCompletionsModel).agent(tools=[WebSearchTool()]), WEATHER)
