"""The table of how the demo model compares two pictures, asked of `pleiad` itself.

One picture of each pair shows a combination that training never saw (of digits and words: pictures that it never saw). A reply is right
only if every character is; counted beside it is what follows from what both show ("No", "The first"). A guesser that sees no
picture says of these what is right most often.

    python evaluate_pairs.py --program ../../build/pleiad --gguf ../../models/demo/pleiad-demo.gguf --pairs 100
"""

import collections
import io
import random

from PIL import Image

import pairs
from evaluate import Server, arguments
from scenes import draw, make_scene

SHARES = 0.08, 0.17, 0.15                            # of digits, numbers and words


def png(scene, rng):
    file = io.BytesIO()
    Image.fromarray(draw(scene, rng)[0]).save(file, "PNG")
    return file.getvalue()


def make_pair(rng):
    """Two scenes, one of them held out."""
    one, x = make_scene(rng, "test", *SHARES), rng.random()
    other = one if x < 0.33 else pairs.changed(one, rng) if x < 0.83 else make_scene(rng, rng.choice(("train", "test")), *SHARES)
    return (one, other) if rng.random() < 0.5 else (other, one)


def verdict(answer):
    """What follows from what both pictures show; the whole answer where nothing does."""
    return answer.rpartition(pairs.THEREFORE)[2]


def cases(n, seed):
    """(row, question, answer, two PNGs): n of each skill, and of the same or not n with each answer."""
    rng, result = random.Random(seed), []
    left = {skill: n for skill in pairs.SKILLS} | {("same", "yes"): n // 2, ("same", "no"): n // 2}
    left.pop("same")                                 # they are counted by answer
    while any(left.values()):
        first, second = make_pair(rng)
        shown = [png(first, rng), png(second, rng)]
        if first == second and rng.random() < 0.5:
            shown[1] = shown[0]
        for skill, question, answer in pairs.about_pair(first, second, rng):
            key = (skill, verdict(answer).lower()) if skill == "same" else skill
            if left[key]:
                left[key] -= 1
                result.append((skill, question, answer, shown))
    return result


def main():
    args = arguments(__doc__, 2000, pairs=(100, "of each skill"))
    right, follows, answers = collections.Counter(), collections.Counter(), collections.defaultdict(collections.Counter)
    server = Server(args.program, args.gguf, args.threads)
    try:
        for skill, question, answer, shown in cases(args.pairs, args.seed):
            reply = server.ask([question], *shown)[0]
            right[skill] += reply == answer
            follows[skill] += verdict(reply) == verdict(answer)
            answers[skill][verdict(answer)] += 1
            if args.wrong and reply != answer:
                print(question, repr(answer), repr(reply))
    finally:
        server.stop()
    print("| skill | pairs | right | what follows | a guesser of it |\n|---|---|---|---|---|")
    for skill, name in pairs.SKILLS.items():
        n, most = answers[skill].total(), answers[skill].most_common(1)[0][1]
        print(f"| {name} | {n} | {100 * right[skill] / n:.0f} % | {100 * follows[skill] / n:.0f} % | {100 * most / n:.0f} % |")


if __name__ == "__main__":
    main()
