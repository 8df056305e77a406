#!/usr/bin/env python3
"""Writes tests/golden/media/sounds: files of sound, and the samples that the reference hears in them.

The reference is what librosa.load(file, sr=16000) does, which the model's own processor calls: soundfile
reads float32, numpy.mean mixes the channels, soxr resamples with "soxr_hq", and the end is cut or padded to
ceil(n * 16000 / rate). What soundfile (libsndfile) does not read, FFmpeg's own program decodes to float32 at
the file's rate instead; where both read a file, their lengths must agree, and lossless samples be the same.

    python3 -m venv venv && venv/bin/pip install -r tools/sounds/requirements.txt
    venv/bin/python tools/sounds/make_corpus.py tests/golden/media/sounds     (needs ffmpeg 5.1)
"""

import io
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import soundfile
import soxr

RATE = 16_000
SECONDS = 0.25


def signal(rate: int, channels: int, seconds: float = SECONDS) -> np.ndarray:
    """[samples, channels], from -0.7 to 0.7: a sweep and noise, another for each channel."""
    n = round(rate * seconds)
    t = np.arange(n) / rate
    noise = np.random.default_rng(7 + channels).standard_normal((n, channels))
    columns = []
    for c in range(channels):
        sweep = np.sin(2 * np.pi * (200 + 90 * c) * t * (1 + 6 * t))
        columns.append(0.5 * sweep + 0.05 * np.clip(noise[:, c], -3, 3))
    return np.stack(columns, axis=1)


def resampled(samples: np.ndarray, rate: int) -> np.ndarray:
    """What librosa makes of [samples, channels] float32."""
    mono = np.mean(samples.astype(np.float32).T, axis=0) if samples.shape[1] > 1 else samples[:, 0]
    if rate == RATE:
        return mono
    ratio = float(RATE) / rate
    n = int(np.ceil(len(mono) * ratio))
    heard = soxr.resample(mono, rate, RATE, quality="soxr_hq")[:n]
    return np.pad(heard, (0, n - len(heard)))


def ffmpeg(arguments: list[str], stdin: bytes = b"") -> bytes:
    return subprocess.run(["ffmpeg", "-v", "error", "-threads", "1", *arguments], input=stdin, check=True,
                          stdout=subprocess.PIPE).stdout


def probed(file: Path) -> tuple[int, int]:
    text = subprocess.run(["ffprobe", "-v", "error", "-select_streams", "a:0", "-show_entries",
                           "stream=sample_rate,channels", "-of", "csv=p=0", str(file)], check=True,
                          stdout=subprocess.PIPE, text=True).stdout
    rate, channels = text.strip().split(",")[:2]
    return int(rate), int(channels)


def heard_by_ffmpeg(file: Path) -> tuple[np.ndarray, int]:
    rate, channels = probed(file)
    # Xiph's own decoder; FFmpeg's resamples what voices are coded in its own way.
    decoder = ["-c:a", "libopus"] if "opus" in file.name else []
    raw = ffmpeg([*decoder, "-request_sample_fmt", "flt", "-i", str(file), "-map", "0:a:0", "-f", "f32le", "-"])
    return np.frombuffer(raw, np.float32).reshape(-1, channels), rate


def heard_by_soundfile(file: Path) -> tuple[np.ndarray, int] | None:
    try:
        return soundfile.read(file, dtype="float32", always_2d=True)
    except (soundfile.LibsndfileError, ValueError):  # the latter: a length that nobody wrote
        return None


def wav(rate: int, channels: int, seconds: float) -> bytes:
    buffer = io.BytesIO()
    soundfile.write(buffer, signal(rate, channels, seconds), rate, subtype="PCM_24", format="WAV")
    return buffer.getvalue()


def write_lossless(folder: Path) -> None:
    for name, rate, channels, subtype, more in [
        ("u8_11025_mono.wav", 11_025, 1, "PCM_U8", {}),
        ("s16_16000_mono.wav", 16_000, 1, "PCM_16", {}),
        ("s16_44100_stereo.wav", 44_100, 2, "PCM_16", {}),
        ("s24_48000_mono.wav", 48_000, 1, "PCM_24", {}),
        ("s24_16000_stereo.wav", 16_000, 2, "PCM_24", {}),
        ("s32_96000_stereo.wav", 96_000, 2, "PCM_32", {}),
        ("f32_22050_mono.wav", 22_050, 1, "FLOAT", {}),
        ("f64_16000_mono.wav", 16_000, 1, "DOUBLE", {}),
        ("alaw_8000_mono.wav", 8_000, 1, "ALAW", {}),
        ("ulaw_8000_stereo.wav", 8_000, 2, "ULAW", {}),
        ("s16_48000_six.wav", 48_000, 6, "PCM_16", {"format": "WAVEX"}),
        ("s16_37123_mono.wav", 37_123, 1, "PCM_16", {}),
        ("s16_16000.rf64", 16_000, 1, "PCM_16", {"format": "RF64"}),
        ("s16_44100_stereo.aiff", 44_100, 2, "PCM_16", {}),
        ("s16_44100_stereo.flac", 44_100, 2, "PCM_16", {}),
        ("s24_48000_mono.flac", 48_000, 1, "PCM_24", {}),
    ]:
        seconds = SECONDS if rate * channels <= 90_000 else SECONDS / 3
        soundfile.write(folder / name, signal(rate, channels, seconds), rate, subtype=subtype, **more)


