"""What an audio tower hears of samples: log-mel bands, as transformers' Gemma4AudioFeatureExtractor makes them; and clips
for training, in which a word stands somewhere, louder or softer, in noise.

    python features.py          # compares with that class
"""

import math

import numpy as np
import torch

RATE, BANDS, FRAME, HOP, FFT = 16_000, 128, 320, 160, 512
TOKEN = 4 * HOP                                      # samples of a soft token
SIZES = (14, 17, 20, 24, 28)                         # soft tokens of training's clips
BLANK = 0                                            # class of soft tokens that say no word; word w is class 1 + w
UNTOLD = -1                                          # of soft tokens that may say anything
SAYS, LETS_GO = 8, 4                                 # soft tokens that say a word once it has ended; then some untold


def mel_matrix():
    """[bins, BANDS]: triangles between edges that are equally far apart in HTK's mel."""
    top = 2595 * math.log10(1 + 8000 / 700)
    edges = 700 * (10 ** (torch.linspace(0, top, BANDS + 2, dtype=torch.float64) / 2595) - 1)
    bins = torch.linspace(0, 8000, FFT // 2 + 1, dtype=torch.float64)[:, None]
    low, middle, high = edges[:-2], edges[1:-1], edges[2:]
    return torch.minimum((bins - low) / (middle - low), (high - bins) / (high - middle)).clamp(min=0).float()


MEL = mel_matrix()
WINDOW = torch.hann_window(FRAME, periodic=True)


def log_mel(samples):
    """[n, frames, BANDS] of samples [n, at least 161]."""
    padded = torch.nn.functional.pad(samples, (FRAME // 2, 0))
    frames = padded[:, :-1].unfold(1, FRAME, HOP) * WINDOW
    return torch.log(torch.fft.rfft(frames, FFT).abs() @ MEL + 1e-3)


class Noise:
    """Stretches of noise of several colours, whose root mean square is 1."""

    def __init__(self, seed=5, seconds=8):
        rng = np.random.default_rng(seed)
        n = seconds * RATE
        white = np.fft.rfft(rng.standard_normal(n))
        tilt = np.maximum(np.arange(len(white)), 20) / 1000
        self.kinds = []
        for power in (0.0, -0.5, -1.0):              # white, pink, brown
            colour = np.fft.irfft(white * tilt ** power, n)
            self.kinds.append((colour / colour.std()).astype(np.float32))

    def __call__(self, n, rng):
        kind = rng.choice(self.kinds)
        at = rng.randrange(len(kind) - n)
        return kind[at:at + n]


def placed(samples, n_tokens, rng, noise):
    """A clip of so many soft tokens with the word (peak 1) in it, and the end of the word in samples."""
    room = n_tokens * TOKEN
    spare = room - 3 * TOKEN - len(samples)          # some silence always follows
    lead = rng.randrange(max(1, spare))
    out = np.zeros(room, np.float32)
    part = samples[:room - lead]
    gain = 10 ** rng.uniform(-1.3, -0.05)
    out[lead:lead + len(part)] = gain * part
    if rng.random() < 0.75:
        out += noise(room, rng) * gain * float(part.std()) * 10 ** -rng.uniform(0.5, 2.2)
    return out, lead + len(part)


def fits(samples, n_tokens):
    """Whether a clip of so many soft tokens has room for the word and some silence."""
    return len(samples) <= (n_tokens - 3) * TOKEN


def labels(n_tokens, end, word):
    """The class of every soft token: none before the word's end, then the word for a while."""
    told = np.full(n_tokens, BLANK)
    last = end // TOKEN                              # the soft token in which it ends
    told[max(0, last - 5):last + 1] = UNTOLD
    told[last + 1:last + 1 + SAYS] = 1 + word
    told[last + 1 + SAYS:last + 1 + SAYS + LETS_GO] = UNTOLD
    return told


def batch(words, clips, picked, n_tokens, rng, noise):
    """Features [n, frames, BANDS] and classes [n, n_tokens] of the clips with these numbers."""
    sounds, told = [], []
    for i in picked:
        sound, end = placed(clips[i], n_tokens, rng, noise)
        sounds.append(sound)
        told.append(labels(n_tokens, end, words[i]))
    return log_mel(torch.from_numpy(np.stack(sounds))), torch.from_numpy(np.stack(told))


def check():
    """Asserts that log_mel is what the class makes."""
    from transformers.models.gemma4.feature_extraction_gemma4 import Gemma4AudioFeatureExtractor
    samples = np.random.default_rng(1).uniform(-0.5, 0.5, 128 * 100).astype(np.float32)
    theirs = Gemma4AudioFeatureExtractor()([samples], sampling_rate=RATE, return_tensors="np")
    theirs = theirs["input_features"][0][theirs["input_features_mask"][0]]
    ours = log_mel(torch.from_numpy(samples)[None])[0].numpy()
    assert ours.shape == theirs.shape, (ours.shape, theirs.shape)
    worst = float(np.abs(ours - theirs).max())
    assert worst < 1e-3, f"features differ by {worst}"


if __name__ == "__main__":
    check()
