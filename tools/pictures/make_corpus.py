#!/usr/bin/env python3
"""Writes tests/golden/media/corpus: small pictures of every format, and what the reference sees in them.

    python3 -m venv .venv && .venv/bin/pip install -r tools/pictures/requirements.txt
    .venv/bin/python tools/pictures/make_corpus.py tests/golden/media/corpus

The reference is Pillow, called as transformers 5.23 calls it: first frame, ImageOps.exif_transpose, transparency over
white by alpha_composite, convert("RGB"), and resize(BICUBIC) to the size of Gemma 4's processor. Of 16-bit gray
Pillow cuts values off at 255; there the truth is value * 255 / 65535, rounded. The same versions give the same bytes.
"""

import hashlib
import io
import json
import math
import pathlib
import sys

import numpy as np
import pillow_heif
from PIL import Image, ImageOps

import handmade as hand

WIDTH, HEIGHT = 45, 37
ORIENTATION = 0x0112


def photo(width: int = WIDTH, height: int = HEIGHT, channels: int = 3, seed: int = 1) -> np.ndarray:
    """Slopes, an edge and noise: what a careless decoder gets wrong."""
    y, x = np.mgrid[0:height, 0:width].astype(np.float64)
    noise = np.random.default_rng(seed).integers(-12, 13, (height, width, channels))
    planes = [255 * x / max(width - 1, 1), 255 * y / max(height - 1, 1),
              255 * ((x - width / 2) ** 2 + (y - height / 2) ** 2 < (min(width, height) / 3) ** 2),
              255 * (x + y) / max(width + height - 2, 1)]
    pixels = np.stack(planes[:channels], axis=-1) + noise
    return np.clip(pixels, 0, 255).astype(np.uint8)


def exif(value: int) -> bytes:
    data = Image.Exif()
    data[ORIENTATION] = value
    return data.tobytes()


def saved(image: Image.Image, kind: str, **options) -> bytes:
    file = io.BytesIO()
    image.save(file, kind, **options)
    return file.getvalue()


def rgb(**size) -> Image.Image:
    return Image.fromarray(photo(**size))


def jpegs() -> dict:
    files = {}
    for width, height in ((1, 1), (2, 1), (1, 9), (8, 8), (17, 33)):
        files[f"{width}x{height}.jpg"] = saved(rgb(width=width, height=height), "JPEG", quality=90)
    for sampling, name in enumerate(("444", "422", "420")):
        files[f"chroma_{name}.jpg"] = saved(rgb(), "JPEG", quality=80, subsampling=sampling)
    for value in range(1, 9):
        files[f"orientation_{value}.jpg"] = saved(rgb(), "JPEG", quality=85, exif=exif(value))
    xmp = b'<x:xmpmeta><rdf:Description tiff:Orientation="6"/></x:xmpmeta>'
    files["orientation_in_xmp.jpg"] = saved(rgb(), "JPEG", quality=85, xmp=xmp)
    files["progressive.jpg"] = saved(rgb(), "JPEG", quality=85, progressive=True)
    files["progressive_turned.jpg"] = saved(rgb(), "JPEG", quality=85, progressive=True, exif=exif(8))
    files["restarts.jpg"] = saved(rgb(), "JPEG", quality=70, restart_marker_blocks=1)
    files["gray.jpg"] = saved(rgb().convert("L"), "JPEG", quality=85)
    files["stored_as_rgb.jpg"] = saved(rgb(), "JPEG", quality=85, keep_rgb=True)
    files["cmyk.jpg"] = saved(Image.fromarray(photo(channels=4), "CMYK"), "JPEG", quality=95)
    files["profile.jpg"] = saved(rgb(), "JPEG", quality=85, icc_profile=b"not a profile at all")
    return files


