"""Tools and forms on every API: what is held, what is refused and by which path, what is only told."""
import json

import anthropic
import openai
import pytest
from conftest import MODEL
from questions import COUNT, PARAMETERS, TOOL, WEATHER

# A schema with a keyword that cannot be enforced, beside some that can.
UNIQUE = {"type": "object", "required": ["tags"], "additionalProperties": False, "properties": {
    "tags": {"type": "array", "items": {"enum": ["a", "b"]}, "minItems": 1, "maxItems": 2,
             "contains": {"type": "string"}, "uniqueItems": True}}}
ASK = [{"role": "user", "content": WEATHER}]


def of_api(api, schema, strict):
    """(route, body, path of the schema) of a request with two tools, the second of which has it."""
    if api == "chat":
        functions = [TOOL["function"], {"name": "mark", "parameters": schema, "strict": strict}]
        return "/v1/chat/completions", {
            "messages": ASK, "tools": [{"type": "function", "function": function} for function in functions],
            "tool_choice": {"type": "function", "function": {"name": "mark"}}}, "tools[1].function.parameters"
    if api == "functions":
        return "/v1/chat/completions", {
            "messages": ASK, "functions": [TOOL["function"], {"name": "mark", "parameters": schema, "strict": strict}],
            "function_call": {"name": "mark"}}, "functions[1].parameters"
    if api == "responses":
        tools = [{"type": "function", "name": "mark", "parameters": schema, "strict": strict}]
        return "/v1/responses", {
            "input": WEATHER, "tools": [{"type": "namespace", "name": "n", "tools": tools}],
            "tool_choice": {"type": "function", "name": "mark", "namespace": "n"}}, "tools[0].tools[0].parameters"
    if api == "messages":
        tools = [{"name": "get_weather", "input_schema": PARAMETERS},
                 {"name": "mark", "input_schema": schema, "strict": strict}]
        return "/v1/messages", {"messages": ASK, "max_tokens": 100, "tools": tools,
                                "tool_choice": {"type": "tool", "name": "mark"}}, "tools[1].input_schema"
    function = {"name": "mark", "parameters": schema, "strict": strict}
    return "/api/chat", {"messages": ASK, "stream": False, "tools": [TOOL, {"type": "function", "function": function}],
                         "tool_choice": {"type": "function", "function": {"name": "mark"}}}, "tools[1].function.parameters"


def arguments_of(answer):
    """Of the one call in an answer of any API."""
    if "choices" in answer:
        message = answer["choices"][0]["message"]
        call = message.get("function_call") or message["tool_calls"][0]["function"]
        return json.loads(call["arguments"])
    if "output" in answer:
        return json.loads(next(item for item in answer["output"] if item["type"] == "function_call")["arguments"])
    if "content" in answer:
        return next(block for block in answer["content"] if block["type"] == "tool_use")["input"]
    return answer["message"]["tool_calls"][0]["function"]["arguments"]


APIS = ["chat", "functions", "responses", "messages", "ollama"]


@pytest.mark.parametrize("api", APIS)
def test_what_is_not_enforced_is_told_and_the_rest_holds(http, api):
    route, body, path = of_api(api, UNIQUE, False)
    answer = http.post(route, json={"model": MODEL} | body)
    assert answer.status_code == 200, answer.text
    arguments = arguments_of(answer.json())
    assert list(arguments) == ["tags"] and 1 <= len(arguments["tags"]) <= 2 and set(arguments["tags"]) <= {"a", "b"}
    warnings = answer.json()["warnings"]
    assert any(warning.startswith(f"{path}.properties.tags.uniqueItems: ") for warning in warnings), warnings


def test_what_is_not_enforced_is_checked_when_the_call_is_complete(http):
    """One that is not as its schema says is sampled again; where that does not help it is given, and named."""
    seen = set()
    for seed in range(100):
        route, body, path = of_api("chat", UNIQUE, False)
        answer = http.post(route, json={"model": MODEL, "temperature": 2, "seed": seed} | body).json()
        tags = arguments_of(answer)["tags"]
        is_valid = len(set(tags)) == len(tags)
        told = [warning for warning in answer["warnings"] if warning.startswith(f"{path}: the arguments of a call")]
        assert len(told) == (0 if is_valid else 1), answer
        is_tried_again = any("of a call with arguments that are not valid" in warning for warning in answer["warnings"])
        seen.add((is_valid, is_tried_again))
        if {(True, False), (True, True)} <= seen:
            return
    assert False, f"the model does {seen}"


