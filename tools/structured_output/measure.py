#!/usr/bin/env python3
"""How much of what schemas say is held: beside other engines, on public corpora.

    tools/structured_output/measure.py --maskbench FOLDER --suite FOLDER [--engine NAME ...]

Each schema is accepted or refused. One that is accepted is exact where every valid instance is taken and
every invalid one is not, narrower where a valid one is not taken, violated where an invalid one is.
Needs llguidance and xgrammar of requirements.txt for the engines of these names.
"""
import argparse
import collections
import json
import multiprocessing
import sys

import corpora
import engines

ENGINES = {
    "pleiad": lambda options: engines.Pleiad(options.program, False),
    "pleiad-standard": lambda options: engines.Pleiad(options.program, True),
    "pleiad-any-order": lambda options: engines.Pleiad(options.program, False, True),
    "pleiad-standard-any-order": lambda options: engines.Pleiad(options.program, True, True),
    "llguidance": lambda options: engines.LlGuidance(),
    "xgrammar": lambda options: engines.XGrammar(),
}


def serve(name, options, pipe):
    """In a process of its own: some engines abort, and some do not end."""
    engine = ENGINES[name](options)
    while True:
        pipe.send(engine.ask(*pipe.recv()))


class Worker:
    def __init__(self, name, options):
        self.name, self.options = name, options
        self.start()

    def start(self):
        self.pipe, other = multiprocessing.Pipe()
        self.process = multiprocessing.Process(target=serve, args=(self.name, self.options, other), daemon=True)
        self.process.start()
        other.close()

    def ask(self, case):
        self.pipe.send((case.schema, case.texts))
        try:
            if self.pipe.poll(self.options.seconds):
                return self.pipe.recv()
            found = "more time than was given"
        except EOFError:
            found = "the engine ended"
        self.process.kill()
        self.start()
        return {"failure": found}


def verdict(case, answer):
    if "failure" in answer:
        return "refused"
    wrong = [(took is True, valid) for took, valid in zip(answer["took"], case.valid) if (took is True) != valid]
    if any(took for took, _ in wrong):
        return "violated"
    return "narrower" if wrong else "exact"


def measure(name, cases, options):
    worker = Worker(name, options)
    counts, groups, times = collections.Counter(), collections.defaultdict(collections.Counter), []
    for case in cases:
        answer = worker.ask(case)
        found = verdict(case, answer)
        counts[found] += 1
        groups[case.group][found] += 1
        times.append(answer.get("milliseconds", 0))
        if options.log:
            line = {"engine": name, "case": case.name, "verdict": found, "failure": answer.get("failure"),
                    "notes": answer.get("notes"), "milliseconds": answer.get("milliseconds")}
            if found in ("narrower", "violated"):
                line["wrong"] = [text[:300] for text, took, valid in zip(case.texts, answer["took"], case.valid)
                                 if (took is True) != valid][:3]
            options.log.write(json.dumps(line) + "\n")
    worker.process.kill()
    return counts, groups, sorted(times)


def show(title, name, cases, result):
    counts, _, times = result
    n = max(1, len(cases))
    accepted = n - counts["refused"]
    print(f"| {title} | {name} | {n} | {100 * accepted / n:.1f} % | {100 * counts['exact'] / n:.1f} % | "
          f"{counts['narrower']} | {counts['violated']} | {times[n // 2]:.1f} | {times[n * 99 // 100]:.1f} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--maskbench", metavar="FOLDER", help="maskbench/data of guidance-ai/jsonschemabench")
    parser.add_argument("--suite", metavar="FOLDER", help="a checkout of json-schema-org/JSON-Schema-Test-Suite")
    parser.add_argument("--engine", action="append", choices=list(ENGINES))
    parser.add_argument("--program", default="build/src/constrain/constrain_verdicts")
    parser.add_argument("--seconds", type=float, default=20, help="for one schema")
    parser.add_argument("--every", type=int, default=1, help="only every so many schemas")
    parser.add_argument("--log", type=argparse.FileType("w"), help="a line of JSON for each schema")
    parser.add_argument("--keywords", action="store_true", help="the test suite keyword by keyword")
    options = parser.parse_args()
    corpus = {}
    if options.maskbench:
        corpus["MaskBench"] = list(corpora.mask_bench(options.maskbench))[::options.every]
    if options.suite:
        for draft in corpora.SUITE_DRAFTS:
            corpus[draft] = list(corpora.test_suite(options.suite, draft))[::options.every]
    if not corpus:
        parser.error("expected --maskbench or --suite")
    print("| corpus | engine | schemas | accepted | exact | narrower | violated | ms, median | ms, 99 % |")
    print("|---|---|---|---|---|---|---|---|---|")
    for title, cases in corpus.items():
        for name in options.engine or list(ENGINES):
            result = measure(name, cases, options)
            show(title, name, cases, result)
            if options.keywords and title in corpora.SUITE_DRAFTS:
                for group, counts in sorted(result[1].items()):
                    print(f"| {title} {group} | {name} | {sum(counts.values())} | "
                          f"{counts['exact']} exact, {counts['narrower']} narrower, {counts['violated']} violated, "
                          f"{counts['refused']} refused |")


if __name__ == "__main__":
    sys.exit(main())
