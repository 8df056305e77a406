#!/usr/bin/env python3
"""Writes tests/golden/media/videos: small videos of every container and coding, and what is seen in them.

The reference is FFmpeg's own program, which decodes every frame from the beginning to RGB (swscale with accurate
rounding and interpolated chroma), and Pillow's bicubic resize. videos.json has for each file: frames, rate, size, and
SHA-256 of the resized pixels of the frames k * total // n.

    python3 -m venv venv && venv/bin/pip install -r tools/videos/requirements.txt
    venv/bin/python tools/videos/make_corpus.py tests/golden/media/videos     (needs ffmpeg 5.1)
"""

import hashlib
import json
import math
import subprocess
import sys
from pathlib import Path

import numpy as np
from PIL import Image

N_FRAMES = 5
BUDGET = 70
EXACT = "bicubic+accurate_rnd+full_chroma_int+full_chroma_inp"


def ffmpeg(arguments: list[str]) -> bytes:
    return subprocess.run(["ffmpeg", "-v", "error", "-threads", "1", *arguments], check=True, timeout=60,
                          stdout=subprocess.PIPE).stdout


def source(size: str, frames: int, rate: str = "25") -> list[str]:
    return ["-f", "lavfi", "-i", f"testsrc2=size={size}:rate={rate},trim=end_frame={frames},hue=H=9*t"]


X264 = ["-c:v", "libx264", "-preset", "fast", "-x264-params", "threads=1"]
BITEXACT = ["-fflags", "+bitexact", "-flags:v", "+bitexact"]
VIDEOS = {
    "h264_b_frames.mp4": (source("96x64", 40), [*X264, "-g", "12", "-bf", "3", "-crf", "30"]),
    "h264_one_key_frame.mp4": (source("64x48", 30), [*X264, "-g", "300", "-crf", "35"]),
    "h264_open_gop.mkv": (source("64x48", 40), [*X264, "-x264-params", "threads=1:open-gop=1:keyint=10:min-keyint=10:bframes=3", "-crf", "35"]),
    "h264_bt709_full.mp4": (source("64x48", 8), [*X264, "-vf", "scale=out_color_matrix=bt709:out_range=full",
                            "-color_range", "pc", "-colorspace", "bt709", "-crf", "20"]),
    "h264_10_bits_444.mp4": (source("64x48", 8), [*X264, "-pix_fmt", "yuv444p10le", "-crf", "25"]),
    "h264_portrait.mov": (source("96x64", 10), [*X264, "-crf", "30"]),
    "h264_ntsc.ts": (source("64x48", 30, "30000/1001"), [*X264, "-g", "10", "-bf", "2", "-crf", "35"]),
    "h264_fragmented.mp4": (source("64x48", 20), [*X264, "-g", "10", "-crf", "35", "-movflags", "frag_keyframe+empty_moov"]),
    "hevc.mp4": (source("64x64", 24), ["-c:v", "libx265", "-x265-params", "log-level=none:pools=none:frame-threads=1:keyint=8:bframes=3",
                 "-crf", "35", "-tag:v", "hvc1"]),
    "vp8.webm": (source("64x48", 24), ["-c:v", "libvpx", "-g", "8", "-b:v", "100k"]),
    "vp9.webm": (source("64x48", 24), ["-c:v", "libvpx-vp9", "-g", "8", "-crf", "45", "-b:v", "0", "-row-mt", "0"]),
    "vp9_live.webm": (source("64x48", 12), ["-c:v", "libvpx-vp9", "-g", "8", "-crf", "45", "-b:v", "0", "-live", "1", "-f", "webm"]),
    "av1.mp4": (source("64x64", 12), ["-c:v", "libaom-av1", "-cpu-used", "8", "-g", "6", "-crf", "50"]),
    "mpeg4.avi": (source("64x48", 20), ["-c:v", "mpeg4", "-g", "6", "-q:v", "8"]),
    "mjpeg.avi": (source("64x48", 6), ["-c:v", "mjpeg", "-q:v", "8", "-pix_fmt", "yuvj420p"]),
    "one_frame.mp4": (source("64x48", 1), [*X264, "-crf", "30"]),
    "three_frames.gif": (source("48x32", 3, "10"), ["-vf", "split[a][b];[a]palettegen=max_colors=32[p];[b][p]paletteuse=dither=none"]),
}
WITH_SOUND = "h264_with_sound.mp4"


