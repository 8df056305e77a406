"""The official Ollama client against our server: every method that applies."""
import asyncio
import json

import ollama
import pytest
from conftest import wait_for
from questions import COUNT, COUNTED, LONG, TOOL, WEATHER

MODEL = "demo"
GREEDY = {"temperature": 0}


def check_final(answer, done_reason="stop"):
    assert answer.done is True
    assert answer.done_reason == done_reason
    assert answer.total_duration > 0
    assert answer.prompt_eval_count > 0
    assert answer.eval_count > 0
    assert answer.eval_duration > 0
    assert 0 <= answer.prompt_eval_duration <= answer.total_duration


def test_chat(ollama_client):
    answer = ollama_client.chat(MODEL, COUNT, options=GREEDY)
    assert answer.message.role == "assistant"
    assert answer.message.content == COUNTED
    assert not answer.message.thinking
    check_final(answer)


def test_chat_stream_adds_up_to_the_whole(ollama_client):
    parts = list(ollama_client.chat(MODEL, COUNT, options=GREEDY, stream=True))
    assert len(parts) > 5
    assert "".join(part.message.content or "" for part in parts) == COUNTED
    assert [part.done for part in parts[:-1]] == [False] * (len(parts) - 1)
    check_final(parts[-1])


def test_generate(ollama_client):
    answer = ollama_client.generate(MODEL, COUNT[0]["content"], options=GREEDY)
    assert answer.response == COUNTED
    check_final(answer)
    streamed = list(ollama_client.generate(MODEL, COUNT[0]["content"], options=GREEDY, stream=True))
    assert "".join(part.response for part in streamed) == COUNTED
    check_final(streamed[-1])


def test_generate_raw_continues_the_text(ollama_client):
    prompt = "<bos><|turn>user\nCount from 1 to 10<turn|>\n<|turn>model\n"
    answer = ollama_client.generate(MODEL, prompt, raw=True, options=GREEDY | {"num_predict": 8})
    assert answer.response and COUNTED.startswith(answer.response.strip())
    assert answer.done_reason == "length"
    assert answer.eval_count == 8


def test_a_last_message_of_the_assistant_goes_on(ollama_client):
    begun = COUNT + [{"role": "assistant", "content": "1, 2, 3"}]
    answer = ollama_client.chat(MODEL, begun, options=GREEDY)
    assert "1, 2, 3" + answer.message.content == COUNTED
    parts = ollama_client.chat(MODEL, begun, options=GREEDY, stream=True)
    assert "".join(part.message.content or "" for part in parts) == answer.message.content


