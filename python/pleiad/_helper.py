"""The process that reads one picture, sound, video or document and can do nothing else. Started by the
engine, as `python -I -S _helper.py media-helper ...`; imports the extension alone."""

import importlib.util
import os
import pathlib
import sys


def main() -> None:
    folder = pathlib.Path(__file__).parent
    (path,) = folder.glob("_native.*.so")
    spec = importlib.util.spec_from_file_location("_native", path)
    assert spec is not None and spec.loader is not None
    native = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(native)
    status = native.run_as_helper(["pleiad", *sys.argv[1:]])
    os._exit(2 if status is None else status)


if __name__ == "__main__":
    main()
