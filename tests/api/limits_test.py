"""Thoughts that are ended because their budget is spent, and answers that repeat themselves."""
import httpx

from conftest import MODEL
from questions import COUNT, COUNTED

SUM = [{"role": "user", "content": "What is 7 + 8?"}]
SPENT = "its budget was spent"
GREEDY = {"temperature": 0}
BUDGET = 8  # tokens: less than the demo model thinks


def test_a_budget_ends_a_thought_on_every_api(http, ollama_client, openai_client, anthropic_client):
    answer = ollama_client.chat(MODEL, SUM, think=True, options=GREEDY | {"thinking_budget": BUDGET})
    told = http.post("/api/chat", json={"model": MODEL, "messages": SUM, "think": "low", "stream": False,
                                        "options": GREEDY | {"thinking_budget": BUDGET}}).json()
    assert told["thinking_ended_by"] == "budget" and SPENT in told["warnings"][0]
    assert told["message"]["content"] == answer.message.content != ""
    answer = openai_client.chat.completions.create(model=MODEL, messages=SUM, temperature=0, reasoning_effort="low",
                                                   extra_body={"thinking_budget": BUDGET})
    choice = answer.choices[0]
    assert choice.model_extra["thinking_ended_by"] == "budget" and SPENT in answer.model_extra["warnings"][0]
    assert choice.message.content == told["message"]["content"] and choice.finish_reason == "stop"
    assert 0 < answer.usage.completion_tokens_details.reasoning_tokens <= BUDGET
    answer = anthropic_client.messages.create(
        model=MODEL, messages=SUM, max_tokens=200, thinking={"type": "adaptive"},
        extra_body=GREEDY | {"thinking_token_budget": BUDGET})
    assert answer.model_extra["thinking_ended_by"] == "budget"
    assert answer.content[-1].text == told["message"]["content"]
    streamed = openai_client.chat.completions.create(model=MODEL, messages=SUM, temperature=0, stream=True,
                                                     extra_body={"thinking_budget": BUDGET, "think": True})
    assert list(streamed)[-1].choices[0].model_extra["thinking_ended_by"] == "budget"


def test_a_budget_that_is_not_spent_changes_nothing(openai_client):
    free = openai_client.chat.completions.create(model=MODEL, messages=SUM, temperature=0, extra_body={"think": True})
    held = openai_client.chat.completions.create(model=MODEL, messages=SUM, temperature=0, reasoning_effort="high")
    assert held.choices[0].message == free.choices[0].message
    assert "thinking_ended_by" not in held.choices[0].model_extra


def test_a_thought_leaves_room_for_an_answer(anthropic_client):
    answer = anthropic_client.messages.create(
        model=MODEL, messages=SUM, max_tokens=20, extra_body=GREEDY,
        thinking={"type": "enabled", "budget_tokens": 1024})
    assert "the thought may take 15" in answer.model_extra["warnings"][0]
    assert answer.content[-1].type == "text"


def test_the_form_of_an_answer_holds_behind_a_thought_that_was_ended(openai_client):
    answer = openai_client.chat.completions.create(
        model=MODEL, messages=SUM, temperature=0, response_format={"type": "json_object"}, max_tokens=100,
        extra_body={"thinking_budget": BUDGET, "think": True})
    assert answer.choices[0].model_extra["thinking_ended_by"] == "budget"
    assert answer.choices[0].message.content.startswith("{")


def test_what_repeats_itself_is_ended(openai_client):
    def ask(**more):
        return openai_client.chat.completions.create(model=MODEL, messages=COUNT, max_tokens=1100, temperature=0,
                                                     logit_bias={"600": 100}, **more)

    answer = ask()
    choice = answer.choices[0]
    assert choice.finish_reason == "length" and choice.model_extra["ended_by"] == "repetition"
    assert 1000 < answer.usage.completion_tokens < 1100
    assert "repeat the same 1 token" in answer.model_extra["warnings"][0]
    answer = ask(extra_body={"repetition_guard": False})
    assert answer.usage.completion_tokens == 1100 and "ended_by" not in answer.choices[0].model_extra


def test_the_server_says_what_holds_for_those_who_say_nothing(start_server):
    server = start_server("--thinking-budget", str(BUDGET), "--repetition-guard", "off")
    body = {"model": MODEL, "messages": SUM, "temperature": 0, "think": True}
    url = f"{server.url}/v1/chat/completions"
    told = httpx.post(url, json=body, timeout=60).json()["choices"][0]
    assert told["thinking_ended_by"] == "budget"
    told = httpx.post(url, json=body | {"thinking_budget": -1}, timeout=60).json()["choices"][0]
    assert "thinking_ended_by" not in told
    plain = httpx.post(url, json={"model": MODEL, "messages": COUNT, "temperature": 0}, timeout=60).json()
    assert plain["choices"][0]["message"]["content"] == COUNTED and "warnings" not in plain
