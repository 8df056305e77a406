"""Draws what the demo model learns to see: shapes of one kind and colour, or a digit.

A Scene says what is in a picture, `draw` makes the picture of it with Pillow. What is drawn is
decided by the random generator alone: the same seed gives the same scene and pixels, with the
same versions of Pillow and of the fonts.
"""

import dataclasses
import math
import random
import zlib

import numpy as np
from PIL import Image, ImageDraw, ImageFont

SHAPES = ("circle", "square", "triangle", "star", "cross", "heart")
COLOURS = {"red": (215, 30, 35), "green": (25, 150, 50), "blue": (35, 70, 215), "yellow": (245, 215, 25),
           "orange": (245, 130, 15), "purple": (130, 40, 165), "black": (15, 15, 15)}
MOST = 6                                             # shapes in a picture
COUNTS = (1, 1, 2, 2, 3, 3, 4, 4, 5, 6)              # few more often than many
SIDE = 48                                            # pixels of a soft token
# Debian's fonts-dejavu-core; None is the one that comes with Pillow (Aileron).
FONT_FOLDER = "/usr/share/fonts/truetype/dejavu/"
FONTS = ("DejaVuSans", "DejaVuSans-Bold", None)


@dataclasses.dataclass(frozen=True)
class Scene:
    """What is in a picture: `count` shapes, or a digit (then shape and count are empty)."""

    colour: str
    shape: str = ""
    count: int = 0
    digit: str = ""


def held_out(scene):
    """A sixth of the combinations of count, shape and colour is never trained on."""
    return bool(scene.shape) and zlib.crc32(f"{scene.count} {scene.shape} {scene.colour}".encode()) % 6 == 1


def make_scene(rng, split="train", digits=0.25):
    """A scene of the split ("train" or "test"); digits are in both, in other pictures. digits: their share."""
    while True:
        colour = rng.choice(list(COLOURS))
        if rng.random() < digits:
            return Scene(colour, digit=str(rng.randrange(10)))
        scene = Scene(colour, rng.choice(SHAPES), rng.choice(COUNTS))
        if held_out(scene) == (split == "test"):
            return scene


def outline(shape, rng):
    """The corners of a shape around the origin, about one in radius."""
    if shape == "circle":
        return [(math.cos(t * math.pi / 24), math.sin(t * math.pi / 24)) for t in range(48)]
    if shape == "square":
        return [(-0.85, -0.85), (0.85, -0.85), (0.85, 0.85), (-0.85, 0.85)]
    if shape == "triangle":
        return [(0, -1), (0.95, 0.75), (-0.95, 0.75)]
    if shape == "star":
        inner = rng.uniform(0.38, 0.5)
        return [((1 if i % 2 == 0 else inner) * math.sin(i * math.pi / 5),
                 -(1 if i % 2 == 0 else inner) * math.cos(i * math.pi / 5)) for i in range(10)]
    if shape == "cross":
        a = rng.uniform(0.22, 0.36)
        return [(-a, -1), (a, -1), (a, -a), (1, -a), (1, a), (a, a), (a, 1), (-a, 1), (-a, a), (-1, a), (-1, -a), (-a, -a)]
    points = []                                      # a heart
    for i in range(48):
        t = i * math.pi / 24
        points.append((math.sin(t) ** 3, -(13 * math.cos(t) - 5 * math.cos(2 * t) - 2 * math.cos(3 * t)
                                           - math.cos(4 * t)) / 16 - 0.1))
    return points


def near(rng, base, by):
    """A colour near another one."""
    return tuple(min(255, max(0, c + rng.randint(-by, by))) for c in base)


def paper_of(rng):
    """White or something pale."""
    return (255, 255, 255) if rng.random() < 0.5 else tuple(rng.randint(222, 255) for _ in range(3))


def place(rng, count, width, height):
    """Centers and radii (in pixels) of shapes that do not touch each other or the border."""
    side = min(width, height)
    top = {1: 0.42, 2: 0.26, 3: 0.22, 4: 0.19, 5: 0.17, 6: 0.15}[count]
    shared = rng.uniform(0.1, top)
    while True:
        placed = []
        for _ in range(count * 30):
            r = side * (shared if rng.random() < 0.5 else min(top, max(0.09, shared * rng.uniform(0.7, 1.3))))
            x, y = rng.uniform(r * 1.08, width - r * 1.08), rng.uniform(r * 1.08, height - r * 1.08)
            if all(math.hypot(x - a, y - b) > (r + s) * 1.12 + side * 0.02 for a, b, s in placed):
                placed.append((x, y, r))
                if len(placed) == count:
                    return placed
        shared = max(0.09, shared * 0.85)


def draw_shapes(scene, rng, image, ink):
    """Draws the shapes; returns where they are, as shares of the width and height."""
    width, height = image.size
    pen, marks = ImageDraw.Draw(image), []
    for x, y, r in place(rng, scene.count, width, height):
        turn = math.radians(rng.uniform(-14, 14))
        c, s = math.cos(turn), math.sin(turn)
        pen.polygon([(x + r * (a * c - b * s), y + r * (a * s + b * c)) for a, b in outline(scene.shape, rng)], fill=ink)
        marks.append((x / width, y / height))
    return marks


