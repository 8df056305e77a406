"""Measures the skills of the demo model on held-out prompts, with greedy decoding.

The prompts are rendered by `pleiad render` (or by the official chat template, see --template)
and run through the reference class with the weights of the GGUF file (dequantized, float32).

    python evaluate.py --gguf pleiad-demo.gguf
"""

import argparse
import json
import random

import torch

import gguf_model
import make_text
from template import call_text, prompt_renderer, to_messages
from words import WordSource

STOP = [1, 106, 50]
BASIC = ["counting", "arithmetic", "calendar", "reverse", "spelling"]
PLAIN = dict(mode=None, tools=0, thinking=False, json_chance=0)


def mixed(rng, length):
    """The kinds of the turns of a mixed conversation."""
    kinds = BASIC + ["small talk", "unknown", "tool", "tool", "no tool"]
    return [rng.choice(kinds) for _ in range(length)]


def specs(rng):
    """For every row of the table: how to make a case, and which model step is graded."""
    return {
        "counting": (dict(PLAIN, plan=["counting"]), "last"),
        "sums and differences": (dict(PLAIN, plan=["arithmetic"]), "last"),
        "days and months": (dict(PLAIN, plan=["calendar"]), "last"),
        "reversing words": (dict(PLAIN, plan=["reverse"]), "last"),
        "spelling words": (dict(PLAIN, plan=["spelling"]), "last"),
        "upper case": (dict(PLAIN, mode="upper", plan=[rng.choice(BASIC + ["small talk", "unknown"])]), "last"),
        "JSON": (dict(PLAIN, mode=rng.choice((None, None, "json")), json_chance=1, plan=[rng.choice(BASIC)]), "last"),
        "tool call": (dict(PLAIN, tools=rng.randint(1, 4), plan=["tool"]), "first"),
        "no tool fits": (dict(PLAIN, tools=rng.randint(1, 4),
                              plan=[rng.choice(["no tool", rng.choice(BASIC), "small talk", "unknown"])]), "last"),
        "answer from a tool": (dict(PLAIN, tools=rng.randint(1, 4), plan=["tool"]), "last"),
        "thinking": (dict(PLAIN, thinking=True, plan=[rng.choice(BASIC + ["small talk", "unknown"])],
                          mode=rng.choice((None, None, None, "upper")), json_chance=0.2), "last"),
        "thinking with tools": (dict(PLAIN, thinking=True, tools=rng.randint(1, 4), plan=["tool"]),
                                rng.choice(("first", "last"))),
        "small talk": (dict(PLAIN, plan=["small talk"]), "last"),
        "not known": (dict(PLAIN, plan=["unknown"]), "last"),
        "conversation": (dict(PLAIN, tools=rng.choice((0, 1, 2, 3)), thinking=rng.random() < 0.3, json_chance=0.15,
                              plan=mixed(rng, rng.randint(4, 7))), rng.choice(("first", "last"))),
    }


def make_cases(count, seed=2024):
    """Held-out cases: {"skill", "input", "expected", ...}; "text" is the exact reply after the thought."""
    rng, words = random.Random(seed), WordSource()
    cases = []
    for skill in specs(rng):
        prompts = set()
        for _ in range(count * 20):
            options, which = specs(rng)[skill]
            if options["tools"] == 0 and "plan" in options:
                options["plan"] = [{"tool": "calendar", "no tool": "unknown"}.get(k, k) for k in options["plan"]]
            dialogue = make_text.make_dialogue(rng, words, "test", **options)
            turn = len(dialogue["turns"]) - 1
            step = 0 if which == "first" else len(dialogue["turns"][turn]["steps"]) - 1
            truth = dialogue["turns"][turn]["steps"][step]
            data = {"messages": to_messages(dialogue, (turn, step)), "tools": dialogue["tools"],
                    "enable_thinking": dialogue["thinking"]}
            key = json.dumps(data)
            if key in prompts:
                continue
            prompts.add(key)
            if "call" in truth:
                expected = {"tool_call": {"name": truth["call"][0], "arguments": truth["call"][1]}}
                text = call_text(*truth["call"])
            else:
                expected = text = truth["content"]
            whole = text
            if dialogue["thinking"]:
                whole = "<|channel>thought\n" * (step == 0) + truth["thought"] + "\n<channel|>" + text
            cases.append({"skill": skill, "input": data, "expected": expected, "text": text, "step": step, "whole": whole})
            if len(prompts) == count:
                break
    return cases


