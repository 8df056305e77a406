"""`pleiad bench`: its forms, and what a clumsy user gets. No speed is asserted."""
import csv
import io
import json
import signal
import subprocess
import time
import unittest

from harness import BUFFER_MIB, DEMO, PROGRAM, ProgramTest, run

QUICK = ("--prompt", "16", "--generate", "4", "--repetitions", "1")


class Bench(ProgramTest):
    def test_json_has_machine_model_and_tests(self):
        status, out, err = run("bench", DEMO, *QUICK, "--json")
        self.assertEqual((status, err), (0, ""))
        report = json.loads(out)
        for key in ("read_gb_s", "matrix_tflop_s", "threads"):
            self.assertGreater(report["machine"][key], 0, key)
        self.assertEqual(report["machine"]["read_buffer_bytes"], BUFFER_MIB << 20)
        self.assertIn(report["machine"]["isa"],
                      ("scalar", "neon", "i8mm", "avx2", "avxvnni", "avx512", "amx"))
        self.assertGreater(report["model"]["bytes_per_token"], 1e6)
        self.assertLess(report["model"]["bytes_per_token"], report["model"]["bytes"])
        self.assertEqual([test["name"] for test in report["tests"]], ["pp16", "tg4"])
        for test in report["tests"]:
            rate = test["tok_s"]
            self.assertTrue(0 < rate["min"] <= rate["median"] <= rate["max"], rate)
            self.assertGreater(test["share_of_limit"], 0)
        self.assertFalse(report["interrupted"])

    def test_csv_and_markdown_and_table_name_every_combination(self):
        flags = ("bench", DEMO, "--prompt", "0", "--generate", "2", "--depth", "0,20", "--batch",
                 "1,3", "--kv-type", "f32,bf16", "--threads", "1,2", "--repetitions", "2")
        status, out, _ = run(*flags, "--csv")
        self.assertEqual(status, 0)
        rows = list(csv.DictReader(io.StringIO(out)))
        self.assertEqual(len(rows), 16)
        self.assertEqual([row["test"] for row in rows[:4]],
                         ["tg2", "tg2 x3", "tg2@d20", "tg2@d20 x3"])
        self.assertEqual({(row["threads"], row["kv_type"]) for row in rows},
                         {("1", "f32"), ("1", "bf16"), ("2", "f32"), ("2", "bf16")})
        self.assertEqual(run("bench", DEMO, *QUICK, "--markdown")[1].count("| pp16 |"), 1)
        self.assertIn("\npp16 ", run("bench", DEMO, *QUICK)[1])

    def test_limits_are_those_of_the_forced_instruction_set(self):
        report = json.loads(run("bench", DEMO, *QUICK, "--json", env={"PLEIAD_ISA": "scalar"})[1])
        self.assertEqual(report["machine"]["isa"], "scalar")
        self.assertEqual(report["machine"]["matrix_instructions"], "baseline")

    def test_says_what_is_wrong_before_anything_is_measured(self):
        for flags, words in (
                (("--prompt", "999999999"), "--prompt: 999,999,999 tokens at depth 0 need"),
                (("--prompt", "0", "--generate", "0"), "nothing to measure"),
                (("--generate", "10", "--depth", "99999999"), "--generate: 10 tokens at depth")):
            status, out, err = run("bench", DEMO, "--prompt", "0", *flags)
            self.assertEqual((status, out), (1, ""), flags)
            self.assertIn(words, err)
        status, out, err = run("bench", DEMO, *QUICK, env={"PLEIAD_READ_BUFFER_MIB": "1G"})
        self.assertEqual((status, out), (1, ""))
        self.assertIn("PLEIAD_READ_BUFFER_MIB: expected a whole number of MiB", err)
        for flags in (("--batch", "0"), ("--prompt", "many"), ("--kv-type", "q2"),
                      ("--json", "--csv"), ("--repetitions", "0"), ("--threads", "0"),
                      ("--synthetic", "e2b:q4_0")):  # beside MODEL
            status, out, err = run("bench", DEMO, *flags)
            self.assertEqual((status, out), (2, ""), flags)
            self.assertIn(flags[0], err)

    def test_a_model_is_needed_and_a_synthetic_one_must_exist(self):
        status, _, err = run("bench")
        self.assertEqual(status, 2)
        self.assertIn("MODEL or --synthetic", err)
        for spec in ("e9b:q4_0", "e2b:q9_9"):
            status, out, err = run("bench", "--synthetic", spec)
            self.assertEqual((status, out), (2, ""), spec)
            self.assertIn(spec.split(":")[spec.startswith("e2b")], err)

    def test_ctrl_c_prints_what_was_measured_so_far(self):
        with subprocess.Popen([PROGRAM, "bench", DEMO, "--prompt", "16", "--generate", "100",
                               "--repetitions", "1000", "--json"], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True) as program:
            # Only while tests run is it remembered; before, it ends the program.
            deadline = time.monotonic() + 60
            while not catches_interrupts(program.pid) and time.monotonic() < deadline:
                time.sleep(0.01)
            time.sleep(0.3)
            program.send_signal(signal.SIGINT)
            out, err = program.communicate(timeout=60)
        self.assertEqual((program.returncode, err), (130, ""))
        report = json.loads(out)
        self.assertTrue(report["interrupted"])
        self.assertIn(len(report["tests"]), (0, 1, 2))


def catches_interrupts(pid):
    """The process has a handler of its own for SIGINT."""
    try:
        with open(f"/proc/{pid}/status", encoding="ascii") as status:
            caught = next(line.split()[1] for line in status if line.startswith("SigCgt:"))
    except OSError:
        return True  # it has ended, which the test will see
    return bool(int(caught, 16) & (1 << (signal.SIGINT - 1)))


if __name__ == "__main__":
    unittest.main()
