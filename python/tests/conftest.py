"""The demo model that comes with the package, loaded once."""

import os

import pytest

# Folders of the user's own must not matter; of the program's variables the instruction set alone.
for _name in list(os.environ):
    if _name.startswith(("PLEIAD_", "OLLAMA_", "HF_")) and _name not in ("PLEIAD_ISA", "PLEIAD_ROOT"):
        del os.environ[_name]

import pleiad


@pytest.fixture(scope="session")
def model():
    # The demo model takes microseconds a layer: threads would wait for each other.
    with pleiad.Model.load("demo", threads=1, context_length=2048) as loaded:
        yield loaded
