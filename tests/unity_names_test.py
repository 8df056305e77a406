#!/usr/bin/env python3
"""Sources of one target are compiled several at a time: a function of one file's unnamed namespace
becomes an overload of another file's, without a word of the compiler. So no two have the same name."""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
# What begins a definition in the first column: "double mean(", "template <...>" stands a line before.
FUNCTION = re.compile(r"^(?:\[\[\w+\]\] )?(?!using|return|namespace|TEST|INSTANTIATE|static_assert|#|//)[A-Za-z_][\w:<>,&*\s]*?[\s&*]"
                      r"(\w+)\(", re.M)
TARGET = re.compile(r"(pleiad_library|pleiad_test|pleiad_units|add_library)\((.*?)\)", re.S)


def unnamed(source):
    """What is a file's own: its unnamed namespaces, and static functions outside of them."""
    parts = re.findall(r"^namespace \{$(.*?)^\}  // namespace$", source, re.M | re.S)
    return "\n".join(parts + re.findall(r"^static .*$", source, re.M))


def sources_of(listed, lists, folder):
    """With what variables of the same file stand for, whichever of their values they have."""
    for variable in re.findall(r"\$\{(\w+)\}", listed):
        listed += " " + " ".join(re.findall(r"(?:set\(|list\(APPEND )%s\s([^)]*)\)" % variable, lists))
    words = listed.split()
    return [folder / word for word in words if word.endswith(".cc") and "$" not in word]


def main():
    problems, n_targets, n_functions = [], 0, 0
    for lists in sorted(ROOT.glob("*/**/CMakeLists.txt")):
        if lists.relative_to(ROOT).parts[0].startswith("build"):
            continue
        text = lists.read_text()
        for match in TARGET.finditer(text):
            n_targets += 1
            seen = {}
            for source in sources_of(match[2], text, lists.parent):
                for name in set(FUNCTION.findall(unnamed(source.read_text()))):
                    n_functions += 1
                    if name in seen:
                        problems.append("%s: is in %s and in %s" % (
                            name, seen[name].relative_to(ROOT), source.relative_to(ROOT)))
                    seen[name] = source
    assert n_targets > 30 and n_functions > 500, (n_targets, n_functions)
    print("\n".join(problems) or "%d functions of %d targets have names of their own" % (n_functions, n_targets))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
