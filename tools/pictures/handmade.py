"""Files that Pillow reads and does not write: interlaced and 16-bit PNG, rare BMP and TIFF.

Every function gets numpy arrays, [height, width] or [height, width, channels], and gives the bytes of a file.
"""

import struct
import zlib

import numpy as np

ADAM7 = ((0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2))
GRAY, RGB, PALETTE, GRAY_ALPHA, RGBA = 0, 2, 3, 4, 6


def chunk(name: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))


def png_rows(pixels: np.ndarray, depth: int) -> bytes:
    """Rows without a filter; samples of less than 8 bits fill bytes from the high end."""
    rows = []
    for row in pixels.reshape(pixels.shape[0], -1):
        if depth == 16:
            data = row.astype(">u2").tobytes()
        elif depth == 8:
            data = row.astype(np.uint8).tobytes()
        else:
            bits = ((row[:, None] >> np.arange(depth - 1, -1, -1)) & 1).reshape(-1)
            data = np.packbits(bits.astype(np.uint8)).tobytes()
        rows.append(b"\0" + data)
    return b"".join(rows)


def png(pixels: np.ndarray, kind: int, depth: int, interlaced: bool = False, before: bytes = b"", behind: bytes = b"") -> bytes:
    height, width = pixels.shape[:2]
    if interlaced:
        passes = [pixels[y::dy, x::dx] for x, y, dx, dy in ADAM7]
        data = b"".join(png_rows(part, depth) for part in passes if part.size)
    else:
        data = png_rows(pixels, depth)
    header = struct.pack(">IIBBBBB", width, height, depth, kind, 0, 0, int(interlaced))
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + before + chunk(b"IDAT", zlib.compress(data, 9)) + behind
            + chunk(b"IEND", b""))


def bmp(width: int, height: int, bits: int, data: bytes, compression: int = 0, palette: bytes = b"",
        masks: tuple = (), header_size: int = 40) -> bytes:
    """A height below zero: the first row comes first. Masks stand inside headers of 52 bytes and more."""
    fields = struct.pack("<IiiHHIIiiII", header_size, width, height, 1, bits, compression, len(data), 2835, 2835,
                         len(palette) // 4, 0)
    inside = struct.pack(f"<{len(masks)}I", *masks)
    fields += inside if header_size == 40 else inside.ljust(header_size - 40, b"\0")
    offset = 14 + len(fields) + len(palette)
    return b"BM" + struct.pack("<IHHI", offset + len(data), 0, 0, offset) + fields + palette + data


def core_bmp(width: int, height: int, bits: int, data: bytes, palette: bytes = b"") -> bytes:
    """OS/2 1.x: sides of 16 bits, colours of three bytes."""
    fields = struct.pack("<IHHHH", 12, width, height, 1, bits)
    offset = 14 + len(fields) + len(palette)
    return b"BM" + struct.pack("<IHHI", offset + len(data), 0, 0, offset) + fields + palette + data


def bmp_rows(rows: list) -> bytes:
    """The last row first, each filled up to 4 bytes."""
    return b"".join(row + bytes(-len(row) % 4) for row in reversed(rows))


def tiff(order: str, tags: dict, parts: list, at_tag: int, sizes_tag: int) -> bytes:
    """One directory; `parts` are strips or tiles, whose places go into at_tag and sizes_tag. Values are lists of
    16-bit numbers, or of 32-bit ones where one of them is larger."""
    places, at = [], 8
    for part in parts:
        places.append(at)
        at += len(part) + len(part) % 2
    tags = {**tags, at_tag: places, sizes_tag: [len(part) for part in parts]}
    body = b"".join(part + bytes(len(part) % 2) for part in parts)
    directory = at
    behind = directory + 2 + 12 * len(tags) + 4
    entries, extra = b"", b""
    for tag, values in sorted(tags.items()):
        wide = max(values) > 0xFFFF or tag == at_tag
        packed = struct.pack(f"{order}{len(values)}{'I' if wide else 'H'}", *values)
        if len(packed) > 4:
            field = struct.pack(f"{order}I", behind + len(extra))
            extra += packed + bytes(len(packed) % 2)
        else:
            field = packed.ljust(4, b"\0")
        entries += struct.pack(f"{order}HHI", tag, 4 if wide else 3, len(values)) + field
    head = (b"II*\0" if order == "<" else b"MM\0*") + struct.pack(f"{order}I", directory)
    return head + body + struct.pack(f"{order}H", len(tags)) + entries + bytes(4) + extra


def tiff_tags(pixels: np.ndarray, photometric: int, **more: list) -> dict:
    height, width = pixels.shape[:2]
    n = 1 if pixels.ndim == 2 else pixels.shape[2]
    tags = {256: [width], 257: [height], 258: [pixels.dtype.itemsize * 8] * n, 259: [1], 262: [photometric], 277: [n]}
    return {**tags, **{int(name[1:]): value for name, value in more.items()}}


def tiff_samples(pixels: np.ndarray, order: str) -> bytes:
    return pixels.astype(pixels.dtype.newbyteorder(order)).tobytes()


def strip_tiff(pixels: np.ndarray, photometric: int, order: str = "<", rows: int = 16, planes: bool = False, **more) -> bytes:
    tags = tiff_tags(pixels, photometric, t278=[rows], **more)
    parts = [pixels] if not planes else [pixels[..., i] for i in range(pixels.shape[2])]
    if planes:
        tags[284] = [2]
    strips = [tiff_samples(part[y:y + rows], order) for part in parts for y in range(0, pixels.shape[0], rows)]
    return tiff(order, tags, strips, 273, 279)


def tile_tiff(pixels: np.ndarray, photometric: int, order: str = "<", side: int = 16, planes: bool = False, **more) -> bytes:
    tags = tiff_tags(pixels, photometric, t322=[side], t323=[side], **more)
    height, width = pixels.shape[:2]
    filled = np.zeros((-(-height // side) * side, -(-width // side) * side, *pixels.shape[2:]), pixels.dtype)
    filled[:height, :width] = pixels
    parts = [filled] if not planes else [filled[..., i] for i in range(pixels.shape[2])]
    if planes:
        tags[284] = [2]
    tiles = [tiff_samples(part[y:y + side, x:x + side], order) for part in parts
             for y in range(0, height, side) for x in range(0, width, side)]
    return tiff(order, tags, tiles, 324, 325)
