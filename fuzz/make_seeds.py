#!/usr/bin/env python3
"""Writes the seeds of the fuzz targets, a folder for each: small good files and requests, and one for every kind of damage
that readers are known to have fallen for.

    python fuzz/make_seeds.py fuzz/corpus

Needs only Python. The result is the same at every run.
"""

import sys
from pathlib import Path

sys.dont_write_bytecode = True
from seeds.documents import document_text_seeds, docx_seeds, html_seeds, media_answer_seeds, pdf_output_seeds  # noqa: E402
from seeds.files import config_seeds, npy_seeds, safetensors_seeds, saved_logits_seeds  # noqa: E402
from seeds.gguf import gguf_damage, tiny_gguf_model  # noqa: E402
from seeds.hub import hub_answer_seeds  # noqa: E402
from seeds.messages import (  # noqa: E402
    download_headers_seeds, http_seeds, json_seeds, passage_seeds, transcription_seeds)
from seeds.projectors import audio_projectors, projector_damage  # noqa: E402
from seeds.registry import login_seeds, manifest_seeds  # noqa: E402


def main() -> None:
    corpus = Path(sys.argv[1])
    for target, seeds in {
        "gguf": gguf_damage() | {"tiny_model": tiny_gguf_model()} | projector_damage() | audio_projectors(),
        "safetensors": safetensors_seeds(),
        "npy": npy_seeds(),
        "config": config_seeds(),
        "json": json_seeds(),
        "http": http_seeds(),
        "download_headers": download_headers_seeds(),
        "saved_logits": saved_logits_seeds(),
        "transcription": transcription_seeds(),
        "passages": passage_seeds(),
        "media_answer": media_answer_seeds(),
        "document_text": document_text_seeds(),
        "pdf_output": pdf_output_seeds(),
        "html": html_seeds(),
        "docx": docx_seeds(),
        "registry_manifest": manifest_seeds(),
        "registry_login": login_seeds(),
        "hub_answer": hub_answer_seeds(),
    }.items():
        folder = corpus / target
        folder.mkdir(parents=True, exist_ok=True)
        for name, content in seeds.items():
            (folder / name).write_bytes(content)


if __name__ == "__main__":
    main()
