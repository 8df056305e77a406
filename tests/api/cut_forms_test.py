"""Replies with a form that the request's own stop strings and tokens cut off: every API tells of it."""
import pytest
from questions import COUNT, TOOL, WEATHER


def say(http, token):
    """The text of a token: what the model says where it prefers that one."""
    answer = http.post("/v1/completions", json={"model": "demo", "prompt": "1, 2", "max_tokens": 1, "temperature": 0,
                                                "logit_bias": {str(token): 100}})
    assert answer.status_code == 200, answer.text
    return answer.json()["choices"][0]["text"]


@pytest.fixture
def letter(http):
    """(token, text) of a token that is a letter."""
    said = ((token, say(http, token)) for token in range(500, 600))
    return next((token, text) for token, text in said if text.isascii() and text.isalpha())


def test_a_stop_token_of_the_request_that_cuts_a_form_is_told(http, letter):
    token, text = letter
    body = {"model": "demo", "messages": COUNT, "temperature": 0}
    forms = {"structured_outputs": ({"choice": [text]}, "structured_outputs.choice"),
             "guided_regex": (text, "guided_regex"),
             "grammar": (f'root ::= "{text}"', "grammar")}
    for field, (form, path) in forms.items():
        whole = http.post("/v1/chat/completions", json=body | {field: form}).json()
        assert whole["choices"][0]["message"]["content"] == text and "warnings" not in whole, whole
        cut = http.post("/v1/chat/completions", json=body | {field: form, "stop_token_ids": [token]}).json()
        assert cut["choices"][0]["message"]["content"] == "" and cut["choices"][0]["finish_reason"] == "stop", cut
        assert cut["warnings"] == [f"{path}: token {token} of stop_token_ids cut the answer off, "
                                   "so that it may not have this form"]


@pytest.mark.parametrize("route", ["/v1/messages", "/v1/responses", "/v1/completions"])
def test_every_route_with_stop_tokens_tells(http, letter, route):
    token, text = letter
    schema = {"const": text}
    body, path = {
        "/v1/messages": ({"messages": COUNT, "max_tokens": 40,
                          "output_config": {"format": {"type": "json_schema", "schema": schema}}},
                         "output_config.format.schema"),
        "/v1/responses": ({"input": "Count", "text": {"format": {"type": "json_schema", "name": "x", "schema": schema}}},
                          "text.format.schema"),
        "/v1/completions": ({"prompt": "Count", "max_tokens": 40, "guided_json": schema}, "guided_json"),
    }[route]
    body |= {"model": "demo", "temperature": 0, "logit_bias": {str(token): 100}, "stop_token_ids": [token]}
    if route == "/v1/messages":
        del body["logit_bias"]
    answer = http.post(route, json=body)
    assert answer.status_code == 200, answer.text
    told = [warning for warning in answer.json()["warnings"] if "stop_token_ids" in warning]
    assert told == [f"{path}: token {token} of stop_token_ids cut the answer off, so that it may not have this form"]


def test_a_call_that_a_stop_token_cuts_off_is_left_out_and_told(http, letter):
    tool = {"type": "function", "function": {"name": letter[1], "parameters": TOOL["function"]["parameters"]}}
    body = {"model": "demo", "messages": [{"role": "user", "content": WEATHER}], "temperature": 0, "tools": [tool],
            "tool_choice": "required", "max_tokens": 60}
    # Any token that the call has cuts it.
    for token in range(500, 600):
        answer = http.post("/v1/chat/completions", json=body | {"stop_token_ids": [token]}).json()
        told = [warning for warning in answer.get("warnings", []) if "stop_token_ids" in warning]
        if told:
            break
    message = answer["choices"][0]["message"]
    assert not message.get("tool_calls") and not message["content"], answer
    assert told == [f"tools: token {token} of stop_token_ids cut the answer off, so that it may not have this form"]


def test_one_replacement_stands_for_each_byte_of_a_character_that_is_cut(http):
    body = {"model": "demo", "messages": COUNT, "temperature": 0, "guided_regex": "a🙂"}
    whole = http.post("/v1/chat/completions", json=body).json()["choices"][0]
    assert whole["message"]["content"] == "a🙂"
    for n_bytes in (1, 2, 3):  # the demo model's tokens of such a character are its bytes
        cut = http.post("/v1/chat/completions", json=body | {"max_tokens": 1 + n_bytes}).json()["choices"][0]
        assert (cut["message"]["content"], cut["finish_reason"]) == ("a" + n_bytes * "\ufffd", "length")
