"""Pictures for tests, made of nothing but the standard library."""
import base64
import struct
import zlib


def png(width, height, colour=(200, 30, 30)):
    """A PNG of stripes, RGB: rows of `colour` and of white in turns."""
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    rows = b"".join(b"\0" + bytes(colour if y // 8 % 2 else (255, 255, 255)) * width for y in range(height))
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
            + chunk(b"IDAT", zlib.compress(rows, 1)) + chunk(b"IEND", b""))


# What no browser shows and the server reads: 2 x 3 pixels of gray, little-endian, one strip.
TIFF = (b"II*\0\x0e\0\0\0" + bytes([0, 60, 120, 180, 240, 90]) + struct.pack("<H", 8) + b"".join(
    struct.pack("<HHII", tag, kind, 1, value)
    for tag, kind, value in [(256, 3, 2), (257, 3, 3), (258, 3, 8), (259, 3, 1), (262, 3, 1), (273, 4, 8), (278, 3, 3),
                             (279, 4, 6)]) + b"\0\0\0\0")


def base64_of(data):
    return base64.b64encode(data).decode()