# Digits as strokes of a pen, in a box one wide and one high.
STROKES = {
    "0": [[(.5, 0), (.15, .15), (.05, .5), (.15, .85), (.5, 1), (.85, .85), (.95, .5), (.85, .15), (.5, 0)]],
    "1": [[(.25, .2), (.55, 0), (.55, 1)]],
    "2": [[(.1, .25), (.3, .03), (.65, 0), (.9, .2), (.85, .45), (.1, 1), (.95, 1)]],
    "3": [[(.1, .1), (.5, 0), (.88, .15), (.85, .38), (.45, .48), (.9, .6), (.92, .85), (.5, 1), (.08, .88)]],
    "4": [[(.65, 0), (.05, .65), (.95, .65)], [(.7, .35), (.7, 1)]],
    "5": [[(.9, 0), (.2, 0), (.15, .42), (.55, .38), (.9, .55), (.88, .85), (.5, 1), (.08, .9)]],
    "6": [[(.8, .03), (.4, .15), (.1, .55), (.15, .88), (.5, 1), (.88, .85), (.85, .58), (.5, .48), (.14, .65)]],
    "7": [[(.05, 0), (.95, 0), (.4, 1)]],
    "8": [[(.5, .48), (.15, .3), (.2, .08), (.5, 0), (.8, .08), (.85, .3), (.5, .48), (.1, .68), (.12, .9), (.5, 1),
           (.88, .9), (.9, .68), (.5, .48)]],
    "9": [[(.85, .35), (.5, .52), (.15, .4), (.12, .15), (.5, 0), (.85, .12), (.85, .35), (.75, .75), (.45, 1)]],
}


def write_strokes(pen, rng, character, x0, y0, wide, tall, line, ink, slant):
    """Draws a digit with a pen that trembles."""
    for stroke in STROKES[character]:
        points = []
        for a, b in stroke:
            a, b = a + rng.uniform(-0.05, 0.05) + slant * (0.5 - b), b + rng.uniform(-0.04, 0.04)
            points.append((x0 + a * wide, y0 + b * tall))
        pen.line(points, fill=ink, width=line, joint="curve")
        for x, y in (points[0], points[-1]):
            pen.ellipse((x - line / 2, y - line / 2, x + line / 2, y + line / 2), fill=ink)


def draw_by_hand(digit, rng, image, ink):
    """Writes the digit with a pen that trembles; returns where."""
    width, height = image.size
    slot = min(width * rng.uniform(0.65, 0.95), height * 0.6)
    tall = min(height * 0.7, slot * rng.uniform(1.1, 1.8))
    wide = slot * rng.uniform(0.62, 0.8)
    left, top = rng.uniform(0.02 * width, width * 0.98 - slot), rng.uniform(height * 0.05, height * 0.95 - tall * 1.3)
    line = max(2, round(wide * rng.uniform(0.1, 0.24)))
    slant = rng.uniform(-0.12, 0.2)
    x0, y0 = left + (slot - wide) / 2, top + rng.uniform(-0.03, 0.03) * tall
    write_strokes(ImageDraw.Draw(image), rng, digit, x0, y0, wide, tall, line, ink, slant)
    return [((x0 + wide / 2) / width, (y0 + tall / 2) / height)]


def font_of(name, size):
    return ImageFont.truetype(FONT_FOLDER + name + ".ttf", size) if name else ImageFont.load_default(size)


def draw_in_font(digit, rng, image, ink):
    """Writes the digit with a font; returns where."""
    width, height = image.size
    name, share = rng.choice(FONTS), rng.uniform(0.25, 0.6)
    box = font_of(name, 100).getbbox(digit)
    size = int(100 * min(width * share / (box[2] - box[0]), height * 0.85 / (box[3] - box[1])))
    font = font_of(name, max(size, 10))
    box = font.getbbox(digit)
    x = rng.uniform(width * 0.02, max(width * 0.02, width * 0.98 - (box[2] - box[0]))) - box[0]
    y = rng.uniform(height * 0.03, max(height * 0.03, height * 0.97 - (box[3] - box[1]))) - box[1]
    ImageDraw.Draw(image).text((x, y), digit, fill=ink, font=font)
    return [((x + font.getlength(digit) / 2) / width, (y + (box[1] + box[3]) / 2) / height)]


def draw(scene, rng, columns=8, rows=8):
    """(uint8 [rows * 48, columns * 48, 3], marks): the picture as the tower sees it, drawn smaller or larger."""
    scale = rng.choice((0.6, 0.8, 1, 1, 1.4, 2))
    width, height = columns * SIDE, rows * SIDE
    w, h = round(width * scale), round(height * scale)
    ink = near(rng, COLOURS[scene.colour], 14)
    image = Image.new("RGB", (w, h), paper_of(rng))
    if scene.shape:
        marks = draw_shapes(scene, rng, image, ink)
    else:
        marks = (draw_by_hand if rng.random() < 0.6 else draw_in_font)(scene.digit, rng, image, ink)
    if (w, h) != (width, height):
        image = image.resize((width, height), Image.Resampling.BICUBIC)
    return np.asarray(image), marks


if __name__ == "__main__":
    import sys
    rng = random.Random(3)
    sheet = Image.new("RGB", (8 * 200, 4 * 200), (128, 128, 128))
    for i in range(32):
        image = Image.fromarray(draw(make_scene(rng), rng)[0])
        image.thumbnail((190, 190))
        sheet.paste(image, (i % 8 * 200, i // 8 * 200))
    sheet.save(sys.argv[1])
