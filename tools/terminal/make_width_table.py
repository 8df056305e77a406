#!/usr/bin/env python3
"""Writes src/terminal/width_table.inl: how many columns a terminal gives to a character, of the Unicode
that this Python knows. Wide (two columns) are East Asian Wide and Fullwidth; no column take marks that
are drawn over the character before (Mn, Me), what is not drawn at all (Cf) but the soft hyphen, and the
vowels and finals of Hangul that join a consonant before. All others take one.
  tools/terminal/make_width_table.py >src/terminal/width_table.inl"""
import sys
import unicodedata


def width(code):
    character = chr(code)
    if 0x1160 <= code <= 0x11FF or 0xD7B0 <= code <= 0xD7FF:
        return 0
    if unicodedata.category(character) in ("Mn", "Me", "Cf") and code != 0xAD:
        return 0
    if unicodedata.east_asian_width(character) in ("W", "F"):
        return 2
    # Planes of ideographs are wide as far as they go, also where nothing is assigned yet.
    return 2 if 0x20000 <= code <= 0x2FFFD or 0x30000 <= code <= 0x3FFFD else 1


def ranges(wanted):
    found = []
    for code in range(0x80, 0x110000):
        if 0xD800 <= code <= 0xDFFF or width(code) != wanted:
            continue
        if found and found[-1][1] == code - 1:
            found[-1][1] = code
        else:
            found.append([code, code])
    return found


def print_table(name, wanted):
    print(f"constexpr CodeRange {name}[] = {{")
    line = "   "
    for first, last in ranges(wanted):
        item = f" {{0x{first:X}, 0x{last:X}}},"
        if len(line) + len(item) > 100:
            print(line)
            line = "   "
        line += item
    print(line)
    print("};")


print(f"// Made by tools/terminal/make_width_table.py of Unicode {unicodedata.unidata_version}.")
print("// clang-format off")
print_table("kNoColumn", 0)
print_table("kTwoColumns", 2)
sys.exit(0)
