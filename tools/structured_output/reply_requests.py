"""Requests with forms and tools in each API, and what their answers, whole or streamed, come to.

A request is made of a `Wish`; `ask` gives a `Reply`. No client library: what a client would repair must be seen.
"""
import dataclasses
import http.client
import json
import urllib.parse


@dataclasses.dataclass
class Wish:
    api: str  # chat, responses, completions, messages, ollama or generate
    model: str
    stream: bool = False
    thinking: bool = False
    max_tokens: int = 100
    seed: int = 0
    schema: object = None  # of the content
    grammar: tuple = None  # (kind, text): regex, choice, gbnf or lark
    tools: list = None  # [{"name", "parameters", "strict"}], custom ones {"name", "grammar": (syntax, text)}
    choice: str = "auto"  # auto, required, none, or a tool's name
    more: dict = dataclasses.field(default_factory=dict)  # further fields of the body


@dataclasses.dataclass
class Reply:
    status: int = 0
    content: str = ""
    thought: str = ""
    calls: list = dataclasses.field(default_factory=list)  # (name, arguments as text)
    reason: str = ""
    warnings: list = dataclasses.field(default_factory=list)
    error: str = ""


PATHS = {"chat": "/v1/chat/completions", "responses": "/v1/responses", "completions": "/v1/completions",
         "messages": "/v1/messages", "ollama": "/api/chat", "generate": "/api/generate"}
QUESTION = [{"role": "user", "content": "Go on."}]


def _function(tool):
    out = {"name": tool["name"], "description": "A tool.", "parameters": tool["parameters"]}
    return out | ({"strict": True} if tool.get("strict") else {})


def _custom(tool):
    syntax, text = tool["grammar"]
    return {"name": tool["name"], "format": {"type": "grammar", "syntax": syntax, "definition": text}}


def _is_named(wish):
    return wish.choice not in ("auto", "required", "none")


def _kind(wish):
    """Of the tool that is named."""
    (tool,) = [tool for tool in wish.tools if tool["name"] == wish.choice]
    return "custom" if "grammar" in tool else "function"


def _chat(wish):
    body = {"messages": QUESTION, "max_tokens": wish.max_tokens}
    if wish.schema is not None:
        body["response_format"] = {"type": "json_schema", "json_schema": {"name": "reply", "schema": wish.schema, "strict": True}}
    if wish.tools:
        body["tools"] = [{"type": "custom", "custom": _custom(tool)} if "grammar" in tool else
                         {"type": "function", "function": _function(tool)} for tool in wish.tools]
        body["tool_choice"] = {"type": _kind(wish), _kind(wish): {"name": wish.choice}} if _is_named(wish) else wish.choice
    return body | {"reasoning_effort": "high" if wish.thinking else "none"} | _structured(wish)


def _structured(wish):
    if not wish.grammar:
        return {}
    kind, text = wish.grammar
    return {"structured_outputs": {kind if kind in ("regex", "choice") else "grammar": text}}


def _completions(wish):
    body = {"prompt": "Go on.", "max_tokens": wish.max_tokens} | _structured(wish)
    if wish.schema is not None:
        body["structured_outputs"] = {"json": wish.schema}
    return body


def _responses(wish):
    body = {"input": "Go on.", "max_output_tokens": wish.max_tokens, "reasoning": {"effort": "high" if wish.thinking else "none"}}
    if wish.schema is not None:
        body["text"] = {"format": {"type": "json_schema", "name": "reply", "schema": wish.schema, "strict": True}}
    if wish.tools:
        body["tools"] = [{"type": "custom"} | _custom(tool) if "grammar" in tool else
                         {"type": "function", "strict": False} | _function(tool) for tool in wish.tools]
        body["tool_choice"] = {"type": _kind(wish), "name": wish.choice} if _is_named(wish) else wish.choice
    return body | _structured(wish)


def _messages(wish):
    body = {"messages": QUESTION, "max_tokens": wish.max_tokens, "thinking": {"type": "adaptive" if wish.thinking else "disabled"}}
    if wish.schema is not None:
        body["output_config"] = {"format": {"type": "json_schema", "schema": wish.schema}}
    if wish.tools:
        body["tools"] = [{"name": tool["name"], "description": "A tool.", "input_schema": tool["parameters"]}
                         | ({"strict": True} if tool.get("strict") else {}) for tool in wish.tools]
        kinds = {"auto": {"type": "auto"}, "required": {"type": "any"}, "none": {"type": "none"}}
        body["tool_choice"] = kinds.get(wish.choice) or {"type": "tool", "name": wish.choice}
    return body


def _ollama(wish):
    body = {"messages": QUESTION, "think": wish.thinking, "options": {"num_predict": wish.max_tokens, "seed": wish.seed}}
    if wish.schema is not None:
        body["format"] = wish.schema
    if wish.grammar:
        body["format"] = {"type": "grammar", "syntax": wish.grammar[0], "definition": wish.grammar[1]}
    if wish.tools:
        body["tools"] = [{"type": "function", "function": _function(tool)} for tool in wish.tools]
    return body


def _generate(wish):
    body = _ollama(wish) | {"prompt": "Go on."}
    body.pop("messages")
    return body


BODIES = {"chat": _chat, "responses": _responses, "completions": _completions, "messages": _messages, "ollama": _ollama,
          "generate": _generate}
OLLAMA = ("ollama", "generate")


def body_of(wish):
    body = BODIES[wish.api](wish) | {"model": wish.model, "stream": wish.stream} | wish.more
    return body if wish.api in OLLAMA else body | ({} if wish.api == "messages" else {"seed": wish.seed})


