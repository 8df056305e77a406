#!/usr/bin/env python3
"""Runs Pleiad and llama.cpp in turn on one file and prints both beside the machine's limit.

    tools/compare/compare.py --pleiad build/pleiad --llama-bench LLAMA/bin/llama-bench --model FILE

Each test is measured by one engine and then by the other, with the same number of threads, so that
both meet the same minutes of a machine that others use too. `pleiad bench` measures the limits in the
same process as its own test. Nothing of llama.cpp is in this repository; give the path of a build.
Tests have the names of `pleiad bench`: pp512, tg64, tg64@d4096, "tg64 x8". Several sequences are measured by
llama-batched-bench, each with a prompt of one token where the test has no depth.

To compare without AVX-512: PLEIAD_ISA=avx2 in the environment, and a llama-bench built that way.
"""
import argparse
import datetime
import json
import os
import pathlib
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import time
import typing

import report

TESTS = ["pp512", "pp2048", "tg64", "tg64@d4096", "tg64 x8"]
CONTEXT_STEP = 256  # of a sequence in llama.cpp
GNU_TIME = "/usr/bin/time"
CONTEXT = 4096  # of the run that shows memory and start-up


class Failure(Exception):
    """Written for the user."""


class Test(typing.NamedTuple):
    """Prompt tokens, generated tokens, tokens before them, sequences together."""
    prompt: int
    generated: int
    depth: int
    batch: int


def test_of(name):
    """None where `pleiad bench` has no test of that name."""
    match = re.fullmatch(r"(pp|tg)([1-9]\d*)(?:@d([1-9]\d*))?(?: x([1-9]\d*))?", name)
    if not match or (match[1] == "pp" and match[4]):
        return None
    n, depth, batch = int(match[2]), int(match[3] or 0), int(match[4] or 1)
    return Test(n, 0, depth, batch) if match[1] == "pp" else Test(0, n, depth, batch)


def run(command):
    """Its output; a Failure with its last words when it ends badly."""
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              errors="replace", check=False)
    except OSError as error:
        raise Failure(f"cannot start {command[0]}: {error.strerror}") from None
    if done.returncode != 0:
        how = f"status {done.returncode}" if done.returncode > 0 else f"signal {-done.returncode}"
        last_words = "\n".join(done.stderr.strip().splitlines()[-20:]) or "(it wrote no error)"
        raise Failure(f"this command failed with {how}:\n  {' '.join(command)}\n{last_words}")
    return done


def parse_json(text, program):
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise Failure(f"{program} did not print JSON ({error}); it begins with {text[:80]!r}") from None


def pleiad_result(document, name):
    """From `pleiad bench --json`: the rate, and what the machine and the model make possible."""
    for test in document.get("tests", []):
        if test["name"] == name:
            rate, machine = test["tok_s"], document["machine"]
            return {"rate": {key: rate[key] for key in ("median", "min", "max")},
                    "share": test.get("share_of_limit"),
                    "bound": test.get("limit", "matrix" if name.startswith("pp") else "read"),
                    "read_gb_s": machine["read_gb_s"],
                    "matrix_tflop_s": machine["matrix_tflop_s"],
                    "matrix_multiplies_integers": "int8_instructions" in machine and
                    machine["matrix_instructions"] == machine["int8_instructions"],
                    "isa": machine["isa"],
                    "bytes_per_token": document["model"]["bytes_per_token"],
                    "program": document.get("program", "pleiad")}
    raise Failure(f"pleiad bench did not report the test {name!r}")


def llama_result(document, prompt, generated, depth):
    """From `llama-bench -o json`: the spread of its samples."""
    for test in document:
        if (test["n_prompt"], test["n_gen"], test["n_depth"]) == (prompt, generated, depth):
            samples = test["samples_ts"]
            if not samples:
                break
            return {"rate": {"median": statistics.median(samples), "min": min(samples),
                             "max": max(samples)},
                    "build": test.get("build_commit", "unknown")}
    raise Failure(f"llama-bench did not report -p {prompt} -n {generated} -d {depth}")


def batched_result(text, test):
    """From `llama-batched-bench --output-format jsonl`: the spread of the rates of its tests."""
    found = [parse_json(line, "llama-batched-bench") for line in text.splitlines() if line.startswith("{")]
    rates = [entry["speed_tg"] for entry in found if (entry["tg"], entry["pl"]) == (test.generated, test.batch)]
    if not rates:
        raise Failure(f"llama-batched-bench did not report -ntg {test.generated} -npl {test.batch}")
    return {"rate": {"median": statistics.median(rates), "min": min(rates), "max": max(rates)}}


