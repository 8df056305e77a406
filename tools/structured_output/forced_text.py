#!/usr/bin/env python3
"""What forced text saves: five typical forms, with and without it, in turn.

    tools/structured_output/forced_text.py --model NAME [--server URL] [--rounds 5] [--only contact]

Asks a running server. Prints a Markdown table: of each form the tokens of the answer, those of them that nobody
chose, the steps that they saved, and the time of the answer behind its prompt (medians); then the same answer with
"forced_text": false, whose every token the model chose, what as many tokens as the first answer has take so, and
whether both are one text. Where the model spells names otherwise than the tokenizer they are not.
"""
import argparse
import json
import statistics
import sys
import urllib.request


def an_object(**properties):
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def a_text(most=24):
    return {"type": "string", "maxLength": most}


NUMBER = {"type": "integer", "minimum": 0, "maximum": 1000}

TOOL = {
    "type": "function",
    "function": {
        "name": "get_current_weather",
        "description": "The weather of a place",
        "parameters": an_object(
            location=a_text(), unit={"enum": ["celsius", "fahrenheit"]}, days_ahead=NUMBER
        ),
    },
}

# Strings are short, so that a model of random weights ends them too.
FORMS = {
    "a contact, six texts": (
        "Extract the contact: Ada Lovelace, ada@example.org, 12 Long Road, London.",
        {
            "format": an_object(
                first_name=a_text(),
                last_name=a_text(),
                email_address=a_text(),
                phone_number=a_text(),
                street_address=a_text(),
                postal_code=a_text(),
            )
        },
    ),
    "a ticket, four enumerations": (
        "Sort this ticket: the page does not load since this morning.",
        {
            "format": an_object(
                category={"enum": ["billing_question", "technical_problem", "feature_request"]},
                priority={"enum": ["low", "medium", "high", "critical"]},
                sentiment={"enum": ["positive", "neutral", "negative"]},
                requires_human_review={"type": "boolean"},
                summary=a_text(),
            )
        },
    ),
    "an invoice, three items": (
        "Read the invoice: 3 pencils at 2, 1 book at 20, 2 pens at 4.",
        {
            "format": an_object(
                invoice_number=a_text(),
                line_items={
                    "type": "array",
                    "minItems": 3,
                    "maxItems": 3,
                    "items": an_object(description=a_text(), quantity=NUMBER, unit_price=NUMBER),
                },
                total_amount=NUMBER,
            )
        },
    ),
    "settings, mostly constants": (
        "Write the settings of the service.",
        {
            "format": an_object(
                schema_version={"const": "2024-10-01"},
                kind={"const": "service_configuration"},
                logging=an_object(
                    log_level={"enum": ["debug", "info", "warning"]},
                    output_format={"const": "structured_json"},
                ),
                max_concurrent_requests=NUMBER,
            )
        },
    ),
    "a call of a tool": (
        "What is the weather in Paris tomorrow?",
        {"tools": [TOOL], "tool_choice": "required"},
    ),
}


def ask(options, question, fields, forced):
    body = {
        "model": options.model,
        "messages": [{"role": "user", "content": question}],
        "stream": False,
        "think": False,
        "forced_text": forced,
        "options": {"temperature": 0, "num_predict": 600},
        **fields,
    }
    request = urllib.request.Request(
        options.server + "/api/chat", json.dumps(body).encode(), {"Content-Type": "application/json"}
    )
    with urllib.request.urlopen(request, timeout=600) as answer:
        return json.load(answer)


def said(answer):
    """The message, but for the names that calls are given."""
    message = answer["message"]
    for call in message.get("tool_calls", []):
        call.pop("id", None)
    return message


def measure(options, question, fields):
    """The last answer of each kind, and the median times of all of them."""
    times = {True: [], False: []}
    last = {}
    for _ in range(options.rounds + 1):
        for forced in times:
            last[forced] = ask(options, question, fields, forced)
            times[forced].append(last[forced]["eval_duration"] / 1e6)
    return last, {forced: statistics.median(found[1:]) for forced, found in times.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--server", default="http://127.0.0.1:11434")
    parser.add_argument("--model", required=True)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", metavar="TEXT", default="", help="forms whose names have it")
    options = parser.parse_args()
    print("| | tokens | forced | steps saved | time | without: tokens | time | as many tokens | same |")
    print("|---|---|---|---|---|---|---|---|---|")
    for name, (question, fields) in FORMS.items():
        if options.only not in name:
            continue
        answers, times = measure(options, question, fields)
        fast, slow = answers[True], answers[False]
        if slow.get("eval_forced_count"):
            sys.exit(f"{name}: tokens were forced that should not have been")
        same = said(fast) == said(slow)
        print(
            f"| {name} | {fast['eval_count']} | {fast.get('eval_forced_count', 0)} | "
            f"{fast.get('eval_saved_steps', 0)} | {times[True]:.0f} ms | {slow['eval_count']} | "
            f"{times[False]:.0f} ms | {times[False] / slow['eval_count'] * fast['eval_count']:.0f} ms | {'yes' if same else 'no'} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