def pngs() -> dict:
    gray, colours, alpha = photo(channels=1)[..., 0], photo(), photo(channels=4)
    palette = Image.fromarray(colours).quantize(40)
    clear = bytes(np.random.default_rng(2).integers(0, 256, 40).astype(np.uint8))
    wide = photo(channels=4).astype(np.uint16) * 257 + np.arange(WIDTH, dtype=np.uint16)[None, :, None] * 3
    wide = np.clip(wide, 0, 65535).astype(np.uint16)
    table = np.random.default_rng(3).integers(0, 256, (16, 3)).astype(np.uint8)
    plte = hand.chunk(b"PLTE", table.tobytes())
    files = {
        "1x1.png": saved(rgb(width=1, height=1), "PNG"),
        "black_and_white.png": saved(Image.fromarray(gray > 128), "PNG"),
        "gray.png": saved(Image.fromarray(gray), "PNG"),
        "gray_alpha.png": saved(Image.fromarray(alpha).convert("LA"), "PNG"),
        "rgb.png": saved(Image.fromarray(colours), "PNG"),
        "rgba.png": saved(Image.fromarray(alpha), "PNG"),
        "palette.png": saved(palette, "PNG"),
        "palette_alpha.png": saved(palette, "PNG", transparency=clear),
        "palette_one_clear.png": saved(palette, "PNG", transparency=7),
        "colour_key.png": saved(Image.fromarray(colours), "PNG", transparency=tuple(int(v) for v in colours[5, 5])),
        "gray_key.png": saved(Image.fromarray(gray), "PNG", transparency=int(gray[5, 5])),
        "gamma.png": hand.png(colours, hand.RGB, 8, before=hand.chunk(b"gAMA", (45000).to_bytes(4, "big"))),
        "gray_2_bits.png": hand.png(gray >> 6, hand.GRAY, 2),
        "gray_4_bits.png": hand.png(gray >> 4, hand.GRAY, 4),
        "palette_2_bits.png": hand.png(gray >> 6, hand.PALETTE, 2, before=plte),
        "palette_4_bits.png": hand.png(gray >> 4, hand.PALETTE, 4, before=plte),
        "gray_16_bits.png": hand.png(wide[..., 0], hand.GRAY, 16),
        "gray_alpha_16_bits.png": hand.png(wide[..., :2], hand.GRAY_ALPHA, 16),
        "rgb_16_bits.png": hand.png(wide[..., :3], hand.RGB, 16),
        "rgba_16_bits.png": hand.png(wide, hand.RGBA, 16),
        "interlaced.png": hand.png(colours, hand.RGB, 8, interlaced=True),
        "interlaced_alpha.png": hand.png(alpha, hand.RGBA, 8, interlaced=True),
        "interlaced_1_bit.png": hand.png(gray >> 7, hand.GRAY, 1, interlaced=True),
        "interlaced_gray_16_bits.png": hand.png(wide[..., 0], hand.GRAY, 16, interlaced=True),
        "interlaced_3x2.png": hand.png(colours[:2, :3], hand.RGB, 8, interlaced=True),
        "exif_behind.png": hand.png(colours, hand.RGB, 8, behind=hand.chunk(b"eXIf", exif(6)[6:])),
        "animated.png": saved(Image.fromarray(colours), "PNG", save_all=True,
                              append_images=[Image.fromarray(photo(seed=9))]),
    }
    for value in (3, 5, 8):
        files[f"orientation_{value}.png"] = saved(Image.fromarray(colours), "PNG", exif=exif(value))
    return files


def webps() -> dict:
    colours, alpha = Image.fromarray(photo()), Image.fromarray(photo(channels=4))
    frames = [Image.fromarray(photo(seed=seed)) for seed in (5, 6)]
    clear = [Image.fromarray(photo(channels=4, seed=seed)) for seed in (5, 6)]
    return {
        "1x1.webp": saved(rgb(width=1, height=1), "WEBP", quality=80),
        "lossy.webp": saved(colours, "WEBP", quality=80),
        "lossy_alpha.webp": saved(alpha, "WEBP", quality=80),
        "lossless.webp": saved(colours, "WEBP", lossless=True),
        "lossless_alpha.webp": saved(alpha, "WEBP", lossless=True),
        "animated.webp": saved(frames[0], "WEBP", save_all=True, append_images=frames[1:], quality=80),
        "animated_alpha.webp": saved(clear[0], "WEBP", save_all=True, append_images=clear[1:], lossless=True),
        "orientation_6.webp": saved(colours, "WEBP", quality=80, exif=exif(6)),
    }