def measure_pleiad(options, name):
    test = test_of(name)
    command = [options.pleiad, "bench", options.model, "--json", "--prompt", str(test.prompt),
               "--generate", str(test.generated), "--depth", str(test.depth), "--batch", str(test.batch),
               "--threads", str(options.threads), "--repetitions", str(options.repetitions)]
    return pleiad_result(parse_json(run(command).stdout, "pleiad bench"), name)


def measure_llama(options, name):
    test = test_of(name)
    if test.batch > 1:
        return measure_llama_batch(options, test)
    command = [options.llama_bench, "-m", options.model, "-o", "json", "-p", str(test.prompt),
               "-n", str(test.generated), "-d", str(test.depth), "-t", str(options.threads),
               "-r", str(options.repetitions)]
    return llama_result(parse_json(run(command).stdout, "llama-bench"), test.prompt, test.generated, test.depth)


def measure_llama_batch(options, test):
    if not options.llama_batched_bench:
        return None
    depth = max(test.depth, 1)
    context = -(-(depth + test.generated) // CONTEXT_STEP) * CONTEXT_STEP * test.batch
    command = [options.llama_batched_bench, "-m", options.model, "-c", str(context), "-npp", str(depth),
               "-ntg", str(test.generated), "-npl", ",".join([str(test.batch)] * options.repetitions),
               "-t", str(options.threads), "--output-format", "jsonl"]
    return batched_result(run(command).stdout, test)


def row(name, pleiad, llama):
    """One line of the table. The limit in tok/s follows from Pleiad's rate and its share of it."""
    reads = pleiad["bound"] == "read"
    per_second = pleiad["read_gb_s"] * 1e9 if reads else pleiad["matrix_tflop_s"] * 1e12
    limit = None
    if pleiad["share"]:
        limit = pleiad["rate"]["median"] / pleiad["share"]
    elif name == "tg64":
        limit = per_second / pleiad["bytes_per_token"]
    needed = per_second / limit if limit else None
    entry = {"name": name, "bound": "read" if reads else "matrix", "needed_per_token": needed,
             "limit_per_second": per_second,
             "limit_counts_integers": not reads and pleiad["matrix_multiplies_integers"],
             "limit_tok_s": limit, "pleiad_tok_s": pleiad["rate"],
             "pleiad_share": pleiad["rate"]["median"] / limit if limit else None,
             "llama_tok_s": None, "llama_share": None, "ratio": None}
    if llama:
        median = llama["rate"]["median"]
        entry["llama_tok_s"] = llama["rate"]
        entry["llama_share"] = median / limit if limit else None
        entry["ratio"] = pleiad["rate"]["median"] / median
    return entry


def parse_gnu_time(text):
    """Peak memory in bytes, from what /usr/bin/time -v wrote."""
    match = re.search(r"Maximum resident set size \(kbytes\): (\d+)", text)
    if not match:
        raise Failure(f"{GNU_TIME} -v did not tell the peak memory")
    return int(match[1]) * 1024


def peak_without_gnu_time(command):
    """The same of a child that this process starts and waits for itself."""
    reader = ("import json,resource,subprocess,sys;"
              "done=subprocess.run(sys.argv[1:],stdin=subprocess.DEVNULL,stdout=subprocess.DEVNULL);"
              "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss);"
              "sys.exit(done.returncode if done.returncode>=0 else 128-done.returncode)")
    return int(run([sys.executable, "-c", reader, *command]).stdout) * 1024


def measure_process(command):
    """Time from start to end of a reply of one token, and the peak memory of it."""
    started = time.monotonic()
    if os.access(GNU_TIME, os.X_OK):
        with tempfile.NamedTemporaryFile("r", suffix=".time") as notes:
            run([GNU_TIME, "-v", "-o", notes.name, *command])
            seconds = time.monotonic() - started
            peak = parse_gnu_time(notes.read())
    else:
        peak = peak_without_gnu_time(command)
        seconds = time.monotonic() - started
    return {"seconds": seconds, "peak_bytes": peak}


def summary(samples):
    """The median of the times; the largest of the peaks."""
    seconds = [sample["seconds"] for sample in samples]
    return {"seconds": {"median": statistics.median(seconds), "min": min(seconds),
                        "max": max(seconds)},
            "peak_bytes": max(sample["peak_bytes"] for sample in samples)}


def measure_start(options):
    """One token of both, in turn; the first run of each only warms the page cache."""
    commands = {"pleiad": [options.pleiad, "run", options.model, "hi", "-n", "1", "--ctx",
                           str(CONTEXT), "--threads", str(options.threads)]}
    if options.llama_cli:
        commands["llama"] = [options.llama_cli, "-m", options.model, "-p", "hi", "-n", "1", "-c",
                             str(CONTEXT), "-t", str(options.threads), "-no-cnv", "--no-warmup"]
    samples = {engine: [] for engine in commands}
    for _ in range(options.repetitions + 1):
        for engine, command in commands.items():
            samples[engine].append(measure_process(command))
    return {engine: summary(found[1:]) for engine, found in samples.items()}


def processor():
    try:
        text = pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8")
    except OSError:
        return "unknown processor"
    match = re.search(r"^model name\s*: (.+)$", text, re.MULTILINE)
    return match[1] if match else "unknown processor"


def say(text):
    print(text, file=sys.stderr, flush=True)


def compare(options):
    rows, pleiad, build, start = [], None, "unknown", None
    try:
        for name in options.tests:
            say(f"{name}: pleiad")
            pleiad = measure_pleiad(options, name)
            say(f"{name}: llama.cpp")
            llama = measure_llama(options, name)
            build = llama.get("build", build) if llama else build
            rows.append(row(name, pleiad, llama))
        if not options.no_start:
            say("start and memory")
            start = measure_start(options)
    except KeyboardInterrupt:
        if not rows:
            raise
        say("interrupted; this was measured before")
    return {"date": datetime.date.today().isoformat(), "processor": processor(),
            "model": options.model, "model_bytes": pathlib.Path(options.model).stat().st_size,
            "threads": options.threads, "repetitions": options.repetitions, "isa": pleiad["isa"],
            "pleiad": pleiad["program"], "llama_cpp": build, "context": CONTEXT, "tests": rows,
            "start": start}


def check_paths(options):
    """Everything that is missing, in one message."""
    problems = []
    for flag, path in (("--pleiad", options.pleiad), ("--llama-bench", options.llama_bench),
                       ("--llama-batched-bench", options.llama_batched_bench),
                       ("--llama-cli", options.llama_cli)):
        if path and not (os.path.isfile(path) and os.access(path, os.X_OK)):
            problems.append(f"{flag}: {path} is not a program")
    if not os.path.isfile(options.model):
        problems.append(f"--model: {options.model} is not a file (llama.cpp needs a GGUF file)")
    if problems:
        raise Failure("\n".join(problems))


def positive(text):
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError("must be 1 or more")
    return value


def test_list(text):
    names = text.split(",")
    for name in names:
        if not test_of(name):
            raise argparse.ArgumentTypeError(f"unknown test {name!r}; they are called as in {', '.join(TESTS)}")
    return names


def parse_arguments(arguments):
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pleiad", default="build/pleiad", help="default: build/pleiad")
    parser.add_argument("--llama-bench", required=True, help="llama-bench of a build of llama.cpp")
    parser.add_argument("--llama-batched-bench", help="the one of that build, for tests of several sequences;"
                        " without it only Pleiad's are shown")
    parser.add_argument("--llama-cli", help="its llama-completion (or an older llama-cli), for memory"
                        " and start; without it only Pleiad's are shown")
    parser.add_argument("--model", required=True, help="a GGUF file that both read")
    parser.add_argument("--threads", type=positive, default=2)
    parser.add_argument("--repetitions", type=positive, default=3)
    parser.add_argument("--tests", type=test_list, default=TESTS,
                        help="default: " + ",".join(TESTS))
    parser.add_argument("--no-start", action="store_true", help="leave out memory and start")
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--markdown", action="store_true", help="print a Markdown table")
    form.add_argument("--json", action="store_true", help="print JSON")
    return parser.parse_args(arguments)


def main(arguments=None):
    options = parse_arguments(arguments)
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # as Ctrl-C
    try:
        check_paths(options)
        result = compare(options)
    except Failure as failure:
        print(f"compare: {failure}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    if options.json:
        print(json.dumps(result, indent=2))
    else:
        print(report.as_text(result, options.markdown))
    return 0


if __name__ == "__main__":
    sys.exit(main())
