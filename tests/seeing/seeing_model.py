"""A model that sees, for tests of the program: the tiny checkpoint of tests/golden/media with words added.

What it says means nothing; that it is asked, with which tokens, is what tests look at.
"""
import json
import pathlib
import shutil

GOLDEN = pathlib.Path(__file__).resolve().parent.parent / "golden" / "media"
# As the checkpoint's config numbers them, and the turns where it has room. Bytes are 4 to 259.
TAGS = {0: "<pad>", 1: "<eos>", 2: "<bos>", 3: "<unk>", 260: "<|video|>", 261: "<|image|>", 262: "<|audio>", 263: "<audio|>",
        264: "<|audio|>", 265: "<|image>", 266: "<|turn>", 267: "<turn|>", 268: "<|channel>", 269: "<channel|>",
        270: "<image|>", 271: "<|think|>"}


def tokenizer():
    vocabulary = {tag: id for id, tag in TAGS.items()} | {f"<0x{byte:02X}>": 4 + byte for byte in range(256)}
    return {
        "version": "1.0", "truncation": None, "padding": None,
        "added_tokens": [{"id": id, "content": tag, "single_word": False, "lstrip": False, "rstrip": False,
                          "normalized": False, "special": True} for id, tag in sorted(TAGS.items())],
        "normalizer": {"type": "Replace", "pattern": {"String": " "}, "content": "▁"},
        "pre_tokenizer": {"type": "Split", "pattern": {"String": " "}, "behavior": "MergedWithPrevious", "invert": False},
        "post_processor": None,
        "decoder": {"type": "Sequence", "decoders": [{"type": "Replace", "pattern": {"String": "▁"}, "content": " "},
                                                     {"type": "ByteFallback"}, {"type": "Fuse"}]},
        "model": {"type": "BPE", "dropout": None, "unk_token": "<unk>", "continuing_subword_prefix": None,
                  "end_of_word_suffix": None, "fuse_unk": True, "byte_fallback": True, "ignore_merges": False,
                  "vocab": dict(sorted(vocabulary.items(), key=lambda item: item[1])), "merges": []}}


def write(folder, name="e2b"):
    """Makes the folder such a model; returns it."""
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True)
    for file in ("config.json", "model.safetensors", "processor_config.json"):
        shutil.copy(GOLDEN / name / file, folder / file)
    (folder / "generation_config.json").write_text(json.dumps({"bos_token_id": 2, "eos_token_id": [1, 267], "pad_token_id": 0}))
    (folder / "tokenizer.json").write_text(json.dumps(tokenizer(), ensure_ascii=False))
    return folder
