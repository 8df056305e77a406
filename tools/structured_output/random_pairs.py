#!/usr/bin/env python3
"""Schemas and instances drawn at random: does a grammar take what an independent validator finds valid?

    tools/structured_output/random_pairs.py [--pairs 100000] [--seed 1] [--log FILE]

Half of the schemas are of draft 2020-12, half of draft 7 (random_schemas.py). Of each up to ten instances are asked
about, valid and invalid ones as evenly as they come, of the grammar as the standard reads schemas and as requests do;
and the first grammar writes replies of its own, which the validator judges. A valid instance that is refused is
written in other orders of its properties, and with its whole numbers without a point, before it counts as one.
Prints a table of keywords (pairs under schemas that have them) and what differs. Exits with 1 where a grammar takes
what is invalid without a warning, where a reply is invalid, has a name twice or cannot go on, or where a valid
instance is taken in no spelling: but for schemas with `not`, `oneOf` or `if`, where docs/structured-output.md says which
may be missing.
Needs jsonschema of requirements.txt.
"""
import argparse
import collections
import decimal
import json
import re
import sys
from decimal import Decimal

import engines
import jsonschema
from random_schemas import Drawer, spellings, text_of

PER_SCHEMA = 10
# What multiples are exact of: numbers with exponents, too. Of this thread and of those to come.
decimal.DefaultContext.prec = 2000
decimal.setcontext(decimal.DefaultContext)
FORMATS = jsonschema.FormatChecker(["date", "ipv4"])
# The package's own takes dashes anywhere.
FORMATS.checks("uuid")(lambda text: not isinstance(text, str) or re.fullmatch("[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}", text))
KEYWORDS = """type enum const minLength maxLength pattern format minimum maximum exclusiveMinimum exclusiveMaximum multipleOf
 properties required additionalProperties patternProperties propertyNames minProperties maxProperties dependentRequired
 dependentSchemas dependencies unevaluatedProperties items prefixItems additionalItems minItems maxItems contains minContains
 uniqueItems unevaluatedItems allOf anyOf oneOf not if $ref $dynamicRef $anchor""".split()
OF_SCHEMAS = {"properties", "patternProperties", "dependentSchemas", "dependencies", "$defs", "definitions"}


def in_python(pattern):
    """A pattern of ECMAScript as one of `re`, which reads these in other ways."""
    spaces = "\\t\\n\\v\\f\\r \u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"
    others = {"\\w": "[A-Za-z0-9_]", "\\d": "[0-9]", "\\s": f"[{spaces}]", "\\S": f"[^{spaces}]", "$": "\\Z",
              ".": "[^\\n\\r\u2028\u2029]"}
    return re.sub(r"\\.|\[[^\]]*\]|[$.]", lambda found: others.get(found[0], found[0]), pattern)


def with_patterns_in_python(part):
    if isinstance(part, list):
        return [with_patterns_in_python(item) for item in part]
    if not isinstance(part, dict):
        return part
    out = {name: with_patterns_in_python(rule) for name, rule in part.items()}
    if isinstance(out.get("pattern"), str):
        out["pattern"] = in_python(out["pattern"])
    if "patternProperties" in out:
        out["patternProperties"] = {in_python(name): rule for name, rule in out["patternProperties"].items()}
    return out


def validator_of(schema):
    """The package's own, but that numbers with a point are exact and patterns are ECMAScript's."""
    schema = with_patterns_in_python(schema)
    kind = jsonschema.validators.validator_for(schema)
    whole = lambda _, value: (isinstance(value, int) and not isinstance(value, bool)) or \
        (isinstance(value, Decimal) and value == value.to_integral_value())
    kind = jsonschema.validators.extend(kind, type_checker=kind.TYPE_CHECKER.redefine("integer", whole))
    return kind(schema, format_checker=FORMATS)


def keywords_of(schema):
    """All that a schema has, however deep."""
    found = set()

    def look(part, of_schemas=False):
        if isinstance(part, list):
            for item in part:
                look(item)
        elif isinstance(part, dict):
            for name, rule in part.items():
                if not of_schemas:
                    found.add(name)
                if of_schemas or name not in ("enum", "const", "default"):
                    look(rule, not of_schemas and name in OF_SCHEMAS)

    look(schema)
    return found