def ask(url, wish, seconds):
    """The reply; TimeoutError where nothing comes for so long."""
    place = urllib.parse.urlsplit(url)
    connection = http.client.HTTPConnection(place.hostname, place.port, timeout=seconds)
    try:
        connection.request("POST", PATHS[wish.api], json.dumps(body_of(wish)), {"Content-Type": "application/json"})
        answer = connection.getresponse()
        text = answer.read().decode()  # strictly: a cut character is a fault
    finally:
        connection.close()
    reply = Reply(status=answer.status)
    if answer.status != 200:
        reply.error = text
    elif wish.stream:
        _read_stream(wish, text, reply)
    else:
        READERS[wish.api](json.loads(text), reply)
    return reply


def _call(call):
    """The name and arguments of a call, or the part of them that a chunk has."""
    if "custom" in call:
        return call["custom"].get("name") or "", call["custom"].get("input") or ""
    return call["function"].get("name") or "", call["function"].get("arguments") or ""


def _read_chat(answer, reply):
    choice = answer["choices"][0]
    message = choice.get("message") or {"content": choice.get("text")}
    reply.content, reply.reason = message.get("content") or "", choice["finish_reason"]
    reply.thought = message.get("reasoning_content") or ""
    reply.calls = [_call(call) for call in message.get("tool_calls") or []]
    reply.warnings = answer.get("warnings", [])


def _read_responses(answer, reply):
    for item in answer["output"]:
        if item["type"] == "message":
            reply.content += "".join(part["text"] for part in item["content"])
        elif item["type"] == "function_call":
            reply.calls.append((item["name"], item["arguments"]))
        elif item["type"] == "custom_tool_call":
            reply.calls.append((item["name"], item["input"]))
        elif item["type"] == "reasoning":
            reply.thought += "".join(part["text"] for part in item.get("content") or [])
    reply.reason = "stop" if answer["status"] == "completed" else (answer.get("incomplete_details") or {}).get("reason", answer["status"])
    reply.warnings = answer.get("warnings", [])


def _read_messages(answer, reply):
    for block in answer["content"]:
        if block["type"] == "text":
            reply.content += block["text"]
        elif block["type"] == "tool_use":
            reply.calls.append((block["name"], json.dumps(block["input"], ensure_ascii=False)))
        elif block["type"] == "thinking":
            reply.thought += block["thinking"]
    reply.reason = answer["stop_reason"]
    reply.warnings = answer.get("warnings", [])


def _read_ollama(answer, reply):
    message = answer.get("message") or {"content": answer.get("response", ""), "thinking": answer.get("thinking", "")}
    reply.content += message.get("content", "")
    reply.thought += message.get("thinking", "")
    reply.calls += [(call["function"]["name"], json.dumps(call["function"]["arguments"], ensure_ascii=False))
                    for call in message.get("tool_calls", [])]
    reply.reason = answer.get("done_reason", "")
    reply.warnings = answer.get("warnings", [])


READERS = {"chat": _read_chat, "responses": _read_responses, "completions": _read_chat, "messages": _read_messages,
           "ollama": _read_ollama, "generate": _read_ollama}


def _read_stream(wish, text, reply):
    if wish.api in OLLAMA:
        for line in text.splitlines():
            part = json.loads(line)
            if "error" in part:
                reply.error = part["error"]
            else:
                _read_ollama(part, reply)
        return
    events = [line[6:] for line in text.split("\n") if line.startswith("data: ")]
    events = [json.loads(event) for event in events if event != "[DONE]"]
    errors = [event for event in events if event.get("error") or event.get("type") == "error"]
    if errors:
        reply.error = json.dumps(errors[0])
    elif wish.api == "responses":
        last = events[-1]
        if "response" not in last:
            reply.error = "the stream ended without a response"
            return
        _read_responses(last["response"], reply)
        told = "".join(event["delta"] for event in events if event["type"] == "response.output_text.delta")
        if told != reply.content:
            reply.error = "the deltas are not the text"
    elif wish.api == "messages":
        _join_messages(events, reply)
    else:
        _join_chunks(events, reply)


def _join_messages(events, reply):
    blocks = {}
    for event in events:
        if event["type"] == "content_block_start":
            blocks[event["index"]] = [event["content_block"], ""]
        elif event["type"] == "content_block_delta":
            delta = event["delta"]
            blocks[event["index"]][1] += delta.get("text") or delta.get("thinking") or delta.get("partial_json") or ""
        elif event["type"] == "message_delta":
            reply.reason = event["delta"]["stop_reason"]
            reply.warnings = event.get("warnings", [])
    for block, text in blocks.values():
        if block["type"] == "text":
            reply.content += text
        elif block["type"] == "tool_use":
            reply.calls.append((block["name"], text))
        else:
            reply.thought += text


def _join_chunks(events, reply):
    calls = {}
    for event in events:
        reply.warnings = event.get("warnings", reply.warnings)
        for choice in event["choices"]:
            delta = choice.get("delta") or {"content": choice.get("text")}
            reply.content += delta.get("content") or ""
            reply.thought += delta.get("reasoning_content") or ""
            reply.reason = choice.get("finish_reason") or reply.reason
            for call in delta.get("tool_calls") or []:
                one = calls.setdefault(call["index"], ["", ""])
                for place, part in enumerate(_call(call)):
                    one[place] += part
    reply.calls = [tuple(call) for call in calls.values()]
