#!/usr/bin/env python3
"""Python's clients, and the libraries that make types of replies, on the idioms of pydantic_idioms.py.

    tools/structured_output/clients_check.py [--program build/pleiad] [--model demo] [--only ollama]

Each helper is asked for a value of each type. What it gives back is of that type, or it says why there is none: that
the reply was cut off, that the server refuses the schema or warns that it does not hold, or that the library cannot ask
for the type or leaves out of it what the reply breaks. Exits with 1 where a helper got what it cannot read. Libraries
that are not installed are left out; openai, anthropic, ollama and instructor do not all fit into one environment. Needs
pydantic.
"""
import argparse
import collections
import datetime
import enum
import importlib.util
import sys
import typing

import served
from pydantic import BaseModel, TypeAdapter, ValidationError
from pydantic_idioms import IDIOMS

QUESTION = [{"role": "user", "content": "What is 20 + 30? Answer in JSON."}]
TOKENS = 400


class Cut(Exception):
    """The reply ended after its tokens."""


class AskedForLess(Exception):
    """The library leaves out of the schema what the reply breaks."""


class Warned(Exception):
    """The reply is not of the type, and its warnings tell why."""


def openai_client(url):
    import openai
    return openai.OpenAI(base_url=url + "/v1", api_key="none", max_retries=0, timeout=300)


def openai_chat(url, model, kind):
    import openai
    try:
        answer = openai_client(url).chat.completions.parse(model=model, messages=QUESTION, response_format=kind, max_tokens=TOKENS)
    except openai.LengthFinishReasonError as error:
        raise Cut from error
    return answer.choices[0].message.parsed


def openai_chat_tool(url, model, kind):
    import openai
    try:
        answer = openai_client(url).chat.completions.parse(
            model=model, messages=QUESTION, tools=[openai.pydantic_function_tool(kind, name="answer")],
            tool_choice={"type": "function", "function": {"name": "answer"}}, max_tokens=TOKENS)
    except openai.LengthFinishReasonError as error:
        raise Cut from error
    return answer.choices[0].message.tool_calls[0].function.parsed_arguments


def openai_responses(url, model, kind):
    answer = openai_client(url).responses.parse(model=model, input=QUESTION, text_format=kind, max_output_tokens=TOKENS)
    if answer.status == "incomplete":
        raise Cut
    return answer.output_parsed


def anthropic_client(url):
    import anthropic
    return anthropic.Anthropic(base_url=url, api_key="none", max_retries=0, timeout=300)


def names_in(schema):
    """All names of a schema, however deep."""
    if isinstance(schema, dict):
        return set(schema).union(*map(names_in, schema.values()))
    return set().union(*map(names_in, schema)) if isinstance(schema, list) else set()


def anthropic_parse(url, model, kind):
    import anthropic
    try:
        answer = anthropic_client(url).messages.parse(model=model, messages=QUESTION, max_tokens=TOKENS, output_format=kind)
    except ValidationError as error:  # it puts bounds, patterns and the like into descriptions
        left_out = names_in(kind.model_json_schema()) - names_in(anthropic.transform_schema(kind))
        if left_out and "EOF" not in str(error):
            raise AskedForLess(", ".join(sorted(left_out))) from error
        raise
    if answer.stop_reason == "max_tokens":
        raise Cut
    return answer.parsed_output


def anthropic_tool(url, model, kind):
    tool = {"name": "answer", "input_schema": kind.model_json_schema(), "strict": True}
    answer = anthropic_client(url).messages.create(model=model, messages=QUESTION, max_tokens=TOKENS, tools=[tool],
                                                   tool_choice={"type": "tool", "name": "answer"})
    if answer.stop_reason == "max_tokens":
        raise Cut
    (call,) = [block for block in answer.content if block.type == "tool_use"]
    return kind.model_validate(call.input)


def ollama_format(url, model, kind):
    import ollama
    answer = ollama.Client(host=url).chat(model=model, messages=QUESTION, format=kind.model_json_schema(),
                                          options={"num_predict": TOKENS})
    if answer.done_reason == "length":
        raise Cut
    return kind.model_validate_json(answer.message.content)


def with_instructor(mode):
    def ask(url, model, kind):
        import instructor
        from instructor.core.exceptions import IncompleteOutputException, InstructorRetryException
        client = instructor.from_openai(openai_client(url), mode=instructor.Mode[mode])
        try:
            return client.create(model=model, messages=QUESTION, response_model=kind, max_tokens=TOKENS, max_retries=0)
        except IncompleteOutputException as error:
            raise Cut from error
        except InstructorRetryException as error:
            cause = error.failed_attempts[-1].exception if error.failed_attempts else error.__cause__ or error
            if isinstance(cause, ValidationError) and not any(one["type"] == "json_invalid" for one in cause.errors()):
                if mode == "JSON":  # it tells the schema to the model alone
                    raise AskedForLess("the schema") from error
                if getattr(error.last_completion, "warnings", None):
                    raise Warned(error.last_completion.warnings) from error
            raise cause from error

    return ask


