"""Writes the training and test dialogues of the demo model.

All text is made here by rules; nothing is downloaded. `make_dialogue` returns a dialogue in
the form described in template.render. Run as a script it prints samples and checks our
renderer against `pleiad render`, or against the official chat template:

    python make_text.py [--template chat_template.jinja]
"""

import argparse
import json
import random

import tool_use
from skills import DO_NOT_KNOW, SKILLS, Context
from template import check, prompt_renderer, render
from words import NAMES, WORDS, WordSource

PERSONA = ("You are a helpful assistant.", "You are a friendly assistant.", "You are Pleiad's demo model.", "Be brief.",
           "Answer briefly.", "You are a helpful and brief assistant.", "Be polite.", "You help the user.", "Use the tools when they fit.",
           "You are {n}, a {a} assistant.", "You are a {a} {b}.", "Your name is {n}.", "You are an assistant for {b}.",
           "You can call tools.", "Think about the {b}.")
UPPER = ("Answer in upper case.", "Always answer in upper case.", "Answer in capital letters.", "Always answer in capital letters.",
         "Answer in uppercase.", "Use only upper case letters.", "Write all your answers in capitals.", "Reply in upper case.",
         "Please answer in UPPER CASE.", "Answer only in capital letters.", "Write in capital letters.", "Reply only in uppercase letters.",
         "All answers must be in upper case.", "You always write in upper case.", "ANSWER IN UPPER CASE.")
JSON_SYSTEM = ("Answer in JSON.", "Always answer in JSON.", "Reply in JSON.", "Answer only with JSON.", "Answer with a JSON object.",
               "All answers must be JSON.", "Always reply with a JSON object.", "Write your answers as JSON.")
JSON_USER = ("Answer in JSON.", "Reply in JSON.", "Answer as JSON.", "Answer with JSON.", "Give the answer in JSON.", "In JSON, please.",
             "Please answer in JSON.", "Answer with a JSON object.", "Reply as JSON.", "Return JSON.", "Answer only with JSON.", "Use JSON.")
JSON_KEY = ('Answer in JSON with the key "{k}".', "Answer in JSON with the key {k}.", "Reply in JSON with the key {k}.",
            'Use JSON with the key "{k}".', 'Answer as JSON: {{"{k}": ...}}', 'Answer in JSON like {{"{k}": ...}}.',
            'Reply with a JSON object with the key "{k}".')
BEFORE = ("Hello! ", "Hi! ", "Hello, ", "Hi, ", "Now ", "Ok, ", "And ", "Tell me: ", "Next: ", "Hey, ", "Good. ", "Thanks! ")
KEYS = "answer result value sum total number day month output reply".split()


def polish(rng, text, suffix=""):
    """Vary punctuation, the first letter and politeness of a request."""
    question = text.split()[0].lower() in (
        "what", "what's", "which", "how", "can", "could", "who", "why", "where", "when", "is", "are", "do", "should", "does")
    x = rng.random()
    if x < 0.06 and not question:
        text = "Please " + text[0].lower() + text[1:]
    elif x < 0.09:
        text += ", please"
    elif x < 0.11 and text[-1].isalnum():
        text += rng.choice((" for me", " now", " again"))
    elif x < 0.15:
        before = rng.choice(BEFORE)
        text = before + (text if before[-2] in "!." else text[0].lower() + text[1:])
    elif x < 0.17 and suffix.endswith("in JSON."):
        text, suffix = suffix[:-1] + ": " + text[0].lower() + text[1:], ""
    if rng.random() < 0.65 and text[-1] not in "=.":
        text += "?" if question else "."
    elif suffix and text[-1] not in "=.":
        text += "."
    if rng.random() < 0.22:
        text = text[0].lower() + text[1:]
    return text + (" " + suffix if suffix else "")


def answer_form(rng, content, data, mode, chance):
    """Choose plain or JSON: (suffix for the request, content, addition to the thought)."""
    if mode == "json":
        return "", json.dumps(data or {"answer": content}), " I answer in JSON."
    if mode != "upper" and data and rng.random() < chance:
        if set(data) == {"answer"} and rng.random() < 0.35:
            key = rng.choice((rng.choice(KEYS), rng.choice(KEYS), rng.choice(WORDS)))
            suffix = rng.choice(JSON_KEY).format(k=key)
            data = {key: data["answer"]}
        else:
            suffix = rng.choice(JSON_USER)
        return suffix, json.dumps(data), " I answer in JSON."
    if mode == "upper":
        return "", content.upper(), " I answer in upper case."
    return "", content, ""


def skill_turn(c, skill, mode, json_chance=0.15):
    """One turn without tools."""
    user, thought, content, data = SKILLS[skill][0](c)
    if skill != "arithmetic":
        c.last_number = None
    suffix, content, more = answer_form(c.rng, content, data, mode, json_chance)
    if not suffix and mode is None and skill not in ("unknown", "small talk") and c.rng.random() < 0.04:
        suffix, content, more = c.rng.choice(UPPER[:12]), content.upper(), " I answer in upper case."
    return {"skill": "json" if suffix and content[0] == "{" else skill, "user": polish(c.rng, user, suffix),
            "steps": [{"thought": thought + more, "content": content}]}


