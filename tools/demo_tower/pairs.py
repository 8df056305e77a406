"""What is asked about two pictures, and the one right answer.

Two pictures are the same if they show the same number of the same shapes in the same colour, or the same text in the same colour,
wherever it stands and however large it is. To answer, the model first says what both show: it learned to compare words far sooner than pictures.
"""

import dataclasses

from lessons import PLURALS, phrase
from scenes import COLOURS, COUNTS, SHAPES, WORDS

WHICH = ("Which picture shows {}, the first or the second?", "Which picture shows {}?")
SAME = ("Are the two pictures the same?", "Are the two pictures the same? Answer yes or no.", "Are they the same?")
DIFFERS = ("What differs?", "What is different?")
EACH = ("What is in the {} picture?",)
BOTH = ("What is in the pictures?", "What is in both pictures?")
SKILLS = {"which": "which picture shows it", "same": "the same or not", "differs": "what differs", "each": "what is in one of them",
          "both": "what is in both"}
THEREFORE = ". "                                     # between what both show and what follows from it
BOTH_SHARE = 0.3                                     # of pairs that are asked what both show, and no more


def kind_of(scene):
    return scene.shape or ("word" if scene.kind == "word" else "number")


def told_by(scene):
    """What a picture can be told by, phrases for WHICH: what has to be looked at in both pictures to know."""
    said = {f"something {scene.colour}": lambda scene: scene.colour}
    if scene.shape:
        phrases = {f"a {scene.shape}", f"a {scene.shape}" if scene.count == 1 else PLURALS[scene.shape]}
        n = "1 shape" if scene.count == 1 else f"{scene.count} shapes"
        return said | dict.fromkeys(phrases, kind_of) | {n: lambda scene: str(scene.count) if scene.shape else kind_of(scene)}
    return said | {f"a {kind_of(scene)}": kind_of, f"the {kind_of(scene)} {scene.text}": lambda scene: scene.text or scene.shape}


def said(scene):
    """What a picture shows, in words: all that two pictures can be compared by."""
    return f"the {scene.colour} {'word' if scene.kind == 'word' else 'number'} {scene.text}" if scene.text else phrase(scene)


def differences(first, second):
    """What differs between two pictures of one kind, in words; None where they have nothing in common to compare."""
    if bool(first.shape) != bool(second.shape) or (first.kind == "word") != (second.kind == "word"):
        return None
    kind = "word" if first.kind == "word" else "number"
    told = [("colour", first.colour != second.colour), ("shape", first.shape != second.shape), ("number", first.count != second.count),
            (kind, first.text != second.text)]
    names = [f"the {name}" for name, differs in told if differs]
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names) or "nothing"


def changed(scene, rng, most=3):
    """A scene of the same kind of which one or more things differ, most often one."""
    names = rng.sample(("colour", "shape", "count") if scene.shape else ("colour", "text"), 3 if scene.shape else 2)
    names = names[:min(most, rng.choice((1, 1, 1, 2, 3)))]
    other = lambda values, old: rng.choice([v for v in values if v != old])
    new = {"colour": lambda: other(COLOURS, scene.colour), "shape": lambda: other(SHAPES, scene.shape),
           "count": lambda: other(COUNTS, scene.count),
           "text": lambda: other(WORDS if scene.kind == "word" else
                                 [str(i) for i in (range(10) if scene.kind == "digit" else range(10, 100))], scene.text)}
    return dataclasses.replace(scene, **{name: new[name]() for name in names})


def about_pair(first, second, rng):
    """(skill, question, answer): some of the questions that two scenes have."""
    one, other = told_by(first), told_by(second)
    told = [(what, "first") for what in sorted(one.keys() - other)] + [(what, "second") for what in sorted(other.keys() - one)]
    rows = []
    if told:
        what, place = rng.choice(told)
        look = (one | other)[what]
        rows.append(("which", rng.choice(WHICH).format(what), f"{look(first)} and {look(second)}{THEREFORE}The {place}"))
    both = f"{said(first)} and {said(second)}"
    same, differs = first == second, differences(first, second)
    if same or rng.random() < 0.6:
        rows.append(("same", rng.choice(SAME), both + THEREFORE + ("Yes" if same else "No")))
    if differs and (not same or rng.random() < 0.5):
        rows.append(("differs", rng.choice(DIFFERS), both + THEREFORE + differs.capitalize()))
    place, scene = rng.choice((("first", first), ("second", second)))
    rows.append(("each", rng.choice(EACH).format(place), said(scene)))
    if rng.random() < BOTH_SHARE:
        rows.append(("both", rng.choice(BOTH), both))
    return rows


def in_words(first, second, rng):
    """(skill, words that tell what two pictures show, question, answer): one question about them that needs no picture."""
    rows = [row for row in about_pair(first, second, rng) if THEREFORE in row[2]] or about_pair(first, second, rng)
    skill, question, answer = rng.choice(rows)
    one, other = said(first), said(second)
    told = rng.choice((f"The first picture shows {one}, the second {other}.", f"One picture shows {one} and the other {other}.",
                       f"First picture: {one}. Second picture: {other}."))
    return skill, told, question, answer
