"""Pydantic AI against our server: its models for OpenAI's two APIs, for Ollama and for Anthropic."""
import asyncio

import pytest
from pydantic import BaseModel
from pydantic_ai import Agent, NativeOutput, PromptedOutput, ToolOutput
from pydantic_ai.models.anthropic import AnthropicModel
from pydantic_ai.models.ollama import OllamaModel
from pydantic_ai.models.openai import OpenAIChatModel, OpenAIResponsesModel
from pydantic_ai.providers.anthropic import AnthropicProvider
from pydantic_ai.providers.ollama import OllamaProvider
from pydantic_ai.providers.openai import OpenAIProvider
from questions import COUNTED, WEATHER

COUNT = "Count from 1 to 10"
MODELS = {
    "chat_completions": lambda url: OpenAIChatModel("demo", provider=OpenAIProvider(base_url=url + "/v1", api_key="none")),
    "responses": lambda url: OpenAIResponsesModel("demo", provider=OpenAIProvider(base_url=url + "/v1", api_key="none")),
    "ollama": lambda url: OllamaModel("demo", provider=OllamaProvider(base_url=url + "/v1")),
    "anthropic": lambda url: AnthropicModel("demo", provider=AnthropicProvider(base_url=url, api_key="none")),
}


class Sum(BaseModel):
    answer: int


@pytest.fixture(params=MODELS)
def agent(server, request):
    model = MODELS[request.param](server.url)

    def make(**more):
        return Agent(model, model_settings={"temperature": 0}, **more)

    return make


def test_run(agent):
    result = agent().run_sync(COUNT)
    assert result.output == COUNTED
    assert result.usage.output_tokens > 0


def test_stream(agent):
    async def run():
        async with agent().run_stream(COUNT) as result:
            return [piece async for piece in result.stream_text(delta=True)]

    pieces = asyncio.run(run())
    assert "".join(pieces) == COUNTED


def test_a_loop_with_a_function(agent):
    helper = agent()

    @helper.tool_plain
    def get_weather(city: str) -> str:
        """Get the weather of a city"""
        return "sunny, 21 degrees"

    assert "sunny" in helper.run_sync(WEATHER).output


@pytest.mark.parametrize("form", [NativeOutput, PromptedOutput, ToolOutput])
def test_a_typed_output(agent, form, request):
    if form is NativeOutput and "anthropic" in request.node.name:
        pytest.skip("the client offers it for models that it knows by name")
    result = agent(output_type=form(Sum)).run_sync("What is 20 + 30? Answer in JSON.")
    assert isinstance(result.output, Sum)
    if form is not ToolOutput:  # there the demo model only has to fill in a form
        assert result.output.answer == 50
