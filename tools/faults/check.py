#!/usr/bin/env python3
"""Wakes the planted faults one after the other and says which test catches each.

    tools/faults/check.py BUILD_DIR [ID ...]

BUILD_DIR is a build in a copy that plant.py made; without ids, the faults that are for such a build.
The tests are those that ctest knows there, the shares of each program of GoogleTest one after the other and
up to the first failure, and under the sanitizers the fuzz targets besides. First all of them have to pass with no fault
awake; with ids, each of them before it is used. A fault meets the tests of its room, then all others.
A test that takes four times as long as with no fault awake, and 20 s more, hangs. Where others compute on the
machine that catches faults which nothing else does; --patient waits as long as ctest.
"""
import argparse
import contextlib
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
import plant  # noqa: E402

FUZZ_SECONDS = int(os.environ.get("FUZZ_SECONDS", 10))
FIRST_FAILURE = [re.compile(pattern, re.M) for pattern in (
    r"^\[  FAILED  \] ([^\s,]+)",         # GoogleTest
    r"^FAILED (\S+)",                     # pytest
    r"^(?:FAIL|ERROR): (\S+ \(\S+\)|\S+)",  # unittest
    r"^SUMMARY: (.*)",                    # sanitizers
)]


class Unit:
    """A test of ctest: a share of the tests of a program of GoogleTest, or another program."""

    def __init__(self, name, command, environment, folder, limit):
        self.name, self.command, self.environment, self.folder = name, command, environment, folder
        self.limit = limit  # seconds
        self.seconds = None  # with no fault awake

    def program(self):
        return next((os.path.basename(word) for word in self.command if word.endswith("_test")), self.name)

    def is_wanted(self, pattern):
        return re.search(pattern, self.name) or re.search(pattern, self.program())

    def run(self, number, limit):
        """(whether it passed, seconds, output)"""
        environment = os.environ | self.environment | {"PLANTED_FAULT": str(number), "GTEST_FAIL_FAST": "1",
                                                       "PYTEST_ADDOPTS": "--maxfail=1"}
        begun = time.monotonic()
        with tempfile.TemporaryFile("w+", errors="replace") as output:
            process = subprocess.Popen(self.command, cwd=self.folder, env=environment, stdin=subprocess.DEVNULL,
                                       stdout=output, stderr=subprocess.STDOUT, start_new_session=True)
            try:
                status = process.wait(limit)
            except subprocess.TimeoutExpired:
                status = None
            finally:
                # What it started, and did not end, too.
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)
                process.wait()
            output.seek(0)
            text = output.read()
        if status is None:
            text += "\nstopped after %d s" % limit
        return status == 0, time.monotonic() - begun, text


def tests_of(build, exclude):
    command = ["ctest", "--test-dir", str(build), "--show-only=json-v1"]
    if exclude:
        command += ["-E", exclude]
    listed = json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout)
    for test in listed["tests"]:
        properties = {entry["name"]: entry["value"] for entry in test.get("properties", [])}
        if properties.get("DISABLED"):
            continue
        if "command" not in test:
            sys.exit("check: %s is not built" % test["name"])
        environment = dict(entry.split("=", 1) for entry in properties.get("ENVIRONMENT", []))
        yield (test["name"], test["command"], environment, properties.get("WORKING_DIRECTORY", str(build)),
               properties.get("TIMEOUT", 1500))


def units_of(build, exclude):
    for name, command, environment, folder, limit in tests_of(build, exclude):
        script = pathlib.Path(command[-1])
        if script.suffix == ".py" and "unittest.main()" in script.read_text():
            command = command + ["--failfast"]
        yield Unit(name, command, environment, folder, limit)


def fuzz_units(build, source, work):
    """As scripts/fuzz runs them, in a folder for what is found."""
    for program in sorted((build / "fuzz").glob("fuzz_*")):
        if "." in program.name or not os.access(program, os.X_OK) or program.is_dir():
            continue
        target = program.name.removeprefix("fuzz_")
        found = work / target
        found.mkdir()
        command = [str(program), "-max_total_time=%d" % FUZZ_SECONDS, "-timeout=20", "-rss_limit_mb=4096",
                   "-artifact_prefix=%s/" % work]
        dictionary = source / "fuzz" / (target + ".dict")
        if dictionary.exists():
            command.append("-dict=%s" % dictionary)
        yield Unit(program.name, [*command, str(found), str(source / "fuzz/corpus" / target)], {}, str(build), 600)


