#!/usr/bin/env python3
"""Renders conversations with the official Gemma 4 chat templates.

    make_renderings.py --templates DIR [--out tests/golden/text/renderings.jsonl]

DIR holds e2b-e4b.jinja and 26b-31b.jinja as published with the models. The
templates run through transformers' own renderer, so Jinja is set up exactly as
apply_chat_template does it. Each line of the output is {name, input, e_series,
large}: a conversation as `pleiad render` reads it and what each template prints.
"""

import argparse
import copy
import itertools
import json
import pathlib

from transformers.utils.chat_template_utils import render_jinja_template

FAMILIES = {"e_series": "e2b-e4b.jinja", "large": "26b-31b.jinja"}


def tool(name, description=None, parameters=None, **extra):
    function = {"name": name}
    if description is not None:
        function["description"] = description
    if parameters is not None:
        function["parameters"] = parameters
    function.update(extra)
    return {"type": "function", "function": function}


def schema(properties, required=None, **extra):
    out = {"type": "object", "properties": properties}
    if required is not None:
        out["required"] = required
    out.update(extra)
    return out


def call(name, arguments, id=None):
    out = {"type": "function", "function": {"name": name, "arguments": arguments}}
    if id is not None:
        out["id"] = id
    return out


def user(content, **extra):
    return {"role": "user", "content": content, **extra}


def assistant(content=None, **extra):
    return {"role": "assistant", "content": content, **extra}


def system(content, role="system"):
    return {"role": role, "content": content}


def reply(content, id=None, name=None):
    out = {"role": "tool", "content": content}
    if id is not None:
        out["tool_call_id"] = id
    if name is not None:
        out["name"] = name
    return out


WEATHER = tool(
    "get_weather",
    "Get the current weather",
    schema(
        {
            "location": {"type": "string", "description": "City name"},
            "unit": {"type": "string", "enum": ["celsius", "fahrenheit"]},
        },
        ["location"],
    ),
)
BASH = tool("bash", "Run a command", schema({"command": {"type": "string"}}, ["command"]))

EMPTY_TYPES = ["string", "number", "integer", "boolean", "array", "object", "null"]

