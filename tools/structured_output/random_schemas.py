"""Schemas drawn at random, of all keywords that are held, and instances near them.

Everything is small (five names, short strings, whole numbers and quarters around zero), so that an instance
often meets a schema that it was not made for. Numbers with a point are `Decimal`, as they are read from text.
"""
import itertools
import json
import random
from decimal import Decimal

NAMES = ["a", "b", "c", "d", "ab"]
CHARACTERS = ["a", "b", "c", "B", "1", "-", " ", "é", "日", "\"", "\\", "\n"]
PATTERNS = ["^a", "b$", "^[a-c]+$", "[0-9]", "^a.c$", "^(ab|ba)*$", "^.{2,3}$", "a|^b", "^\\w+$", "\\d{1,2}", "^[^a]*$",
            "^$", "^a?b*$", "é", "^\\S+$"]
NAME_PATTERNS = ["^a", "b$", "^[a-c]$", "d", "^.$", "^..$", "^x"]
STRINGS_OF_FORMATS = {
    "date": ["2024-02-29", "2023-02-29", "2024-13-01", "2024-1-01"],
    "uuid": ["123e4567-e89b-12d3-a456-426614174000", "123e4567e89b12d3a456426614174000", "123e4567"],
    "ipv4": ["127.0.0.1", "256.0.0.1", "1.2.3", "01.2.3.4"],
}
TYPES = ["object", "array", "string", "number", "integer", "boolean", "null"]


def text_of(value):
    """JSON without blanks; a `Decimal` as it is written."""
    if isinstance(value, Decimal):
        return str(value)
    if isinstance(value, dict):
        return "{" + ",".join(json.dumps(k, ensure_ascii=False) + ":" + text_of(v) for k, v in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(text_of, value)) + "]"
    return json.dumps(value, ensure_ascii=False)


