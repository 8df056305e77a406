"""Digits and letters as strokes of a pen: those with which the battery of `pleiad eval` writes, read from its source."""

import pathlib
import re

SOURCE = pathlib.Path(__file__).resolve().parents[2] / "src/eval/pictures/handwriting.cc"
DRAWN = re.compile(r"""\{'(.)',\s*((?:"[^"]*"\s*)+)\}""")    # {'0', "x,y x,y ; x,y" "x,y"}: percent of a box; a semicolon lifts the pen


def read(source=SOURCE):
    """By character its strokes, each a list of points (x, y) as shares of a box. Letters stand on 1 and reach down to 1.3."""
    drawn = {character: "".join(re.findall('"([^"]*)"', strings)) for character, strings in DRAWN.findall(source.read_text())}
    assert len(drawn) == 36, f"{source}: {len(drawn)} characters, where ten digits and 26 letters were expected"
    return {character: [[tuple(int(p) / 100 for p in point.split(",")) for point in stroke.split()] for stroke in strokes.split(";")]
            for character, strokes in drawn.items()}


STROKES = read()
