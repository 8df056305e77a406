#!/usr/bin/env python3
"""Replies of models that babble, over all APIs at once: is any malformed, does any get stuck?

    tools/structured_output/babbling_model.py --tokenizer tokenizer.json build/babbling
    tools/structured_output/replies_check.py --models build/babbling [--replies 20000] [--minutes N] [--at-once 48]

Starts a server on the two models and asks it for replies under schemas (half of them drawn, random_schemas.py), under
grammars, and with tools, strict, custom or not, whichever the choice; streamed or not, with thoughts or without, with
forced text or without, with logits of control tokens raised or not, by all six routes. Contents and arguments that are
complete are judged by `jsonschema`, or by a pattern that says the same as the grammar; contents that were cut off after
their tokens must be the begin of what their grammar takes. Exits with 1 where a reply is malformed, fails, or does not come within
--patience seconds. Needs jsonschema and regex of requirements.txt.
"""
import argparse
import collections
import json
import pathlib
import random
import sys
import threading
import time
from decimal import Decimal

import engines
import regex
import reply_requests
import served
from random_pairs import validator_of
from random_schemas import Drawer, text_of

BOUNDED = [
    {"type": "object", "properties": {"a": {"type": "integer", "minimum": 0, "maximum": 99}, "b": {"enum": ["x", "y", None]}},
     "required": ["a", "b"]},
    {"type": "array", "items": {"type": "boolean"}, "minItems": 1, "maxItems": 4},
    {"type": "object", "properties": {"name": {"type": "string", "maxLength": 3}, "on": {"type": "boolean"}}, "required": ["name"]},
    {"anyOf": [{"type": "string", "pattern": "^[A-C]{1,3}$"}, {"type": "integer", "multipleOf": 5, "minimum": 0, "maximum": 50}]},
    {"type": "object", "properties": {"day": {"type": "string", "format": "date"}, "id": {"type": "string", "format": "uuid"}}},
    {"$ref": "#/$defs/node", "$defs": {"node": {"type": "object", "properties": {"v": {"type": "null"}, "next": {"anyOf": [
        {"$ref": "#/$defs/node"}, {"type": "null"}]}}, "required": ["v"]}}},
    {"oneOf": [{"type": "object", "properties": {"kind": {"const": "a"}, "n": {"type": "integer", "maximum": 9, "minimum": -9}},
                "required": ["kind", "n"]},
               {"type": "object", "properties": {"kind": {"const": "b"}, "s": {"type": "string", "maxLength": 2}}, "required": ["kind", "s"]}]},
    {"type": "array", "prefixItems": [{"type": "integer", "minimum": 1, "maximum": 3}, {"type": "string", "maxLength": 1}],
     "items": False, "minItems": 2},
]
# What it is, its text, and a pattern that matches the same replies.
GRAMMARS = [
    ("regex", "[a-c]{2,5}(-[0-9]+)?", "[a-c]{2,5}(-[0-9]+)?"),
    ("regex", "(yes|no), .{0,8}!", "(yes|no), [^\n]{0,8}!"),
    ("choice", ["red", "green", "dark green"], "red|green|dark green"),
    ("gbnf", 'root ::= item ("," item)*\nitem ::= [a-z]+ "=" [0-9]{1,3}', "[a-z]+=[0-9]{1,3}(,[a-z]+=[0-9]{1,3})*"),
    ("gbnf", 'root ::= sum\nsum ::= sum "+" one | one\none ::= [0-9] | "(" [0-9] ")"', r"([0-9]|\([0-9]\))(\+([0-9]|\([0-9]\)))*"),
    ("gbnf", 'root ::= "[" (root ("," root)*)? "]"', r"(?<list>\[((?&list)(,(?&list))*)?\])"),
    ("lark", 'start: WORD ("-" WORD)* END\nWORD: /[a-z]{1,4}/\nEND: "."', r"[a-z]{1,4}(-[a-z]{1,4})*\."),
]
CUT = ("length", "max_tokens", "max_output_tokens")


def draw_schema(numbers, is_object=False):
    if not is_object and numbers.random() < 0.5:
        return numbers.choice(BOUNDED)
    drawer = Drawer(numbers.randrange(10**9), numbers.random() < 0.5)
    for _ in range(50):
        schema = drawer.document()
        if not is_object or schema.get("type") == "object":
            return json.loads(text_of(schema))
    return BOUNDED[0]