class Drawer:
    """Draws from one seed. `draft7` writes the keywords that later drafts renamed as the seventh has them."""

    def __init__(self, seed, draft7):
        self.random = random.Random(seed)
        self.draft7 = draft7
        self.definitions = {}

    def chance(self, share):
        return self.random.random() < share

    def document(self):
        self.definitions = {name: None for name in self.random.sample(["p", "q", "r"], self.random.choice([0, 0, 1, 2]))}
        schema = self.schema(self.random.choice([1, 2, 2, 3]))
        if isinstance(schema, bool):
            schema = {"allOf": [schema]}
        for name in self.definitions:
            self.definitions[name] = self.schema(1)
            if name == "q" and not self.draft7:
                part = self.definitions[name]
                self.definitions[name] = {"$anchor": "named"} | (part if isinstance(part, dict) else {"allOf": [part]})
        if self.definitions:
            schema["definitions" if self.draft7 else "$defs"] = self.definitions
        draft = "http://json-schema.org/draft-07/schema#" if self.draft7 else "https://json-schema.org/draft/2020-12/schema"
        return {"$schema": draft} | schema

    def schema(self, depth):
        kind = self.random.random()
        if kind < 0.03:
            return self.chance(0.7)
        if kind < 0.10 and self.definitions:
            return self.reference(depth)
        if depth > 0 and kind < 0.35:
            return self.combined(depth)
        return self.plain(depth)

    def reference(self, depth):
        name = self.random.choice(list(self.definitions))
        place = f"#/definitions/{name}" if self.draft7 else f"#/$defs/{name}"
        if not self.draft7 and name == "q" and self.chance(0.3):
            return self.random.choice([{"$ref": "#named"}, {"$dynamicRef": place}])
        if self.draft7 or self.chance(0.7):  # beside it nothing counted before 2019
            return {"$ref": place}
        return {"$ref": place} | self.plain(depth)

    def combined(self, depth):
        few = [self.schema(depth - 1) for _ in range(self.random.choice([1, 2, 2, 3]))]
        keyword = self.random.choice(["allOf", "anyOf", "oneOf", "oneOf", "not", "if"])
        if keyword == "not":
            out = {"not": few[0]}
        elif keyword == "if":
            out = {"if": few[0]}
            for way in ("then", "else"):
                if self.chance(0.7):
                    out[way] = self.schema(depth - 1)
        else:
            out = {keyword: few}
        if self.chance(0.5):
            beside = self.plain(depth)
            out = beside | out if isinstance(beside, dict) else out
        return out

    def plain(self, depth):
        kinds = ["string", "number", "integer", "boolean", "null", "listed"]
        if depth > 0:
            kinds += ["object"] * 5 + ["array"] * 4
        kind = self.random.choice(kinds)
        out = {}
        if kind == "listed":
            return self.listed(depth)
        if self.chance(0.8):
            out["type"] = kind if self.chance(0.85) else self.random.sample(TYPES, 2)
        if hasattr(self, kind):
            out |= getattr(self, kind)(depth)
        if kind == "integer":
            out |= self.number(depth)
        if self.chance(0.06):
            out |= self.random.choice([{"title": "T"}, {"default": 1}, {"x-more": {"type": "null"}}, {"description": "d"}])
        return out

    def some(self, *keywords, share=0.35):
        """Keywords with what makes their rules, each by chance."""
        return {name: make() for name, make in keywords if self.chance(share)}

    def count(self):
        return self.random.choice([0, 1, 1, 2, 2, 3])

    def listed(self, depth):
        if self.chance(0.4):
            return {"const": self.any(1)}
        out = {"enum": [self.any(1) for _ in range(self.random.randint(1, 5))]}
        if self.chance(0.3):
            out["type"] = self.random.choice(TYPES)
        if self.chance(0.3):
            out |= self.random.choice([{"minLength": 2}, {"pattern": "a"}, {"minimum": 1}, {"maxProperties": 1},
                                       {"uniqueItems": True}, {"maxItems": 1}])
        return out

    def string(self, depth):
        out = self.some(("minLength", self.count), ("maxLength", lambda: self.count() + 1),
                        ("pattern", lambda: self.random.choice(PATTERNS)))
        if self.chance(0.15):
            out["format"] = self.random.choice(list(STRINGS_OF_FORMATS))
        return out

    def bound(self):
        value = self.random.randint(-4, 12)
        return value if self.chance(0.7) else Decimal(value) / 4

    def number(self, depth):
        out = self.some(("minimum", self.bound), ("maximum", self.bound), ("exclusiveMinimum", self.bound),
                        ("exclusiveMaximum", self.bound), share=0.25)
        if self.chance(0.25):
            out["multipleOf"] = self.random.choice([1, 2, 3, 5, Decimal("0.5"), Decimal("0.25"), Decimal("0.1"), Decimal("1.5")])
        return out

    def array(self, depth):
        part = lambda: self.schema(depth - 1)
        out = self.some(("minItems", self.count), ("maxItems", lambda: self.count() + 1), share=0.3)
        if self.chance(0.3):
            first = [part() for _ in range(self.random.randint(1, 2))]
            out["items" if self.draft7 else "prefixItems"] = first
            if self.chance(0.6):
                out["additionalItems" if self.draft7 else "items"] = part()
        elif self.chance(0.7):
            out["items"] = part()
        if self.chance(0.2):
            out["contains"] = part()
            if not self.draft7 and self.chance(0.3):
                out["minContains"] = self.random.choice([0, 1])
        if self.chance(0.03):
            out["uniqueItems"] = self.chance(0.8)
        if not self.draft7 and self.chance(0.08):
            out["unevaluatedItems"] = self.random.choice([False, part()])
        return out

    def object(self, depth):
        part = lambda: self.schema(depth - 1)
        names = lambda: self.random.sample(NAMES, self.random.randint(1, 3))
        out = {}
        if self.chance(0.8):
            out["properties"] = {name: part() for name in names()}
        out |= self.some(("required", names), share=0.4)
        out |= self.some(("additionalProperties", lambda: self.random.choice([False, True, part()])), share=0.4)
        out |= self.some(("patternProperties", lambda: {name: part() for name in self.random.sample(NAME_PATTERNS, self.random.randint(1, 2))}),
                         ("propertyNames", lambda: self.random.choice([{"pattern": self.random.choice(NAME_PATTERNS)}, {"maxLength": 1}, {"enum": names()}])),
                         ("minProperties", self.count), ("maxProperties", self.count), share=0.12)
        required = {self.random.choice(NAMES): names()}
        schemas = {self.random.choice(NAMES): part()}
        if self.chance(0.12):
            out["dependencies" if self.draft7 else "dependentRequired"] = required
        elif self.chance(0.12):
            out["dependencies" if self.draft7 else "dependentSchemas"] = schemas
        if not self.draft7 and self.chance(0.08):
            out["unevaluatedProperties"] = self.random.choice([False, part()])
        return out

    def any(self, depth):
        """A value without regard to a schema."""
        kind = self.random.randrange(7 if depth > 0 else 5)
        if kind == 0:
            return self.random.choice([None, True, False])
        if kind < 3:
            return self.random.randint(-4, 12) if self.chance(0.7) else Decimal(self.random.randint(-16, 48)) / 4
        if kind < 5:
            return "".join(self.random.choice(CHARACTERS) for _ in range(self.random.choice([0, 1, 1, 2, 2, 3, 4])))
        if kind == 5:
            return [self.any(depth - 1) for _ in range(self.random.choice([0, 1, 2, 2, 3]))]
        return {name: self.any(depth - 1) for name in self.random.sample(NAMES, self.random.randint(0, 3))}

    def near(self, schema, root, depth=4):
        """A value that tries to be valid; what it does not see, it does not meet."""
        if not isinstance(schema, dict) or depth <= 0 or self.chance(0.04):
            return self.any(1)
        schema = self.merged(schema, root)
        if "const" in schema:
            return schema["const"]
        if "enum" in schema:
            return self.random.choice(schema["enum"])
        types = schema.get("type") or self.implied(schema)
        kind = self.random.choice(types) if isinstance(types, list) else types
        if kind == "object":
            return self.near_object(schema, root, depth)
        if kind == "array":
            return self.near_array(schema, root, depth)
        if kind == "string":
            return self.near_string(schema)
        if kind in ("number", "integer"):
            return self.near_number(schema, kind)
        return None if kind == "null" else self.chance(0.5)

    def merged(self, schema, root):
        """It with one choice of its parts laid over it."""
        out = dict(schema)
        for _ in range(4):
            parts = []
            for keyword in ("$ref", "$dynamicRef"):
                if keyword in out:
                    name = out.pop(keyword).split("/")[-1]
                    parts.append((root.get("$defs") or root["definitions"])["q" if name == "#named" else name])
            parts += out.pop("allOf", [])
            for keyword in ("anyOf", "oneOf"):
                if keyword in out:
                    parts.append(self.random.choice(out.pop(keyword)))
            if "if" in out:
                condition = out.pop("if")
                parts += [condition, out.get("then")] if self.chance(0.6) else [out.get("else")]
            if not parts:
                break
            for part in parts:
                for keyword, rule in (part.items() if isinstance(part, dict) else ()):
                    if isinstance(rule, dict) and isinstance(out.get(keyword), dict):
                        out[keyword] = out[keyword] | rule
                    elif isinstance(rule, list) and isinstance(out.get(keyword), list) and keyword == "required":
                        out[keyword] = out[keyword] + rule
                    else:
                        out[keyword] = rule
        return out

    def implied(self, schema):
        for kind, keywords in {"object": ("properties", "required", "patternProperties", "minProperties"),
                               "array": ("items", "prefixItems", "contains", "minItems", "maxItems"),
                               "string": ("pattern", "minLength", "maxLength", "format"),
                               "number": ("minimum", "maximum", "multipleOf")}.items():
            if any(keyword in schema for keyword in keywords):
                return kind
        return TYPES

    def near_object(self, schema, root, depth):
        properties = schema.get("properties", {})
        names = [name for name in properties if name in schema.get("required", []) or self.chance(0.6)]
        names += [name for name in schema.get("required", []) if name not in names and self.chance(0.95)]
        if self.chance(0.35):
            names += [name for name in self.random.sample(NAMES, 1) if name not in names]
        out = {}
        for name in names:
            rule = properties.get(name, schema.get("additionalProperties", True))
            out[name] = self.near(rule, root, depth - 1)
        return out

    def near_array(self, schema, root, depth):
        items = schema.get("items", True)
        first = schema.get("prefixItems", []) if not isinstance(items, list) else items
        rest = schema.get("additionalItems", True) if isinstance(items, list) else items
        least = schema.get("minItems", 0)
        n_items = self.random.randint(least, max(least, min(schema.get("maxItems", 3), least + 3)))
        out = [self.near(first[i] if i < len(first) else rest, root, depth - 1) for i in range(n_items)]
        if "contains" in schema and out and self.chance(0.8):
            out[self.random.randrange(len(out))] = self.near(schema["contains"], root, depth - 1)
        return out

    def near_string(self, schema):
        if "format" in schema and self.chance(0.9):
            return self.random.choice(STRINGS_OF_FORMATS[schema["format"]])
        least = schema.get("minLength", 0)
        length = self.random.randint(least, max(least, min(schema.get("maxLength", 4), least + 3)))
        letters = CHARACTERS[:5] if "pattern" in schema else CHARACTERS
        return "".join(self.random.choice(letters) for _ in range(length))

    def near_number(self, schema, kind):
        step = schema.get("multipleOf")
        if step and self.chance(0.7):
            value = step * self.random.randint(-3, 10)
            return int(value) if value == int(value) and self.chance(0.9) else value
        bounds = [schema[k] for k in ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum") if k in schema]
        value = self.random.choice(bounds) + self.random.randint(-2, 2) if bounds else self.random.randint(-4, 12)
        if kind == "number" and self.chance(0.3):
            value += self.random.choice([Decimal("0.5"), Decimal("0.25"), Decimal("0.1"), Decimal("0.001"), Decimal("1.0")])
        return value

    def changed(self, value):
        """It with one part replaced, dropped or added."""
        if isinstance(value, dict) and value and self.chance(0.8):
            name = self.random.choice(list(value))
            if self.chance(0.4):
                return {k: v for k, v in value.items() if k != name}
            return value | {name: self.changed(value[name])}
        if isinstance(value, list) and value and self.chance(0.8):
            place = self.random.randrange(len(value))
            if self.chance(0.3):
                return value[:place] + value[place + 1:]
            if self.chance(0.2):
                return value + [value[place]]
            return value[:place] + [self.changed(value[place])] + value[place + 1:]
        if isinstance(value, (int, Decimal)) and not isinstance(value, bool) and self.chance(0.7):
            return value + self.random.choice([1, -1, Decimal("0.5"), Decimal("0.001")])
        if isinstance(value, str) and self.chance(0.7):
            return value[:-1] if self.chance(0.5) else value + self.random.choice(CHARACTERS)
        return self.any(1)


def spellings(value, limit=5000):
    """The same value with its properties in other orders and its whole numbers without a point."""
    return itertools.islice(every_spelling(value), limit)


def every_spelling(value):
    if isinstance(value, dict):
        for order in itertools.permutations(value):
            for values in itertools.product(*(list(spellings(value[name], 120)) for name in order)):
                yield dict(zip(order, values))
    elif isinstance(value, list):
        for values in itertools.product(*(list(spellings(item, 120)) for item in value)):
            yield list(values)
    elif isinstance(value, Decimal) and value == int(value):
        yield int(value)
    else:
        yield value
