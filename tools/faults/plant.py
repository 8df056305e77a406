#!/usr/bin/env python3
"""Makes a copy of the sources with all faults of faults.json in it, each asleep until it is called by its number.

    tools/faults/plant.py FOLDER        the tree that this file stands in, copied to FOLDER
    tools/faults/plant.py --check       only says whether every fault still finds its place

The environment variable PLEIAD_FAULT (or PLANTED_FAULT, since tests that start servers take away all
PLEIAD_ variables) wakes one; without it the copy does what the sources do. Called again, it changes what
differs, so that a build folder in the copy builds no more than it has to.
"""
import argparse
import json
import pathlib
import re
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
FAULTS = HERE / "faults.json"
MARK = ".planted"  # in a copy, so that nothing else is ever changed or removed

DECLARATION = 'extern "C" int pleiad_fault_number;\n'
DEFINITION = """
// The number of the fault that is awake; set before main().
#include <cstdlib>
extern "C" int pleiad_fault_number;
int pleiad_fault_number = 0;
[[gnu::constructor]] static void read_pleiad_fault() {
  const char* number = std::getenv("PLEIAD_FAULT");
  if (number == nullptr) number = std::getenv("PLANTED_FAULT");
  if (number != nullptr) pleiad_fault_number = std::atoi(number);
}
"""


class Misplaced(Exception):
    """A fault whose text does not stand where it should, or not once."""


def is_whole(expression):
    """Whether its brackets are closed, and nothing is left open at its end."""
    open_ones = []
    for character in expression:
        if character in "([{":
            open_ones.append(character)
        elif character in ")]}" and (not open_ones or open_ones.pop() + character not in ("()", "[]", "{}")):
            return False
    return not open_ones and not expression.rstrip().endswith((",", ";"))


def load_faults():
    faults = json.loads(FAULTS.read_text())
    ids = [fault["id"] for fault in faults]
    assert len(set(ids)) == len(ids), "an id appears twice"
    for fault in faults:
        fault.setdefault("form", "expression")
        fault.setdefault("build", "release")
        fault.setdefault("edits", [fault])
        for edit in fault["edits"]:
            if fault["form"] == "expression" and not all(map(is_whole, (edit["from"], edit["to"]))):
                raise Misplaced("fault %d: not a whole expression: %s" % (fault["id"], edit["from"]))
    return faults


def find_once(text, wanted, where):
    """The place of a text, however its blanks and line breaks are."""
    words = re.findall(r"\w+|[^\w\s]", wanted)
    pattern = re.escape(words[0])
    for before, word in zip(words, words[1:]):
        blank = r"\s+" if before[-1].isalnum() and word[0].isalnum() else r"\s*"
        pattern += blank + re.escape(word)
    # Not within a longer name.
    head = r"(?<!\w)" if re.match(r"\w", words[0]) else ""
    tail = r"(?!\w)" if re.match(r"\w", words[-1]) else ""
    found = list(re.finditer(head + pattern + tail, text))
    if len(found) != 1:
        raise Misplaced("%s: found %d times: %s" % (where, len(found), wanted))
    return found[0].span()


def place_of(text, edit, where):
    if "in" not in edit:
        return find_once(text, edit["from"], where)
    begin, end = find_once(text, edit["in"], where)
    first, last = find_once(text[begin:end], edit["from"], where)
    return begin + first, begin + last


def switched(fault, edit, old):
    condition = "pleiad_fault_number == %d" % fault["id"]
    if fault["form"] == "statement":
        return "if (%s) { %s } else { %s }" % (condition, edit["to"], old)
    return "(%s ? (%s) : (%s))" % (condition, edit["to"], old)


