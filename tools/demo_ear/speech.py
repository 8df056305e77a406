"""Spoken words by espeak-ng: which words, which voices, and a file of clips of them.

Some voices are heard in no training at all. Of the others, training hears speeds that are multiples of
ten, a test those that end in five.

    python speech.py --out speech.npz
"""

import argparse
import random
import subprocess

import numpy as np

RATE, ESPEAK_RATE = 16_000, 22_050
DIGITS = "zero one two three four five six seven eight nine".split()
COMMANDS = "yes no stop go left right up down on off".split()
WORDS = DIGITS + COMMANDS
ACCENTS = ("en-us", "en-gb", "en-gb-scotland", "en-gb-x-rp", "en-gb-x-gbclan", "en-029")
SPEAKERS = ("m1", "m2", "m3", "m4", "m6", "m8", "f1", "f2", "f4", "f5", "klatt", "klatt3", "Andy", "Annie", "Denis", "Gene", "Jacky", "linda")
# Other speakers with accents that training knows, and another accent with speakers that it knows or not.
HELD_OUT = ("en-us+m7", "en-gb+f3", "en-us+Alex", "en-gb-x-rp+m5", "en-gb-scotland+steph", "en-us+klatt2", "en-gb+Michael",
            "en-gb-x-gbcwmd+f2", "en-gb-x-gbcwmd+m1", "en-gb-x-gbcwmd+steph")


def known_voices():
    """The voices of training: every speaker with three of the accents."""
    return [f"{ACCENTS[(i + k) % len(ACCENTS)]}+{speaker}" for i, speaker in enumerate(SPEAKERS) for k in (0, 1, 3)]


def resampled(samples, ratio):
    """Samples at `ratio` times as many a second, by their spectrum."""
    n = len(samples)
    room = np.zeros(n + -n % 441)                    # of a length that is quickly transformed
    room[:n] = samples
    m = round(len(room) * ratio)
    spectrum = np.zeros(m // 2 + 1, complex)
    kept = np.fft.rfft(room)[:len(spectrum)]
    spectrum[:len(kept)] = kept
    return (np.fft.irfft(spectrum, m) * (m / len(room)))[:round(n * ratio)].astype(np.float32)


def speak(word, voice, speed, pitch):
    """Samples at ESPEAK_RATE, from -1 to 1."""
    wav = subprocess.run(["espeak-ng", "-v", voice, "-s", str(speed), "-p", str(pitch), "-z", "--stdout", word],
                         capture_output=True, check=True).stdout
    return np.frombuffer(wav[44:len(wav) - len(wav) % 2], "<i2").astype(np.float32) / 32768


def bounds(samples):
    """First sample of the word and the one behind its last, where it is louder than a hundredth of its peak."""
    loud = np.abs(samples) > np.abs(samples).max() / 100
    return int(loud.argmax()), len(loud) - int(loud[::-1].argmax())


def clip(word, voice, rng, test, warp=True):
    """The word alone, said by the voice in a setting of its own, at RATE."""
    speed = rng.randrange(130, 220, 10) + (5 if test else 0)
    samples = speak(word, voice, speed, rng.randrange(15, 86))
    stretch = rng.uniform(0.93, 1.08) if warp and not test else 1.0   # throats of other lengths
    samples = resampled(samples, RATE / ESPEAK_RATE * stretch)
    first, last = bounds(samples)
    return samples[first:last]


def make(rng, voices, per_word, test):
    """[(word's number, voice's number, samples)]"""
    return [(w, v, clip(word, voice, rng, test)) for v, voice in enumerate(voices) for w, word in enumerate(WORDS)
            for _ in range(per_word)]


def save(path, **sets):
    """Sets of clips in one file: samples one after the other as 16-bit integers."""
    data = {}
    for name, clips in sets.items():
        data[name + "_word"] = np.array([c[0] for c in clips])
        data[name + "_voice"] = np.array([c[1] for c in clips])
        data[name + "_length"] = np.array([len(c[2]) for c in clips])
        peak = [c[2] / max(1e-6, float(np.abs(c[2]).max())) for c in clips]
        data[name + "_samples"] = np.round(np.concatenate(peak) * 32000).astype(np.int16)
    np.savez(path, **data)


def load(path, name):
    """(words, voices, list of samples whose peak is 1) of a set."""
    data = np.load(path)
    ends = np.cumsum(data[name + "_length"])
    samples = np.split(data[name + "_samples"].astype(np.float32) / 32000, ends[:-1])
    return data[name + "_word"], data[name + "_voice"], samples


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", required=True)
    parser.add_argument("--per-word", type=int, default=4, help="clips of each word by each known voice")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    rng = random.Random(args.seed)
    save(args.out, train=make(rng, known_voices(), args.per_word, False),
         known=make(rng, known_voices()[::6], 1, True), held_out=make(rng, HELD_OUT, 2, True))


if __name__ == "__main__":
    main()
