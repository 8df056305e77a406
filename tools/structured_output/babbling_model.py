#!/usr/bin/env python3
"""Two models that babble over a real vocabulary: nothing but a form makes a reply of what they write.

    tools/structured_output/babbling_model.py --tokenizer tokenizer.json OUT

Writes OUT/babble and OUT/uniform: the tiny random checkpoint of tests/golden/models/31b with the tokenizer's
vocabulary. In `uniform` all embeddings are zero, so each token is as likely as any other. In `babble` pieces of few
characters and early numbers are likelier, and those with quotes, brackets and control tokens more so: replies end, and
they are wrong in many more ways than a trained model's. Both are sampled at temperature 2 from all tokens, unless a
request says otherwise. Serve them with PLEIAD_MODEL_FOLDERS=OUT.
"""
import argparse
import json
import math
import pathlib
import random
import shutil
import struct
from array import array

SOURCE = pathlib.Path(__file__).resolve().parents[2] / "tests/golden/models/31b"
EMBEDDING, LAST_NORM = "model.embed_tokens.weight", "model.norm.weight"
LIKELY_TAGS = ("<turn|>", "<|turn>", "<channel|>", "<|channel>", "<|tool_call>", "<tool_call|>", '<|"|>')


def read_checkpoint(path):
    """{name: (shape, bytes of float32)}"""
    data = path.read_bytes()
    length = struct.unpack("<Q", data[:8])[0]
    header = json.loads(data[8:8 + length])
    header.pop("__metadata__", None)
    out = {}
    for name, about in header.items():
        assert about["dtype"] == "F32", name
        begin, end = about["data_offsets"]
        out[name] = (about["shape"], data[8 + length + begin:8 + length + end])
    return out


def write_checkpoint(path, tensors):
    header, begin = {}, 0
    for name, (shape, data) in tensors.items():
        header[name] = {"dtype": "F32", "shape": shape, "data_offsets": [begin, begin + len(data)]}
        begin += len(data)
    text = json.dumps(header).encode()
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text)
        for _, data in tensors.values():
            file.write(data)


def liking(piece, number):
    """A logit: the first column of an embedding, which the last norm passes on."""
    if piece in LIKELY_TAGS:
        return 24.0
    bonus = 8.0 if any(c in piece for c in '"}],') and len(piece) <= 4 else 0.0
    return 24.0 - 2 * math.log(number + 10) + bonus - min(len(piece), 20) / 10


def babbling(vocabulary, width):
    numbers = random.Random(29)
    rows = array("f", bytes(4 * width * len(vocabulary)))
    for piece, number in vocabulary.items():
        rows[number * width] = liking(piece, number)
        for column in range(1, 9):  # the rest of a row makes words differ in what follows them
            rows[number * width + column] = numbers.uniform(-0.5, 0.5)
    return rows.tobytes()


def write_model(folder, tokenizer, vocabulary, is_uniform):
    folder.mkdir(parents=True)
    tensors = read_checkpoint(SOURCE / "model.safetensors")
    width = tensors[EMBEDDING][0][1]
    shape = [len(vocabulary), width]
    if is_uniform:
        tensors[EMBEDDING] = (shape, bytes(4 * width * len(vocabulary)))
    else:
        tensors[EMBEDDING] = (shape, babbling(vocabulary, width))
        # A hidden state of which the first value is nearly all has length 1: it becomes the square root of the width.
        tensors[LAST_NORM] = ([width], struct.pack(f"<{width}f", 1 / math.sqrt(width), *[0.3] * (width - 1)))
    write_checkpoint(folder / "model.safetensors", tensors)
    config = json.loads((SOURCE / "config.json").read_text())
    config |= {"vocab_size": len(vocabulary), "vocab_size_per_layer_input": len(vocabulary)}
    (folder / "config.json").write_text(json.dumps(config))
    ends = [1, vocabulary["<turn|>"]]
    (folder / "generation_config.json").write_text(json.dumps(
        {"bos_token_id": 2, "eos_token_id": ends, "pad_token_id": 0, "temperature": 2.0, "top_k": 0, "top_p": 1.0}))
    shutil.copy(tokenizer, folder / "tokenizer.json")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tokenizer", required=True, metavar="FILE", help="a tokenizer.json of Gemma's vocabulary")
    parser.add_argument("out", type=pathlib.Path)
    options = parser.parse_args()
    content = json.loads(pathlib.Path(options.tokenizer).read_text())
    vocabulary = dict(content["model"]["vocab"])
    vocabulary |= {token["content"]: token["id"] for token in content["added_tokens"]}
    if sorted(vocabulary.values()) != list(range(len(vocabulary))):
        parser.error(f"{options.tokenizer}: expected pieces numbered from 0 on without gaps")
    for name in ("babble", "uniform"):
        write_model(options.out / name, options.tokenizer, vocabulary, name == "uniform")
        print(options.out / name)


if __name__ == "__main__":
    main()
