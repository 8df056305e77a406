"""What a hub of models answers; the first line is what somebody chose."""
import json


def hub_answer_seeds() -> dict[str, bytes]:
    def file(path: str, size: int = 10, large: bool = False, **more: object) -> dict:
        entry = {"type": "file", "oid": "a" * 40, "size": size, "path": path, **more}
        if large:
            entry["lfs"] = {"oid": "b" * 64, "size": size, "pointerSize": 130}
        return entry

    def page(wanted: str, *entries: object) -> bytes:
        return f"{wanted}\n{json.dumps(entries)}".encode()

    def plain(text: str) -> bytes:
        return f"\n{text}".encode()

    return {
        "repository": plain(json.dumps({"sha": "c" * 40, "cardData": {"license": ["mit", "other"]}, "tags": ["gguf"]})),
        "licence_of_a_tag": plain(json.dumps({"sha": "c" * 40, "cardData": None, "tags": ["license:gemma", 1]})),
        "short_commit": plain(json.dumps({"sha": "c" * 39})),
        "types": page("", *(file(f"m-{kind}.gguf", large=True) for kind in ("Q4_K_M", "UD-Q4_K_XL", "BF16", "IQ2_M"))),
        "named": page("q8_0", file("a-Q8_0.gguf"), file("b/b-UD-Q8_0.gguf")),
        "same_type_twice": page("", file("a-Q4_K_M.gguf"), file("b-Q4_K_M.gguf")),
        "split": page("", file("Q4_0/m-Q4_0-00001-of-00002.gguf"), file("Q4_0/m-Q4_0-00002-of-00002.gguf"),
                      file("mmproj-F16.gguf"), file("mmproj-BF16.gguf")),
        "split_lacks": page("", file("m-00001-of-99999.gguf")),
        "no_such_part": page("m-00002-of-00001.gguf", file("m-00002-of-00001.gguf"), file("m-00000-of-00000.gguf")),
        "folder": page("safetensors", file("config.json"), file("model.safetensors", large=True), file("LICENSE"),
                       file("onnx/m.onnx"), {"type": "directory", "oid": "0" * 40, "size": 0, "path": "onnx"}),
        "sharded": page("", file("config.json"), file("model.safetensors.index.json"), file("a/x.safetensors")),
        "climbs": page("", file("../m-Q4_0.gguf"), file("/m-Q4_0.gguf"), file("a\\b.gguf"), file("a\u0000.gguf")),
        "wrong_sizes": page("", file("m.gguf", -1)),
        "overflow": page("", file("m.gguf", 2**64 - 1)),
        "large_without_digest": page("", file("m.gguf", lfs={"oid": "sha256:x", "size": 1})),
        "no_list": plain("{}"),
        "html": plain("<!doctype html><title>Sign in</title>"),
        "index": plain(json.dumps({"metadata": {}, "weight_map": {"a": "model.safetensors-1", "b": "model.safetensors-1"}})),
        "index_climbs": plain(json.dumps({"weight_map": {"a": "../x"}})),
        "next_page": plain("https://huggingface.co/api/models/a/b/tree/main?recursive=true&cursor=Zm9v%3D"),
        "relative": plain("/api/models/a/b"),
        "other_host": plain("https://mirror.example@evil.example/hub"),
        "mirror": plain("http://127.0.0.1:8080/artifactory/api/huggingfaceml/x/"),
    }  # fmt: skip