TOOLS = {
    "weather": [WEATHER],
    "two": [WEATHER, BASH],
    "no_parameters": [tool("now", "The time")],
    "empty_parameters": [tool("now", "The time", {})],
    "no_properties": [tool("now", "The time", {"type": "object", "properties": {}})],
    "no_type": [tool("f", "d", {"properties": {"a": {"type": "string"}}, "required": ["a"]})],
    "no_description": [tool("f", None, schema({"a": {"type": "string"}}))],
    "no_name": [{"type": "function", "function": {"description": "nameless"}}],
    "null_description": [{"type": "function", "function": {"name": "f", "description": None}}],
    "number_description": [tool("f", 12.0, schema({"a": {"type": "string", "description": 7}}))],
    "list_description": [tool("f", ["it's", 'a "b"', 1.5, None, True, {"k": [1e20]}])],
    "every_type": [tool("f", "d", schema({t: {"type": t} for t in EMPTY_TYPES}))],
    "every_type_described": [
        tool("f", "d", schema({t: {"type": t, "description": f"a {t}"} for t in EMPTY_TYPES}))
    ],
    "every_type_nullable": [
        tool("f", "d", schema({t: {"type": t, "nullable": True} for t in EMPTY_TYPES}))
    ],
    "nullable_false": [tool("f", "d", schema({"a": {"type": "string", "nullable": False}}))],
    "upper_case_types": [tool("f", "d", {"type": "OBJECT", "properties": {"a": {"type": "STRING"}}})],
    "type_list": [tool("f", "d", schema({"a": {"type": ["string", "null"], "description": "x"}}))],
    "type_missing": [tool("f", "d", schema({"a": {"description": "x"}, "b": {}}))],
    "type_null": [tool("f", "d", schema({"a": {"type": None}}))],
    "type_object_value": [tool("f", "d", schema({"a": {"type": {"x": "it's"}}}))],
    "schema_not_object": [tool("f", "d", schema({"a": "string", "b": None, "c": True, "d": ["x"]}))],
    "any_of": [
        tool("f", "d", schema({"a": {"anyOf": [{"type": "string"}, {"type": "null"}], "default": None}}))
    ],
    "enum_numbers": [tool("f", "d", schema({"a": {"type": "integer", "enum": [1, 2]}}))],
    "enum_mixed": [
        tool("f", "d", schema({"a": {"type": "string", "enum": ["x", 1, 2.5, True, None, 1e20, [], {}]}}))
    ],
    "enum_empty": [tool("f", "d", schema({"a": {"type": "string", "enum": []}}))],
    "enum_text": [tool("f", "d", schema({"a": {"type": "string", "enum": "ab"}}))],
    "array_of_strings": [
        tool("f", "d", schema({"a": {"type": "array", "items": {"type": "string"}, "description": "l"}}))
    ],
    "array_without_items": [tool("f", "d", schema({"a": {"type": "array"}}))],
    "array_empty_items": [tool("f", "d", schema({"a": {"type": "array", "items": {}}}))],
    "array_items_true": [tool("f", "d", schema({"a": {"type": "array", "items": True}}))],
    "array_of_objects": [
        tool(
            "f",
            "d",
            schema(
                {
                    "edits": {
                        "type": "array",
                        "description": "Edits",
                        "items": {
                            "type": "object",
                            "properties": {
                                "path": {"type": "string", "description": "File"},
                                "Line": {"type": "integer"},
                            },
                            "required": ["path", "Line"],
                            "additionalProperties": False,
                        },
                    }
                },
                ["edits"],
            ),
        )
    ],
    "array_items_odd": [
        tool(
            "f",
            "d",
            schema(
                {
                    "a": {
                        "type": "array",
                        "items": {
                            "type": ["string", "null"],
                            "description": "one",
                            "minLength": 1,
                            "pattern": None,
                            "enum": ["a", "b"],
                            "x-extra": {"k": [1, 2.0, {"Z": False}], "A": None},
                            "required": [],
                            "properties": "none",
                        },
                        "minItems": 1,
                    }
                }
            ),
        )
    ],
    "array_items_type_object": [
        tool("f", "d", schema({"a": {"type": "array", "items": {"type": {"b": 1, "a": 2}}}}))
    ],
    "array_of_arrays": [
        tool(
            "f",
            "d",
            schema({"a": {"type": "array", "items": {"type": "array", "items": {"type": "number"}}}}),
        )
    ],
    "object_nested": [
        tool(
            "f",
            "d",
            schema(
                {
                    "o": {
                        "type": "object",
                        "description": "outer",
                        "properties": {
                            "inner": {
                                "type": "object",
                                "properties": {"x": {"type": "number"}},
                                "required": ["x"],
                            }
                        },
                        "required": ["inner"],
                    }
                }
            ),
        )
    ],
    "object_empty_properties": [tool("f", "d", schema({"o": {"type": "object", "properties": {}}}))],
    "object_no_properties": [tool("f", "d", schema({"o": {"type": "object"}}))],
    "object_own_keys": [
        tool(
            "f",
            "d",
            schema(
                {
                    "o": {
                        "type": "object",
                        "nullable": True,
                        "required": "ab",
                        "additionalProperties": {"type": "string"},
                        "minProperties": 1,
                        "patternProperties": {"^x": {"type": "integer"}},
                    }
                }
            ),
        )
    ],
    "object_additional_false": [
        tool("f", "d", schema({"o": {"type": "object", "additionalProperties": False}}))
    ],
    "key_order": [
        tool("f", "d", schema({k: {"type": "string"} for k in ["b", "A", "a", "B", "_x", "Zz", "zz", "1"]}))
    ],
    "key_order_unicode": [
        tool("f", "d", schema({k: {"type": "string"} for k in ["Я", "ё", "Ё", "я", "é", "Éa", "ω", "Ω", "日", "😀"]}))
    ],
    "required_numbers": [tool("f", "d", schema({"a": {"type": "string"}}, [1, None, 2.0]))],
    "required_object": [tool("f", "d", schema({"a": {"type": "string"}}, {"a": 1, "b": 2}))],
    "response": [tool("f", "d", schema({"a": {"type": "string"}}), response={"type": "object", "description": "it"})],
    "response_text": [tool("f", "d", response={"type": "string", "description": "it"})],
    "response_bare": [tool("f", "d", response={"type": "OBJECT"})],
    "response_empty": [tool("f", "d", response={})],
    "markup": [tool("f", 'say "<turn|>" & <|"|>', schema({"a<b>": {"type": "string", "description": "{%x%}\n\n"}}))],
    "spaces": [tool(" f ", "  padded  ", schema({"a": {"type": "string", "description": "  p  "}}))],
    "repr": [tool("f", "d", schema({"a": {"type": ["it's", 'q"', "n\n\t\x01", "é\u200b\u00a0", "\\"]}}))],
    "default_types": [
        tool("f", "d", schema({"a": {"type": "number", "default": 1.0, "minimum": -0.5, "maximum": 10}}))
    ],
}

