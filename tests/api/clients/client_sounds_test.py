"""Sounds and documents as LangChain and Pydantic AI send them, unchanged.

The model is one of random weights (../sounds_test.py): that a file came is seen in the tokens of the prompt.
"""
import pytest
from langchain_anthropic import ChatAnthropic
from langchain_core.messages import HumanMessage
from langchain_openai import ChatOpenAI
from pydantic_ai import Agent, BinaryContent, capture_run_messages
from pydantic_ai.exceptions import AgentRunError
from pydantic_ai.models.anthropic import AnthropicModel
from pydantic_ai.models.openai import OpenAIChatModel, OpenAIResponsesModel
from pydantic_ai.providers.anthropic import AnthropicProvider
from pydantic_ai.providers.openai import OpenAIProvider
from sounds_test import MEMO, NAME, PDF, hearing, in_base64  # noqa: F401

TEXT = {"type": "text", "text": "What is this?"}
SOUND = {"type": "audio", "base64": in_base64(MEMO), "mime_type": "audio/wav"}
DOCUMENT = {"type": "file", "base64": in_base64(PDF), "mime_type": "application/pdf", "filename": "numbered.pdf"}
LANGCHAIN = {
    "openai": lambda url: ChatOpenAI(model=NAME, base_url=url + "/v1", api_key="none", max_retries=0, temperature=0, max_tokens=4),
    "responses": lambda url: ChatOpenAI(model=NAME, base_url=url + "/v1", api_key="none", max_retries=0, temperature=0,
                                        max_tokens=20, use_responses_api=True),
    "anthropic": lambda url: ChatAnthropic(model=NAME, base_url=url, api_key="none", max_retries=0, max_tokens=4),
}


def input_tokens(chat, *parts):
    return chat.invoke([HumanMessage(content=[*parts, TEXT])]).usage_metadata["input_tokens"]


def test_langchain_has_sounds(hearing):  # noqa: F811
    chat = LANGCHAIN["openai"](hearing.url)
    assert input_tokens(chat, SOUND) == input_tokens(chat) + 50 + 2


@pytest.mark.parametrize("api", LANGCHAIN)
def test_langchain_has_documents(hearing, api):  # noqa: F811
    chat = LANGCHAIN[api](hearing.url)
    assert input_tokens(chat, DOCUMENT) > input_tokens(chat) + 100


PYDANTIC_AI = {
    "chat_completions": lambda url: OpenAIChatModel(NAME, provider=OpenAIProvider(base_url=url + "/v1", api_key="none")),
    "responses": lambda url: OpenAIResponsesModel(NAME, provider=OpenAIProvider(base_url=url + "/v1", api_key="none")),
    "anthropic": lambda url: AnthropicModel(NAME, provider=AnthropicProvider(base_url=url, api_key="none")),
}


def pydantic_tokens(url, api, *files):
    agent = Agent(PYDANTIC_AI[api](url), model_settings={"temperature": 0, "max_tokens": 4})
    with capture_run_messages() as messages:
        try:
            agent.run_sync(["What is this?", *files])
        except AgentRunError:
            pass  # it takes a reply without words, which noise may be, for an error
    [response] = [message for message in messages if message.kind == "response"]
    return response.usage.input_tokens


def test_pydantic_ai_has_sounds(hearing):  # noqa: F811
    sound = BinaryContent(data=MEMO, media_type="audio/wav")
    assert pydantic_tokens(hearing.url, "chat_completions", sound) == pydantic_tokens(hearing.url, "chat_completions") + 50 + 2


@pytest.mark.parametrize("api", PYDANTIC_AI)
def test_pydantic_ai_has_documents(hearing, api):  # noqa: F811
    document = BinaryContent(data=PDF, media_type="application/pdf")
    assert pydantic_tokens(hearing.url, api, document) > pydantic_tokens(hearing.url, api) + 100