def test_a_last_thought_goes_on(ollama_client):
    question = [{"role": "user", "content": "What is 7 + 8?"}]
    whole = ollama_client.chat(MODEL, question, think=True, options=GREEDY)
    begun = whole.message.thinking[:len(whole.message.thinking) // 2].rstrip()
    answer = ollama_client.chat(MODEL, question + [{"role": "assistant", "content": "", "thinking": begun}],
                                think=True, options=GREEDY)
    assert answer.message.thinking and not answer.message.thinking.startswith(begun)
    assert answer.message.content == whole.message.content


def test_results_whose_calls_are_gone(ollama_client):
    answer = ollama_client.chat(MODEL, [{"role": "user", "content": WEATHER},
                                        {"role": "tool", "tool_name": "get_weather", "content": "sunny, 21 degrees"}],
                                tools=[TOOL], options=GREEDY)
    assert "sunny" in answer.message.content


def test_length_limit_is_told(ollama_client):
    answer = ollama_client.chat(MODEL, LONG, options=GREEDY | {"num_predict": 5})
    check_final(answer, "length")
    assert answer.eval_count == 5


def test_stop_strings(ollama_client):
    answer = ollama_client.chat(MODEL, COUNT, options=GREEDY | {"stop": [", 5"]})
    assert answer.message.content == "1, 2, 3, 4"
    check_final(answer)


@pytest.mark.parametrize("stream", [False, True])
def test_tools(ollama_client, stream):
    messages = [{"role": "user", "content": WEATHER}]
    answer = ollama_client.chat(MODEL, messages, tools=[TOOL], options=GREEDY, stream=stream)
    parts = list(answer) if stream else [answer]
    calls = [call for part in parts for call in part.message.tool_calls or []]
    assert len(calls) == 1
    assert calls[0].function.name == "get_weather"
    assert calls[0].function.arguments == {"city": "Paris"}
    messages.append({"role": "assistant", "content": "", "tool_calls": calls})
    messages.append({"role": "tool", "tool_name": "get_weather", "content": "sunny, 21 degrees"})
    answer = ollama_client.chat(MODEL, messages, tools=[TOOL], options=GREEDY)
    assert not answer.message.tool_calls
    assert "sunny" in answer.message.content


def test_a_python_function_as_a_tool(ollama_client):
    def get_weather(city: str) -> str:
        """Get the weather of a city

        Args:
          city: The city
        """
        return city

    answer = ollama_client.chat(MODEL, [{"role": "user", "content": WEATHER}], tools=[get_weather],
                                options=GREEDY)
    assert answer.message.tool_calls[0].function.name == "get_weather"


def test_thinking_is_apart_from_content_and_off_unless_asked_for(ollama_client):
    question = [{"role": "user", "content": "What is 7 + 8?"}]
    quiet = ollama_client.chat(MODEL, question, options=GREEDY)
    assert not quiet.message.thinking and "15" in quiet.message.content
    loud = ollama_client.chat(MODEL, question, think=True, options=GREEDY)
    assert loud.message.thinking and "15" in loud.message.content
    parts = list(ollama_client.chat(MODEL, question, think=True, options=GREEDY, stream=True))
    assert "".join(part.message.thinking or "" for part in parts) == loud.message.thinking
    assert "".join(part.message.content or "" for part in parts) == loud.message.content


def test_format_json_and_schema(ollama_client):
    question = [{"role": "user", "content": "What is 20 + 30? Answer in JSON."}]
    answer = ollama_client.chat(MODEL, question, format="json", options=GREEDY)
    assert json.loads(answer.message.content) == {"answer": 50}
    schema = {"type": "object", "properties": {"answer": {"type": "integer"}, "sure": {"type": "boolean"}},
              "required": ["answer", "sure"], "additionalProperties": False}
    answer = ollama_client.chat(MODEL, question, format=schema, options=GREEDY)
    value = json.loads(answer.message.content)
    assert list(value) == ["answer", "sure"]
    assert isinstance(value["answer"], int) and isinstance(value["sure"], bool)


def test_a_seed_repeats_and_another_one_does_not(ollama_client):
    def say(seed):
        options = {"temperature": 2.0, "top_k": 0, "top_p": 1.0, "seed": seed, "num_predict": 20}
        return ollama_client.chat(MODEL, COUNT, options=options).message.content

    assert say(1) == say(1)
    assert len({say(seed) for seed in range(1, 7)}) > 1


def test_logprobs(ollama_client):
    answer = ollama_client.chat(MODEL, COUNT, logprobs=True, top_logprobs=3, options=GREEDY)
    text = "".join(one.token for one in answer.logprobs)
    assert text.strip() == COUNTED
    for one in answer.logprobs:
        assert one.logprob <= 0
        assert len(one.top_logprobs) == 3
        assert one.top_logprobs[0].logprob >= one.top_logprobs[1].logprob
        # Greedy: the token is the likeliest.
        assert one.top_logprobs[0].logprob == pytest.approx(one.logprob)


def test_embed(ollama_client):
    one = ollama_client.embed(MODEL, "Hello")
    two = ollama_client.embed(MODEL, ["Hello", "Count from 1 to 10"])
    assert len(one.embeddings) == 1 and len(two.embeddings) == 2
    assert list(one.embeddings[0]) == list(two.embeddings[0])
    assert sum(x * x for x in one.embeddings[0]) == pytest.approx(1, abs=1e-5)
    assert one.prompt_eval_count > 0
    short = ollama_client.embed(MODEL, "Hello", dimensions=8)
    assert len(short.embeddings[0]) == 8
    old = ollama_client.embeddings(MODEL, "Hello")
    assert len(old.embedding) == len(one.embeddings[0])


def test_keep_alive_load_and_unload(start_server):
    running = start_server(preload=())
    client = ollama.Client(host=running.url)
    assert list(client.ps().models) == []
    assert client.generate(MODEL, "").done_reason == "load"
    assert [model.name for model in client.ps().models] == ["demo:latest"]
    assert client.ps().models[0].context_length > 0
    assert client.generate(MODEL, "", keep_alive=0).done_reason == "unload"
    assert wait_for(lambda: list(client.ps().models) == [])
    client.chat(MODEL, COUNT, keep_alive="1h", options=GREEDY)
    assert client.ps().models[0].expires_at is not None
    client.chat(MODEL, [], keep_alive=0)
    assert wait_for(lambda: list(client.ps().models) == [])


def test_models_at_hand(ollama_client):
    names = [model.model for model in ollama_client.list().models]
    assert "demo:latest" in names
    shown = ollama_client.show(MODEL)
    assert shown.details.family == "gemma4"
    assert shown.details.format == "gguf"
    assert {"completion", "tools", "thinking"} <= set(shown.capabilities)
    info = shown.modelinfo
    assert info["general.architecture"] == "gemma4"
    # What clients compute memory from.
    assert (info["gemma4.block_count"], info["gemma4.attention.head_count"]) == (8, 4)
    assert info["gemma4.feed_forward_length"] == [512] * 5 + [1024] * 3
    assert info["gemma4.context_length"] == 4096
    assert info["gemma4.attention.layer_norm_rms_epsilon"] == 1e-06
    assert info["tokenizer.ggml.bos_token_id"] == 2
    assert info["tokenizer.ggml.tokens"] is None


def test_show_verbose(http):
    shown = http.post("/api/show", json={"model": MODEL, "verbose": True}).json()
    assert len(shown["model_info"]["tokenizer.ggml.tokens"]) == 2048
    assert {"name": "token_embd.weight", "type": "Q8_0", "shape": [256, 2048]} in shown["tensors"]
    assert "warnings" not in shown


def test_nobody_is_signed_in(http):
    assert http.get("/api/status").json() == {"cloud": {"disabled": True, "source": "config"}}
    assert http.post("/api/me").status_code == 401
    assert http.post("/api/signout", json={}).status_code == 401


def test_paths_as_clients_put_them_together(http, server):
    for path in ("/api/tags", "/api/tags/", "//api/tags", "/api//tags//"):
        assert http.get(server.url + path).json()["models"], path
    for path in ("/v1//models", "/v1/models/"):
        assert http.get(server.url + path).json()["object"] == "list", path
    body = {"model": MODEL, "messages": COUNT, "temperature": 0}
    answer = http.post(server.url + "/v1/chat/completions/", json=body)
    assert answer.json()["choices"][0]["message"]["content"] == COUNTED
    assert http.get(server.url + "/v1/models/demo/").json()["id"]


def test_what_is_asked_for_with_head_and_options(http):
    for path in ("/", "/api/tags", "/api/version", "/api/ps", "/v1/models"):
        answer = http.head(path)
        assert answer.status_code == 200 and not answer.content, path
    for path, method in (("/api/chat", "POST"), ("/api/tags", "GET"), ("/api/delete", "DELETE")):
        answer = http.options(path, headers={"Origin": "http://localhost:3000",
                                             "Access-Control-Request-Method": method})
        assert answer.status_code == 204 and method in answer.headers["access-control-allow-methods"]


def test_an_unknown_route_is_a_404_in_json(http):
    for method, path in (("GET", "/api/nothing"), ("POST", "/api/experimental/web_search"), ("GET", "/api")):
        answer = http.request(method, path)
        assert answer.status_code == 404 and set(answer.json()) == {"error"}, path


def test_typical_p_is_a_sampler(ollama_client):
    def say(typical_p, seed):
        options = {"temperature": 2.0, "top_k": 0, "top_p": 1.0, "seed": seed, "num_predict": 12,
                   "typical_p": typical_p}
        return ollama_client.chat(MODEL, COUNT, options=options).message.content

    assert [say(1.0, 3), say(0.2, 3)] == [say(1.0, 3), say(0.2, 3)]
    assert any(say(1.0, seed) != say(0.2, seed) for seed in range(4))
    with pytest.raises(ollama.ResponseError) as error:
        say(1.5, 1)
    assert error.value.status_code == 400 and "typical_p" in error.value.error


def test_create_copy_and_delete(ollama_client):
    steps = list(ollama_client.create("counter", from_="demo", system="Be brief.",
                                      parameters={"temperature": 0, "num_predict": 7}, stream=True))
    assert steps[-1].status == "success"
    assert ollama_client.show("counter").parameters
    answer = ollama_client.chat("counter", LONG)
    assert answer.eval_count == 7 and answer.done_reason == "length"
    assert ollama_client.copy("counter", "counter-two").status == "success"
    assert ollama_client.delete("counter").status == "success"
    with pytest.raises(ollama.ResponseError) as error:
        ollama_client.show("counter")
    assert error.value.status_code == 404
    assert ollama_client.chat("counter-two", LONG).eval_count == 7
    ollama_client.delete("counter-two")


def test_a_blob_becomes_a_model(ollama_client, request):
    path = request.config.rootpath / "models/demo/pleiad-demo.gguf"
    digest = ollama_client.create_blob(path)
    assert digest.startswith("sha256:")
    ollama_client.create("from-blob", files={"model.gguf": digest})
    assert ollama_client.chat("from-blob", COUNT, options=GREEDY).message.content == COUNTED
    ollama_client.delete("from-blob")


def test_pull_of_what_is_here_succeeds_and_of_what_is_not_says_why(ollama_client):
    assert ollama_client.pull(MODEL).status == "success"
    with pytest.raises(ollama.ResponseError, match="names no model|not a model's name"):
        ollama_client.pull("no such model")


@pytest.mark.parametrize("call, status", [
    (lambda client: client.chat("nothing", COUNT), 404),
    (lambda client: client.generate("nothing", "x"), 404),
    (lambda client: client.chat(MODEL, COUNT, options={"temperature": -1}), 400),
    (lambda client: client.chat(MODEL, COUNT, options={"top_k": "many"}), 400),
    (lambda client: client.generate(MODEL, "a " * 40_000), 400),
    (lambda client: client.generate(MODEL, "x", suffix="y"), 400),
    (lambda client: client.chat(MODEL, COUNT, format={"type": "nonsense"}), 400),
])
def test_errors(ollama_client, call, status):
    with pytest.raises(ollama.ResponseError) as error:
        call(ollama_client)
    assert error.value.status_code == status
    assert error.value.error


def test_async_client(server):
    async def run():
        client = ollama.AsyncClient(host=server.url)
        answers = await asyncio.gather(*[client.chat(MODEL, COUNT, options=GREEDY) for _ in range(8)])
        assert [answer.message.content for answer in answers] == [COUNTED] * 8
        text = ""
        async for part in await client.chat(MODEL, COUNT, options=GREEDY, stream=True):
            text += part.message.content or ""
        assert text == COUNTED
        embedded = await client.embed(MODEL, "Hello")
        assert len(embedded.embeddings) == 1

    asyncio.run(run())
