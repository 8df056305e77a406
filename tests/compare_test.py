#!/usr/bin/env python3
"""tools/compare: recorded output of both engines becomes the table, and failures are told."""
import json
import os
import pathlib
import sys
import tempfile
import unittest
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "tools" / "compare"))
import compare  # noqa: E402
import report  # noqa: E402

# `pleiad bench --json` and `llama-bench -o json` (build d32676d7), shortened.
PLEIAD = {
    "program": "pleiad 0.1.0 (commit 8ea716926), instruction set avx512",
    "machine": {"read_gb_s": 20.0, "matrix_tflop_s": 5.0, "isa": "avx512", "threads": 2},
    "model": {"name": "e2b", "bytes_per_token": 1_400_000_000},
    "tests": [
        {"name": "pp512", "tok_s": {"median": 1000.0, "min": 900.0, "max": 1100.0},
         "share_of_limit": 0.25, "limit": "matrix"},
        {"name": "tg64", "tok_s": {"median": 13.0, "min": 12.5, "max": 13.25},
         "share_of_limit": 0.91, "limit": "read"},
        {"name": "tg64 x8", "tok_s": {"median": 60.0, "min": 55.0, "max": 61.0},
         "share_of_limit": 0.5, "limit": "read"},
    ],
}
LLAMA = [
    {"build_commit": "d32676d7", "n_prompt": 512, "n_gen": 0, "n_depth": 0, "avg_ts": 52.0,
     "samples_ns": [10240000000, 8533333333, 8000000000], "samples_ts": [50.0, 60.0, 64.0]},
    {"build_commit": "d32676d7", "n_prompt": 0, "n_gen": 64, "n_depth": 0, "avg_ts": 10.0,
     "samples_ns": [6400000000], "samples_ts": [10.0]},
]
# `llama-batched-bench --output-format jsonl`, shortened.
BATCHED = """
{"n_kv_max": 2048, "pp": 1, "tg": 64, "pl": 8, "t_pp": 0.1, "speed_pp": 80.0, "t_tg": 20.0, "speed_tg": 25.6, "speed": 25.7}
{"n_kv_max": 2048, "pp": 1, "tg": 64, "pl": 8, "t_pp": 0.1, "speed_pp": 80.0, "t_tg": 25.6, "speed_tg": 20.0, "speed": 20.1}
{"n_kv_max": 2048, "pp": 1, "tg": 64, "pl": 8, "t_pp": 0.1, "speed_pp": 80.0, "t_tg": 21.3, "speed_tg": 24.0, "speed": 24.1}

llama_perf_context_print: load time = 1500.00 ms
"""
GNU_TIME = """	Command being timed: "pleiad run e2b.gguf hi"
	Elapsed (wall clock) time (h:mm:ss or m:ss): 0:01.09
	Maximum resident set size (kbytes): 1547720
	Exit status: 0
"""


class Parsing(unittest.TestCase):
    def test_pleiad(self):
        found = compare.pleiad_result(PLEIAD, "pp512")
        self.assertEqual(found["rate"], {"median": 1000.0, "min": 900.0, "max": 1100.0})
        self.assertEqual((found["share"], found["bound"], found["isa"]), (0.25, "matrix", "avx512"))
        self.assertEqual(found["bytes_per_token"], 1_400_000_000)
        with self.assertRaisesRegex(compare.Failure, "tg64@d4096"):
            compare.pleiad_result(PLEIAD, "tg64@d4096")

    def test_llama(self):
        found = compare.llama_result(LLAMA, 512, 0, 0)
        self.assertEqual(found["rate"], {"median": 60.0, "min": 50.0, "max": 64.0})
        self.assertEqual(found["build"], "d32676d7")
        with self.assertRaisesRegex(compare.Failure, "-d 4096"):
            compare.llama_result(LLAMA, 0, 64, 4096)

    def test_llama_with_several_sequences(self):
        found = compare.batched_result(BATCHED, compare.test_of("tg64 x8"))
        self.assertEqual(found["rate"], {"median": 24.0, "min": 20.0, "max": 25.6})
        for name in ("tg64 x4", "tg32 x8"):
            with self.assertRaisesRegex(compare.Failure, "did not report -ntg"):
                compare.batched_result(BATCHED, compare.test_of(name))
        with self.assertRaisesRegex(compare.Failure, "llama-batched-bench did not print JSON"):
            compare.batched_result("{torn", compare.test_of("tg64 x8"))

    def test_names_are_those_of_pleiad_bench(self):
        self.assertEqual(compare.test_of("pp512"), (512, 0, 0, 1))
        self.assertEqual(compare.test_of("pp512@d64"), (512, 0, 64, 1))
        self.assertEqual(compare.test_of("tg24@d4096 x16"), (0, 24, 4096, 16))
        for name in ("", "pp", "pp0", "tg64x8", "tg64 x0", "pp512 x8", "tg64 ", "tg64 x8@d1", "xtg64"):
            self.assertIsNone(compare.test_of(name), name)

    def test_gnu_time(self):
        self.assertEqual(compare.parse_gnu_time(GNU_TIME), 1547720 * 1024)
        with self.assertRaises(compare.Failure):
            compare.parse_gnu_time("")

    def test_text_that_is_not_json(self):
        with self.assertRaisesRegex(compare.Failure, "llama-bench did not print JSON.*'hello'"):
            compare.parse_json("hello", "llama-bench")