@pytest.mark.parametrize("api", APIS)
def test_strict_names_what_it_cannot_keep(http, api):
    route, body, path = of_api(api, UNIQUE, True)
    answer = http.post(route, json={"model": MODEL} | body)
    assert answer.status_code == 400, answer.text
    error = answer.json()["error"]
    field = f"{path}.properties.tags.uniqueItems"
    if api == "ollama":
        assert answer.json()["field"] == field
    elif api != "messages":
        assert error["param"] == field
    message = error if api == "ollama" else error["message"]
    assert message.startswith(field + ": ") and "strict" in message


@pytest.mark.parametrize("route, body, path", [
    ("/v1/chat/completions", lambda schema: {"messages": COUNT, "response_format": {
        "type": "json_schema", "json_schema": {"name": "x", "schema": schema}}}, "response_format.json_schema.schema"),
    ("/v1/responses", lambda schema: {"input": "Hi", "text": {
        "format": {"type": "json_schema", "name": "x", "schema": schema}}}, "text.format.schema"),
    ("/v1/messages", lambda schema: {"messages": COUNT, "max_tokens": 50, "output_config": {
        "format": {"type": "json_schema", "schema": schema}}}, "output_config.format.schema"),
    ("/api/chat", lambda schema: {"messages": COUNT, "format": schema}, "format"),
    ("/api/generate", lambda schema: {"prompt": "Hi", "format": schema}, "format"),
])
def test_errors_name_the_place_in_a_schema(http, route, body, path):
    for schema, place in [({"type": "object", "properties": {"x": {"type": "array", "uniqueItems": True}}},
                           ".properties.x.uniqueItems"),
                          ({"anyOf": [{"type": "null"}, {"properties": {"a b: c": {"type": "strin"}}}]},
                           '.anyOf[1].properties["a b: c"].type'),
                          ({"enum": []}, "")]:
        answer = http.post(route, json={"model": MODEL} | body(schema))
        assert answer.status_code == 400, answer.text
        error = answer.json()["error"]
        message = error if isinstance(error, str) else error["message"]
        assert message.startswith(path + place), message
        if "param" in error and not isinstance(error, str):
            assert error["param"].startswith(path + place)
        elif isinstance(error, str):
            assert answer.json()["field"].startswith(path + place)


FORM = {"type": "object", "properties": {"n": {"type": "integer", "minimum": 3, "maximum": 9}}, "required": ["n"],
        "additionalProperties": False}


def test_calls_or_the_form_whichever_the_model_chooses(http):
    """Nothing else comes, whatever is sampled, and both of them do."""
    seen = set()
    for seed in range(12):
        answer = http.post("/v1/chat/completions", json={
            "model": MODEL, "messages": ASK if seed % 2 else COUNT, "tools": [TOOL], "temperature": 1.5, "seed": seed,
            "max_tokens": 200, "response_format": {"type": "json_schema", "json_schema": {"name": "f", "schema": FORM}}})
        assert answer.status_code == 200, answer.text
        choice = answer.json()["choices"][0]
        if choice["finish_reason"] == "length":
            assert all("was cut off inside the call" in w for w in answer.json().get("warnings", []))
            continue
        assert "warnings" not in answer.json()
        calls = choice["message"].get("tool_calls")
        if calls:
            assert choice["message"]["content"] is None and choice["finish_reason"] == "tool_calls"
            for call in calls:
                assert isinstance(json.loads(call["function"]["arguments"])["city"], str)
        else:
            assert 3 <= json.loads(choice["message"]["content"])["n"] <= 9
        seen.add(bool(calls))
    assert seen == {False, True}


def test_a_form_beside_tools_that_must_not_be_called(http):
    answer = http.post("/v1/chat/completions", json={
        "model": MODEL, "messages": ASK, "tools": [TOOL], "tool_choice": "none", "temperature": 0,
        "response_format": {"type": "json_schema", "json_schema": {"name": "f", "schema": FORM}}}).json()
    assert 3 <= json.loads(answer["choices"][0]["message"]["content"])["n"] <= 9
    assert "warnings" not in answer


@pytest.mark.parametrize("choice, calls", [("none", False), ("required", True),
                                           ({"type": "function", "function": {"name": "get_weather"}}, True)])
