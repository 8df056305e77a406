"""The words of tests/hearing, one each by a voice that training does not hear, as espeak-ng says them to whoever asks it; the sound
beside the model; and those words that `pleiad eval` asks about, alone, at 16 kHz, as G.711's mu-law without a header.

    python test_sounds.py --out ../../tests/hearing --sample ../../models/demo/seven.wav \
        --words ../../src/eval/sounds/words     # needs soundfile
"""

import argparse
import pathlib
import subprocess
import tempfile

import numpy as np
import soundfile

from speech import HELD_OUT, RATE, WORDS, bounds, resampled

ASKED = [word for word in WORDS if word not in ("no", "on", "off")]   # these three are said in answers about other words, too


def save_word(path, samples, rate):
    """The word without the silence around it, as loud as full scale less 3 dB."""
    samples = resampled(samples.astype(np.float32) / 32768, RATE / rate)
    first, last = bounds(samples)
    samples = samples[first:last]
    soundfile.write(path, samples * (0.708 / np.abs(samples).max()), RATE, format="RAW", subtype="ULAW")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--sample", type=pathlib.Path, required=True)
    parser.add_argument("--words", type=pathlib.Path, required=True)
    args = parser.parse_args()
    subprocess.run(["espeak-ng", "-v", "en-gb+f3", "-w", args.sample, "seven"], check=True)
    for i, word in enumerate(WORDS):
        voice = HELD_OUT[(i + i // len(HELD_OUT)) % len(HELD_OUT)]
        with tempfile.NamedTemporaryFile(suffix=".wav") as wav:
            subprocess.run(["espeak-ng", "-v", voice, "-w", wav.name, word], check=True)
            samples, rate = soundfile.read(wav.name, dtype="int16")
        soundfile.write(args.out / f"{word}.{voice}.flac", samples, rate, subtype="PCM_16")
        if word in ASKED:
            save_word(args.words / f"{word}.ul", samples, rate)


if __name__ == "__main__":
    main()
