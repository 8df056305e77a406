"""`pleiad eval`: its parts, two models side by side, and what a clumsy user gets."""
import json
import os
import pathlib
import shutil
import signal
import struct
import subprocess
import sys
import time
import unittest

from harness import DEMO, MODELS, PROGRAM, ProgramTest, run

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "seeing"))
import seeing_model  # noqa: E402

TEXT = "".join(f"Count from {n} to {n + 3}. {n}, {n + 1}, {n + 2}, {n + 3}\n" for n in range(1, 40))


class Eval(ProgramTest):
    def setUp(self):
        super().setUp()
        self.text = self.folder / "text.txt"
        self.text.write_text(TEXT)
        self.logits = self.folder / "demo.logits"

    def report(self, *flags):
        """With one thread if nothing else is said: threads that wait for each other would be most of the cost."""
        one = () if "--threads" in flags else ("--threads", "1")
        status, out, err = run("eval", *flags, *one, "--json")
        self.assertEqual(status, 0, err)
        return json.loads(out)

    def test_perplexity_is_the_same_with_any_number_of_threads(self):
        flags = (DEMO, "--text", self.text, "--ctx", "128")
        first = self.report(*flags, "--threads", "1")["text"]
        self.assertEqual(first, self.report(*flags, "--threads", "2")["text"])
        model = first["models"][0]
        self.assertEqual(first["scored_tokens"], first["tokens"])
        low, high = model["interval"]
        self.assertTrue(1 < low < model["perplexity"] < high < 2048, model)  # of 2048 pieces
        self.text.write_text(f"<|turn>user\n{TEXT}<turn|>\n")
        counts = [self.report(*flags, *more)["text"]["tokens"] for more in ((), ("--control-tokens",))]
        self.assertGreater(counts[0], counts[1])  # two tags are two tokens
        self.text.write_text(TEXT)
        chunks = self.report(*flags, "--method", "chunks", "--windows", "3")["text"]
        self.assertEqual((chunks["windows"], chunks["scored_tokens"]), (3, 3 * 63))
        status, out, _ = run("eval", *flags)
        self.assertEqual(status, 0)
        self.assertIn(f"{model['perplexity']:.4f}", out)

    def test_a_model_equals_itself_and_its_saved_logits(self):
        beside = self.report(DEMO, DEMO, "--text", self.text, "--ctx", "128")["text"]["comparison"]
        self.assertEqual(beside["kl_divergence_nats"]["mean"], 0)
        self.assertEqual(beside["same_top_token"]["mean"], 1)
        self.assertEqual(beside["perplexity_ratio"]["value"], 1)
        saved = self.report(DEMO, "--text", self.text, "--ctx", "128", "--save-logits", self.logits)
        report = self.report(DEMO, "--against", self.logits)
        self.assertEqual(report["text"]["models"], saved["text"]["models"])
        divergence = report["text"]["comparison"]["kl_divergence_nats"]
        self.assertLess(divergence["max"], 1e-5)
        self.assertLess(divergence["may_be_more_by"], 0.01)
        self.assertEqual(report["text"]["comparison"]["reference"], DEMO)
        status, out, _ = run("eval", DEMO, "--against", self.logits)
        self.assertIn("KL divergence, mean (nats)", out)
        self.assertIn("same likeliest token (%)", out)

    def test_the_battery_runs_when_nothing_else_is_asked_for(self):
        flags = (DEMO, "--checks", "calendar,upper-case")
        report = self.report(*flags)
        self.assertNotIn("text", report)
        names = [check["name"] for check in report["battery"]["checks"]]
        self.assertEqual(names, ["calendar", "upper-case"])
        for check in report["battery"]["checks"]:
            result = check["results"][0]
            self.assertEqual(result["n"], len(result["cases"]))
            self.assertEqual(result["right"], sum(case["right"] for case in result["cases"]))
            self.assertGreater(result["right"], result["n"] / 2, check)
            for case in result["cases"]:
                self.assertTrue(case["right"] or case["why"], case)
        self.assertEqual(report, self.report(*flags, "--threads", "2"))
        status, out, _ = run("eval", DEMO, *flags, "-v")
        self.assertEqual(status, 0)
        self.assertRegex(out, r"calendar +\d+/12 +\d+\.\.\d+ +\d+/12 .* \+0 ")

    def test_a_model_without_a_tower_is_not_asked_about_pictures(self):
        blind = str(shutil.copy(DEMO, self.folder / "blind.gguf"))
        sees = str(seeing_model.write(self.folder / "sees"))  # what it says means nothing
        checks = ("--checks", "sums,see-shapes")
        [sums, shapes] = self.report(blind, *checks)["battery"]["checks"]
        self.assertIn("has no vision tower", shapes["skipped"])
        self.assertEqual(shapes["by_guessing"], {"right": 3, "n": 18})
        self.assertNotIn("by_guessing", sums)
        self.assertNotIn("results", shapes)
        self.assertNotIn("skipped", sums)
        [_, shapes] = self.report(sees, blind, *checks)["battery"]["checks"]
        seen, unseen = shapes["results"]
        self.assertEqual((seen["n"], len(seen["cases"])), (18, 18))
        self.assertEqual((unseen["model"], set(unseen)), (blind, {"model", "skipped"}))
        self.assertNotIn("difference", shapes)
        status, out, _ = run("eval", sees, blind, *checks, "-t", "1")
        self.assertEqual(status, 0)
        self.assertRegex(out, r"see-shapes +\d+/18 +\S+ +skipped")
        self.assertIn("see-shapes: ", out)
        self.assertIn("has no vision tower", out)
        self.assertIn("by guessing, without looking or listening: see-shapes 3/18\n", out)

    def test_the_demo_hears_words_and_a_model_without_a_tower_is_not_asked(self):
        deaf = str(shutil.copy(DEMO, self.folder / "deaf.gguf"))
        [words, several] = self.report(DEMO, deaf, "--checks", "hear-words,hear-several")["battery"]["checks"]
        heard, unheard = words["results"]
        self.assertEqual(words["by_guessing"], {"right": 2, "n": 17})
        self.assertEqual(heard["n"], 17)
        self.assertGreater(heard["right"], 12, heard["cases"])  # of voices that its training did not hear
        self.assertEqual((unheard["model"], set(unheard)), (deaf, {"model", "skipped"}))
        self.assertIn("has no audio tower", unheard["skipped"])
        self.assertEqual(several["results"][0]["n"], 12)

    def test_a_tower_can_be_named(self):
        sees = str(seeing_model.write(self.folder / "named"))
        projector = seeing_model.GOLDEN / "e2b" / "mmproj-e2b.gguf"
        [shapes] = self.report(sees, "--checks", "see-shapes", "--mmproj", str(projector))["battery"]["checks"]
        self.assertEqual(shapes["results"][0]["n"], 18)
        status, _, err = run("eval", sees, "--checks", "see-shapes", "--mmproj", DEMO)
        self.assertEqual(status, 1)
        self.assertIn("no projector file", err)

    def test_samples_have_seeds(self):
        flags = (DEMO, "--checks", "sums", "--samples", "2")
        first = self.report(*flags, "--seed", "3")
        self.assertEqual(first, self.report(*flags, "--seed", "3"))
        self.assertEqual(first["battery"]["all"][0]["n"], 24)
        self.assertFalse(first["battery"]["greedy"])

    def test_lists_its_checks(self):
        status, out, _ = run("eval", "--list-checks")
        self.assertEqual(status, 0)
        for name in ("count-50", "long-answer", "json-schema", "arithmetic", "code", "language",
                     "tool-choice", "see-shapes", "read-pictures", "compare-pictures", "hear-words", "hear-several", "hear-tones",
                     "compare-sounds"):
            self.assertIn(name, out)

    def test_ctrl_c_prints_what_was_finished(self):
        child = subprocess.Popen([PROGRAM, "eval", DEMO, "--samples", "50", "--json"],
                                 stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        time.sleep(2)
        child.send_signal(signal.SIGINT)
        out, err = child.communicate(timeout=60)
        self.assertEqual(child.returncode, 130, err)
        report = json.loads(out)
        self.assertTrue(report["interrupted"])
        self.assertFalse(report["battery"]["all"][0]["complete"])

    def test_refuses_the_predictions_of_another_tokenizer(self):
        other = self.folder / "other.gguf"
        # As many pieces; two of them have changed places.
        pieces = [struct.pack("<Q", len(text)) + text 
                  for text in ("▁Monday".encode(), "▁Friday".encode())]
        content = pathlib.Path(DEMO).read_bytes()
        self.assertEqual([content.count(piece) for piece in pieces], [1, 1])
        content = content.replace(pieces[0], b"?" * len(pieces[0])).replace(pieces[1], pieces[0])
        other.write_bytes(content.replace(b"?" * len(pieces[0]), pieces[1]))
        run("eval", DEMO, "--text", self.text, "--ctx", "64", "--windows", "2", "--save-logits",
            self.logits)
        status, out, err = run("eval", other, "--against", self.logits)
        self.assertEqual((status, out), (1, ""))
        self.assertIn("another tokenizer", err)

    def test_says_what_is_wrong(self):
        damaged = self.folder / "damaged.logits"
        run("eval", DEMO, "--text", self.text, "--ctx", "64", "--windows", "2", "--save-logits",
            self.logits)
        damaged.write_bytes(self.logits.read_bytes()[:-9])
        other = self.folder / "other.txt"
        other.write_text("Another text.")
        empty = self.folder / "empty.txt"
        empty.write_text("")
        for flags, words in (
                (("--text", self.folder / "none.txt"), "none.txt: cannot open"),
                (("--text", empty), "empty.txt: is empty"),
                (("--against", self.text), "is no file of saved logits"),
                (("--against", damaged), "damaged at byte"),
                (("--against", self.logits, "--text", other), "for another text"),
                (("--text", other, "--method", "chunks"), "no whole window"),
                (("--checks", "sumz"), 'no check "sumz"; there are count-10, sums'),
                (("--text", self.text, "--ctx", "99999999"), "--ctx: windows of 99999999")):
            status, out, err = run("eval", DEMO, *flags)
            self.assertEqual((status, out), (2 if "sumz" in flags else 1, ""), flags)
            self.assertIn(words, err)
        for flags in ((), (DEMO, DEMO, "--against", self.logits), (DEMO, "--ctx", "64"),
                      (DEMO, "--save-logits", self.logits), (DEMO, "--seed", "3"),
                      (DEMO, "--text", self.text, "--ctx", "64", "--stride", "64"),
                      (DEMO, "--text", self.text, "--samples", "2"),
                      (DEMO, "--text", self.text, "--think"),
                      (DEMO, "--against", self.logits, "--ctx", "64")):
            status, out, err = run("eval", *flags)
            self.assertEqual((status, out), (2, ""), flags)
            self.assertNotEqual(err, "")

    def test_code_runs_in_its_sandbox_only(self):
        report = self.report(DEMO, "--checks", "code")
        self.assertIn("--run-code", report["battery"]["checks"][0]["skipped"])
        status, out, err = run("eval", DEMO, "--checks", "code", "--run-code", "--json")
        if os.path.exists("/usr/bin/bwrap"):
            if status == 0:
                self.assertEqual(json.loads(out)["battery"]["checks"][0]["results"][0]["n"], 10)
            else:
                self.assertIn("bwrap cannot make a sandbox here", err)
        else:
            self.assertEqual((status, out), (1, ""))
            self.assertIn("bwrap is not installed", err)

    def test_models_without_a_tokenizer_are_told(self):
        status, out, err = run("eval", MODELS / "e2b")
        self.assertEqual((status, out), (1, ""))
        self.assertIn("has no tokenizer", err)


if __name__ == "__main__":
    unittest.main()
