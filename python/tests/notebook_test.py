"""The notebooks of examples/ say what they show."""

import importlib.util
import os
import pathlib

import pytest

ROOT = pathlib.Path(os.environ["PLEIAD_ROOT"])
NOTEBOOKS = sorted((ROOT / "examples").glob("*.ipynb"))

_spec = importlib.util.spec_from_file_location("cells", ROOT / "tools" / "notebook" / "cells.py")
cells = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(cells)


def test_there_are_notebooks():
    assert NOTEBOOKS


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.name)
def test_a_notebook_shows_what_its_cells_print(path):
    notebook = cells.load(path)
    expected = [cells.shown(cell["outputs"]) for cell in cells.code_cells(notebook)]
    assert sum(map(len, expected)) > 5
    assert [cells.shown(outputs) for outputs in cells.run_cells(notebook)] == expected
