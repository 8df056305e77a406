"""A model that sees, made of the demo model and a small tower with random weights, and pictures for it.

What it says of a picture means nothing: the tests are about what is sent, taken and told.
"""
import base64
import os
import pathlib
import random
import shutil
import struct
import zlib

DEMO = pathlib.Path(__file__).parents[2] / "models/demo/pleiad-demo.gguf"
NAME = "seeing"
BLIND = "blind"  # the demo's text model without its tower

TEXT_WIDTH = 256  # of the demo model
WIDTH = 64  # of the tower, and of its one head
FEED_FORWARD = 64
POSITIONS = 128  # patches on a side, at most

STRING, UINT32, FLOAT32, BOOL, ARRAY = 8, 4, 6, 7, 9


def text(value):
    data = value.encode()
    return struct.pack("<Q", len(data)) + data


def key(name, kind, payload):
    return text(name) + struct.pack("<I", kind) + payload


def tower():
    """A projector file (GGUF): one layer, weights drawn from a seed."""
    keys = [
        key("general.architecture", STRING, text("clip")),
        key("general.type", STRING, text("mmproj")),
        key("general.name", STRING, text("A tower for tests")),
        key("clip.has_vision_encoder", BOOL, b"\1"),
        key("clip.vision.projector_type", STRING, text("gemma4v")),
        key("clip.vision.attention.layer_norm_epsilon", FLOAT32, struct.pack("<f", 1e-6)),
    ]
    for name, value in {"projection_dim": TEXT_WIDTH, "image_size": 224, "patch_size": 16, "embedding_length": WIDTH,
                        "feed_forward_length": FEED_FORWARD, "block_count": 1, "attention.head_count": 1}.items():
        keys.append(key(f"clip.vision.{name}", UINT32, struct.pack("<I", value)))
    for name, value in {"image_mean": 0.0, "image_std": 1.0}.items():
        keys.append(key(f"clip.vision.{name}", ARRAY, struct.pack("<IQfff", FLOAT32, 3, value, value, value)))
    # The innermost dimension first, as in the file.
    shapes = {"v.patch_embd.weight": (16, 16, 3, WIDTH), "v.position_embd.weight": (WIDTH, POSITIONS, 2),
              "mm.input_projection.weight": (WIDTH, TEXT_WIDTH)}
    for name in ("ln1", "attn_q_norm", "attn_k_norm", "attn_post_norm", "ln2", "ffn_post_norm"):
        shapes[f"v.blk.0.{name}.weight"] = (WIDTH,)
    for name in ("attn_q", "attn_k", "attn_v", "attn_out", "ffn_gate", "ffn_up", "ffn_down"):
        shapes[f"v.blk.0.{name}.weight"] = (WIDTH, WIDTH)
    numbers = random.Random(25)
    infos, data = b"", b""
    for name, shape in shapes.items():
        size = 1
        for side in shape:
            size *= side
        infos += text(name) + struct.pack(f"<I{len(shape)}QIQ", len(shape), *shape, 0, len(data))
        data += struct.pack(f"<{size}f", *(numbers.gauss(0, 0.1) for _ in range(size)))
        data += bytes(-len(data) % 32)
    head = b"GGUF" + struct.pack("<IQQ", 3, len(shapes), len(keys)) + b"".join(keys) + infos
    return head + bytes(-len(head) % 32) + data


def folder_with_model(folder):
    """Where a server finds the model `seeing` (PLEIAD_MODEL_FOLDERS)."""
    folder = pathlib.Path(folder) / "seeing"
    folder.mkdir()
    shutil.copy(DEMO, folder / f"{NAME}.gguf")
    (folder / f"mmproj-{NAME}.gguf").write_bytes(tower())
    return folder


def folder_with_blind_model(folder):
    """Where a server finds the model `blind`, which has no tower beside it."""
    folder = pathlib.Path(folder) / "blind"
    folder.mkdir()
    shutil.copy(DEMO, folder / f"{BLIND}.gguf")
    return folder


def png(width, height, color=(200, 30, 30), corner=(20, 20, 220)):
    """A picture of one colour with a square of another in a corner."""
    rows = bytearray()
    for y in range(height):
        rows.append(0)
        for x in range(width):
            rows += bytes(corner if x < width // 3 and y < height // 3 else color)

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(bytes(rows), 1))
            + chunk(b"IEND", b""))


def in_base64(picture):
    return base64.b64encode(picture).decode()


def data_url(picture):
    return "data:image/png;base64," + in_base64(picture)


# Squares of 96 x 96 pixels grow to 8 x 8 soft tokens with a budget of 70, to 16 x 16 with one of 280.
RED = png(96, 96)
GREEN = png(96, 96, color=(30, 200, 30))
TOKENS = {70: 64, 140: 121, 280: 256, 560: 529, 1120: 1089}


if __name__ == "__main__":
    folder_with_model(os.sys.argv[1])