def what_failed(output, unit):
    for pattern in FIRST_FAILURE:
        found = pattern.search(output)
        if found:
            return found[1]
    begun = re.findall(r"^\[ RUN      \] (\S+)", output, re.M)
    last = (output.strip().splitlines() or [""])[-1]
    how = "hangs" if last.startswith("stopped after") else "crashes"
    return "%s %s" % (begun[-1], how) if begun else "%s: %s" % (unit.name, last[:100])


class Checker:
    def __init__(self, build, source, units, is_patient):
        self.build, self.source, self.units, self.is_patient = build, source, units, is_patient

    def control(self, unit):
        if unit.seconds is not None:
            return
        passed, unit.seconds, output = unit.run(0, unit.limit)
        if not passed:
            sys.exit("%s\ncheck: %s fails with no fault awake" % (output[-5000:], unit.name))

    def in_order(self, fault):
        near = [unit for unit in self.units if unit.is_wanted(fault["tests"])]
        far = [unit for unit in self.units if unit not in near]
        return near, sorted(far, key=lambda unit: unit.seconds or 0)

    def look(self, fault, number, only_near):
        """What catches the fault; None: nothing does."""
        near, far = self.in_order(fault)
        for unit in near + ([] if only_near else far):
            self.control(unit)
            passed, _, output = unit.run(number, unit.limit if self.is_patient else 4 * unit.seconds + 20)
            if not passed:
                failed = what_failed(output, unit)
                return failed if failed.startswith(unit.name) else "%s (%s)" % (failed, unit.program())
        return None

    def rebuild(self, fault):
        if fault.get("rebuild"):
            subprocess.run(["cmake", "--build", self.build, "--parallel", "1"], check=True, stdout=subprocess.DEVNULL)

    def check(self, fault, only_near):
        if fault["form"] != "applied":
            return self.look(fault, fault["id"], only_near)
        for unit in self.in_order(fault)[0]:
            self.control(unit)
        path = self.source / fault["file"]
        before = path.read_text()
        path.write_text(plant.applied(before, fault))
        try:
            self.rebuild(fault)
            return self.look(fault, 0, only_near)
        finally:
            path.write_text(before)
            self.rebuild(fault)


def cache_of(build):
    lines = (build / "CMakeCache.txt").read_text().splitlines()
    return dict(re.match(r"([^:=]+):\w+=(.*)", line).groups() for line in lines if re.match(r"[^#/][^:=]*:\w+=", line))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--exclude", metavar="REGEX", help="tests that ctest leaves out (its -E)")
    parser.add_argument("--near", action="store_true", help="only the tests of a fault's room")
    parser.add_argument("--patient", action="store_true", help="a test hangs after ctest's time for it, not before")
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("ids", nargs="*", type=int)
    flags = parser.parse_args()
    build = flags.build.resolve()
    cache = cache_of(build)
    source = pathlib.Path(cache["CMAKE_HOME_DIRECTORY"])
    if not (source / plant.MARK).exists():
        sys.exit("check: %s is no copy that plant.py made" % source)
    kind = "sanitize" if cache.get("PLEIAD_SANITIZE") else "release"
    if "aarch64" in cache.get("CMAKE_TOOLCHAIN_FILE", ""):
        kind = "aarch64"
    faults = [fault for fault in plant.load_faults()
              if (fault["id"] in flags.ids if flags.ids else fault["build"] == kind)]

    with tempfile.TemporaryDirectory() as work:
        units = list(units_of(build, flags.exclude))
        if kind == "sanitize":
            units += fuzz_units(build, source, pathlib.Path(work))
        checker = Checker(build, source, units, flags.patient)
        begun = time.monotonic()
        if not flags.ids and not flags.near:
            for unit in units:
                checker.control(unit)
            print("%d programs and tests pass with no fault awake, in %.0f s\n" % (
                len(units), time.monotonic() - begun), flush=True)
        print("| | fault | room | caught by | s |\n|---|---|---|---|---|", flush=True)
        missed = []
        for fault in faults:
            start = time.monotonic()
            caught = checker.check(fault, flags.near)
            if caught is None:
                missed.append(fault["id"])
            print("| %d | %s | %s | %s | %.1f |" % (fault["id"], fault["name"], fault["room"], caught or "**nothing**",
                                                  time.monotonic() - start), flush=True)
    print("\n%d of %d caught, in %.0f s%s" % (
        len(faults) - len(missed), len(faults), time.monotonic() - begun,
        "; not caught: " + ", ".join(map(str, missed)) if missed else ""))
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
