"""Draws what the demo model learns to see: shapes of one kind and colour, a digit, a number of two digits or a word.

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

from strokes import STROKES

SHAPES = ("circle", "square", "triangle", "star", "cross", "heart")
COLOURS = {"red": (215, 30, 35), "green": (25, 150, 50), "blue": (35, 70, 215), "yellow": (245, 215, 25),
           "orange": (245, 130, 15), "purple": (130, 40, 165), "black": (15, 15, 15)}
MOST = 6                                             # shapes in a picture
COUNTS = (1, 1, 2, 2, 3, 3, 4, 4, 5, 6)              # few more often than many
WORDS = ("apple", "bear", "boat", "moon", "cat", "cow", "dog", "door", "duck", "fish", "fox", "frog", "tree", "hat", "house", "king",
         "lamp", "lemon", "lion", "milk")
SIDE = 48                                            # pixels of a soft token
# Debian's fonts-dejavu-core; None is the one that comes with Pillow (Aileron).
FONT_FOLDER = "/usr/share/fonts/truetype/dejavu/"
FONTS = ("DejaVuSans", "DejaVuSans-Bold", None)


@dataclasses.dataclass(frozen=True)
class Scene:
    """What is in a picture: `count` shapes, or a text of digits or letters (then shape and count are empty)."""

    colour: str
    shape: str = ""
    count: int = 0
    text: str = ""

    @property
    def kind(self):
        """"shapes", "digit", "number" (of two digits) or "word"."""
        return "shapes" if self.shape else "word" if self.text.isalpha() else "digit" if len(self.text) == 1 else "number"


def held_out(scene):
    """A sixth of the combinations of count, shape and colour is never trained on, and a sixth of the numbers of two digits."""
    if scene.kind == "number":
        return zlib.crc32(scene.text.encode()) % 6 == 1
    return bool(scene.shape) and zlib.crc32(f"{scene.count} {scene.shape} {scene.colour}".encode()) % 6 == 1


def make_scene(rng, split="train", digits=0.25, numbers=0.0, words=0.0):
    """A scene of the split ("train" or "test"); digits and words are in both, in other pictures. digits, numbers (of two
    digits), words: their shares."""
    while True:
        colour, share = rng.choice(list(COLOURS)), rng.random()
        if share < digits:
            scene = Scene(colour, text=str(rng.randrange(10)))
        elif share < digits + numbers:
            scene = Scene(colour, text=str(rng.randrange(10, 100)))
        elif share < digits + numbers + words:
            scene = Scene(colour, text=rng.choice(WORDS))
        else:
            scene = Scene(colour, rng.choice(SHAPES), rng.choice(COUNTS))
        if scene.kind in ("digit", "word") or held_out(scene) == (split == "test"):
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
    """Draws the shapes; returns where they are."""
    width, height = image.size
    pen, boxes = ImageDraw.Draw(image), []
    for x, y, r in place(rng, scene.count, width, height):
        turn = math.radians(rng.uniform(-14, 14))
        c, s = math.cos(turn), math.sin(turn)
        pen.polygon([(x + r * (a * c - b * s), y + r * (a * s + b * c)) for a, b in outline(scene.shape, rng)], fill=ink)
        boxes.append(((x - r) / width, (y - r) / height, (x + r) / width, (y + r) / height))
    return boxes


def write_strokes(pen, rng, character, x0, y0, wide, tall, line, ink, slant):
    """Draws a character with a pen that trembles."""
    for stroke in STROKES[character]:
        points = []
        for a, b in stroke:
            a, b = a + rng.uniform(-0.05, 0.05) + slant * (0.5 - b), b + rng.uniform(-0.04, 0.04)
            points.append((x0 + a * wide, y0 + b * tall))
        pen.line(points, fill=ink, width=line, joint="curve")
        for x, y in (points[0], points[-1]):
            pen.ellipse((x - line / 2, y - line / 2, x + line / 2, y + line / 2), fill=ink)


def write_by_hand(text, rng, image, ink):
    """Writes it with a pen that trembles; returns where each character stands."""
    width, height = image.size
    slot = min(width * rng.uniform(0.65, 0.95) / len(text), height * 0.6)
    tall = min(height * 0.7, slot * rng.uniform(1.1, 1.8))
    wide = slot * rng.uniform(0.62, 0.8)
    left = rng.uniform(0.02 * width, width * 0.98 - slot * len(text))
    top = rng.uniform(height * 0.05, height * 0.95 - tall * 1.3)
    line = max(2, round(wide * rng.uniform(0.1, 0.24)))
    slant = rng.uniform(-0.12, 0.2)
    boxes, pen = [], ImageDraw.Draw(image)
    for i, character in enumerate(text):
        x, y = left + i * slot + (slot - wide) / 2, top + rng.uniform(-0.03, 0.03) * tall
        write_strokes(pen, rng, character, x, y, wide, tall, line, ink, slant)
        boxes.append((x / width, y / height, (x + wide) / width, (y + tall) / height))
    return boxes


def font_of(name, size):
    return ImageFont.truetype(FONT_FOLDER + name + ".ttf", size) if name else ImageFont.load_default(size)


def print_in_font(text, rng, image, ink):
    """Writes it with a font; returns where each character stands."""
    width, height = image.size
    name, share = rng.choice(FONTS), rng.uniform(0.25, 0.6) if len(text) == 1 else rng.uniform(0.4, 0.95)
    box = font_of(name, 100).getbbox(text)
    size = int(100 * min(width * share / (box[2] - box[0]), height * 0.85 / (box[3] - box[1])))
    font = font_of(name, max(size, 10))
    box = font.getbbox(text)
    x = rng.uniform(width * 0.02, max(width * 0.02, width * 0.98 - (box[2] - box[0]))) - box[0]
    y = rng.uniform(height * 0.03, max(height * 0.03, height * 0.97 - (box[3] - box[1]))) - box[1]
    ImageDraw.Draw(image).text((x, y), text, fill=ink, font=font)
    ends = [x + font.getlength(text[:i]) for i in range(len(text) + 1)]
    return [(a / width, (y + box[1]) / height, b / width, (y + box[3]) / height) for a, b in zip(ends, ends[1:])]


def draw(scene, rng, columns=8, rows=8):
    """(uint8 [rows * 48, columns * 48, 3], boxes): the picture as the tower sees it, drawn smaller or larger; and where each
    shape or character is: left, top, right and bottom as shares of the width and height."""
    scale = rng.choice((0.6, 0.8, 1, 1, 1.4, 2))
    width, height = columns * SIDE, rows * SIDE
    w, h = round(width * scale), round(height * scale)
    ink = near(rng, COLOURS[scene.colour], 14)
    image = Image.new("RGB", (w, h), paper_of(rng))
    if scene.shape:
        boxes = draw_shapes(scene, rng, image, ink)
    else:
        boxes = (write_by_hand if rng.random() < 0.6 else print_in_font)(scene.text, rng, image, ink)
    if (w, h) != (width, height):
        image = image.resize((width, height), Image.Resampling.BICUBIC)
    return np.asarray(image), boxes


if __name__ == "__main__":
    import sys
    rng = random.Random(3)
    sheet = Image.new("RGB", (8 * 200, 4 * 200), (128, 128, 128))
    for i in range(32):
        image = Image.fromarray(draw(make_scene(rng, "train", 0.2, 0.3, 0.3), rng, *rng.choice(((8, 8), (11, 5))))[0])
        image.thumbnail((190, 190))
        sheet.paste(image, (i % 8 * 200, i // 8 * 200))
    sheet.save(sys.argv[1])
