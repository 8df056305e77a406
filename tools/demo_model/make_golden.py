"""Writes golden.json: greedy continuations of the reference class to compare an engine with.

For six prompts: the text, its token ids, the ids that the reference class continues with
(weights of the GGUF file, float32, up to and with the stop token), and the id and logit of
the best first token.

    python make_golden.py --gguf pleiad-demo.gguf --out golden.json
"""

import argparse
import json

import torch

import gguf_model
from evaluate import STOP
from template import prompt_renderer
from tool_use import declare

WEATHER = declare("get_weather", "Get the current weather for a city", city="string: City name")
ADD = declare("add", "Add two numbers.", a="integer", b="integer")
TIMER = declare("set_timer", "Set a timer.", minutes="integer: Number of minutes")
PROMPTS = [
    {"messages": [{"role": "user", "content": "Hello!"}]},
    {"messages": [{"role": "system", "content": "Answer in upper case."},
                  {"role": "user", "content": "What day comes after Monday?"}]},
    {"messages": [{"role": "user", "content": "Reverse the word banana."},
                  {"role": "assistant", "content": "ananab"},
                  {"role": "user", "content": "What is 12 + 35? Answer in JSON."}]},
    {"messages": [{"role": "user", "content": "Count from 5 to 30."}], "enable_thinking": True},
    {"messages": [{"role": "user", "content": "What is the weather in Paris?"}], "tools": [ADD, WEATHER, TIMER]},
    {"messages": [{"role": "user", "content": "What is the weather in Paris?"},
                  {"role": "assistant", "tool_calls": [{"id": "call_1", "type": "function", "function": {
                      "name": "get_weather", "arguments": {"city": "Paris"}}}]},
                  {"role": "tool", "tool_call_id": "call_1",
                   "content": "{\"temperature\": 21, \"condition\": \"sunny\"}"}],
     "tools": [ADD, WEATHER, TIMER], "enable_thinking": True},
]


@torch.no_grad()
def continue_greedily(model, ids, longest=200):
    """The whole context is computed anew for every token: slow, but nothing to get wrong."""
    ids, new, first = list(ids), [], None
    while len(new) < longest and (not new or new[-1] not in STOP):
        logits = model(torch.tensor([ids + new])).logits[0, -1]
        best = int(logits.argmax())
        first = first or (best, float(logits[best]))
        new.append(best)
    return new, first


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("gguf", "out"):
        parser.add_argument("--" + name, required=True)
    parser.add_argument("--template", help="render with this official template, not with pleiad")
    args = parser.parse_args()
    model, tokenizer = gguf_model.read(args.gguf), gguf_model.read_tokenizer(args.gguf)
    official = prompt_renderer(args.template)
    result = []
    for prompt in PROMPTS:
        text = official(**prompt)
        ids = tokenizer.encode(text, add_special_tokens=False).ids
        new, (best, logit) = continue_greedily(model, ids)
        reply = tokenizer.decode(new, skip_special_tokens=False)
        print(repr(reply))
        result.append({"input": prompt, "prompt": text, "prompt_ids": ids, "greedy_ids": new, "reply": reply,
                       "first_id": best, "first_logit": logit})
    with open(args.out, "w", encoding="utf-8") as out:
        json.dump(result, out, ensure_ascii=False, indent=1)
        out.write("\n")


if __name__ == "__main__":
    main()