def with_outlines(backend):
    def ask(url, model, kind):
        import outlines
        asked = getattr(outlines, backend)(openai_client(url), model)
        return kind.model_validate_json(asked(QUESTION[0]["content"], kind, max_tokens=TOKENS))

    return ask


class Color(enum.Enum):
    RED = "red"
    DARK_GREEN = "dark green"


def outlines_texts():
    """Types of outlines that are no models, and a pattern of the texts that each allows."""
    from outlines.types import CFG, Regex
    from outlines.types.dsl import python_types_to_terms, to_regex
    kinds = [int, float, bool, typing.Literal["Paris", "Rome"], Color, Regex(r"[A-Z]{2}-\d{3}"), datetime.date, datetime.time,
             datetime.datetime, list[int], typing.Union[int, typing.Literal["none"]]]
    sums = CFG('?start: one ("+" one)*\n?one: NUMBER | "(" start ")"\n%import common.INT -> NUMBER\n')
    return [(kind, to_regex(python_types_to_terms(kind))) for kind in kinds] + [
        (sums, r"(?<sum>(?<one>\d+|\((?&sum)\))(\+(?&one))*)")]


def ask_outlines_texts(url, model, counts):
    import outlines
    import regex
    asked = outlines.from_vllm(openai_client(url), model)
    for kind, pattern in outlines_texts():
        text = asked(QUESTION[0]["content"], kind, max_tokens=TOKENS // 4)
        matches = regex.fullmatch(pattern, text, partial=True)  # it does not tell where a text was cut off
        what = "UNREADABLE" if not matches else "cut off" if matches.partial else "read"
        counts[what] += 1
        if what != "read":
            print(f"  outlines, from_vllm, {kind}: {what}: {text[:300]}", flush=True)
    return len(outlines_texts())


HELPERS = [  # name, what it imports, how it asks
    ("openai, chat.completions.parse", ["openai"], openai_chat),
    ("openai, pydantic_function_tool", ["openai"], openai_chat_tool),
    ("openai, responses.parse", ["openai"], openai_responses),
    ("anthropic, messages.parse", ["anthropic"], anthropic_parse),
    ("anthropic, a strict tool", ["anthropic"], anthropic_tool),
    ("ollama, format", ["ollama"], ollama_format),
    ("instructor, TOOLS", ["instructor", "openai"], with_instructor("TOOLS")),
    ("instructor, JSON_SCHEMA", ["instructor", "openai"], with_instructor("JSON_SCHEMA")),
    ("instructor, JSON", ["instructor", "openai"], with_instructor("JSON")),
    ("outlines, from_openai", ["outlines", "openai"], with_outlines("from_openai")),
    ("outlines, from_vllm", ["outlines", "openai"], with_outlines("from_vllm")),
    ("outlines, from_vllm without models", ["outlines", "openai", "regex"], ask_outlines_texts),
]


def outcome(ask, url, model, kind):
    """(what came of it, more of it)"""
    try:
        value = ask(url, model, kind)
    except Cut:
        return "cut off", ""
    except AskedForLess as error:
        return "invalid by what the library left out", str(error)
    except Warned as error:
        return "invalid, with a warning", str(error)
    except ValidationError as error:
        return ("cut off", "") if "EOF" in str(error) else ("UNREADABLE", str(error))
    except Exception as error:  # each library has its own kinds
        status = getattr(error, "status_code", None)
        return ("refused by the server" if status == 400 else "refused by the library" if status is None else "FAILED"), str(error)
    if value is None:
        return "UNREADABLE", "no value"
    TypeAdapter(kind).validate_python(value)
    return "read", ""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default="build/pleiad")
    parser.add_argument("--model", default="demo")
    parser.add_argument("--only", metavar="TEXT", default="", help="helpers whose names have it")
    options = parser.parse_args()
    models = [(title, kind) for title, kind, *_ in IDIOMS if isinstance(kind, type) and issubclass(kind, BaseModel)]
    n_bad = 0
    with served.serve(options.program, [options.model]) as url:
        for name, packages, ask in HELPERS:
            if options.only not in name:
                continue
            if not all(importlib.util.find_spec(package) for package in packages):
                print(f"{name}: not installed")
                continue
            counts = collections.Counter()
            n_types = len(models)
            if ask is ask_outlines_texts:
                n_types = ask(url, options.model, counts)
            for title, kind in models if ask is not ask_outlines_texts else ():
                what, more = outcome(ask, url, options.model, kind)
                counts[what] += 1
                if what != "read" and what != "cut off":
                    print(f"  {name}, {title}: {what}: {more[:300]}", flush=True)
            n_bad += counts["UNREADABLE"] + counts["FAILED"]
            print(f"{name}: {n_types} types, " + ", ".join(f"{n} {what}" for what, n in counts.items()), flush=True)
    return 1 if n_bad else 0


if __name__ == "__main__":
    sys.exit(main())