def gifs() -> dict:
    colours = Image.fromarray(photo()).quantize(64)
    frames = [Image.fromarray(photo(seed=seed)).quantize(32) for seed in (5, 6, 7)]
    plain = saved(colours, "GIF", interlace=0)
    clear = saved(colours, "GIF", interlace=0, transparency=3)

    def on_screen(file: bytes, width: int, height: int, left: int, top: int) -> bytes:
        """The frame at a place of a larger (or smaller) screen."""
        at = file.index(b"," + bytes(4) + WIDTH.to_bytes(2, "little"))
        place = left.to_bytes(2, "little") + top.to_bytes(2, "little")
        file = file[:at + 1] + place + file[at + 5:]
        return file[:6] + width.to_bytes(2, "little") + height.to_bytes(2, "little") + file[10:]

    return {
        "1x1.gif": saved(rgb(width=1, height=1), "GIF"),
        "plain.gif": plain,
        "interlaced.gif": saved(colours, "GIF", interlace=1),
        "transparent.gif": clear,
        "gray.gif": saved(Image.fromarray(photo(channels=1)[..., 0]), "GIF"),
        "part_of_screen.gif": on_screen(plain, 80, 60, 7, 9),
        "part_of_screen_transparent.gif": on_screen(clear, 80, 60, 7, 9),
        "beyond_screen.gif": on_screen(plain, 50, 40, 3, 2),
        "animated.gif": saved(frames[0], "GIF", save_all=True, append_images=frames[1:]),
    }


def bmps() -> dict:
    gray, colours, alpha = photo(channels=1)[..., 0], photo(), photo(channels=4)
    palette = Image.fromarray(colours).quantize(200)
    bgr = colours[..., ::-1]
    rows_565 = [(((r >> 3).astype(np.uint16) << 11) | ((g >> 2).astype(np.uint16) << 5) | (b >> 3)).astype("<u2").tobytes()
                for r, g, b in (row.T for row in colours)]
    rows_555 = [(((r >> 3).astype(np.uint16) << 10) | ((g >> 3).astype(np.uint16) << 5) | (b >> 3)).astype("<u2").tobytes()
                for r, g, b in (row.T for row in colours)]
    four = gray >> 4
    even = np.pad(four, ((0, 0), (0, WIDTH % 2)))
    rows_4 = [(row[0::2] << 4 | row[1::2]).astype(np.uint8).tobytes() for row in even]
    table = np.random.default_rng(3).integers(0, 256, (16, 4)).astype(np.uint8).tobytes()
    large_table = np.random.default_rng(4).integers(0, 256, (256, 4)).astype(np.uint8).tobytes()
    runs_8, runs_4 = bytearray(), bytearray()
    steps = np.repeat(np.arange(HEIGHT * 4).reshape(HEIGHT, 4) % 16, 16, axis=1)[:, :WIDTH].astype(np.uint8)
    for row in steps[::-1]:
        for start in range(0, WIDTH, 16):
            part = row[start:start + 16]
            if start == 16:  # as it is, an odd number of bytes for the one and of nibbles for the other
                runs_8 += bytes([0, 15]) + part[:15].tobytes() + b"\0" + bytes([1, part[15]])
                nibbles = np.append(part[:15], 0)
                runs_4 += bytes([0, 15]) + (nibbles[0::2] << 4 | nibbles[1::2]).astype(np.uint8).tobytes() + bytes([1, part[15] << 4])
            else:
                runs_8 += bytes([len(part), part[0]])
                runs_4 += bytes([len(part), part[0] << 4 | part[0]])
        runs_8 += b"\0\0"
        runs_4 += b"\0\0"
    return {
        "1x1.bmp": saved(rgb(width=1, height=1), "BMP"),
        "black_and_white.bmp": saved(Image.fromarray(gray > 128), "BMP"),
        "gray.bmp": saved(Image.fromarray(gray), "BMP"),
        "palette.bmp": saved(palette, "BMP"),
        "rgb.bmp": saved(Image.fromarray(colours), "BMP"),
        "rgba.bmp": saved(Image.fromarray(alpha), "BMP"),
        "masks_of_alpha.bmp": hand.bmp(WIDTH, HEIGHT, 32, hand.bmp_rows([row.tobytes() for row in alpha[..., [2, 1, 0, 3]]]), 3,
                                       masks=(0xFF0000, 0xFF00, 0xFF, 0xFF000000), header_size=108),
        "32_bits.bmp": hand.bmp(WIDTH, HEIGHT, 32, hand.bmp_rows([row.tobytes() for row in alpha[..., [2, 1, 0, 3]]])),
        "top_down.bmp": hand.bmp(WIDTH, -HEIGHT, 24, hand.bmp_rows([row.tobytes() for row in bgr[::-1]])),
        "4_bits.bmp": hand.bmp(WIDTH, HEIGHT, 4, hand.bmp_rows(rows_4), palette=table),
        "555.bmp": hand.bmp(WIDTH, HEIGHT, 16, hand.bmp_rows(rows_555)),
        "565.bmp": hand.bmp(WIDTH, HEIGHT, 16, hand.bmp_rows(rows_565), 3, masks=(0xF800, 0x7E0, 0x1F)),
        "core_header.bmp": hand.core_bmp(WIDTH, HEIGHT, 24, hand.bmp_rows([row.tobytes() for row in bgr])),
        "core_palette.bmp": hand.core_bmp(WIDTH, HEIGHT, 4, hand.bmp_rows(rows_4), palette=table[:48]),
        "rle8.bmp": hand.bmp(WIDTH, HEIGHT, 8, bytes(runs_8) + b"\0\1", 1, palette=large_table),
        "rle4.bmp": hand.bmp(WIDTH, HEIGHT, 4, bytes(runs_4) + b"\0\1", 2, palette=table),
    }


