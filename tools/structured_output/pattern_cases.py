#!/usr/bin/env python3
"""What Python's `re` finds patterns with look-aheads and word boundaries in, for a test.

    tools/structured_output/pattern_cases.py > src/constrain/texts/pattern_test_cases.inl

Each pattern comes with a bit for each text of up to four of the characters a, b, - and ", the
shorter ones first: hexadecimal digits, the first text in the lowest bit of the first digit.
"""
import itertools
import random
import re

CHARACTERS = 'ab-"'
TEXTS = ["".join(text) for n in range(5) for text in itertools.product(CHARACTERS, repeat=n)]

CHOSEN = [
    r"(?=a)", r"(?!a)", r"a(?=b)", r"a(?!b)", r"^a(?=b)", r"^a(?!b)", r"^a(?!b)$",
    r"(?=a$)", r"a(?!.)", r"^(?!.*a)", r"^(?:(?!ab).)*$", r"^(?:(?!ab).)*b$",
    r"^(?:a(?=-|b)|b(?!b)|-)*$", r"^(?:(?=a)a|(?!a)[^a])+$", r"^(?:a(?=b)|b(?=a|$))*$",
    r"^(?=.*a)(?=.*b)(?!.*-).*$", r"^-(?=(?:a|b)*$)", r"^a?(?=(?!b)[ab])", r"(?!(?!a)).b?$",
    r"^(?!(?:a|b)$|-)", r"^(?:a|b(?=a))+-?$", r"(?:(?=a)|b)-?$", r"^(?:(?=a)){3}a",
    r"(?=$)", r"(?=^a)", r"-(?=^a|b)", r"^(?:a(?!$))*$", r"^((?!a)|b)*$", r"((a|b)(?=-))+-a",
    r"\b", r"\B", r"^\b", r"\b$", r"^\B$", r"\ba", r"a\b", r"\Ba", r"a\B", r"^\B", r"\B-\B",
    r"a\b-", r"^(?:\b.)+$", r"^(?:a\b|-|b\B)*$", r"^.\b.$", r"(?=\b)-", r"(?!\b)a",
    r"^-?(?=\ba|\B-)", r"a(?=.\b)", r"^(?:-(?!\b)|a)*$", r"(?=\Ba)ab?\b", r"(\b)(^|-)a",
    r'"\b', r'^"\B"', r"($)(^)", r"(^)($)|a-\b", r"^(?:a|$)\b", r"^(?!.*\b-\b).+$",
]


def random_pattern(rand, depth):
    """Of groups, conditions and repetitions, so many inside each other."""
    def one():
        kind = rand.randrange(12 if depth else 6)
        if kind < 4:
            return rand.choice(["a", "b", "-", '"', "[ab]", "[^a]", ".", r"\w", r"\W"])
        if kind < 6:
            return rand.choice([r"\b", r"\B", "^", "$"] + [r"\b", r"\B"] * 2)
        inside = random_pattern(rand, depth - 1)
        if kind < 9:
            return rand.choice(["(?=", "(?!"]) + inside + ")"
        return f"(?:{inside})" + rand.choice(["", "", "*", "+", "?", "{2}", "{1,2}"])

    def part():
        return "".join(one() for _ in range(rand.randrange(1, 4)))

    return "|".join(part() for _ in range(rand.choice([1, 1, 1, 2])))


def found_in(pattern):
    """One bit for each text."""
    # In ECMAScript '$' is the end of the text alone, and \B holds in the empty text.
    expected = re.compile(pattern.replace("$", r"\Z").replace(r"\B", r"(?!\b)"), re.ASCII)
    return [expected.search(text) is not None for text in TEXTS]


def main():
    rand = random.Random(29)
    patterns = list(CHOSEN)
    while len(patterns) < 240:
        pattern = random_pattern(rand, 3)
        n_found = sum(found_in(pattern))
        # One that finds all or nothing says little.
        if 3 < n_found < len(TEXTS) - 3 and len(pattern) < 60:
            patterns.append(pattern)
    print("// Made by tools/structured_output/pattern_cases.py.")
    print("// clang-format off")
    for pattern in patterns:
        bits = found_in(pattern)
        digits = [sum(bit << i for i, bit in enumerate(bits[at:at + 4]))
                  for at in range(0, len(bits), 4)]
        print(f'{{R"!({pattern})!",\n "{"".join(f"{digit:x}" for digit in digits)}"}},')


if __name__ == "__main__":
    main()
