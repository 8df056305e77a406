#!/usr/bin/env python3
"""Replies chosen at random under real schemas, judged by an independent validator.

    tools/structured_output/random_check.py --maskbench FOLDER [--replies N] [--every N]

Each schema that is accepted gets N replies of random bytes among those allowed; every one must be JSON
that the `jsonschema` package finds valid. Instances that come with the schema are judged by both, too.
Prints what differs, and exits with 1 where a reply was invalid or nothing could follow.
"""
import argparse
import collections
import json
import sys

import corpora
import engines
import jsonschema


def validator_of(schema):
    kind = jsonschema.validators.validator_for(schema, default=jsonschema.Draft202012Validator)
    return kind(schema)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--maskbench", metavar="FOLDER", required=True)
    parser.add_argument("--program", default="build/src/constrain/constrain_verdicts")
    parser.add_argument("--replies", type=int, default=10)
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--standard", action="store_true", help="schemas as the standard reads them")
    options = parser.parse_args()
    engine = engines.Pleiad(options.program, options.standard)
    counts = collections.Counter()
    for case in list(corpora.mask_bench(options.maskbench))[::options.every]:
        answer = engine.ask(case.schema, case.texts, options.replies)
        if "failure" in answer:
            counts["schemas refused"] += 1
            continue
        counts["schemas"] += 1
        try:
            validator = validator_of(case.schema)
            for text in answer.get("written") or []:
                if text is None:
                    counts["replies that did not end"] += 1
                    continue
                counts["replies"] += 1
                if text.startswith("stuck: "):
                    counts["STUCK"] += 1
                    print("stuck", case.name, text[:300])
                elif engines.repeats_a_name(text):
                    counts["INVALID"] += 1
                    print("a name twice", case.name, text[:200])
                elif not validator.is_valid(json.loads(text)):
                    counts["INVALID"] += 1
                    error = next(validator.iter_errors(json.loads(text)))
                    print("invalid", case.name, text[:200], "|", error.message[:200], list(error.schema_path)[-4:])
        except Exception as error:  # the validator's: references to other documents, its own patterns
            counts["schemas that the validator cannot judge"] += 1
            print("cannot judge", case.name, repr(error)[:100])
    print(dict(counts))
    return 1 if counts["STUCK"] or counts["INVALID"] else 0


if __name__ == "__main__":
    sys.exit(main())