def probed(file: Path) -> dict:
    text = subprocess.run(["ffprobe", "-v", "error", "-count_packets", "-select_streams", "v:0", "-show_entries",
                           "stream=width,height,avg_frame_rate,nb_read_packets", "-of", "json", str(file)], check=True,
                          stdout=subprocess.PIPE, text=True).stdout
    return json.loads(text)["streams"][0]


def target(width: int, height: int) -> tuple[int, int]:
    factor = math.sqrt(BUDGET * 48 * 48 / (height * width))
    return math.floor(factor * width / 48) * 48, math.floor(factor * height / 48) * 48


def decoded(file: Path, width: int, height: int, *options: str) -> np.ndarray:
    raw = ffmpeg([*options, "-i", str(file), "-map", "0:v:0", "-vsync", "passthrough", "-sws_flags", EXACT, "-pix_fmt",
                  "rgb24", "-f", "rawvideo", "-"])
    return np.frombuffer(raw, np.uint8).reshape(-1, height, width, 3)


def seen_in(file: Path) -> dict:
    stream = probed(file)
    width, height = stream["width"], stream["height"]
    frames = decoded(file, width, height, "-noautorotate")
    if "portrait" in file.name:
        # FFmpeg's program turns before it interpolates chroma; here pixels are turned, as they are of pictures.
        width, height = height, width
        turned = decoded(file, width, height)
        frames = np.rot90(frames, axes=(1, 2))
        difference = np.abs(frames.astype(int) - turned).mean()
        assert difference < 1, difference
        print(f"{file.name}: turned, {difference:.2f} on average from FFmpeg's")
    total = len(frames)
    assert total == int(stream["nb_read_packets"]), (file.name, total, stream)
    numerator, denominator = map(int, stream["avg_frame_rate"].split("/"))
    n = min(N_FRAMES, total)
    digests = []
    for k in range(n):
        picture = Image.fromarray(np.ascontiguousarray(frames[k * total // n])).resize(target(width, height), Image.Resampling.BICUBIC)
        digests.append(hashlib.sha256(picture.tobytes()).hexdigest())
    assert len(set(digests)) == n, file.name
    return {"total": total, "fps": numerator / denominator, "width": width, "height": height, "frames": digests}


def main() -> None:
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.iterdir():
        old.unlink()
    for name, (video, coding) in VIDEOS.items():
        ffmpeg([*video, *(["-pix_fmt", "yuv420p"] if "-pix_fmt" not in coding and "gif" not in name else []), *coding,
                *BITEXACT, "-y", str(folder / name)])
    # As a phone writes it: stored lying, with a matrix that turns it.
    lying = folder / "h264_portrait.mov"
    turned = lying.with_suffix(".turned.mov")
    ffmpeg(["-i", str(lying), "-c", "copy", "-metadata:s:v:0", "rotate=90", *BITEXACT, "-y", str(turned)])
    turned.replace(lying)
    ffmpeg([*source("64x48", 20), "-f", "lavfi", "-i", "sine=frequency=440:sample_rate=22050:duration=0.8", *X264,
            "-pix_fmt", "yuv420p", "-crf", "35", "-c:a", "aac", "-b:a", "32k", *BITEXACT, "-flags:a", "+bitexact", "-y",
            str(folder / WITH_SOUND)])
    index = {}
    for file in sorted(folder.iterdir()):
        index[file.name] = seen_in(file)
        print(f"{file.name:28} {file.stat().st_size:6} {index[file.name]['total']:3} frames, {index[file.name]['fps']:.3f}")
    (folder / "videos.json").write_text(json.dumps(index, indent=1) + "\n")


if __name__ == "__main__":
    main()