class Rows(unittest.TestCase):
    def test_prefill_is_held_against_operations(self):
        row = compare.row("pp512", compare.pleiad_result(PLEIAD, "pp512"),
                          compare.llama_result(LLAMA, 512, 0, 0))
        self.assertEqual(row["limit_tok_s"], 4000)
        self.assertEqual(row["needed_per_token"], 1.25e9)
        self.assertAlmostEqual(row["pleiad_share"], 0.25)
        self.assertAlmostEqual(row["llama_share"], 0.015)
        self.assertAlmostEqual(row["ratio"], 1000 / 60)
        self.assertEqual(report.test_cells(row),
                         ["pp512", "1.25 GFLOP", "5.00 TFLOP/s", "4,000", "1,000 (900 to 1,100)",
                          "25.0 %", "60.0 (50.0 to 64.0)", "1.5 %", "16.7"])

    def test_a_limit_of_integer_products_says_so(self):
        machine = dict(PLEIAD["machine"], matrix_instructions="avx2_maddubs")
        for integers, unit in (("avx2_maddubs", "5.00 TOP/s"), ("avx512_vnni", "5.00 TFLOP/s")):
            document = dict(PLEIAD, machine=dict(machine, int8_instructions=integers))
            row = compare.row("pp512", compare.pleiad_result(document, "pp512"), None)
            self.assertEqual(report.test_cells(row)[2], unit)

    def test_decode_is_held_against_bytes(self):
        row = compare.row("tg64", compare.pleiad_result(PLEIAD, "tg64"),
                          compare.llama_result(LLAMA, 0, 64, 0))
        self.assertAlmostEqual(row["needed_per_token"], 1.4e9)
        self.assertAlmostEqual(row["llama_share"], 0.7)
        self.assertEqual(report.test_cells(row)[1:3], ["1,400.0 MB", "20.0 GB/s"])

    def test_decode_without_a_share_takes_the_bytes_of_the_model(self):
        pleiad = dict(compare.pleiad_result(PLEIAD, "tg64"), share=None)
        self.assertAlmostEqual(compare.row("tg64", pleiad, None)["limit_tok_s"], 20 / 1.4)

    def test_what_one_engine_lacks_is_a_dash(self):
        row = compare.row("tg64 x8", compare.pleiad_result(PLEIAD, "tg64 x8"), None)
        self.assertEqual(report.test_cells(row)[-3:], ["-", "-", "-"])


