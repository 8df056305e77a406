"""The words of tests/hearing, one each by a voice that training does not hear, as espeak-ng says them to whoever asks it; and the
sound beside the model.

    python test_sounds.py --out ../../tests/hearing --sample ../../models/demo/seven.wav     # needs soundfile
"""

import argparse
import pathlib
import subprocess
import tempfile

import soundfile

from speech import HELD_OUT, WORDS


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--sample", type=pathlib.Path, required=True)
    args = parser.parse_args()
    subprocess.run(["espeak-ng", "-v", "en-gb+f3", "-w", args.sample, "seven"], check=True)
    for i, word in enumerate(WORDS):
        voice = HELD_OUT[(i + i // len(HELD_OUT)) % len(HELD_OUT)]
        with tempfile.NamedTemporaryFile(suffix=".wav") as wav:
            subprocess.run(["espeak-ng", "-v", voice, "-w", wav.name, word], check=True)
            samples, rate = soundfile.read(wav.name, dtype="int16")
        soundfile.write(args.out / f"{word}.{voice}.flac", samples, rate, subtype="PCM_16")


if __name__ == "__main__":
    main()