def draw_more(numbers, api, controls):
    """Fields that must change no form, however they bend what is likely."""
    more = {}
    if numbers.random() < 0.3:
        more["forced_text"] = False
    if api in ("chat", "completions") and numbers.random() < 0.3:
        more["logit_bias"] = {str(token): 100 for token in numbers.sample(controls, 2)}
    return more


def draw_tools(numbers, api):
    tools = []
    for i in range(numbers.randint(1, 3)):
        tool = {"name": f"tool_{i}"}
        if api in ("chat", "responses") and numbers.random() < 0.2:
            tool["grammar"] = numbers.choice([one for one in GRAMMARS if one[0] in ("regex", "lark")])[:2]
        else:
            tool["strict"] = numbers.random() < 0.4
            tool["parameters"] = BOUNDED[0] if numbers.random() < 0.3 else draw_schema(numbers, True)
        tools.append(tool)
    return tools


def draw(number, controls):
    numbers = random.Random(number)
    api = numbers.choice(list(reply_requests.PATHS))
    model = numbers.choice(["babble", "babble", "uniform"])
    wish = reply_requests.Wish(api, model, numbers.random() < 0.5, numbers.random() < 0.4 and api != "completions",
                               numbers.choice([16, 40, 80]), number, more=draw_more(numbers, api, controls))
    kind = numbers.choice(["schema", "schema", "tools", "tools", "grammar"])
    if kind == "tools" and api not in ("completions", "generate"):
        wish.tools = draw_tools(numbers, api)
        names = [tool["name"] for tool in wish.tools]
        wish.choice = "auto" if api == "ollama" else numbers.choice(["auto", "auto", "required", "required", "none", numbers.choice(names)])
        if wish.choice in ("auto", "none") and numbers.random() < 0.3:
            wish.schema = numbers.choice(BOUNDED)
    elif kind == "grammar" and api != "messages":
        wish.grammar = numbers.choice(GRAMMARS)[:2]
    else:
        wish.schema = draw_schema(numbers)
    return wish


def exact(text):
    return json.loads(text, parse_float=Decimal)


def is_valid(schema, value):
    try:
        return validator_of(exact(json.dumps(schema))).is_valid(value)
    except RecursionError:  # a reference that only leads back to itself, under which nothing is known to be valid
        return False


def grammar_problem(grammar, text, cut):
    pattern = next(pattern for *known, pattern in GRAMMARS if known == list(grammar))
    matches = regex.fullmatch(pattern, text, partial=cut)
    return None if matches else f"is not of the grammar: {text[:300]}"


class Judge:
    """What is wrong with a reply, if anything is."""

    def __init__(self, program):
        self.engine, self.lock = engines.Pleiad(program, False), threading.Lock()

    def begins(self, schema, text):
        with self.lock:
            return self.engine.ask(schema, [], begins=[text]).get("begins") == [True]

    def json_problem(self, schema, text, cut):
        if cut and self.begins(schema, text):
            return None
        try:
            value = exact(text)
        except ValueError as error:
            return f"is no JSON ({error}): {text[:300]}"
        if engines.repeats_a_name(text):
            return f"has a name twice: {text[:300]}"
        return None if is_valid(schema, value) else f"is invalid: {text[:300]}"

    def problem(self, wish, reply):
        cut = reply.reason in CUT
        if cut:  # each byte of a character that it goes through is told as one U+FFFD
            reply.content = regex.sub("\ufffd{1,3}$", "", reply.content)
        if wish.grammar:
            told = grammar_problem(wish.grammar, reply.content, cut)
            return told and f"the content {told}"
        if wish.tools:
            return self.problem_of_calls(wish, reply, cut)
        told = self.json_problem(wish.schema, reply.content, cut)
        return told and f"the content {told}"

    def problem_of_calls(self, wish, reply, cut):
        tools = {tool["name"]: tool for tool in wish.tools}
        for name, arguments in reply.calls:
            if name not in tools or wish.choice not in ("auto", "required", name):
                return f"a call of {name!r}"
            is_cut = cut and wish.stream and (name, arguments) == reply.calls[-1]  # its pieces were told as they came
            if "grammar" in tools[name]:
                told = grammar_problem(tools[name]["grammar"], arguments, is_cut)
                if told:
                    return f"an input that {told}"
                continue
            try:
                value = exact(arguments)
            except ValueError:
                if is_cut and reply.warnings:
                    continue
                return f"arguments that are no JSON: {arguments[:300]}"
            if not isinstance(value, dict):
                return f"arguments that are no object: {arguments[:300]}"
            if not is_valid(tools[name]["parameters"], value) and not reply.warnings:
                return f"arguments that are invalid, without a warning: {arguments[:300]}"
        if "<|tool_call>" in reply.content or "<tool_call|>" in reply.content:
            return f"a call in the content: {reply.content[:300]}"
        if wish.choice not in ("auto", "none") and not reply.calls and not cut:
            return f"no call: {reply.reason} {reply.content[:300]}"
        if wish.schema is not None and not reply.calls:
            told = self.json_problem(wish.schema, reply.content, cut)
            return told and f"the content beside tools {told}"
        return None


