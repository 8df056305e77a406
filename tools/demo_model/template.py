"""Rendering of dialogues: by the official template or the program, and fast for training.

`Official` runs a chat template file the way transformers does; `Program` asks pleiad for
the same. `render` is a fast renderer for the subset of dialogues that make_text.py writes; it also says which parts of
the text the model has to produce itself. `check` compares the two.
"""

import json
import os
import pathlib
import subprocess

import jinja2

Q = '<|"|>'


class Official:
    """The official chat template, read from the path given on the command line."""

    def __init__(self, path):
        env = jinja2.Environment(trim_blocks=True, lstrip_blocks=True)

        def raise_exception(message):
            raise jinja2.exceptions.TemplateError(message)

        env.globals["raise_exception"] = raise_exception
        self.template = env.from_string(open(path, encoding="utf-8").read())

    def __call__(self, messages, tools=None, enable_thinking=False, generation=True):
        return self.template.render(
            messages=messages, tools=tools or None, enable_thinking=enable_thinking,
            add_generation_prompt=generation, bos_token="<bos>")


class Program:
    """The same prompts from `pleiad render`, whose tests hold it equal to the official template."""

    def __init__(self):
        root = pathlib.Path(__file__).resolve().parent.parent.parent
        self.command = [os.environ.get("PLEIAD", str(root / "build" / "pleiad")), "render", "e2b"]

    def __call__(self, messages, tools=None, enable_thinking=False, generation=True):
        chat = dict(messages=messages, tools=tools or [], enable_thinking=enable_thinking,
                    add_generation_prompt=generation)
        done = subprocess.run(self.command, input=json.dumps(chat), capture_output=True, text=True,
                              check=True)
        return done.stdout


def prompt_renderer(template):
    """By the official template at that path, or without one by the program."""
    return Official(template) if template else Program()


def value_text(value):
    """A value in the notation of calls and responses."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return Q + value + Q
    if isinstance(value, dict):
        return "{" + ",".join(f"{k}:{value_text(value[k])}" for k in sorted(value, key=str.lower)) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(value_text, value)) + "]"
    return str(value)


def declaration(tool):
    """One tool declaration (flat parameters)."""
    f = tool["function"]
    params = f["parameters"]
    props = []
    for key in sorted(params["properties"], key=str.lower):
        p = params["properties"][key]
        parts = []
        if p.get("description"):
            parts.append(f"description:{Q}{p['description']}{Q}")
        if p.get("enum"):
            parts.append("enum:" + value_text(p["enum"]))
        parts.append(f"type:{Q}{p['type'].upper()}{Q}")
        props.append(key + ":{" + ",".join(parts) + "}")
    text = f"<|tool>declaration:{f['name']}{{description:{Q}{f['description']}{Q},parameters:{{"
    if props:
        text += "properties:{" + ",".join(props) + "},"
    if params.get("required"):
        text += "required:[" + ",".join(Q + r + Q for r in params["required"]) + "],"
    return text + f"type:{Q}OBJECT{Q}}}}}<tool|>"


def call_text(name, arguments):
    """A tool call as the model writes it."""
    return f"<|tool_call>call:{name}" + value_text(arguments) + "<tool_call|>"


def response_text(name, response):
    """A tool response as the template prints it."""
    if not isinstance(response, dict):
        response = {"value": response}
    return f"<|tool_response>response:{name}" + value_text(response) + "<tool_response|>"


def render(dialogue):
    """A finished dialogue as a list of (text, produced by the model?) parts.

    A dialogue has "system" (text or None), "tools", "thinking" and "turns"; a turn has
    "user" and "steps"; a step has "thought", and either "call" (name, arguments) with
    "response", or "content".
    """
    parts = []
    thinking = dialogue["thinking"]
    text = "<bos>"
    if thinking or dialogue["tools"] or dialogue["system"]:
        text += "<|turn>system\n" + ("<|think|>\n" if thinking else "")
        text += (dialogue["system"] or "") + "".join(map(declaration, dialogue["tools"]))
        text += "<turn|>\n"
    last = len(dialogue["turns"]) - 1
    for t, turn in enumerate(dialogue["turns"]):
        text += f"<|turn>user\n{turn['user']}<turn|>\n<|turn>model\n"
        learn = t == last or not thinking
        for s, step in enumerate(turn["steps"]):
            own = ""
            if thinking and t == last:
                if s:
                    text += "<|channel>thought\n"
                else:
                    own += "<|channel>thought\n"
                own += step["thought"] + "\n<channel|>"
            if "call" in step:
                own += call_text(*step["call"])
                answer = response_text(step["call"][0], step["response"])
                own += "<|tool_response>"
                answer = answer[len("<|tool_response>"):]
            else:
                own += step["content"] + "<turn|>"
                answer = "\n"
            if learn:
                parts += [(text, False), (own, True)]
                text = ""
            else:
                text += own
            text += answer
    return parts + [(text, False)]


def to_messages(dialogue, upto=None):
    """The dialogue as chat messages; upto = (turn, step) stops before that model step."""
    messages = []
    if dialogue["system"]:
        messages.append({"role": "system", "content": dialogue["system"]})
    for t, turn in enumerate(dialogue["turns"]):
        messages.append({"role": "user", "content": turn["user"]})
        for s, step in enumerate(turn["steps"]):
            if upto == (t, s):
                return messages
            message = {"role": "assistant"}
            if dialogue["thinking"]:
                message["reasoning"] = step["thought"]
            if "call" in step:
                name, arguments = step["call"]
                call = {"id": f"call_{t}_{s}", "type": "function",
                        "function": {"name": name, "arguments": arguments}}
                message["tool_calls"] = [call]
                if isinstance(step["response"], str):
                    messages.append(message)
                    messages.append({"role": "tool", "tool_call_id": call["id"],
                                     "content": step["response"]})
                else:
                    message["tool_responses"] = [{"name": name, "response": step["response"]}]
                    messages.append(message)
            else:
                message["content"] = step["content"]
                messages.append(message)
    return messages


def check(official, dialogue):
    """Assert that our rendering of a dialogue equals the official one."""
    ours = "".join(text for text, _ in render(dialogue))
    theirs = official(to_messages(dialogue), dialogue["tools"], dialogue["thinking"], False)
    assert ours == theirs, f"renderings differ:\n{ours!r}\n{theirs!r}"
