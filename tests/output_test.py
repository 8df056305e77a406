#!/usr/bin/env python3
"""Holds that the program prints through apps/common/output.h alone, which filters what comes from
outside: nobody else names the two outputs, has a function that writes to them, or an escape
sequence of a terminal."""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
# What filters itself: the functions that print, the bars that are drawn again and again and whose titles
# are filtered, the server's log; of src/terminal, whose fuzz targets hold that it filters what it is
# given, the styles, the drawing of the editor and its keys. The child that runs a model's program
# writes into a pipe that is read.
FILTERED = {"apps/common/output.cc", "apps/common/progress_bar.cc", "apps/pull/transfer_bars.cc", "apps/serve/log.cc",
            "apps/serve/log.h", "src/terminal/text_style.cc", "src/terminal/editor/edit_screen.cc",
            "src/terminal/editor/key_reader.cc"}
# The handler of a signal may only write.
MAY_NAME = {"apps/run/terminal_mode.cc": r"::write\(STDOUT_FILENO, g_marks",
            "src/terminal/editor/line_history.cc": r"\\x1b",
            "src/eval/sandbox/confined_child.cc": r"::write\(STDERR_FILENO, why|::dup2\([\w.]+, STD\w+_FILENO\)"}
ASKS = r"terminal_size\(stdout\)|is_terminal\(std(out|err)\)|TextOutput \w+\(stdout\)|[\w?: ._]*thinking_apart \? stderr : stdout|content_\(stdout\)"
PRINTS = re.compile(
    r"\b(stdout|stderr|STDOUT_FILENO|STDERR_FILENO|std::(cout|cerr|clog|wcout|wcerr|print|println)"
    r"|fmt::(print|println)|spdlog::\w+)\b"
    r"|\b(v?printf|puts|putchar|putwchar|perror|psignal)\("
    r"|(?<!\w)::write\([12],|\.exit\(error\)|\\x1b|\\x1B|\\033|\\e\[")


def code(text):
    """Without comments, which may name what they like."""
    return re.sub(r"//[^\n]*", "", text)


def main():
    problems, checked = [], 0
    for file in sorted([*(ROOT / "src").rglob("*"), *(ROOT / "apps").rglob("*")]):
        name = file.relative_to(ROOT).as_posix()
        if file.suffix not in {".h", ".cc", ".inl"} or name in FILTERED:
            continue
        if file.stem.endswith(("_test", "_testing", "_benchmark")) or file.stem.startswith("test_"):
            continue
        checked += 1
        for number, line in enumerate(code(file.read_text()).splitlines(), 1):
            rest = re.sub(ASKS, "", re.sub(MAY_NAME.get(name, r"(?!)"), "", line))
            found = PRINTS.search(rest)
            if found:
                problems.append(f"{name}:{number}: {found[0]}: print through apps/common/output.h")
    for name in [*FILTERED, *MAY_NAME]:
        if not (ROOT / name).is_file():
            problems.append(f"{name} is named in this test and is not there")
    print("\n".join(problems) or f"{checked} files print through apps/common/output.h or not at all")
    return 1 if problems or checked < 100 else 0


sys.exit(main())