def edited(text, faults, replacement):
    """With the faults of one file: all places are those of the original."""
    edits = []
    for fault in faults:
        where = "fault %d, %s" % (fault["id"], fault["file"])
        edits += [(*place_of(text, edit, where), fault, edit) for edit in fault["edits"]]
    edits.sort(key=lambda edit: edit[0], reverse=True)
    for (begin, _, fault, _), (_, end, other, _) in zip(edits, edits[1:]):
        if end > begin:
            raise Misplaced("faults %d and %d overlap" % (fault["id"], other["id"]))
    for begin, end, fault, edit in edits:
        text = text[:begin] + replacement(fault, edit, text[begin:end]) + text[end:]
    return text


def planted(text, faults):
    return edited(text, faults, switched)


def applied(text, fault):
    return edited(text, [fault], lambda _, edit, old: edit["to"])


def declared_in(text, path):
    """Outside of every namespace: before the first line, in headers behind `#pragma once`."""
    if path.endswith(".h"):
        begin, end = find_once(text, "#pragma once", path)
        return text[:end] + "\n" + DECLARATION + text[end + 1:]
    return DECLARATION + text


def sources_with(inl, texts):
    """Those that include an .inl file, by whatever way: it may stand in a namespace there."""
    found, todo = set(), [inl]
    while todo:
        line = '#include "%s"' % todo.pop().removeprefix("src/")
        for path, text in texts.items():
            if line in text and path not in found:
                found.add(path)
                if path.endswith(".inl"):
                    todo.append(path)
    return {path for path in found if not path.endswith(".inl")}


def plant_all(texts):
    """{path: text} of the sources -> those that faults change."""
    by_file = {}
    for fault in load_faults():
        if fault["form"] == "applied":
            applied(texts[fault["file"]], fault)  # whether it finds its place
        else:
            by_file.setdefault(fault["file"], []).append(fault)
    out, declaring = {}, set()
    for path, faults in by_file.items():
        out[path] = planted(texts[path], faults)
        declaring |= sources_with(path, texts) if path.endswith(".inl") else {path}
    for path in declaring:
        out[path] = declared_in(out.get(path, texts[path]), path)
    base = min(path for path in texts if re.fullmatch(r"src/base/\w+\.cc", path) and not path.endswith("_test.cc"))
    out[base] = out.get(base, texts[base]) + DEFINITION
    return out


def files_of(root):
    """All but what git ignores."""
    listed = subprocess.run(["git", "-C", root, "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
                            stdout=subprocess.PIPE, check=True).stdout.decode().split("\0")
    return sorted(name for name in listed if name and (root / name).is_file())


def texts_of(root, names):
    kinds = (".cc", ".h", ".inl", ".js", ".py")
    return {name: (root / name).read_text() for name in names if name.endswith(kinds)}


def write_copy(folder):
    names = files_of(ROOT)
    out = plant_all(texts_of(ROOT, names))
    folder.mkdir(parents=True, exist_ok=True)
    if not (folder / MARK).exists() and any(folder.iterdir()):
        sys.exit("plant: %s is not empty, and no copy with faults" % folder)
    (folder / MARK).touch()
    known = {path for path in (folder / MARK).read_text().split("\n") if path}
    for gone in known - set(names):
        (folder / gone).unlink(missing_ok=True)
    (folder / MARK).write_text("\n".join(names))
    n_written = 0
    for name in names:
        target = folder / name
        content = out[name].encode() if name in out else (ROOT / name).read_bytes()
        mode = (ROOT / name).stat().st_mode
        if target.is_file() and target.read_bytes() == content and target.stat().st_mode == mode:
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)
        shutil.copymode(ROOT / name, target)
        n_written += 1
    print("plant: %d files in %s, %d of them written now, %d changed by faults" % (
        len(names), folder, n_written, len(out)))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("folder", nargs="?", type=pathlib.Path)
    flags = parser.parse_args()
    try:
        if flags.check:
            plant_all(texts_of(ROOT, files_of(ROOT)))
            print("plant: %d faults find their places" % len(load_faults()))
        elif flags.folder:
            write_copy(flags.folder.resolve())
        else:
            parser.error("expected a folder")
    except Misplaced as problem:
        sys.exit("plant: %s" % problem)


if __name__ == "__main__":
    main()
