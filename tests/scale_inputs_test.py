#!/usr/bin/env python3
"""tools/scale: traffic, the files that are read, the flags, and the numbers that are printed."""
import argparse
import json
import math
import pathlib
import subprocess
import sys
import tempfile
import unittest

TOOLS = pathlib.Path(__file__).resolve().parent.parent / "tools" / "scale"
sys.path.insert(0, str(TOOLS))
import arrivals  # noqa: E402
import calibrate  # noqa: E402
import completion_client  # noqa: E402
import simulate  # noqa: E402
import split_layers  # noqa: E402
from curves import CurveError, load_curves  # noqa: E402
from results import Results, table  # noqa: E402
from text import Text, shared_pages  # noqa: E402
from trace_files import TraceError, read_trace  # noqa: E402
from workloads import WORKLOADS, first_request, make_sessions, next_request  # noqa: E402


class Traffic(unittest.TestCase):
    def test_rates_are_what_was_asked_for(self):
        for starts in (arrivals.poisson(5, 400, 1), arrivals.bursts(5, 400, 1, 2.0),
                       arrivals.daily(5, 400, 1, 0.8, 100)):
            self.assertAlmostEqual(len(starts) / 400, 5, delta=0.5)
            self.assertEqual(starts, sorted(starts))

    def test_days_are_quiet_when_they_begin(self):
        starts = arrivals.daily(5, 400, 1, 0.8, 400)
        self.assertLess(sum(start < 100 for start in starts) * 2, sum(150 < start < 250 for start in starts))

    def test_lengths_have_their_medians_and_means(self):
        found = [one.turns[0] for one in make_sessions(WORKLOADS["azure-conversation"], [0.0] * 4000, 5)]
        prompts = sorted(turn.new[0][1] for turn in found)
        self.assertAlmostEqual(prompts[2000], 1020, delta=60)
        self.assertAlmostEqual(sum(prompts) / 4000, 1155, delta=70)

    def test_sessions_end_before_the_context_does(self):
        for one in make_sessions(WORKLOADS["agents"], [0.0] * 50, 6):
            request = first_request(one)
            while (after := next_request(request, 0.0)) is not None:
                request = after
            self.assertLessEqual(request.prompt.n_tokens + request.n_reply, WORKLOADS["agents"].context_most)