@torch.no_grad()
def generate(model, prompts, lengths, batch=64):
    """Greedy continuations (token ids, without the stop token) of prompts of token ids.

    lengths: about how long each answer will be; similar ones share a batch."""
    order = sorted(range(len(prompts)), key=lambda i: (lengths[i] // 16, len(prompts[i])))
    result = [None] * len(prompts)
    for at in range(0, len(order), batch):
        chunk = order[at:at + batch]
        width = max(len(prompts[i]) for i in chunk)
        ids = torch.zeros(len(chunk), width, dtype=torch.long)
        mask = torch.zeros(len(chunk), width, dtype=torch.long)
        for row, i in enumerate(chunk):
            ids[row, width - len(prompts[i]):] = torch.tensor(prompts[i])
            mask[row, width - len(prompts[i]):] = 1
        out = model.generate(input_ids=ids, attention_mask=mask, do_sample=False, pad_token_id=0,
                             eos_token_id=STOP, max_new_tokens=max(lengths[i] for i in chunk) + 12)
        for row, i in enumerate(chunk):
            tail = out[row, width:].tolist()
            ends = [tail.index(s) for s in STOP if s in tail]
            result[i] = tail[:min(ends)] if ends else tail
    return result


def grade(case, reply):
    """Is the reply right, and is there reasoning exactly when thinking is on?"""
    if case["input"]["enable_thinking"]:
        if case["step"] == 0:
            if not reply.startswith("<|channel>thought\n"):
                return False
            reply = reply.removeprefix("<|channel>thought\n")
        if "\n<channel|>" not in reply:
            return False
        reply = reply.split("\n<channel|>", 1)[1]
    return reply == case["text"]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--gguf", required=True)
    parser.add_argument("--template", help="render with this official template, not with pleiad")
    parser.add_argument("--cases", type=int, default=100, help="cases per skill")
    parser.add_argument("--seed", type=int, default=2024)
    parser.add_argument("--only", help="only skills whose name contains this")
    parser.add_argument("--errors", type=int, default=2, help="errors to print per skill")
    parser.add_argument("--write", help="write the first cases of each skill to this JSONL file")
    parser.add_argument("--per-skill", type=int, default=50, help="cases per skill in that file")
    args = parser.parse_args()
    model = gguf_model.read(args.gguf)
    tokenizer = gguf_model.read_tokenizer(args.gguf)
    official = prompt_renderer(args.template)
    cases = [c for c in make_cases(args.cases, args.seed) if not args.only or args.only in c["skill"]]
    texts = [official(**c["input"]) for c in cases]
    prompts = [tokenizer.encode(t, add_special_tokens=False).ids for t in texts]
    lengths = [len(tokenizer.encode(c["whole"], add_special_tokens=False).ids) for c in cases]
    replies = [tokenizer.decode(r, skip_special_tokens=False) for r in generate(model, prompts, lengths)]
    rows = {}
    for case, text, reply in zip(cases, texts, replies):
        row = rows.setdefault(case["skill"], [0, 0])
        right = grade(case, reply)
        case["reference"] = reply
        row[0] += 1
        row[1] += right
        if not right and row[0] - row[1] <= args.errors:
            print(f"[{case['skill']}] ...{text[-200:]!r}\n    expected {case['text']!r}\n    got      {reply!r}")
    print("\n| skill | cases | right |\n|---|---|---|")
    for skill, (count, right) in rows.items():
        print(f"| {skill} | {count} | {100 * right / count:.0f} % |")
    total = [sum(r[i] for r in rows.values()) for i in (0, 1)]
    print(f"| all | {total[0]} | {100 * total[1] / total[0]:.1f} % |")
    if args.write:
        written = {}
        with open(args.write, "w", encoding="utf-8") as out:
            for case in cases:
                n = written.get(case["skill"], 0)
                if n < args.per_skill:
                    written[case["skill"]] = n + 1
                    out.write(json.dumps({k: case[k] for k in ("skill", "input", "expected", "reference")}, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
