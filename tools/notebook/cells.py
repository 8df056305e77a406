#!/usr/bin/env python3
"""A notebook's code cells, run one after the other in one namespace by Python alone, without Jupyter: what they print
and their last value are its outputs. cells.py NOTEBOOK --write keeps them in the file; without --write it says where they
differ from those that are there, and ends with 1."""

import argparse
import ast
import contextlib
import io
import json
import pathlib
import sys


def load(path):
    return json.loads(pathlib.Path(path).read_text())


def text_of(lines):
    return lines if isinstance(lines, str) else "".join(lines)


def code_cells(notebook):
    return [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]


def run_cells(notebook):
    """The outputs of each code cell, in the form of the file. What a cell raises ends it."""
    namespace = {"__name__": "__main__"}
    found = []
    for number, cell in enumerate(code_cells(notebook), 1):
        tree = ast.parse(text_of(cell["source"]), f"cell {number}")
        last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
        printed, value = io.StringIO(), None
        with contextlib.redirect_stdout(printed):
            exec(compile(tree, f"cell {number}", "exec"), namespace)
            if last is not None:
                value = eval(compile(ast.Expression(last.value), f"cell {number}", "eval"), namespace)
        outputs = []
        if printed.getvalue():
            outputs.append(
                {"output_type": "stream", "name": "stdout", "text": printed.getvalue().splitlines(keepends=True)}
            )
        if value is not None:
            outputs.append(
                {
                    "output_type": "execute_result",
                    "execution_count": number,
                    "metadata": {},
                    "data": {"text/plain": repr(value).splitlines(keepends=True)},
                }
            )
        found.append(outputs)
    return found


def shown(outputs):
    """The text of a cell's outputs, by whomever they were made."""
    return [text_of(output["text"] if "text" in output else output["data"]["text/plain"]) for output in outputs]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("notebook", type=pathlib.Path)
    parser.add_argument("--write", action="store_true")
    arguments = parser.parse_args()
    notebook = load(arguments.notebook)
    found = run_cells(notebook)
    if arguments.write:
        for number, (cell, outputs) in enumerate(zip(code_cells(notebook), found, strict=True), 1):
            cell["outputs"], cell["execution_count"] = outputs, number
        arguments.notebook.write_text(json.dumps(notebook, indent=1, ensure_ascii=False) + "\n")
        return 0
    status = 0
    for number, (cell, outputs) in enumerate(zip(code_cells(notebook), found, strict=True), 1):
        if shown(cell["outputs"]) != shown(outputs):
            print(f"cell {number}: expected {shown(cell['outputs'])}, found {shown(outputs)}", file=sys.stderr)
            status = 1
    return status


if __name__ == "__main__":
    sys.exit(main())