def test_ollama_takes_a_tool_choice(http, choice, calls):
    for stream in (False, True):
        answer = http.post("/api/chat", json={
            "model": MODEL, "messages": [{"role": "user", "content": "Hello"}] if calls else ASK, "tools": [TOOL], "tool_choice": choice, "stream": stream,
            "options": {"temperature": 0, "num_predict": 400}})
        lines = [json.loads(line) for line in answer.text.splitlines()]
        found = [call["function"] for line in lines for call in line["message"].get("tool_calls", [])]
        assert bool(found) == calls
        for call in found:
            assert call["name"] == "get_weather" and isinstance(call["arguments"]["city"], str)


def test_without_tools_a_stream_is_not_held_back(http):
    """However much the call's token is preferred."""
    body = {"model": MODEL, "messages": ASK, "stream": True, "max_tokens": 20, "temperature": 0,
            "logit_bias": {"48": 100}}
    events = [json.loads(line[6:]) for line in http.post("/v1/chat/completions", json=body).text.splitlines()
              if line.startswith("data: {")]
    deltas = [event["choices"][0]["delta"] for event in events]
    assert sum("content" in delta and delta["content"] != "" for delta in deltas) > 1
    assert not any("tool_calls" in delta for delta in deltas) and "warnings" not in events[-1]


def test_arguments_come_in_pieces(openai_client, anthropic_client):
    with openai_client.chat.completions.stream(model=MODEL, messages=ASK, tools=[TOOL], temperature=0) as stream:
        pieces = [event.arguments_delta for event in stream if event.type == "tool_calls.function.arguments.delta"]
        final = stream.get_final_completion()
    assert len([piece for piece in pieces if piece]) > 2
    assert "".join(pieces) == final.choices[0].message.tool_calls[0].function.arguments
    with openai_client.responses.stream(model=MODEL, input=WEATHER, temperature=0, tools=[
            {"type": "function"} | TOOL["function"]]) as stream:
        pieces = [event.delta for event in stream if event.type == "response.function_call_arguments.delta"]
        final = stream.get_final_response()
    assert len(pieces) > 2
    assert "".join(pieces) == next(item for item in final.output if item.type == "function_call").arguments
    tool = {"name": "get_weather", "description": TOOL["function"]["description"], "input_schema": PARAMETERS}
    with anthropic_client.messages.stream(model=MODEL, max_tokens=100, messages=ASK, tools=[tool],
                                          extra_body={"temperature": 0}) as stream:
        pieces = [event.partial_json for event in stream if event.type == "input_json"]
        final = stream.get_final_message()
    assert len([piece for piece in pieces if piece]) > 2
    assert json.loads("".join(pieces)) == next(block for block in final.content if block.type == "tool_use").input


def test_a_call_that_is_cut_off_never_is_content(http):
    """At every length that is not enough for it."""
    body = {"model": MODEL, "messages": ASK, "tools": [TOOL], "temperature": 0}
    whole = http.post("/v1/chat/completions", json=body).json()
    n = whole["usage"]["completion_tokens"]
    for limit in range(1, n):
        choice = http.post("/v1/chat/completions", json=body | {"max_tokens": limit}).json()["choices"][0]
        if choice["finish_reason"] == "length":
            assert not choice["message"].get("tool_calls")
            assert "call:" not in (choice["message"]["content"] or "")


def test_required_that_is_true_is_named(http):
    schema = {"type": "object", "properties": {"a": {"enum": ["x"], "required": True}}, "additionalProperties": False}
    told = ".properties.a.required: true asks for nothing since draft 4; the names that an object must have are " \
           "listed in its own \"required\""
    tool = {"type": "function", "function": {"name": "f", "parameters": schema}}
    lark = {"type": "grammar", "syntax": "lark", "definition": "start: %json " + json.dumps(schema)}
    limits = {"max_tokens": 30, "temperature": 0}
    options = {"stream": False, "options": {"num_predict": 30, "temperature": 0}}
    for route, more, path in (("/v1/chat/completions", limits | {"guided_json": schema}, "guided_json"),
                              ("/v1/chat/completions", limits | {"tools": [tool]}, "tools[0].function.parameters"),
                              ("/api/chat", options | {"format": schema}, "format"),
                              ("/api/chat", options | {"format": lark}, "format.definition: line 1, column 14: %json")):
        answer = http.post(route, json={"model": "demo", "messages": COUNT} | more)
        assert answer.status_code == 200, answer.text
        assert answer.json()["warnings"] == [path + told]
