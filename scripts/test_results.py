#!/usr/bin/env python3
"""What the tests of a build did, by the reports that ctest's last run left: `test_results.py BUILD_DIR`.

ctest knows shares of a program's tests (cmake/Pleiad.cmake); this knows the tests: how many ran, which
were skipped. A share that passed and left no report, since something ended the program early, is an error, and so
is a program without any test.
"""
import argparse
import json
import pathlib
import re
import subprocess
import sys
import xml.etree.ElementTree as ElementTree


def shares_of(build):
    """(name, report) of each share of a program's tests that ctest knows."""
    listed = subprocess.run(["ctest", "--test-dir", str(build), "--show-only=json-v1"], stdout=subprocess.PIPE, check=True)
    for test in json.loads(listed.stdout)["tests"]:
        for entry in test.get("properties", []):
            if entry["name"] == "ENVIRONMENT":
                for word in entry["value"]:
                    if word.startswith("GTEST_OUTPUT=xml:"):
                        yield test["name"], pathlib.Path(word.removeprefix("GTEST_OUTPUT=xml:"))


def tests_of(report):
    """(name, seconds, whether it ran to its end or was skipped) of each test of a share."""
    for case in ElementTree.parse(report).getroot().iter("testcase"):
        if case.get("status") == "run":
            yield f"{case.get('classname')}.{case.get('name')}", float(case.get("time")), case.get("result")


def others_of(junit, shares):
    """(name, seconds) of what is no program of GoogleTest."""
    for case in ElementTree.parse(junit).getroot().iter("testcase"):
        if case.get("name") not in shares and case.get("time"):
            yield case.get("name"), float(case.get("time"))


def skipping(junit):
    """(name, tests that it skipped) of Python's, whose last line says so."""
    for case in ElementTree.parse(junit).getroot().iter("testcase"):
        found = re.search(r"\(.*skipped=(\d+).*\)\s*$", case.findtext("system-out") or "")
        if found:
            yield case.get("name"), int(found[1])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--expect", metavar="REGEX", action="append", default=[], help="some test of that name has to have run")
    parser.add_argument("--list", type=pathlib.Path, metavar="FILE", help="the names of all that ran, for comparing")
    parser.add_argument("--slowest", type=int, metavar="N", help="also say which took longest")
    parser.add_argument("--junit", type=pathlib.Path, help="ctest's own report, for what is no program of GoogleTest")
    flags = parser.parse_args()

    shares = dict(shares_of(flags.build.resolve()))
    missing = [name for name, report in shares.items() if not report.exists()]
    tests = [test for report in shares.values() if report.exists() for test in tests_of(report)]
    skipped = sorted(name for name, _, result in tests if result == "skipped")
    programs = {name.rsplit(".", 1)[0] for name in shares}
    populated = {name.rsplit(".", 1)[0] for name, report in shares.items() if not report.exists() or any(tests_of(report))}
    print(f"{len(tests)} tests of {len(programs)} programs" + (f", skipped of them: {', '.join(skipped)}" if skipped else ""))
    for name, count in skipping(flags.junit) if flags.junit else []:
        print(f"SKIPPED: {count} tests of {name}, for what is not on this machine (scripts/setup brings it)")
    if flags.list:
        flags.list.write_text("".join(f"{name}\n" for name in sorted(name for name, _, _ in tests)))
    if flags.slowest:
        times = [(seconds, name) for name, seconds, _ in tests]
        if flags.junit:
            times += [(seconds, name) for name, seconds in others_of(flags.junit, shares)]
        print(f"\n== the {flags.slowest} slowest tests")
        for seconds, name in sorted(times, reverse=True)[:flags.slowest]:
            print(f"{seconds:8.2f} s  {name}")
    problems = [f"{name} left no report: something ended the program before its last test" for name in missing]
    problems += [f"{program} has no test that ran" for program in sorted(programs - populated)]
    problems += [f"no test that ran is called {pattern}" for pattern in flags.expect
                 if not any(re.search(pattern, name) for name, _, result in tests if result == "completed")]
    for problem in problems:
        print(f"test: {problem}", file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