def tiffs() -> dict:
    gray, colours, alpha = photo(channels=1)[..., 0], photo(), photo(channels=4)
    wide = photo(channels=4).astype(np.uint16) * 257
    wide[..., :3] -= np.minimum(wide[..., :3], 100)
    premultiplied = alpha.copy()
    premultiplied[..., :3] = (alpha[..., :3].astype(np.uint16) * alpha[..., 3:] // 255).astype(np.uint8)
    image, pages = Image.fromarray(colours), [Image.fromarray(photo(seed=9)), Image.fromarray(photo(seed=8))]
    files = {
        "1x1.tif": saved(rgb(width=1, height=1), "TIFF"),
        "fax.tif": saved(Image.fromarray(gray > 128), "TIFF", compression="group4"),
        "gray_lzw.tif": saved(Image.fromarray(gray), "TIFF", compression="tiff_lzw"),
        "gray_16_bits.tif": saved(Image.fromarray(wide[..., 0]), "TIFF", compression="tiff_deflate"),
        "palette.tif": saved(image.quantize(100), "TIFF", compression="packbits"),
        "rgb_deflate.tif": saved(image, "TIFF", compression="tiff_adobe_deflate"),
        "rgb_jpeg.tif": saved(image, "TIFF", compression="jpeg", quality=90),
        "ycbcr_jpeg.tif": saved(image.convert("YCbCr"), "TIFF", compression="jpeg", quality=90),
        "rgba.tif": saved(Image.fromarray(alpha), "TIFF", compression="tiff_lzw"),
        "gray_alpha.tif": saved(Image.fromarray(alpha).convert("LA"), "TIFF"),
        "cmyk.tif": saved(Image.fromarray(alpha, "CMYK"), "TIFF", compression="tiff_lzw"),
        "pages.tif": saved(image, "TIFF", save_all=True, append_images=pages, compression="tiff_lzw"),
        "big_endian.tif": hand.strip_tiff(colours, 2, ">"),
        "rgb_16_bits.tif": hand.strip_tiff(wide[..., :3], 2, ">"),
        "rgba_16_bits.tif": hand.strip_tiff(wide, 2, "<", t338=[2]),
        "premultiplied.tif": hand.strip_tiff(premultiplied, 2, t338=[1]),
        "not_alpha.tif": hand.strip_tiff(alpha, 2, t338=[0]),
        "inverted_gray.tif": hand.strip_tiff(gray, 0),
        "planes.tif": hand.strip_tiff(colours, 2, planes=True),
        "tiles.tif": hand.tile_tiff(colours, 2),
        "tiles_of_planes.tif": hand.tile_tiff(colours, 2, ">", planes=True),
        "tiles_of_16_bits.tif": hand.tile_tiff(wide[..., 0], 1, ">"),
    }
    for value in (2, 5, 7):
        files[f"orientation_{value}.tif"] = hand.strip_tiff(colours, 2, t274=[value])
    return files


def heifs() -> dict:
    """By other libraries than Pleiad's, whose conversions of colours differ in the last bits."""
    colours, alpha = Image.fromarray(photo(64, 48)), Image.fromarray(photo(64, 48, 4))

    def heic(image: Image.Image, chroma: int = 444) -> bytes:
        file = io.BytesIO()
        pillow_heif.from_pillow(image).save(file, format="HEIF", quality=90, chroma=chroma)
        return file.getvalue()

    turned = colours.copy()
    turned.info["exif"] = exif(6)
    return {
        "lossy.avif": saved(colours, "AVIF", quality=90, subsampling="4:4:4"),
        "gray.avif": saved(colours.convert("L"), "AVIF", quality=90, subsampling="4:0:0"),
        "alpha.avif": saved(alpha, "AVIF", quality=95, subsampling="4:4:4"),
        "orientation_6.avif": saved(colours, "AVIF", quality=90, subsampling="4:4:4", exif=exif(6)),
        "orientation_7.avif": saved(colours, "AVIF", quality=90, subsampling="4:4:4", exif=exif(7)),
        "lossy.heic": heic(colours),
        "chroma_420.heic": heic(colours, 420),
        "alpha.heic": heic(alpha),
        "orientation_6.heic": heic(turned),
    }


def reference(file: bytes) -> Image.Image:
    image = ImageOps.exif_transpose(Image.open(io.BytesIO(file)))
    if image.mode.startswith("I;16"):
        return Image.fromarray(np.rint(np.array(image).astype(np.float64) * 255 / 65535).astype(np.uint8)).convert("RGB")
    if "A" in image.getbands() or image.info.get("transparency") is not None:
        white = Image.new("RGBA", image.size, (255, 255, 255, 255))
        return Image.alpha_composite(white, image.convert("RGBA")).convert("RGB")
    return image.convert("RGB")


def target_size(width: int, height: int, budget: int) -> tuple:
    """get_aspect_ratio_preserving_size of transformers' processor for Gemma 4."""
    factor = math.sqrt(budget * 9 * 256 / (height * width))
    high, wide = int(math.floor(factor * height / 48)) * 48, int(math.floor(factor * width / 48)) * 48
    if high == 0:
        high, wide = 48, min(int(math.floor(width / height)) * 48, budget * 48)
    elif wide == 0:
        wide, high = 48, min(int(math.floor(height / width)) * 48, budget * 48)
    return wide, high


def digest(image: Image.Image) -> str:
    return hashlib.sha256(np.array(image).tobytes()).hexdigest()


def resized(image: Image.Image, budget: int) -> str:
    size = target_size(*image.size, budget)
    return digest(image if size == image.size else image.resize(size, Image.Resampling.BICUBIC))


def noise(width: int, height: int) -> Image.Image:
    """What the tests make themselves: a linear congruential generator's high bytes."""
    state, data = 12345, bytearray()
    for _ in range(width * height * 3):
        state = (state * 1664525 + 1013904223) & 0xFFFFFFFF
        data.append(state >> 24)
    return Image.frombytes("RGB", (width, height), bytes(data))


RESIZES = [((1, 1), (48, 48)), ((2, 3), (96, 144)), ((48, 48), (48, 48)), ((100, 75), (432, 336)), ((100, 75), (100, 48)),
           ((100, 75), (48, 75)), ((300, 200), (96, 48)), ((301, 203), (288, 192)), ((64, 2), (1536, 48)), ((3, 700), (48, 3360)),
           ((700, 3), (3360, 48)), ((12000, 5), (96, 48)), ((5, 12000), (48, 96)), ((47, 53), (624, 720)), ((500, 7), (48, 48)),
           ((108, 240), (48, 96)), ((60, 100), (48, 48))]


def main() -> None:
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.iterdir():
        old.unlink()
    pictures, total = [], 0
    for make in (jpegs, pngs, webps, gifs, bmps, tiffs):
        for name, file in make().items():
            (folder / name).write_bytes(file)
            total += len(file)
            image = reference(file)
            pictures.append({"file": name, "width": image.width, "height": image.height, "rgb": digest(image),
                             "at_70": resized(image, 70), "at_280": resized(image, 280)})
    pillow_heif.register_heif_opener()
    close = []
    for name, file in heifs().items():
        (folder / name).write_bytes(file)
        image = reference(file)
        expected = name.replace(".", "_") + "_expected.png"
        image.save(folder / expected, optimize=True)
        total += len(file) + (folder / expected).stat().st_size
        close.append({"file": name, "expected": expected})
    sizes = [{"from": list(small), "to": list(large),
              "rgb": digest(noise(*small).resize(large, Image.Resampling.BICUBIC))} for small, large in RESIZES]
    lines = [f'"{key}": [\n' + ",\n".join(json.dumps(entry) for entry in entries) + "\n]"
             for key, entries in (("equal", pictures), ("close", close), ("resizes", sizes))]
    (folder / "corpus.json").write_text("{\n" + ",\n".join(lines) + "\n}\n")
    print(f"{len(pictures)} pictures to be equal, {len(close)} to be close, {len(sizes)} resizes, {total} bytes")


if __name__ == "__main__":
    main()