def tool_turn(c, use, mode, json_chance=0.1):
    """One turn with a tool call."""
    data = {"answer": use.value}
    suffix, content, more = answer_form(c.rng, use.answer, data, mode, json_chance)
    name = use.tool["function"]["name"]
    c.last_number = use.value if isinstance(use.value, int) else None
    return {"skill": "tool", "user": polish(c.rng, use.request, suffix), "steps": [
        {"thought": f"The tool {name} fits.", "call": (name, use.arguments), "response": use.response},
        {"thought": "The tool has answered." + more, "content": content}]}


def no_tool_turn(c, taken, mode):
    """A request for a tool that is not declared."""
    while True:
        use = tool_use.draw(c.rng, c.split)
        if use.topic not in taken and use.topic not in ("calc add", "calc subtract"):
            break
    c.last_number = None
    _, content, more = answer_form(c.rng, DO_NOT_KNOW, None, mode, 0)
    return {"skill": "no tool", "user": polish(c.rng, use.request),
            "steps": [{"thought": "No tool fits." + more, "content": content}]}


def draw_tools(rng, split, count):
    """Uses of different tools with different topics and names."""
    uses, names = [], set()
    while len(uses) < count:
        use = tool_use.draw(rng, split)
        name = use.tool["function"]["name"]
        if name not in names and use.topic not in [u.topic for u in uses]:
            uses.append(use)
            names.add(name)
    return uses


def make_dialogue(rng, words, split="train", turns=None, thinking=None, mode="any", tools=None,
                  plan=None, json_chance=0.15, tool_share=0.33, emphasis=None):
    """A dialogue; the arguments left out are drawn.

    mode: None, "upper" or "json" (asked for in the system turn); tools: how many are
    declared; plan: the kinds of the turns (a skill, "tool" or "no tool"); tool_share: how
    many of the dialogues declare tools; emphasis: factors by which skills come more often.
    """
    if thinking is None:
        thinking = rng.random() < 0.22
    if mode == "any":
        mode = rng.choices((None, "upper", "json"), (0.8, 0.14, 0.06))[0]
    if tools is None:
        tools = rng.choices((1, 2, 3, 4), (28, 32, 25, 15))[0] if rng.random() < tool_share else 0
    if turns is None:
        if thinking:
            turns = rng.choices((1, 2, 3, 4, 5, 6, 7), (64, 14, 7, 5, 4, 4, 2))[0]
        else:
            turns = rng.choices((1, 2, 3, 4, 5, 6, 7), (36, 16, 13, 11, 9, 9, 6))[0]
    system = rng.choice(PERSONA) if rng.random() < 0.2 else ""
    system = system.format(n=rng.choice(NAMES), a=rng.choice(WORDS), b=rng.choice(WORDS))
    if mode:
        order = rng.choice(UPPER if mode == "upper" else JSON_SYSTEM)
        system = order if not system else rng.choice((system + " " + order, order + " " + system))
    uses = draw_tools(rng, split, tools)
    taken = {u.topic for u in uses}
    unused = list(uses)
    rng.shuffle(unused)
    c = Context(rng, split, words, has_tools=bool(uses))
    result = []
    for kind in plan or [None] * turns:
        if kind is None:
            weights = [w * (emphasis or {}).get(name, 1) for name, (_, w) in SKILLS.items()]
            kind = rng.choices(list(SKILLS), weights)[0]
            if uses and rng.random() < 0.7:
                kind = "tool" if rng.random() < 0.8 else "no tool"
            if kind == "arithmetic" and taken & {"calc add", "calc subtract"}:
                kind = "counting"
        if kind == "tool":
            use = unused.pop() if unused else tool_use.again(rng.choice(uses), rng, split)
            if use is None:
                kind = "small talk"
            else:
                result.append(tool_turn(c, use, mode, json_chance))
                continue
        if kind == "no tool":
            result.append(no_tool_turn(c, taken, mode))
        else:
            result.append(skill_turn(c, kind, mode, json_chance))
    return {"system": system or None, "tools": [u.tool for u in uses], "thinking": thinking, "mode": mode,
            "turns": result}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--template", help="render with this official template, not with pleiad")
    parser.add_argument("--count", type=int, default=2000, help="dialogues to check")
    parser.add_argument("--show", type=int, default=6, help="dialogues to print")
    args = parser.parse_args()
    official = prompt_renderer(args.template)
    rng, words = random.Random(1), WordSource()
    for i in range(args.count):
        dialogue = make_dialogue(rng, words)
        check(official, dialogue)
        if i < args.show:
            print("".join(f"\033[1m{t}\033[0m" if own else t for t, own in render(dialogue)), "\n")
    print(f"{args.count} dialogues: both renderings are equal")


if __name__ == "__main__":
    main()
