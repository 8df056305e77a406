"""Pictures as LangChain, Pydantic AI and OpenAI's Agents SDK send them, unchanged.

The model is one of random weights (../pictures.py): that a picture came is seen in the tokens of the prompt.
"""
import asyncio

import agents
import httpx
import openai
import pytest
from langchain_anthropic import ChatAnthropic
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langchain_ollama import ChatOllama
from langchain_openai import ChatOpenAI
from pictures import GREEN, NAME, RED, TOKENS, data_url, in_base64
from pydantic_ai import Agent, BinaryContent
from pydantic_ai.models.anthropic import AnthropicModel
from pydantic_ai.models.ollama import OllamaModel
from pydantic_ai.models.openai import OpenAIChatModel, OpenAIResponsesModel
from pydantic_ai.providers.anthropic import AnthropicProvider
from pydantic_ai.providers.ollama import OllamaProvider
from pydantic_ai.providers.openai import OpenAIProvider

TEXT = {"type": "text", "text": "What is this?"}
# What LangChain's messages may hold: its own blocks, and those of OpenAI's chat completions.
BLOCKS = {
    "image": {"type": "image", "base64": in_base64(RED), "mime_type": "image/png"},
    "image_url": {"type": "image_url", "image_url": {"url": data_url(RED)}},
}
LANGCHAIN = {
    "openai": lambda url: ChatOpenAI(model=NAME, base_url=url + "/v1", api_key="none", max_retries=0, temperature=0,
                                     max_tokens=4, stream_usage=True),
    "responses": lambda url: ChatOpenAI(model=NAME, base_url=url + "/v1", api_key="none", max_retries=0, temperature=0,
                                        max_tokens=20, use_responses_api=True),
    "ollama": lambda url: ChatOllama(model=NAME, base_url=url, temperature=0, num_predict=4),
    "anthropic": lambda url: ChatAnthropic(model=NAME, base_url=url, api_key="none", max_retries=0, max_tokens=4),
}


@pytest.fixture(params=LANGCHAIN)
def chat(seeing, request):
    return LANGCHAIN[request.param](seeing.url)


def input_tokens(chat, messages):
    return chat.invoke(messages).usage_metadata["input_tokens"]


@pytest.mark.parametrize("block", BLOCKS)
def test_langchain(chat, block):
    with_picture = input_tokens(chat, [HumanMessage(content=[TEXT, BLOCKS[block]])])
    assert with_picture == input_tokens(chat, [HumanMessage(content=[TEXT])]) + TOKENS[280] + 2


def test_langchain_streams(chat):
    parts = list(chat.stream([HumanMessage(content=[BLOCKS["image"], TEXT])]))
    assert max((part.usage_metadata or {}).get("input_tokens", 0) for part in parts) > TOKENS[280]


@pytest.mark.parametrize("api", ["openai", "responses", "anthropic"])
def test_langchain_has_tools_that_give_pictures(seeing, api):
    call = {"name": "look", "args": {}, "id": "call_1", "type": "tool_call"}
    messages = [HumanMessage("Look"), AIMessage("", tool_calls=[call]),
                ToolMessage(content=[TEXT, BLOCKS["image"]], tool_call_id="call_1")]
    assert input_tokens(LANGCHAIN[api](seeing.url), messages) > TOKENS[280]


PYDANTIC_AI = {
    "chat_completions": lambda url: OpenAIChatModel(NAME, provider=OpenAIProvider(base_url=url + "/v1", api_key="none")),
    "responses": lambda url: OpenAIResponsesModel(NAME, provider=OpenAIProvider(base_url=url + "/v1", api_key="none")),
    "ollama": lambda url: OllamaModel(NAME, provider=OllamaProvider(base_url=url + "/v1")),
    "anthropic": lambda url: AnthropicModel(NAME, provider=AnthropicProvider(base_url=url, api_key="none")),
}


@pytest.mark.parametrize("api", PYDANTIC_AI)
def test_pydantic_ai(seeing, api):
    agent = Agent(PYDANTIC_AI[api](seeing.url), model_settings={"temperature": 0, "max_tokens": 20})
    pictures = [BinaryContent(data=picture, media_type="image/png") for picture in (RED, GREEN)]
    result = agent.run_sync(["Which of these is red?", *pictures])
    assert result.usage.input_tokens > 2 * TOKENS[280]


@pytest.mark.parametrize("model", [agents.OpenAIChatCompletionsModel, agents.OpenAIResponsesModel])
def test_openai_agents(seeing, model):
    agents.set_tracing_disabled(True)
    client = openai.AsyncOpenAI(base_url=seeing.url + "/v1", api_key="none", max_retries=0)
    agent = agents.Agent(name="eyes", model=model(NAME, client),
                         # It takes an answer that was cut off for an error: this one ends at a letter.
                         model_settings=agents.ModelSettings(temperature=0, extra_body={"stop": list("aeiou 01")}))
    message = {"role": "user", "content": [{"type": "input_text", "text": "What is this?"},
                                           {"type": "input_image", "image_url": data_url(RED), "detail": "low"}]}
    result = asyncio.run(agents.Runner.run(agent, [message]))
    assert result.context_wrapper.usage.input_tokens > TOKENS[70]


# As LlamaIndex's OpenAI and OpenAILike write an ImageBlock (from the source of llama-index-llms-openai, which takes
# openai below 3, so that it is not among the packages that are installed).
def test_llama_index(seeing):
    content = [TEXT, {"type": "image_url", "image_url": {"url": data_url(RED), "detail": "auto"}}]
    answer = httpx.post(seeing.url + "/v1/chat/completions", timeout=120, json={
        "model": NAME, "messages": [{"role": "user", "content": content}], "stream": False, "temperature": 0.0})
    assert answer.status_code == 200, answer.text
    assert answer.json()["usage"]["prompt_tokens"] > TOKENS[280]