class Run:
    def __init__(self, options, url):
        self.options, self.url, self.judge = options, url, Judge(options.verdicts)
        added = json.loads((options.models / "babble/tokenizer.json").read_text())["added_tokens"]
        self.controls = [token["id"] for token in added if token["special"] and not token["content"].startswith("<unused")]
        self.lock, self.counts, self.next = threading.Lock(), collections.Counter(), options.seed * 1_000_000
        self.ends = time.monotonic() + 60 * options.minutes

    def work(self):
        while True:
            with self.lock:
                number = self.next
                self.next += 1
                if self.counts["replies"] >= self.options.replies or time.monotonic() > self.ends:
                    return
            wish = draw(number, self.controls)
            try:
                reply = reply_requests.ask(self.url, wish, self.options.patience)
                what, problem = self.verdict(wish, reply)
            except ConnectionRefusedError as error:
                self.count(number, wish, "FAILED", repr(error))
                return  # nothing listens any more
            except TimeoutError:
                what, problem = "STUCK", f"nothing in {self.options.patience} s"
            except Exception as error:  # a connection that broke, an answer of another form
                what, problem = "FAILED", repr(error)
            self.count(number, wish, what, problem)

    def verdict(self, wish, reply):
        if reply.status == 400:
            return "refused", None
        if reply.status != 200 or reply.error:
            return "FAILED", f"{reply.status} {reply.error[:300]}"
        problem = self.judge.problem(wish, reply)
        return ("MALFORMED" if problem else "cut off" if reply.reason in CUT else "whole"), problem

    def count(self, number, wish, what, problem):
        kind = "tools" if wish.tools else "grammar" if wish.grammar else "schema"
        with self.lock:
            self.counts[what] += 1
            if what == "refused":
                return
            self.counts["replies"] += 1
            for about in (wish.api, wish.model, kind, "streamed" if wish.stream else "at once", "thinking" if wish.thinking else "no thinking"):
                self.counts[f"of {about}"] += 1
            if self.counts["replies"] % 500 == 0:
                print(self.counts["replies"], "replies", file=sys.stderr, flush=True)
            if problem:
                print(what, number, problem, json.dumps(reply_requests.body_of(wish))[:1500], flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--models", required=True, type=pathlib.Path, help="what babbling_model.py wrote")
    parser.add_argument("--program", default="build/pleiad")
    parser.add_argument("--verdicts", default="build/src/constrain/constrain_verdicts")
    parser.add_argument("--replies", type=int, default=20_000)
    parser.add_argument("--minutes", type=float, default=120, help="at most")
    parser.add_argument("--at-once", type=int, default=48)
    parser.add_argument("--patience", type=float, default=600, help="seconds for one reply")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    flags = ["--ctx", "2048", "--thinking-budget", "6", "--max-queue", "2000", "--threads", "1"]
    folders = {"PLEIAD_MODEL_FOLDERS": str(options.models)}
    with served.serve(options.program, ["babble", "uniform"], *flags, environment=folders) as url:
        run = Run(options, url)
        begin = time.monotonic()
        workers = [threading.Thread(target=run.work, daemon=True) for _ in range(options.at_once)]
        for worker in workers:
            worker.start()
        try:
            for worker in workers:
                worker.join()
        finally:  # what was found until it was stopped, too
            run.counts["seconds"] = round(time.monotonic() - begin)
            print(json.dumps(dict(sorted(run.counts.items())), indent=1), flush=True)
    bad = sum(run.counts[what] for what in ("MALFORMED", "STUCK", "FAILED"))
    return 1 if bad or not run.counts["replies"] else 0


if __name__ == "__main__":
    sys.exit(main())