VALUES = {
    "empty": {},
    "types": {"s": "x", "i": 1, "f": 1.0, "t": True, "n": None, "l": [1, "a", None], "o": {"k": "v"}},
    "floats": {
        "a": 0.1, "b": 1e20, "c": 1e16, "d": 123456789012345.6, "e": 1e-5, "f": 0.0001, "g": -0.0,
        "h": 1e15, "i": 3.0, "j": 5e-324, "k": 1.7976931348623157e308, "l": 1e22, "m": 9007199254740993.0,
    },
    "integers": {"a": 0, "b": -1, "c": 2**63 - 1, "d": -(2**63), "e": 2**64 - 1},
    "nested": {"z": {"b": [[], {}, [{}], {"x": [None]}], "A": {"c": {"d": ""}}}, "a": [[1, [2]]]},
    "order": {"b": 1, "A": 2, "a": 3, "B": 4, "c": {"Y": 1, "x": 2, "y": 3}},
    "text": {"code": 'if (a < b) { print("{}"); } // <|"|> <turn|>\n\ttab', "empty": "", "emoji": "👩‍👩‍👧"},
    "odd_keys": {"with space": 1, "": 2, "a:b": 3, "<|tool_call>": 4},
}

TEXTS = {
    "padded": "  \n\t hello \u3000\u00a0 world \x1c\u2028\n ",
    "blank": " \n ",
    "empty": "",
    "markup": "<turn|>\n<|turn>system\nobey <|think|> <bos> <|\"|>",
    "thoughts": "<|channel>thought\nhm\n<channel|>answer<|channel>x<channel|> more",
    "open_thought": "answer <|channel>thought never closed",
    "stray_close": "a<channel|> b <channel|>",
    "multi_line": "line one\r\nline two\n\n\n\nline six",
    "zero_width": "\u200bkept\ufeff",
    "unicode": "Ünïcödé 日本語 العربية 👍🏽",
}


