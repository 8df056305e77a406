"""`pleiad fit`: this machine and others, its forms, and what a clumsy user gets."""
import json
import unittest
import xml.etree.ElementTree as ElementTree

from harness import ProgramTest, run

OTHER = ("--bandwidth", "273", "--memory", "128")
KEYS = ["e2b", "e4b", "12b", "26b-a4b", "31b"]


class Fit(ProgramTest):
    def test_measures_this_machine(self):
        status, out, err = run("fit", "--model", "e2b,26B", "--type", "q4_0", "--threads", "1",
                               "--json")
        self.assertEqual((status, err), (0, ""))
        report = json.loads(out)
        machine = report["machine"]
        self.assertEqual((machine["measured"], machine["threads"]), (True, 1))
        for key in ("memory_bytes", "read_gb_s", "matrix_tflop_s"):
            self.assertGreater(machine[key], 0, key)
        self.assertEqual([row["model"] for row in report["models"]], ["e2b", "26b-a4b"])
        for row in report["models"]:
            for kind in ("prefill", "decode", "decode_at_context"):
                rate = row[kind]
                self.assertTrue(0 < rate["low"] < rate["tok_s"] < rate["high"], row)
            self.assertLess(row["decode_at_context"]["tok_s"], row["decode"]["tok_s"])

    def test_answers_for_another_machine_and_invents_nothing(self):
        status, out, err = run("fit", *OTHER, "--json")
        self.assertEqual((status, err), (0, ""))
        report = json.loads(out)
        self.assertFalse(report["machine"]["measured"])
        self.assertIsNone(report["machine"]["matrix_tflop_s"])
        self.assertEqual(len(report["models"]), len(KEYS) * 12)
        self.assertEqual(sorted({row["model"] for row in report["models"]}), sorted(KEYS))
        self.assertTrue(all(row["prefill"] is None for row in report["models"]))
        self.assertIn(report["recommended"]["model"], KEYS)
        self.assertIn("unknown", run("fit", *OTHER)[1])
        with_compute = json.loads(run("fit", *OTHER, "--compute", "60", "--json")[1])
        self.assertTrue(all(row["prefill"]["tok_s"] > 0 for row in with_compute["models"]))

    def test_table_says_what_to_take(self):
        status, out, _ = run("fit", "--bandwidth", "30", "--memory", "8", "--ctx", "32768",
                             "--kv-type", "q8_0")
        self.assertEqual(status, 0)
        self.assertIn("at 32,768", out)
        self.assertIn("keys and values in q8_0", out)
        self.assertIn("does not fit: ", out)
        self.assertIn("To take: Gemma 4 E2B as ", out)
        nothing = run("fit", "--bandwidth", "30", "--memory", "1")[1]
        self.assertIn("None of these fits", nothing)

    def test_published_rates_have_sources(self):
        status, out, _ = run("fit", "--published", "--model", "e4b", "--json")
        self.assertEqual(status, 0)
        rates = json.loads(out)["published"]
        self.assertGreater(len(rates), 15)
        for rate in rates:
            self.assertEqual(rate["model"], "e4b")
            self.assertTrue(rate["source"])
            self.assertEqual(rate["predicted_decode"] is None, rate["read_gb_s"] is None)
        self.assertIn("llama.cpp#22097", [rate["source"] for rate in rates])
        self.assertIn("mistral.rs", run("fit", "--published")[1])

    def test_published_rates_and_their_plot(self):
        file = self.folder / "published.svg"
        status, out, err = run("fit", "--published", "--plot", file, *OTHER, "--type", "q8_0")
        self.assertEqual((status, out, err), (0, run("fit", "--published")[1], ""))
        self.assertIn("predicted for q8_0", file.read_text())

    def test_published_takes_no_option_that_it_would_ignore(self):
        for flags in (("--ctx", "4096"), ("--kv-type", "q8_0"), ("--type", "q8_0"),
                      ("--threads", "1"), OTHER, ("--plot", self.folder / "x.svg", "--ctx", "4096")):
            status, out, err = run("fit", "--published", *flags)
            self.assertEqual((status, out), (2, ""), flags)
            self.assertIn("has no meaning with --published", err)
        self.assertFalse((self.folder / "x.svg").exists())

    def test_plot_is_well_formed(self):
        file = self.folder / "fit.svg"
        status, _, _ = run("fit", *OTHER, "--plot", file, "--type", "q8_0")
        self.assertEqual(status, 0)
        root = ElementTree.parse(file).getroot()
        self.assertEqual(root.tag, "{http://www.w3.org/2000/svg}svg")
        texts = [node.text for node in root.iter("{http://www.w3.org/2000/svg}text")]
        for text in ("E2B", "31B", "predicted for another machine", "published by others", "tokens/s"):
            self.assertIn(text, texts)
        before = file.read_bytes()
        run("fit", *OTHER, "--plot", file, "--type", "q8_0")
        self.assertEqual(file.read_bytes(), before)

    def test_says_what_is_wrong(self):
        for expected, flags, words in (
                (2, ("--model", "e3b"), "--model: expected e2b, e4b, 12b, 26b-a4b or 31b, found 'e3b'"),
                (2, ("--type", "q3_k"), "--type: expected one of bf16"),
                (1, ("--ctx", "200000"), "Gemma 4 E2B is made for at most 131,072 tokens"),
                (1, ("--plot", "/nowhere/fit.svg"), "/nowhere/fit.svg")):
            status, out, err = run("fit", *OTHER, *flags)
            self.assertEqual((status, out), (expected, ""), flags)
            self.assertIn(words, err)
        for number in ("nan", "-nan", "inf", "-inf", "0", "-1", "1e400", "1x"):
            for flags in (("--bandwidth", number, "--memory", "8"),
                          ("--bandwidth", "10", "--memory", number),
                          ("--bandwidth", "10", "--memory", "8", "--compute", number)):
                status, out, err = run("fit", *flags)
                self.assertEqual((status, out), (2, ""), flags)
                self.assertIn(number, err)
        for flags in (("--bandwidth", "10"), ("--memory", "8"), ("--bandwidth", "-1", "--memory",
                      "8"), ("--compute", "5"), (*OTHER, "--threads", "2"), ("--kv-type", "q2")):
            self.assertEqual(run("fit", *flags)[0], 2, flags)


if __name__ == "__main__":
    unittest.main()
