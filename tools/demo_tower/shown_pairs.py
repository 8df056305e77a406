"""Pictures and pairs of them to train on, of what the tower said of them (shown.py), and what is asked about them."""

import lessons
import pairs
import torch
from text_model import CLOSE

SQUARE = (8, 8)
SIZES = ((SQUARE, (9, 7)), ((7, 9), SQUARE), ((9, 7), (9, 7)), ((11, 5), (11, 5)), (SQUARE, (11, 5)), ((11, 5), SQUARE))
OTHER_SIZES = 0.2                                    # of batches, of these; the others have two square pictures
THE_SAME = 0.33                                      # of pairs, and of these a half the very same picture
CHANGED = 0.5                                        # of pairs: few things differ
TOLD = 0.3                                           # of pairs without pictures that are told by the question


class Pictures:
    """What the tower said of pictures of a split, by size and scene."""

    def __init__(self, shown, projection, rng):
        self.rng, self.vectors, self.at = rng, {}, {}
        for size, (scenes, vectors) in shown.items():
            self.vectors[size] = (vectors.float() @ projection.T).bfloat16()
            by = self.at[size] = {}
            for i, scene in enumerate(scenes):
                by.setdefault(scene, []).append(i)
        self.scenes = {size: [scene for scene, i in by.items() for _ in i] for size, by in self.at.items()}

    def some(self, size, scene):
        return self.rng.choice(self.at[size][scene])

    def singles(self, size, n):
        scenes = [self.rng.choice(self.scenes[size]) for _ in range(n)]
        return scenes, self.vectors[size][[self.some(size, scene) for scene in scenes]]


class Pairs:
    """Pairs of pictures, the first of which is one of `ones` and the second one of `others`, or the other way round."""

    def __init__(self, ones, others, rng):
        self.ones, self.others, self.rng = ones, others, rng

    def second(self, size, scene):
        """A scene to compare with, of which there is a picture: the same, one that differs in a thing or more, any."""
        x = self.rng.random()
        for _ in range(30):
            other = scene if x < THE_SAME else pairs.changed(scene, self.rng) if x < THE_SAME + CHANGED else self.rng.choice(self.others.scenes[size])
            source = self.ones if other == scene else self.others
            if other in source.at[size]:
                return other, source
        return self.second(size, scene)

    def one(self, sizes):
        """(scenes, vectors [soft tokens of both, width]) of a pair."""
        if self.rng.random() < 0.5:
            first = self.rng.choice(self.ones.scenes[sizes[0]])
            second, source = self.second(sizes[1], first)
            i, j = self.ones.some(sizes[0], first), source.some(sizes[1], second)
            if first == second and sizes[0] == sizes[1] and self.rng.random() < 0.5:
                j = i                                # the very same picture
            return (first, second), torch.cat([self.ones.vectors[sizes[0]][i], source.vectors[sizes[1]][j]])
        second = self.rng.choice(self.ones.scenes[sizes[1]])
        first, source = self.second(sizes[0], second)
        i, j = source.some(sizes[0], first), self.ones.some(sizes[1], second)
        return (first, second), torch.cat([source.vectors[sizes[0]][i], self.ones.vectors[sizes[1]][j]])

    def batch(self, n):
        """(sizes, scenes, vectors [n, soft tokens of both, width])."""
        sizes = (SQUARE, SQUARE)
        if self.rng.random() < OTHER_SIZES:
            sizes = self.rng.choice(SIZES)
        made = [self.one(sizes) for _ in range(n)]
        return [a * b for a, b in sizes], [scenes for scenes, _ in made], torch.stack([vectors for _, vectors in made])


def ask_pairs(encoder, scenes, rng, chats):
    """(skills, prompts) for pack: each question alone, or some in turns."""
    result = []
    for first, second in scenes:
        rows = pairs.about_pair(first, second, rng)
        turns = [(encoder.ids(q + CLOSE), encoder.ids(a + "<turn|>")) for _, q, a in rows]
        if rng.random() < chats:
            order = rng.sample(range(len(rows)), 2)
            prompts = [[turns[order[0]], (encoder.ids(lessons.TURN) + turns[order[1]][0], turns[order[1]][1])]]
            result.append((["pair chat"], prompts))
        else:
            result.append(([f"2:{skill}" for skill, *_ in rows], [[turn] for turn in turns]))
    return result


def ask_in_words(encoder, made, rng, n):
    """(skills, prompts) for pack of n pairs of which nothing is shown: told by the question, or what both show is taken as said already."""
    result = []
    for _ in range(n):
        (first, second), _ = made.one((SQUARE, SQUARE))
        skill, told, question, answer = pairs.in_words(first, second, rng)
        before, _, behind = answer.partition(pairs.THEREFORE)
        if rng.random() < TOLD or not behind:
            turn = told + " " + question + CLOSE, answer
        else:
            turn = question + CLOSE + before + pairs.THEREFORE[:-1], pairs.THEREFORE[-1] + behind
        result.append(([f"w:{skill}"], [[(encoder.text.encode(turn[0]), encoder.text.encode(turn[1] + "<turn|>"))]]))
    return result