def draw_instances(drawer, schema, validator):
    """[(value, whether it is valid)]; both kinds, where forty values give both."""
    sides, seen = {True: [], False: []}, set()
    for _ in range(40):
        value = drawer.near(schema, schema)
        if drawer.chance(0.5):
            value = drawer.changed(value)
        text = text_of(value)
        if text not in seen:
            seen.add(text)
            sides[validator.is_valid(value)].append(value)
        if min(map(len, sides.values())) >= PER_SCHEMA // 2:
            break
    n_valid = max(PER_SCHEMA // 2, PER_SCHEMA - len(sides[False]))
    valid = sides[True][:n_valid]
    return [(value, True) for value in valid] + [(value, False) for value in sides[False][:PER_SCHEMA - len(valid)]]


class Comparison:
    def __init__(self, options):
        self.options = options
        self.standard = engines.Pleiad(options.program, True, options.any_order)
        self.served = engines.Pleiad(options.program, False, options.any_order)
        self.totals = collections.Counter()
        self.keywords = collections.defaultdict(collections.Counter)
        self.n_shown = collections.Counter()

    def count(self, what, keywords):
        self.totals[what] += 1
        for keyword in keywords:
            self.keywords[keyword][what] += 1

    def differs(self, what, schema, text, more=""):
        self.n_shown[what] += 1
        line = json.dumps({"what": what, "schema": json.loads(text_of(schema)), "text": text, "more": more}, ensure_ascii=False)
        if self.options.log:
            print(line, file=self.options.log, flush=True)
        elif self.n_shown[what] <= 20:
            print(line)

    def schema(self, number):
        draft7 = number % 2 == 1
        drawer = Drawer(self.options.seed * 1_000_000 + number, draft7)
        schema = drawer.document()
        validator = validator_of(schema)
        keywords = keywords_of(schema) & set(KEYWORDS)
        try:
            pairs = draw_instances(drawer, schema, validator)
        except BaseException as error:
            # A reference that leads to itself; the validator's own part in Rust has a kind of error below Exception.
            if "RecursionError" not in repr(error):
                raise
            self.totals["schemas without end"] += 1
            return
        sent = json.loads(text_of(schema))
        texts = [text_of(value) for value, _ in pairs]
        answer = self.standard.ask(sent, texts, self.options.replies)
        self.count("schemas", keywords)
        if "failure" in answer:
            self.refused(answer["failure"], schema, pairs, keywords)
            return
        served = self.served.ask(sent, texts)
        for (value, valid), text, took, took_served in zip(pairs, texts, answer["took"], served.get("took", [False] * len(texts))):
            self.count("valid" if valid else "invalid", keywords)
            if valid:
                self.count(self.how_taken(sent, value, took, schema, text, keywords), keywords)
            for taken, notes, which in ((took, answer["notes"], "invalid, taken"),
                                        (took_served, served.get("notes"), "invalid, taken by requests")):
                if taken is True and not valid:
                    which += ", warned" if notes else ""
                    self.count(which, keywords)
                    self.differs(which, schema, text, notes)
        self.judge_written(answer.get("written") or [], answer["notes"], schema, validator, keywords)

    def refused(self, failure, schema, pairs, keywords):
        if any(valid for _, valid in pairs) or "no value" not in failure:
            self.count("refused", keywords)
            self.totals["refused: " + re.sub(r"^[^ ]*: |\"[^\"]*\"", "", failure)[:80]] += 1
            self.differs("refused", schema, "", failure)
        else:  # no value that is valid was found here either
            self.count("refused, nothing is valid", keywords)

    def how_taken(self, sent, value, took, schema, text, keywords):
        if took is True:
            return "valid, taken"
        others = [text_of(other) for other in spellings(value)]
        if True in self.standard.ask(sent, others)["took"]:
            return "valid, in another spelling"
        what = "valid, not taken"
        if keywords & {"not", "oneOf", "if"}:
            what += ", as documented"
        self.differs(what, schema, text, took)
        return what

    def judge_written(self, written, notes, schema, validator, keywords):
        for text in written:
            if text is None:
                self.totals["replies without end"] += 1
                continue
            self.count("written", keywords)
            if text.startswith("stuck: "):
                self.count("written, stuck", keywords)
                self.differs("written, stuck", schema, text)
            elif engines.repeats_a_name(text):
                self.count("written, a name twice", keywords)
                self.differs("written, a name twice", schema, text, notes)
            elif not validator.is_valid(json.loads(text, parse_float=Decimal)):
                what = "written, invalid" + (", warned" if notes else "")
                self.count(what, keywords)
                self.differs(what, schema, text, notes)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--replies", type=int, default=3, help="that the grammar of each schema writes")
    parser.add_argument("--any-order", action="store_true", help="grammars leave the order of properties open")
    parser.add_argument("--program", default="build/src/constrain/constrain_verdicts")
    parser.add_argument("--log", type=argparse.FileType("w"), help="a line of JSON for all that differs")
    options = parser.parse_args()
    comparison = Comparison(options)
    totals = comparison.totals
    number = 0
    while totals["valid"] + totals["invalid"] < options.pairs:
        comparison.schema(number)
        number += 1
    print("| keyword | schemas | refused | valid pairs | only in another spelling | not taken, as documented | not taken | invalid pairs | taken |")
    print("|---|---|---|---|---|---|---|---|---|")
    for name in [*KEYWORDS, "all"]:
        counts = totals if name == "all" else comparison.keywords[name]
        columns = ("schemas", "refused", "valid", "valid, in another spelling", "valid, not taken, as documented",
                   "valid, not taken", "invalid", "invalid, taken")
        print(f"| `{name}` | " + " | ".join(f"{counts[column]:,}" for column in columns) + " |")
    print(json.dumps(dict(sorted(totals.items())), indent=1))
    bad = ("valid, not taken", "invalid, taken", "invalid, taken by requests", "written, invalid", "written, a name twice",
           "written, stuck")
    return 1 if any(totals[what] for what in bad) else 0


if __name__ == "__main__":
    sys.exit(main())
