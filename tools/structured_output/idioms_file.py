#!/usr/bin/env python3
"""Files of idioms: what a library writes as schemas, with values that are valid under each and values that are not.

    tools/structured_output/idioms_file.py src/constrain/schema/idioms/*.json

Says whether `jsonschema` agrees with what the files say, and exits with 1 where it does not. The tests ask the same of
the grammars. Needs jsonschema of requirements.txt.
"""
import json
import sys

import jsonschema


def disagreements(entries):
    for entry in entries:
        if entry.get("no_schema"):  # but of another dialect, which says so in its name
            continue
        default = jsonschema.Draft7Validator if entry.get("draft7") else jsonschema.Draft202012Validator
        kind = jsonschema.validators.validator_for(entry["schema"], default=default)
        validator = kind(entry["schema"], format_checker=kind.FORMAT_CHECKER)
        for expected in ("valid", "invalid"):
            for value in entry.get(expected, []):
                if validator.is_valid(value) != (expected == "valid"):
                    yield f"{entry['idiom']}: {json.dumps(value)} should be {expected}"


def write(entries, out):
    """An entry a line, its values as a reply writes them."""
    problems = list(disagreements(entries))
    if problems:
        raise SystemExit("\n".join(problems))
    lines = [json.dumps(entry, ensure_ascii=False) for entry in entries]
    out.write("[\n" + ",\n".join(lines) + "\n]\n")


def main():
    problems = []
    for path in sys.argv[1:]:
        with open(path, encoding="utf-8") as file:
            entries = json.load(file)
        problems += [f"{path}: {problem}" for problem in disagreements(entries)]
        print(f"{path}: {len(entries)} idioms, {sum(len(e.get('valid', [])) + len(e.get('invalid', [])) for e in entries)} values")
    print("\n".join(problems))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
