"""LangChain's packages for OpenAI, Ollama and Anthropic against our server."""
import subprocess

import pytest
import tiktoken
from conftest import PROGRAM
from langchain_anthropic import ChatAnthropic
from langchain_core.messages import HumanMessage, ToolMessage
from langchain_core.tools import tool
from langchain_ollama import ChatOllama, OllamaEmbeddings
from langchain_openai import ChatOpenAI, OpenAIEmbeddings
from pydantic import BaseModel
from questions import COUNTED, WEATHER

MODEL = "demo"
COUNT = "Count from 1 to 10"
SUM = "What is 20 + 30? Answer in JSON."


class Sum(BaseModel):
    """The answer to a sum"""
    answer: int


@tool
def get_weather(city: str) -> str:
    """Get the weather of a city"""
    return "sunny, 21 degrees"


def openai_chat(server, **more):
    return ChatOpenAI(model=MODEL, base_url=server.url + "/v1", api_key="none", max_retries=0, temperature=0, **more)


def openai_responses(server):
    return openai_chat(server, use_responses_api=True)


def ollama_chat(server, **more):
    return ChatOllama(model=MODEL, base_url=server.url, temperature=0, **more)


def anthropic_chat(server, **more):
    return ChatAnthropic(model=MODEL, base_url=server.url, api_key="none", max_retries=0, max_tokens=200,
                         temperature=0, **more)


ALL = pytest.mark.parametrize("chat", [openai_chat, openai_responses, ollama_chat, anthropic_chat],
                              ids=lambda chat: chat.__name__)


@ALL
def test_invoke(server, chat):
    answer = chat(server).invoke(COUNT)
    assert answer.text == COUNTED
    usage = answer.usage_metadata
    assert usage["input_tokens"] > 0 and usage["output_tokens"] > 0
    assert usage["total_tokens"] == usage["input_tokens"] + usage["output_tokens"]


@ALL
def test_stream(server, chat):
    chunks = list(chat(server).stream(COUNT))
    assert "".join(chunk.text for chunk in chunks) == COUNTED
    assert len([chunk for chunk in chunks if chunk.text]) > 3, "it comes piece by piece"


@ALL
def test_tools(server, chat):
    with_tools = chat(server).bind_tools([get_weather])
    question = HumanMessage(WEATHER)
    asked = with_tools.invoke([question])
    (call,) = asked.tool_calls
    assert (call["name"], call["args"]) == ("get_weather", {"city": "Paris"})
    answer = with_tools.invoke([question, asked, ToolMessage(get_weather.invoke(call["args"]), tool_call_id=call["id"])])
    assert "sunny" in answer.text and not answer.tool_calls


@ALL
def test_streamed_tool_calls_can_be_put_together(server, chat):
    whole = None
    for chunk in chat(server).bind_tools([get_weather]).stream(WEATHER):
        whole = chunk if whole is None else whole + chunk
    (call,) = whole.tool_calls
    assert (call["name"], call["args"]) == ("get_weather", {"city": "Paris"})


@pytest.mark.parametrize("chat, method", [
    (openai_chat, "json_schema"), (openai_chat, "function_calling"), (openai_chat, "json_mode"),
    (openai_responses, "json_schema"), (openai_responses, "function_calling"),
    (ollama_chat, "json_schema"), (ollama_chat, "json_mode"),
    (anthropic_chat, "function_calling"), (anthropic_chat, "json_schema"),
], ids=lambda one: one if isinstance(one, str) else one.__name__)
def test_structured_output(server, chat, method):
    answer = chat(server).with_structured_output(Sum, method=method).invoke(SUM)
    assert isinstance(answer, Sum)
    if method != "function_calling":  # there the demo model only has to fill in a form
        assert answer.answer == 50


def test_ollama_thinking_comes_apart(server):
    answer = ollama_chat(server, reasoning=True).invoke("What is 7 + 8?")
    assert "15" in answer.text and answer.additional_kwargs["reasoning_content"]


def test_a_hosted_tool_is_left_out_of_an_answer(server):
    answer = openai_responses(server).bind_tools([{"type": "web_search"}]).invoke(COUNT)
    assert answer.text == COUNTED


def test_embeddings_of_strings_agree_in_both_apis(server):
    ours = OpenAIEmbeddings(model=MODEL, base_url=server.url + "/v1", api_key="none",
                            check_embedding_ctx_length=False)
    theirs = OllamaEmbeddings(model=MODEL, base_url=server.url)
    two = ours.embed_documents(["Hello", COUNT])
    assert two[0] == pytest.approx(ours.embed_query("Hello"), abs=1e-6)
    assert two == [pytest.approx(one, abs=1e-5) for one in theirs.embed_documents(["Hello", COUNT])]


class OurTokens:
    """What tiktoken would be if it had the demo model's tokenizer; its own vocabularies are downloads."""

    def encode_ordinary(self, text):
        told = subprocess.run([PROGRAM, "tokenize", MODEL, text], capture_output=True, text=True, check=True).stdout
        bos = 2
        return [bos, *map(int, told.split(","))]


def test_embeddings_in_their_default_form_are_lists_of_tokens(server, monkeypatch):
    monkeypatch.setattr(tiktoken, "encoding_for_model", lambda name: OurTokens())

    def embeddings(**more):
        return OpenAIEmbeddings(model=MODEL, base_url=server.url + "/v1", api_key="none", **more)

    texts = ["Hello", COUNT]
    assert embeddings().embed_documents(texts) == [
        pytest.approx(one, abs=1e-5) for one in embeddings(check_embedding_ctx_length=False).embed_documents(texts)]
