"""The table of what the demo model hears, asked of `pleiad` itself: words by voices that training did not hear, and by known voices
in settings that it did not.

Beside it a guesser that hears nothing: one answer for all. A reply counts only if every character is right.

    python evaluate_ear.py --program ../../build/pleiad --gguf ../../models/demo/pleiad-demo.gguf --clips 5
"""

import collections
import io
import json
import pathlib
import random
import sys
import urllib.request
import wave

import numpy as np

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "demo_tower"))
from evaluate import Server, arguments  # noqa: E402
from features import RATE, SIZES, Noise, fits, placed  # noqa: E402
from questions import NAMES, QUESTIONS, about  # noqa: E402
from speech import HELD_OUT, WORDS, clip, known_voices  # noqa: E402

SETS = {"voices that training did not hear": HELD_OUT, "known voices": known_voices()}


def wav(samples):
    """A WAV file of samples from -1 to 1."""
    file = io.BytesIO()
    with wave.open(file, "wb") as out:
        out.setnchannels(1)
        out.setsampwidth(2)
        out.setframerate(RATE)
        out.writeframes(np.round(samples.clip(-1, 1) * 32767).astype("<i2").tobytes())
    return file.getvalue()


def said_by(voice, word, rng, noise):
    """A WAV file of the word (a number of WORDS) in a setting and with a gain and noise of its own."""
    samples = clip(WORDS[word], voice, rng, test=True)
    n_tokens = rng.choice([n for n in SIZES if fits(samples, n)] or SIZES[-1:])
    return wav(placed(samples / np.abs(samples).max(), n_tokens, rng, noise)[0])


def transcript(server, sound):
    """What /v1/audio/transcriptions says."""
    limit = "pleiad-sound"
    parts = [f'--{limit}\r\nContent-Disposition: form-data; name="model"\r\n\r\n{server.name}\r\n'.encode(),
             f'--{limit}\r\nContent-Disposition: form-data; name="file"; filename="a.wav"\r\n\r\n'.encode(), sound,
             f"\r\n--{limit}--\r\n".encode()]
    request = urllib.request.Request(server.url + "/v1/audio/transcriptions", b"".join(parts),
                                     {"Content-Type": f"multipart/form-data; boundary={limit}"})
    with urllib.request.urlopen(request, timeout=60) as reply:
        return json.load(reply)["text"]


def main():
    args = arguments(__doc__, 1000, clips=(5, "of each word, of each set of voices"))
    rng, noise = random.Random(args.seed), Noise(args.seed)
    server = Server(args.program, args.gguf, args.threads)
    print("| voices | skill | clips | right | a guesser |\n|---|---|---|---|---|")
    try:
        for name, voices in SETS.items():
            results, blind = collections.defaultdict(list), collections.defaultdict(collections.Counter)
            order = [voices[i % len(voices)] for i in rng.sample(range(10_000), len(WORDS) * args.clips)]
            for number, voice in enumerate(order):
                word = number % len(WORDS)
                sound = said_by(voice, word, rng, noise)
                for skill, answer in about(word):
                    reply = (transcript(server, sound) if skill == "transcript" else
                             server.ask([rng.choice(QUESTIONS[skill])], sound)[0])
                    results[skill].append(reply == answer)
                    blind[skill][answer] += 1
                    if args.wrong and reply != answer:
                        print(voice, WORDS[word], skill, "->", repr(reply))
            for skill, title in NAMES.items():
                n = len(results[skill])
                guess = blind[skill].most_common(1)[0][1]
                print(f"| {name} | {title} | {n} | {100 * sum(results[skill]) / n:.1f} % | {100 * guess / n:.0f} % |", flush=True)
    finally:
        server.stop()


if __name__ == "__main__":
    main()
