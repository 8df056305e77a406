#!/usr/bin/env python3
"""scripts/test_results.py on builds that are made up: a CTestTestfile.cmake, and reports as GoogleTest writes them."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

PROGRAM = pathlib.Path(__file__).resolve().parent.parent / "scripts" / "test_results.py"


class Results(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.build = pathlib.Path(holder.name)
        (self.build / "CTestTestfile.cmake").write_text("".join(
            f'add_test(http.{i} "/bin/true")\n'
            f'set_tests_properties(http.{i} PROPERTIES ENVIRONMENT "GTEST_SHARD_INDEX={i};GTEST_OUTPUT=xml:{self.report(i)}")\n'
            for i in range(2)) + 'add_test(Cli.bench "/bin/true")\n')
        self.write(0, '<testcase name="Stops" classname="Server" status="run" result="completed" time="0.5"/>'
                      '<testcase name="Sleeps" classname="Server" status="notrun" result="suppressed" time="0"/>')
        self.write(1, '<testcase name="Adds/neon" classname="All/Kernels" status="run" result="completed" time="2.25"/>'
                      '<testcase name="Opens" classname="Server" status="run" result="skipped" time="0"><skipped/></testcase>')

    def report(self, share):
        return self.build / "results" / f"http.{share}.xml"

    def write(self, share, cases):
        self.report(share).parent.mkdir(exist_ok=True)
        self.report(share).write_text(f'<testsuites><testsuite name="x">{cases}</testsuite></testsuites>')

    def results(self, *flags):
        done = subprocess.run([sys.executable, PROGRAM, self.build, *flags], capture_output=True, text=True, check=False)
        return done.returncode, done.stdout, done.stderr

    def test_counts_what_ran_and_names_what_was_skipped(self):
        self.assertEqual(self.results(), (0, "3 tests of 1 programs, skipped of them: Server.Opens\n", ""))

    def test_a_share_without_a_report_is_an_error(self):
        self.report(1).unlink()
        status, out, err = self.results()
        self.assertEqual((status, out), (1, "1 tests of 1 programs\n"))
        self.assertIn("http.1 left no report", err)

    def test_a_program_of_which_nothing_ran_is_an_error(self):
        for share in range(2):
            self.write(share, '<testcase name="Sleeps" classname="Server" status="notrun" result="suppressed" time="0"/>')
        status, out, err = self.results()
        self.assertEqual((status, out), (1, "0 tests of 1 programs\n"))
        self.assertIn("http has no test that ran", err)

    def test_says_what_tests_in_python_skipped(self):
        junit = self.build / "junit.xml"
        junit.write_text('<testsuite><testcase name="Cli.usage" time="1"><system-out>..ss\n---\nRan 4 tests in 1s\n\n'
                         'OK (skipped=2)\n</system-out></testcase>'
                         '<testcase name="Cli.bench" time="1"><system-out>...\nOK\n</system-out></testcase></testsuite>')
        status, out, _ = self.results("--junit", str(junit))
        self.assertEqual(status, 0)
        self.assertEqual([line for line in out.splitlines() if "SKIPPED" in line],
                         ["SKIPPED: 2 tests of Cli.usage, for what is not on this machine (scripts/setup brings it)"])

    def test_an_expected_name_has_to_have_run(self):
        self.assertEqual(self.results("--expect", "/neon")[0], 0)
        for name in ("/i8mm", "Sleeps", "Opens"):
            status, _, err = self.results("--expect", name)
            self.assertEqual(status, 1, name)
            self.assertIn(f"no test that ran is called {name}", err)

    def test_the_slowest_are_of_both_kinds(self):
        junit = self.build / "junit.xml"
        junit.write_text('<testsuite><testcase name="http.1" time="9"/><testcase name="Cli.bench" time="1.5"/></testsuite>')
        _, out, _ = self.results("--slowest", "2", "--junit", str(junit))
        self.assertEqual(out.splitlines()[-2:], ["    2.25 s  All/Kernels.Adds/neon", "    1.50 s  Cli.bench"])

    def test_lists_them_for_comparing(self):
        self.results("--list", str(self.build / "names"))
        self.assertEqual((self.build / "names").read_text(),
                         "All/Kernels.Adds/neon\nServer.Opens\nServer.Stops\n")


if __name__ == "__main__":
    unittest.main()