class Program(unittest.TestCase):
    """The whole of it, with engines that print what was recorded."""

    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name)
        self.calls = self.folder / "calls"
        self.model = self.write("model.gguf", "GGUF")
        self.pleiad = self.engine("pleiad", json.dumps(PLEIAD))
        self.llama = self.engine("llama-bench", json.dumps(LLAMA))

    def write(self, name, text):
        path = self.folder / name
        path.write_text(text)
        return str(path)

    def engine(self, name, output, status=0):
        path = self.write(name, f"#!/bin/sh\necho {name} \"$@\" >> '{self.calls}'\n"
                                f"echo some last words >&2\ncat <<'END'\n{output}\nEND\n"
                                f"exit {status}\n")
        os.chmod(path, 0o755)
        return path

    def compare(self, *arguments):
        out, err = StringIO(), StringIO()
        with redirect_stdout(out), redirect_stderr(err):
            status = compare.main(["--pleiad", self.pleiad, "--llama-bench", self.llama, "--model",
                                   self.model, *arguments])
        return status, out.getvalue(), err.getvalue()

    def test_runs_both_in_turn_on_the_same_file_with_the_same_threads(self):
        status, out, err = self.compare("--tests", "pp512,tg64", "--no-start", "--json",
                                        "--threads", "3", "--repetitions", "7")
        self.assertEqual(status, 0, err)
        self.assertEqual([row["name"] for row in json.loads(out)["tests"]], ["pp512", "tg64"])
        calls = self.calls.read_text().splitlines()
        self.assertEqual([call.split()[0] for call in calls], ["pleiad", "llama-bench"] * 2)
        for call in calls:
            self.assertIn(self.model, call)
        self.assertIn("--prompt 512 --generate 0 --depth 0 --batch 1 --threads 3 --repetitions 7",
                      calls[0])
        self.assertIn("-p 512 -n 0 -d 0 -t 3 -r 7", calls[1])

    def test_the_table_in_markdown_with_memory_and_start(self):
        status, out, err = self.compare("--tests", "tg64,tg64 x8", "--markdown", "--repetitions",
                                        "1", "--llama-cli", self.llama)
        self.assertEqual(status, 0, err)
        self.assertIn("| tg64 | 1,400.0 MB | 20.0 GB/s | 14.3 | 13.0 (12.5 to 13.2) | 91.0 % |", out)
        self.assertRegex(out, r"\| peak memory \| [\d.]+ GB \| [\d.]+ GB \| [\d.]+ \|")
        benches = [call for call in self.calls.read_text().splitlines() if " -o json " in call]
        self.assertEqual(len(benches), 1)  # it has no test of eight sequences
        self.assertIn("| 60.0 (55.0 to 61.0) | 50.0 % | - | - | - |", out)

    def test_several_sequences_are_measured_by_the_program_that_can(self):
        batched = self.engine("llama-batched-bench", BATCHED)
        status, out, err = self.compare("--tests", "tg64 x8", "--no-start", "--json", "--repetitions", "3",
                                        "--llama-batched-bench", batched)
        self.assertEqual(status, 0, err)
        row = json.loads(out)["tests"][0]
        self.assertEqual((row["llama_tok_s"]["median"], row["ratio"]), (24.0, 2.5))
        calls = self.calls.read_text().splitlines()
        self.assertEqual([call.split()[0] for call in calls], ["pleiad", "llama-batched-bench"])
        self.assertIn("--generate 64 --depth 0 --batch 8", calls[0])
        self.assertIn("-c 2048 -npp 1 -ntg 64 -npl 8,8,8 -t 2 --output-format jsonl", calls[1])

    def test_memory_without_gnu_time(self):
        self.assertGreater(compare.peak_without_gnu_time([self.pleiad]), 100_000)

    def test_everything_that_is_missing_is_named(self):
        status, out, err = self.compare("--model", "/nowhere.gguf", "--llama-cli", "/no/cli",
                                        "--llama-batched-bench", "/no/batched")
        self.assertEqual((status, out), (1, ""))
        self.assertIn("--llama-batched-bench: /no/batched is not a program", err)
        self.assertIn("--model: /nowhere.gguf is not a file", err)
        self.assertIn("--llama-cli: /no/cli is not a program", err)

    def test_an_engine_that_fails_is_quoted(self):
        self.llama = self.engine("llama-bench", "", status=3)
        status, out, err = self.compare("--tests", "pp512", "--no-start")
        self.assertEqual((status, out), (1, ""))
        self.assertIn("failed with status 3", err)
        self.assertIn("some last words", err)

    def test_unknown_tests_are_refused(self):
        err = StringIO()
        with self.assertRaises(SystemExit), redirect_stderr(err):
            compare.parse_arguments(["--llama-bench", "x", "--model", "y", "--tests", "pp512,pp"])
        self.assertIn("unknown test 'pp'", err.getvalue())


if __name__ == "__main__":
    unittest.main()
