#!/usr/bin/env python3
"""Writes src/constrain/texts/unicode_table.inl: which characters have the properties that \\p{..} of regular
expressions names, of the Unicode that this Python knows. General categories are those of `unicodedata`, scripts and
other properties those of a Perl that knows the same Unicode; where the two differ in the categories, nothing is written.
  tools/structured_output/unicode_properties.py >src/constrain/texts/unicode_table.inl"""
import itertools
import string
import subprocess
import sys
import textwrap
import unicodedata

CATEGORIES = ("Lu Ll Lt Lm Lo Mn Mc Me Nd Nl No Pc Pd Ps Pe Pi Pf Po Sm Sc Sk So Zs Zl Zp Cc Cf Cs Co Cn").split()
SCRIPTS = ("Arabic Armenian Bengali Bopomofo Cyrillic Devanagari Ethiopic Georgian Greek Gujarati Gurmukhi Han Hangul "
           "Hebrew Hiragana Kannada Katakana Khmer Lao Latin Malayalam Mongolian Myanmar Sinhala Tamil Telugu Thai "
           "Tibetan").split()
# Binary ones, their short names, and the categories that they contain whole, which are not written twice.
BINARY = [("Alphabetic", "Alpha", "Lu Ll Lt Lm Lo Nl"), ("Lowercase", "Lower", "Ll"), ("Uppercase", "Upper", "Lu"),
          ("White_Space", "space", "Zs Zl Zp"), ("Emoji", "Emoji", ""), ("Emoji_Component", "EComp", ""),
          ("Emoji_Modifier", "EMod", ""), ("Emoji_Modifier_Base", "EBase", ""), ("Emoji_Presentation", "EPres", ""),
          ("Extended_Pictographic", "ExtPict", ""), ("Hex_Digit", "Hex", "")]
N_CHARACTERS = 0x110000


def from_perl(expression):
    program = f"use Unicode::UCD qw(prop_invlist prop_value_aliases); print {expression};"
    return subprocess.run(["perl", "-e", program], check=True, capture_output=True, text=True).stdout


def perl_set(name):
    """A bit for each character."""
    bits = bytearray(N_CHARACTERS)
    cuts = [int(cut) for cut in from_perl(f"join(' ', prop_invlist('{name}'))").split()] + [N_CHARACTERS]
    for first, end in zip(cuts[::2], cuts[1::2]):
        bits[first:end] = b"\1" * (end - first)
    return bits


def runs_of(bits):
    """How many have it not, have it, have it not, ..."""
    lengths = [len(list(run)) for _, run in itertools.groupby(bits)]
    if bits[0]:
        lengths.insert(0, 0)
    return " ".join(map(str, lengths if bits[-1] else lengths[:-1]))


def literal(text):
    return "\n".join(f'    "{line}"' for line in textwrap.wrap(text, 92, drop_whitespace=False, break_on_hyphens=False))


def main():
    if from_perl("Unicode::UCD::UnicodeVersion()") != unicodedata.unidata_version:
        sys.exit("Python and Perl know different versions of Unicode")
    categories = [unicodedata.category(chr(code)) for code in range(N_CHARACTERS)]
    letters = dict(zip(CATEGORIES, string.ascii_letters))
    sets = {}
    for name in CATEGORIES:
        sets[name] = bytearray(category == name for category in categories)
        if sets[name] != perl_set(f"General_Category={name}"):
            sys.exit(f"Python and Perl differ in {name}")
    print(f"// Made by tools/structured_output/unicode_properties.py of Unicode {unicodedata.unidata_version}.")
    print("// clang-format off")
    print("// Runs of characters with one category, from U+0000: how many (none: one), and a letter for which.")
    print("constexpr std::string_view kCategoryRuns =")
    runs = [(name, len(list(run))) for name, run in itertools.groupby(categories)]
    print(literal("".join(f"{'' if n == 1 else n}{letters[name]}" for name, n in runs)) + ";")
    print("// How many characters, from U+0000, have it not, have it, have it not, ...")
    print("constexpr UnicodeSet kScripts[] = {")
    for name in SCRIPTS:
        alias = from_perl(f"join('', (prop_value_aliases('Script', '{name}'))[0])")
        print(f'  {{"{name}", "{alias}", "",\n{literal(runs_of(perl_set(f"Script={name}")))}}},')
    print("};\nconstexpr UnicodeSet kBinaryProperties[] = {")
    for name, alias, whole in BINARY:
        bits = perl_set(name)
        for category in whole.split():
            bits = bytearray(bit and not other for bit, other in zip(bits, sets[category]))
        print(f'  {{"{name}", "{alias}", "{"".join(letters[category] for category in whole.split())}",')
        print(f"{literal(runs_of(bits))}}},")
    print("};")


if __name__ == "__main__":
    main()