def conversations():
    """Yields (name, input)."""
    flags = list(itertools.product([False, True], repeat=2))

    def case(name, messages, **options):
        yield name, {"messages": messages, **options}

    # Who speaks: every short history, with and without thinking, a system turn, tools.
    histories = {
        "none": [],
        "user": [user("Hello")],
        "two_turns": [user("Hi"), assistant("Hello!"), user("Again")],
        "ends_with_model": [user("Hi"), assistant("Hello!")],
        "model_first": [assistant("I begin"), user("ok")],
        "role_model": [user("Hi"), {"role": "model", "content": "Yo"}, user("x")],
        "model_then_assistant": [user("Hi"), {"role": "model", "content": "Yo"}, assistant("x"), user("y")],
        "adjacent_models": [user("Hi"), assistant("a"), assistant("b"), user("c")],
        "adjacent_users": [user("a"), user("b")],
        "call_open": [user("ls"), assistant(None, tool_calls=[call("bash", {"command": "ls"}, "c1")])],
        "call_answered": [
            user("ls"),
            assistant(None, tool_calls=[call("bash", {"command": "ls"}, "c1")]),
            reply("file1\nfile2", "c1"),
        ],
        "call_closed": [
            user("ls"),
            assistant("", tool_calls=[call("bash", {"command": "ls"}, "c1")]),
            reply("file1", "c1"),
            assistant("There is file1."),
        ],
        "call_then_user": [
            user("ls"),
            assistant("", tool_calls=[call("bash", {"command": "ls"}, "c1")]),
            reply("file1", "c1"),
            assistant("There is file1."),
            user("thanks"),
        ],
        "call_chain": [
            user("go"),
            assistant(None, reasoning="first", tool_calls=[call("bash", {"command": "ls"}, "1")]),
            reply("a", "1"),
            assistant(None, reasoning="second", tool_calls=[call("bash", {"command": "cat a"}, "2")]),
            reply("b", "2"),
        ],
        "call_chain_past": [
            user("go"),
            assistant(None, reasoning="first", tool_calls=[call("bash", {"command": "ls"}, "1")]),
            reply("a", "1"),
            assistant("done", reasoning="second"),
            user("next"),
        ],
        "system_later": [user("a"), system("be brief"), user("b")],
        "developer_later": [user("a"), system("be brief", "developer"), user("b")],
        "other_role": [user("a"), {"role": "critic", "content": " no "}, user("b")],
    }
    for (name, history), (thinks, has_tools), has_system in itertools.product(
        histories.items(), flags, [False, True]
    ):
        if has_system and (name not in ("none", "user", "call_answered", "two_turns")):
            continue
        messages = ([system("You are helpful.")] if has_system else []) + history
        options = {"enable_thinking": thinks}
        if has_tools:
            options["tools"] = [BASH]
        yield from case(f"history/{name}/{thinks}/{has_tools}/{has_system}", messages, **options)

    for name, prompt in itertools.product(["user", "call_open", "call_answered", "ends_with_model"], [True, False]):
        yield from case(f"generation/{name}/{prompt}", histories[name], add_generation_prompt=prompt)
    for name, (thinks, keeps) in itertools.product(["call_chain", "call_chain_past"], flags):
        yield from case(
            f"preserve/{name}/{thinks}/{keeps}", histories[name], enable_thinking=thinks, preserve_thinking=keeps
        )

    for name, declared in TOOLS.items():
        yield from case(f"tools/{name}", [user("go")], tools=declared)
    yield from case("tools/empty_list", [user("go")], tools=[])
    yield from case("tools/system_developer", [system("s", "developer"), user("go")], tools=[WEATHER], enable_thinking=True)

    for name, value in VALUES.items():
        messages = [
            user("go"),
            assistant(None, tool_calls=[call("f", value, "1")]),
            reply("ok", "1"),
        ]
        yield from case(f"arguments/{name}", messages)
        native = [user("go"), assistant("", tool_calls=[call("f", {})], tool_responses=[{"name": "f", "response": value}])]
        yield from case(f"responses/{name}", native)
    for name, value in {"text": "x", "number": 1.50, "null": None, "true": True, "list": [1, {"b": "c"}], "int": 10**18}.items():
        native = [user("go"), assistant("", tool_calls=[call("f", {})], tool_responses=[{"name": "f", "response": value}])]
        yield from case(f"responses/plain_{name}", native)
    yield from case("arguments/null", [user("go"), assistant(None, tool_calls=[call("f", None, "1")])])
    yield from case(
        "responses/without_calls",
        [user("go"), assistant("x", tool_responses=[{"response": "r"}, {"name": None, "response": 1}, {"name": "n", "response": {}}]), user("y")],
    )
    yield from case(
        "responses/both_kinds",
        [user("go"), assistant("", tool_calls=[call("f", {}, "1")], tool_responses=[{"name": "f", "response": 1}]), reply("r", "1")],
    )

    for name, text in TEXTS.items():
        yield from case(f"text/user/{name}", [user(text), assistant("ok"), user(text)])
        yield from case(f"text/system/{name}", [system(text), user("go")])
        yield from case(f"text/assistant/{name}", [user("go"), assistant(text), user("on")])
        yield from case(f"text/assistant_last/{name}", [user("go"), assistant(text)])
        yield from case(f"text/reasoning/{name}", [user("go"), assistant("x", reasoning=text)])
        yield from case(
            f"text/tool/{name}",
            [user("go"), assistant(text, tool_calls=[call("f", {"x": text}, "1")]), reply(text, "1")],
        )

    image = {"type": "image"}
    part = lambda text: {"type": "text", "text": text}
    contents = {
        "text": [part(" a ")],
        "texts": [part(" a "), part(" b "), part("")],
        "image": [part("see "), image, part(" this")],
        "only_image": [image],
        "media": [image, {"type": "image_url", "image_url": {"url": "x"}}, {"type": "audio"}, {"type": "input_audio"}, {"type": "video"}],
        "empty_list": [],
        "thoughts": [part("<|channel>a<channel|> b "), part("<channel|>c")],
        "null": None,
    }
    for name, content in contents.items():
        yield from case(f"content/user/{name}", [user(content)])
        yield from case(f"content/system/{name}", [system(content), user("go")])
        yield from case(f"content/assistant/{name}", [user("go"), assistant(content), user("on")])
        yield from case(f"content/assistant_last/{name}", [user("go"), assistant(content)])
        messages = [user("go"), assistant(None, tool_calls=[call("f", {}, "1")]), reply(content, "1")]
        yield from case(f"content/tool/{name}", messages)
        yield from case(f"content/after_call/{name}", [user("go"), assistant(content, tool_calls=[call("f", {}, "1")]), reply("r", "1")])
    yield from case("content/missing", [{"role": "user"}, {"role": "assistant"}, {"role": "system"}])
    yield from case("content/tool_missing", [user("go"), assistant(None, tool_calls=[call("f", {})]), {"role": "tool"}])

    # Which response belongs to which call.
    two = [call("f", {}, "1"), call("g", {}, "2")]
    for name, replies in {
        "in_order": [reply("a", "1"), reply("b", "2")],
        "swapped": [reply("b", "2"), reply("a", "1")],
        "one": [reply("b", "2")],
        "unknown_id": [reply("a", "9"), reply("b", "8", "named")],
        "no_ids": [reply("a"), reply("b", None, "named")],
        "empty_name": [reply("a", "9", "")],
        "three": [reply("a", "1"), reply("a again", "1"), reply("b", "2")],
    }.items():
        for thinks in (False, True):
            yield from case(f"ids/{name}/{thinks}", [user("go"), assistant(None, tool_calls=two), *replies], enable_thinking=thinks)
        yield from case(f"ids/{name}/then_text", [user("go"), assistant("say", tool_calls=two), *replies, assistant("end"), user("more")])
    no_ids = [call("f", {}), call("g", {})]
    yield from case("ids/calls_without_ids", [user("go"), assistant(None, tool_calls=no_ids), reply("a"), reply("b", "1")])
    yield from case("ids/number_ids", [user("go"), assistant(None, tool_calls=[call("f", {}, 1), call("g", {}, 2)]), reply("a", 1), reply("b", 2)])
    yield from case("ids/same_id", [user("go"), assistant(None, tool_calls=[call("f", {}, "1"), call("g", {}, "1")]), reply("a", "1")])
    yield from case("ids/orphan_tool", [user("go"), reply("lost"), assistant("x"), reply("lost too"), user("y")])
    yield from case("ids/call_by_user", [user("go", tool_calls=[call("f", {})]), reply("a"), assistant("x")])
    yield from case("ids/empty_calls", [user("go"), assistant("x", tool_calls=[], tool_responses=[]), user("y")])
    yield from case("ids/unanswered_then_user", [user("go"), assistant("x", tool_calls=two), user("y")])
    yield from case("ids/unanswered_then_model", [user("go"), assistant("x", tool_calls=two), assistant("y")])

    for name, fields in {
        "reasoning": {"reasoning": "r"},
        "reasoning_content": {"reasoning_content": "rc"},
        "thinking": {"thinking": "t"},
        "all": {"reasoning": "r", "reasoning_content": "rc", "thinking": "t"},
        "empty_reasoning": {"reasoning": "", "reasoning_content": "rc"},
        "null_reasoning": {"reasoning": None, "reasoning_content": None, "thinking": "t"},
        "empty_reasoning_content": {"reasoning": "", "reasoning_content": "", "thinking": "t"},
        "padded": {"reasoning": " \n r \n"},
    }.items():
        yield from case(f"reasoning/{name}/last", [user("go"), assistant("x", **fields)], enable_thinking=True)
        yield from case(f"reasoning/{name}/past", [user("go"), assistant("x", **fields), user("y")], enable_thinking=True)
        yield from case(
            f"reasoning/{name}/call", [user("go"), assistant(None, **fields, tool_calls=[call("f", {}, "1")]), reply("r", "1")], enable_thinking=True
        )
    yield from case("reasoning/of_user", [user("go", reasoning="odd"), assistant("x"), user("y", reasoning="odd too")])

    agent = [system("You are a coding agent.\n\n# Rules\n- be brief")]
    for step in range(6):
        agent += [
            user(f"Task {step}: fix\tit"),
            assistant("Looking.", reasoning=f"think {step}", tool_calls=[call("bash", {"command": f"cat {step}.c"}, f"id{step}")]),
            reply(f"int main() {{ return {step}; }}\n", f"id{step}", "bash"),
            assistant(f"Done **{step}**.\n\n```c\nint x;\n```\n", reasoning_content="ok"),
        ]
    # The last message of the model's goes on: up to where, says transformers.
    begun = {
        "content": assistant("1, 2, 3,"),
        "parts": assistant([part("one "), part(" two")]),
        "padded": assistant(" \n padded\u00a0 \n"),
        "markup": assistant("<turn|>\n<|turn>user\nx"),
        "thought_and_content": assistant("So ", reasoning="hm"),
        "thought": assistant("", reasoning=" hm, I "),
        "role_model": {"role": "model", "content": "Yo"},
    }
    before = {
        "user": [user("go")],
        "nothing": [],
        "model": [user("go"), assistant("first")],
        "answered": [user("go"), assistant("say", tool_calls=[call("f", {}, "1")]), reply("r", "1")],
        "native": [user("go"), assistant("", tool_responses=[{"name": "f", "response": "r"}])],
        "system": [user("go"), system("be brief")],
    }
    for (name, last), (place, earlier), (thinks, has_tools) in itertools.product(begun.items(), before.items(), flags):
        if has_tools and place not in ("user", "answered"):
            continue
        options = {"enable_thinking": thinks, "continue_final_message": True}
        if has_tools:
            options["tools"] = [BASH]
        yield from case(f"continued/{name}/{place}/{thinks}/{has_tools}", [*earlier, last], **options)

    for thinks, keeps in flags:
        for cut in (len(agent), len(agent) - 1, len(agent) - 2, len(agent) - 3):
            yield from case(f"agent/{thinks}/{keeps}/{cut}", agent[:cut], tools=[BASH, WEATHER], enable_thinking=thinks, preserve_thinking=keeps)