def write_coded(folder: Path) -> None:
    """By FFmpeg's encoders; "-" is a pipe, whose files have no lengths in front."""
    for name, rate, channels, coding, container in [
        ("cbr_44100_stereo.mp3", 44_100, 2, ["-c:a", "libmp3lame", "-b:a", "96k"], None),
        ("vbr_22050_mono.mp3", 22_050, 1, ["-c:a", "libmp3lame", "-q:a", "5"], None),
        ("no_header.mp3", 44_100, 1, ["-c:a", "libmp3lame", "-b:a", "64k", "-write_xing", "0",
                                      "-id3v2_version", "0"], None),
        ("aac_44100_stereo.m4a", 44_100, 2, ["-c:a", "aac", "-b:a", "96k"], None),
        ("alac_16000_mono.m4a", 16_000, 1, ["-c:a", "alac"], None),
        ("aac_fragmented.mp4", 48_000, 1, ["-c:a", "aac", "-b:a", "64k", "-movflags",
                                           "frag_keyframe+empty_moov"], None),
        ("aac_32000.aac", 32_000, 1, ["-c:a", "aac", "-b:a", "64k"], None),
        ("vorbis_44100_stereo.ogg", 44_100, 2, ["-c:a", "libvorbis", "-q:a", "2"], None),
        ("opus_48000_mono.opus", 48_000, 1, ["-c:a", "libopus", "-b:a", "32k"], None),
        ("opus_48000_six.opus", 48_000, 6, ["-c:a", "libopus", "-b:a", "160k"], None),
        ("opus_48000_stereo.webm", 48_000, 2, ["-c:a", "libopus", "-b:a", "48k"], None),
        ("opus_recorded_live.webm", 48_000, 1, ["-c:a", "libopus", "-b:a", "32k", "-live", "1"], "webm"),
        ("s16_recorded_live.wav", 16_000, 1, ["-c:a", "pcm_s16le"], "wav"),
        ("s16_recorded_live.flac", 16_000, 1, ["-c:a", "flac"], "flac"),
        ("flac_44100_mono.mka", 44_100, 1, ["-c:a", "flac", "-sample_fmt", "s16"], None),
        ("adpcm_16000.wav", 16_000, 1, ["-c:a", "adpcm_ms"], None),
        ("ac3_48000_six.ac3.mkv", 48_000, 6, ["-c:a", "ac3", "-b:a", "192k"], None),
    ]:
        common = ["-f", "wav", "-i", "-", *coding, "-fflags", "+bitexact", "-flags:a", "+bitexact"]
        # FFmpeg's reader of Ogg does not trim what fits into one page.
        sound = wav(rate, channels, SECONDS if "vorbis" not in name else 4 * SECONDS)
        if container is None:
            ffmpeg([*common, "-y", str(folder / name)], sound)
        else:
            (folder / name).write_bytes(ffmpeg([*common, "-f", container, "-"], sound))


def main() -> None:
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.iterdir():
        old.unlink()
    write_lossless(folder)
    write_coded(folder)
    index = {}
    for file in sorted(folder.iterdir()):
        by_ffmpeg, rate = heard_by_ffmpeg(file)
        by_soundfile = heard_by_soundfile(file)
        heard, source = by_ffmpeg, "ffmpeg"
        if by_soundfile is not None:
            other, other_rate = by_soundfile
            assert other.shape == by_ffmpeg.shape, file.name
            difference = np.abs(other - by_ffmpeg).max() if other.shape == by_ffmpeg.shape else None
            print(f"{file.name:28} {rate} {by_ffmpeg.shape} soundfile {other.shape}, differs by {difference}")
            assert other_rate == rate
            is_lossless = file.suffix in {".wav", ".rf64", ".aiff", ".flac"} and "adpcm" not in file.name
            if is_lossless:
                assert difference is not None and difference <= 2**-24, file.name
                heard, source = other, "soundfile"
        else:
            print(f"{file.name:28} {rate} {by_ffmpeg.shape}, not read by soundfile")
        samples = resampled(heard, rate).astype("<f4")
        (folder / (file.name + ".f32")).write_bytes(samples.tobytes())
        index[file.name] = {"rate": rate, "channels": heard.shape[1], "reference": source,
                            "same_rate": rate == RATE}
    (folder / "sounds.json").write_text(json.dumps(index, indent=1) + "\n")


if __name__ == "__main__":
    main()
