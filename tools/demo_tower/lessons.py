"""What is asked about a picture, and the one right answer."""

import time

from scenes import SHAPES
from text_model import CLOSE, by_question

QUESTIONS = {"colour": ("What colour is it?", "What color is it?"),
             "shape": ("What shape is in the picture?", "What shape is it?"),
             "count": ("How many shapes are in the picture?", "How many are there?"),
             "what": ("What is in the picture?", "What do you see?"),
             "digit": ("What number is this?", "Read the number."),
             "word": ("What word is this?", "Read the word.")}
QUESTIONS["number"] = QUESTIONS["digit"]
TURN = "\n<|turn>user\n"
LENGTH, TARGETS = 112, 40                            # tokens of all questions about a scene, and of their answers, at most
PLURALS = {s: s + ("es" if s.endswith("s") else "s") for s in SHAPES}


def phrase(scene):
    """What a scene shows, in words."""
    if scene.text:
        return f"the {'word' if scene.kind == 'word' else 'number'} {scene.text}"
    return f"{scene.count} {scene.colour} {scene.shape if scene.count == 1 else PLURALS[scene.shape]}"


def about(scene):
    """(skill, answer) for every skill that the scene has."""
    rows = [("colour", scene.colour), ("what", phrase(scene))]
    return rows + ([(scene.kind, scene.text)] if scene.text else [("shape", scene.shape), ("count", str(scene.count))])


class Encoder:
    """The token ids of questions about scenes, and of their answers."""

    def __init__(self, text):
        self.text, self.known = text, {}

    def ids(self, text):
        if text not in self.known:
            self.known[text] = self.text.encode(text)
        return self.known[text]

    def __call__(self, scene, rng, chat=False):
        """(names, prompts of text_model.TextModel.pack): every question alone, or two or three of them in turns."""
        rows = about(scene)
        rng.shuffle(rows)
        turns = [(self.ids(rng.choice(QUESTIONS[skill]) + CLOSE), self.ids(answer + "<turn|>")) for skill, answer in rows]
        if not chat:
            return [skill for skill, _ in rows], [[turn] for turn in turns]
        first, *others = turns[:rng.choice((2, 2, 3))]
        return ["chat"], [[first] + [(self.ids(TURN) + question, answer) for question, answer in others]]


class Tally:
    """Losses and shares of right answers since they were last shown."""

    def __init__(self):
        self.seen, self.shown = {}, time.time()

    def add(self, name, loss, right):
        loss = loss.item() if hasattr(loss, "item") else loss
        self.seen.setdefault(name, []).append((loss, float(right)))

    def add_answers(self, asked, batch, losses, right):
        """The answers of a step, by the names that Encoder gave."""
        for row, question, loss, good in by_question(batch, right, losses.detach()):
            self.add(asked[row][0][question], loss, good)

    def show(self, head, every):
        """Prints a line, not more often than every so many seconds."""
        if time.time() - self.shown < every:
            return
        parts = (f"{k} {sum(x for x, _ in v) / len(v):.2f} {100 * sum(y for _, y in v) / len(v):.0f}%"
                 for k, v in sorted(self.seen.items()))
        print(head + " " + "  ".join(parts), flush=True)
        self.seen, self.shown = {}, time.time()