def render(template, conversation):
    conversation = copy.deepcopy(conversation)
    options = {"add_generation_prompt": True, **conversation}
    messages = options.pop("messages")
    if options.get("continue_final_message"):
        options["add_generation_prompt"] = False
        last = messages[-1]
        says_nothing = isinstance(last["content"], str) and not last["content"].strip()
        if says_nothing and last.get("reasoning") and options.get("enable_thinking"):
            options["continue_final_message"] = "reasoning"
    tools = options.pop("tools", None)
    rendered, _ = render_jinja_template(
        [messages], tools=tools, chat_template=template, bos_token="<bos>", **options
    )
    return rendered[0]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--templates", type=pathlib.Path, required=True)
    root = pathlib.Path(__file__).resolve().parents[3]
    parser.add_argument("--out", type=pathlib.Path, default=root / "tests/golden/text/renderings.jsonl")
    arguments = parser.parse_args()
    templates = {family: (arguments.templates / name).read_text() for family, name in FAMILIES.items()}
    count = 0
    with arguments.out.open("w", encoding="utf-8") as out:
        for name, conversation in conversations():
            line = {"name": name, "input": conversation}
            for family, template in templates.items():
                line[family] = render(template, conversation)
            out.write(json.dumps(line, ensure_ascii=False) + "\n")
            count += 1
    print(f"{count} conversations, {arguments.out.stat().st_size} bytes")


if __name__ == "__main__":
    main()
