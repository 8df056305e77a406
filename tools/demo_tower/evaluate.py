"""The table of what the demo model sees: pictures that training never saw, asked about through the program itself.

Beside it a guesser that sees no picture: the answer that is right most often. A reply counts only if
every character is right.

    python evaluate.py --program ../../build/pleiad --gguf ../../models/demo/pleiad-demo.gguf --pictures 100
"""

import argparse
import base64
import collections
import io
import json
import os
import random
import socket
import subprocess
import tempfile
import time
import urllib.request

from PIL import Image

import lessons
from scenes import draw, make_scene

NAMES = {"colour": "colours", "shape": "shapes", "count": "counting shapes", "what": "what is in the picture",
         "digit": "digits", "number": "numbers of two digits", "word": "words", "chat": "three questions in turns"}
SIZES = ((8, 8), (8, 8), (9, 7), (7, 9))             # columns and rows of soft tokens
TEXT_SIZES = SIZES + ((11, 5),) * 4                  # of numbers and words
SHARES = 0.25, 0.2, 0.25                              # of digits, numbers and words


def cases(n, seed):
    """(row, skills asked for, questions, answers, PNG): n of each row."""
    rng, left, result = random.Random(seed), {row: n for row in NAMES}, []
    while any(left.values()):
        scene = make_scene(rng, "test", *SHARES)
        image, _ = draw(scene, rng, *rng.choice(TEXT_SIZES if scene.kind in ("number", "word") else SIZES))
        file = io.BytesIO()
        Image.fromarray(image).save(file, "PNG")
        asked = [(skill, [skill], [rng.choice(lessons.QUESTIONS[skill])], [answer]) for skill, answer in lessons.about(scene)]
        turns = rng.sample(asked, 3)
        asked.append(("chat", [s for s, *_ in turns], [q for _, _, [q], _ in turns], [a for *_, [a] in turns]))
        for row, *case in asked:
            if left[row]:
                left[row] -= 1
                result.append((row, *case, file.getvalue()))
    return result


def guesses(n=20000):
    """By skill, the answer that is right most often in training."""
    rng, seen = random.Random(99), collections.defaultdict(collections.Counter)
    for _ in range(n):
        for skill, answer in lessons.about(make_scene(rng, "train", *SHARES)):
            seen[skill][answer] += 1
    return {skill: answers.most_common(1)[0][0] for skill, answers in seen.items()}


class Server:
    """The program, serving the model."""

    def __init__(self, program, model, threads):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.url = f"http://127.0.0.1:{free.getsockname()[1]}"
        self.home = tempfile.TemporaryDirectory()
        self.process = subprocess.Popen(
            [program, "serve", model, "--port", self.url.rsplit(":", 1)[1], "--threads", str(threads)],
            env={**os.environ, "HOME": self.home.name}, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for _ in range(200):
            try:
                self.name = self.get("/api/ps")["models"][0]["name"]
                return
            except (OSError, IndexError):
                time.sleep(0.1)
        raise RuntimeError("the server did not come up")

    def get(self, path, body=None):
        request = urllib.request.Request(self.url + path, json.dumps(body).encode() if body else None)
        with urllib.request.urlopen(request, timeout=60) as reply:
            return json.load(reply)

    def ask(self, questions, *shown):
        """The replies to questions about pictures or sounds, each knowing those before it."""
        messages, said = [], []
        for question in questions:
            messages.append({"role": "user", "content": question})
            messages[0]["images"] = [base64.b64encode(file).decode() for file in shown]
            body = {"model": self.name, "messages": messages, "stream": False, "options": {"temperature": 0, "num_predict": 60}}
            said.append(self.get("/api/chat", body)["message"]["content"])
            messages.append({"role": "assistant", "content": said[-1]})
        return said

    def stop(self):
        self.process.terminate()
        self.process.wait()


def arguments(description, seed, **counts):
    """The command line of an evaluation; counts: what is asked about = (how many of it by default, of what)."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--program", required=True)
    parser.add_argument("--gguf", required=True)
    for name, (n, what) in counts.items():
        parser.add_argument("--" + name, type=int, default=n, help=what)
    parser.add_argument("--seed", type=int, default=seed)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--wrong", action="store_true", help="print what was wrong")
    return parser.parse_args()


def main():
    args = arguments(__doc__, 1000, pictures=(100, "of each skill"))
    guessed, right, blind = guesses(), collections.Counter(), collections.Counter()
    server = Server(args.program, args.gguf, args.threads)
    try:
        asked = cases(args.pictures, args.seed)
        for row, skills, questions, answers, picture in asked:
            said = server.ask(questions, picture)
            right[row] += said == answers
            blind[row] += [guessed[skill] for skill in skills] == answers
            if args.wrong and said != answers:
                print(questions, answers, said)
    finally:
        server.stop()
    print("| skill | pictures | right | a guesser |\n|---|---|---|---|")
    for skill in NAMES:
        n = args.pictures
        print(f"| {NAMES[skill]} | {n} | {100 * right[skill] / n:.0f} % | {100 * blind[skill] / n:.0f} % |")
    n = len(asked)
    print(f"| all | {n} | {100 * right.total() / n:.1f} % | {100 * blind.total() / n:.1f} % |")


if __name__ == "__main__":
    main()
