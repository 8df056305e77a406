#!/usr/bin/env python3
"""Holds the direction of the dependencies: who may include whom.

A folder may include itself, what stands beside it below, and what those may
include. Kernels include nothing but kernels. Nobody includes apps/ but itself and
python/, which nobody includes.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
MAY_INCLUDE = {
    "base": [],
    "tensor": ["base"],
    "formats": ["tensor"],
    "quantize": ["tensor"],
    "synthetic": ["formats", "model", "text"],
    "sandbox": ["base"],
    "text": ["base"],
    "terminal": ["base"],
    "backend": ["tensor"],
    "backend/cpu": ["backend"],
    "model": ["backend", "formats", "quantize"],
    "verify": ["model"],
    "convert": ["model", "quantize", "text"],
    "sampling": ["base"],
    "media": ["base", "sandbox"],
    "engine": ["model", "text", "sampling"],
    "bench": ["model", "sampling"],
    "chart": ["base"],
    "fit": ["bench", "chart", "convert", "model"],
    "eval": ["engine", "sampling", "text", "constrain", "sandbox"],
    "http": ["base"],
    "client": ["base"],
    "fetch": ["media", "http", "client"],
    "download": ["digest", "http", "client"],
    "server_bench": ["client", "chart"],
    "digest": ["base"],
    "store": ["formats", "model", "digest"],
    "pull": ["store", "download"],
    "pull/hugging_face": ["pull", "download"],
    "constrain": ["text", "sampling"],
    "serving": ["engine", "media", "store", "constrain"],
    "web": ["http"],
    "api": ["serving", "http", "pull"],
}
KERNELS = ("backend/cpu/kernels/", "quantize/kernels/", "media/kernels/")


def reachable(room):
    seen, todo = set(), [room]
    while todo:
        name = todo.pop()
        if name not in seen:
            seen.add(name)
            todo += MAY_INCLUDE[name]
    return seen


def room_of(path):
    """The longest name in MAY_INCLUDE that the path begins with."""
    rooms = [room for room in MAY_INCLUDE if path.startswith(room + "/")]
    return max(rooms, key=len, default=None)


def main():
    problems, checked = [], 0
    for file in sorted((ROOT / "src").rglob("*")):
        if file.suffix not in {".h", ".cc", ".inl"}:
            continue
        name = file.relative_to(ROOT / "src").as_posix()
        is_test = file.stem.endswith(("_test", "_testing", "_benchmark"))
        for line in file.read_text().splitlines():
            match = re.match(r'\s*#\s*include\s+"([^"]+)"', line)
            if not match:
                continue
            target = match[1]
            checked += 1
            if name.startswith(KERNELS):
                allowed = any(name.startswith(k) and target.startswith(k) for k in KERNELS)
            else:
                room, other = room_of(name), room_of(target)
                # Tests may build what they test on a real backend.
                allowed = other in reachable(room) or (is_test and other == "backend/cpu")
                if room == "backend/cpu":
                    allowed = allowed or target.startswith(KERNELS[0])
            if not allowed:
                problems.append(f"src/{name} must not include {target}")
    for file in sorted((ROOT / "apps").rglob("*")):
        if file.suffix in {".h", ".cc"} and '#include "python/' in file.read_text():
            problems.append(f"{file.relative_to(ROOT)} must not include python/")
    print("\n".join(problems) or f"{checked} includes follow the direction of the dependencies")
    return 1 if problems or checked < 100 else 0


sys.exit(main())