class Files(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def file(self, content):
        path = pathlib.Path(self.folder.name) / "file"
        path.write_text(content)
        return str(path)

    def test_a_trace_of_blocks_shares_them(self):
        path = self.file('{"timestamp": 1000, "input_length": 600, "output_length": 5, "hash_ids": [0, 1]}\n'
                         '{"timestamp": 3000, "input_length": 700, "output_length": 6, "hash_ids": [0, 2]}\n')
        sessions = read_trace(path, speed=2.0)
        self.assertEqual([one.start for one in sessions], [0.0, 1.0])
        first, second = (first_request(one).prompt for one in sessions)
        self.assertEqual((first.n_tokens, second.n_tokens), (600, 700))
        self.assertEqual(shared_pages(first.chains, second.chains), 8)

    def test_tables_of_requests(self):
        azure = read_trace(self.file("TIMESTAMP,ContextTokens,GeneratedTokens\n2023-11-16 18:15:46.6805900,374,44\n"
                                     "2023-11-16 18:15:50.9951690,396,109\n"))
        self.assertAlmostEqual(azure[1].start, 4.314579, places=5)
        self.assertEqual(azure[1].turns[0].n_reply, 109)
        burst = read_trace(self.file("Timestamp,Model,Request tokens,Response tokens,Total tokens,Log Type\n"
                                     "5,ChatGPT,472,18,490,Conversation log\n"
                                     "45,ChatGPT,1087,0,1087,Conversation log\n"))
        self.assertEqual(len(burst), 1)  # the other failed there

    def test_what_is_no_trace_is_told_with_its_line(self):
        for content, told in (("", "expected the columns"), ("a,b\n1,2\n", "found a, b"),
                              ("Timestamp,Request tokens,Response tokens\n", "no request in it"),
                              ("Timestamp,Request tokens,Response tokens\n1,x,3\n", ":2: expected a time"),
                              ('{"timestamp": 0}\n', ":1: expected timestamp"),
                              ('{"timestamp": 0, "input_length": 600, "output_length": 5, "hash_ids": [1]}\n',
                               ":1: expected a hash_id for each 512 tokens"),
                              ('{"timestamp": 0, "input_length": 6, "output_length": 5, "hash_ids": "ab"}\n', ":1: ")):
            with self.assertRaisesRegex(TraceError, told):
                read_trace(self.file(content))

    def test_curves_are_checked(self):
        good = {"generation": [[1, 0.01], [8, 0.02]], "prompts": [[1, 0.01], [64, 0.1]], "capacity_tokens": 5}
        self.assertEqual(load_curves(self.file(json.dumps(good))).capacity_tokens, 5)
        for change, told in (({"prompts": []}, "prompts: expected a list"), ({"prompts": [[2, 1], [1, 2]]}, "rising"),
                             ({"request_seconds": -1}, "request_seconds: expected"),
                             ({"generation": [[1, "x"]]}, "generation: expected")):
            with self.assertRaisesRegex(CurveError, told):
                load_curves(self.file(json.dumps(good | change)))
        with self.assertRaisesRegex(CurveError, "expected measured curves"):
            load_curves(self.file("{"))

    def simulate(self, *flags):
        curves = self.file(json.dumps({"generation": [[1, 0.01], [32, 0.04]], "prompts": [[1, 0.01], [512, 0.5]],
                                       "capacity_tokens": 20_000}))
        return subprocess.run([sys.executable, TOOLS / "simulate.py", "--curves", curves, *flags], text=True,
                              capture_output=True)

    def test_the_program_prints_a_row_for_each_run(self):
        done = self.simulate("--workload", "small-chat", "--replicas", "1,2", "--policy", "round-robin,prefix-aware",
                             "--seconds", "15", "--warm-up", "2", "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        found = json.loads(done.stdout)
        self.assertEqual([row["run"] for row in found], ["1 x round-robin", "2 x round-robin", "1 x prefix-aware",
                                                         "2 x prefix-aware"])
        self.assertTrue(all(row["requests"] > 0 for row in found))

    def test_the_program_says_what_it_cannot_use(self):
        for flags, told in ((["--set", "x=1"], "--set x=1: expected one of turns_mean"),
                            (["--set", "turns_mean=0"], "expected turns_mean"), (["--rate", "0"], "--rate"),
                            (["--trace", "/nowhere"], "/nowhere: expected a trace"), (["--slack", "-1"], "--slack")):
            done = self.simulate("--workload", "small-chat", *flags)
            self.assertEqual((done.returncode, done.stdout), (1, ""), flags)
            self.assertIn(told, done.stderr)


class Numbers(unittest.TestCase):
    def test_percentiles_of_gaps_are_within_their_classes(self):
        found = Results()
        for i in range(1, 101):
            found.add_gaps(0.0, i / 100, 3)
        self.assertAlmostEqual(found.gaps.percentile(0.5), 0.51, delta=0.011)
        self.assertAlmostEqual(found.gaps.percentile(0.99), 1.0, delta=0.02)

    def test_a_table_without_requests_has_no_numbers(self):
        self.assertIn("| 0 |", table([("nothing", Results().summary())]))
        self.assertTrue(math.isnan(Results().summary()["first_p50"]))

    def test_the_fewest_that_are_enough_are_found(self):
        tried = []

        def of(n):
            tried.append(n)
            return {"first_p99": 37 / n}
        self.assertEqual(simulate.fewest(of, {"first_p99": 1.0}, 100)[0], 37)
        self.assertLess(len(tried), 14)
        self.assertIsNone(simulate.fewest(of, {"first_p99": 0.1}, 100))
        self.assertEqual(simulate.fewest(of, {"first_p99": 40.0}, 100)[0], 1)

    def test_limits_are_read(self):
        self.assertEqual(simulate.limits("first_p99=2,gap_p50=0.1"), {"first_p99": 2.0, "gap_p50": 0.1})
        for wrong in ("first=2", "first_p99", "first_p99=-1"):
            with self.assertRaises(argparse.ArgumentTypeError):
                simulate.limits(wrong)

    def test_curves_of_servers_that_were_measured_together(self):
        one = {"generation": [[1, 0.01]], "request_seconds": 0.002, "capacity_tokens": 100}
        other = {"generation": [[1, 0.03]], "request_seconds": 0.004, "capacity_tokens": 90}
        self.assertEqual(calibrate.mean_curves([one, other]),
                         {"generation": [[1, 0.02]], "request_seconds": 0.003, "capacity_tokens": 90})

    def test_a_prompt_repeats_what_was_said_and_answered(self):
        said, more = Text(), Text()
        for segment, n in ((7, 3), (8, 4)):
            said.append(segment, n)
            more.append(segment, n)
        more.append(9, 2)
        first = completion_client.prompt_tokens(said, 5000, 1000, {8})
        longer = completion_client.prompt_tokens(more, 5000, 1000, {8})
        self.assertEqual(longer[:7], first)
        self.assertEqual(first[3:], [1000] * 4)

    def test_layers_over_machines_cost_their_links_and_give_memory(self):
        link = ("slow", 1e9 / 8, 1e-3)
        one, together = split_layers.pipeline(0.1, 2, 1000, link)
        hop = 1e-3 + 4000 / (1e9 / 8 * split_layers.EFFICIENCY)
        self.assertAlmostEqual(one, 1 / (0.1 + 2 * hop))
        self.assertAlmostEqual(together, 2 * one)
        self.assertEqual(split_layers.pipeline(0.1, 1, 1000, link), (10.0, 10.0))
        self.assertEqual(split_layers.machines_needed(20e9, 14e9), 2)
        self.assertGreater(split_layers.cut_matrices(0.1, 2, 1000, 10, link), 1 / 0.1)
        self.assertLess(split_layers.cut_matrices(0.01, 2, 1000, 10, link), 1 / 0.01)


if __name__ == "__main__":
    unittest.main()
