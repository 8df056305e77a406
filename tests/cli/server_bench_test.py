"""`pleiad bench --server`: servers that spoil numbers are caught, honest ones are not marked.

No speed is asserted. Marks of the clocks ("waited", "clocks_differ", ...) come on a machine that is
busy with something else and are left aside; src/server_bench/cheats_test.cc has them all, in a time
that is made up.
"""
import csv
import io
import json
import os
import re
import subprocess
import time
import unittest

from fake_server import (Fake, Handler, LlamaHandler, OllamaHandler, OpenAiHandler, Running,
                         n_tokens, sleep_for_ever)
from harness import PROGRAM, ProgramTest, run

QUICK = ("--shapes", "26:16", "--model", "a")
OF_THE_CLOCKS = {"waited", "clocks_differ", "clock", "throttled", "battery", "too_short", "uneven",
                 "late_start", "early_piece", "prompt_time", "as_alone"}


def bench(url, *flags, quick=QUICK):
    """The report, which must have come."""
    status, out, err = run("bench", "--server", url, *quick, *flags, "--json")
    assert (status, err) == (0, ""), (status, err)
    return json.loads(out)


def row_of(report, model=0, row=0):
    return report["models"][model]["rows"][row]


def marks(report):
    return set(row_of(report)["marks"]) - OF_THE_CLOCKS


class Faults(ProgramTest):
    def caught(self, fake, *flags, handler=OllamaHandler):
        with Running(fake, handler) as server:
            report = bench(server.url, *flags)
        return report, marks(report)

    def test_an_honest_server_has_no_mark(self):
        report, found = self.caught(Fake())
        self.assertEqual(found, set())
        self.assertEqual((report["server"], report["api"]), ("Ollama 0.99", "ollama"))
        row = row_of(report)
        self.assertEqual([one["server"]["prompt_tokens"] for one in row["runs"]], [26] * 3)
        for figure in ("generation_tok_s", "prefill_tok_s", "first_token_s"):
            self.assertEqual(row[figure]["n"], 3, figure)

    def test_prompts_are_new_from_the_first_word_on_and_of_another_seed_every_time(self):
        fake = Fake()
        prompts = []
        fake.cached = lambda prompt: prompts.append(prompt) or 0
        with Running(fake) as server:
            first = bench(server.url, quick=("--shapes", "26:8,40:8", "--model", "a"))
            n_asked = len(prompts)
            self.assertNotEqual(bench(server.url)["seed"], first["seed"])
        # A warm-up, three runs and three that are asked twice, of each shape.
        for length in (26, 40):
            of_it = [prompt for prompt in prompts[:n_asked] if n_tokens(prompt) == length]
            self.assertEqual((len(of_it), len(set(of_it))), (10, 7))
        firsts = {prompt: prompt.split()[0] for prompt in prompts[1:n_asked]}
        asked = [prompt for prompt in firsts if n_tokens(prompt) in (26, 40)]
        self.assertEqual(len({firsts[prompt] for prompt in asked}), 14)
        others = {firsts[prompt] for prompt in firsts if prompt not in asked}
        self.assertFalse(others & {firsts[prompt] for prompt in asked})

    def test_prompts_that_would_be_mostly_template_are_refused(self):
        with Running(Fake()) as server:  # the template has 10 tokens, what asks for a story 4
            status, out, err = run("bench", "--server", server.url, "--model", "a", "--shapes",
                                   "21:8")
            self.assertEqual((status, out), (1, ""))
            self.assertIn("--shapes: a prompt of 21 tokens leaves 7 beside the 14", err)
            bench(server.url, quick=("--model", "a", "--shapes", "22:8"))

    def test_a_cache_that_tells_its_hits(self):
        class Caching(Fake):
            def cached(self, prompt):
                return n_tokens(prompt) - 1 if prompt in self.seen else 0

        fake = Caching()
        with Running(fake) as server:
            self.assertEqual(marks(bench(server.url, "--seed", "7")), set())
            report = bench(server.url, "--seed", "7")  # the same prompts again
        self.assertIn("cache_hit", marks(report))
        self.assertIsNone(row_of(report)["prefill_tok_s"])
        self.assertIsNotNone(row_of(report)["generation_tok_s"])

    def test_a_cache_that_tells_nothing(self):
        class Silent(Fake):
            def prompt_seconds(self, prompt):
                return 0.001 if prompt in self.seen else 0.1

        fake = Silent()
        with Running(fake) as server:
            report = bench(server.url, "--seed", "7")
            self.assertEqual(marks(report), {"untold_cache"})
            self.assertEqual(row_of(report)["prefill_tok_s"]["n"], 3)
            report = bench(server.url, "--seed", "7")
        self.assertEqual(marks(report), {"untold_cache", "silent_cache"})
        self.assertIsNone(row_of(report)["prefill_tok_s"])

    def test_loading_between_the_runs(self):
        fake = Fake()
        fake.load_seconds = lambda: 1.5
        report, found = self.caught(fake)
        self.assertEqual(found, {"reload"})
        self.assertIsNone(row_of(report)["first_token_s"])

    def test_a_model_that_is_gone_after_each_answer(self):
        class Forgetful(Fake):
            def load_seconds(self):
                self.loaded.clear()
                return 0

        self.assertEqual(self.caught(Forgetful())[1], {"unloaded"})

    def test_thoughts_that_are_shown(self):
        fake = Fake()
        fake.thoughts = lambda n: n // 2
        self.assertEqual(self.caught(fake)[1], {"thinking"})
        self.assertEqual(self.caught(fake, handler=OpenAiHandler)[1], {"thinking"})

    def test_thoughts_that_are_counted_and_hidden(self):
        fake = Fake()
        fake.hidden = lambda: 300
        found = self.caught(fake)[1]
        self.assertIn("hidden_tokens", found)

    def test_text_that_is_held_back(self):
        class InOnePiece(OpenAiHandler):
            def lines(self, values, facts=None):
                pieces = [json.loads(value[6:]) for value in values[:-1]]
                text = "".join(piece["choices"][0]["delta"].get("content", "")
                               for piece in pieces if piece["choices"])
                first = {"choices": [{"delta": {"content": text}}]}
                super().lines(["data: " + json.dumps(first) + "\n", *values[-3:]])

        report, found = self.caught(Fake(), handler=InOnePiece)
        self.assertEqual(found, {"buffered"})
        row = row_of(report)
        self.assertEqual([row["first_token_s"], row["client_prefill_tok_s"]], [None, None])

    def test_answers_that_end_early(self):
        fake = Fake()
        fake.length = lambda wanted: min(wanted, 3)
        report, found = self.caught(fake)
        self.assertEqual(found, {"early_stop"})
        self.assertIsNone(row_of(report)["generation_tok_s"])

    def test_another_model_in_memory(self):
        class Company(Fake):
            def load(self, model, context):
                super().load(model, context)
                self.loaded["guest:latest"] = 2048

        report, found = self.caught(Company())
        self.assertEqual(found, {"other_models"})
        self.assertIn("guest:latest", row_of(report)["runs"][0]["marks"][0]["text"])

    def test_another_context_length_than_at_first(self):
        class Shrinking(Fake):
            def load_seconds(self):
                if self.n_chats > 6:
                    self.loaded = {name: 2048 for name in self.loaded}
                return 0

        report, found = self.caught(Shrinking(), "--context", "8192")
        self.assertEqual(report["models"][0]["context_length"], 8192)
        self.assertEqual(found, {"context_changed"})

    def test_another_context_length_than_was_asked_for(self):
        class Deaf(Fake):
            def load(self, model, context):
                super().load(model, 4096)

        self.assertEqual(self.caught(Deaf(), "--context", "4096")[1], set())
        report, found = self.caught(Deaf(), "--context", "8192")
        self.assertEqual(found, {"context_changed"})
        self.assertIn("8,192 was asked for, and it is 4,096",
                      row_of(report)["runs"][0]["marks"][0]["text"])


class Protocol(ProgramTest):
    def test_everything_is_unloaded_before_and_after_unless_it_shall_stay(self):
        fake = Fake()
        fake.loaded = {"b:latest": 1, "c:latest": 1}
        with Running(fake) as server:
            report = bench(server.url, "--keep-loaded")
            self.assertIn("other_models", marks(report))
            self.assertEqual(set(fake.loaded), {"a:latest", "b:latest", "c:latest"})
            report = bench(server.url)
        self.assertEqual(set(report["models"][0]["unloaded_before"]),
                         {"a:latest", "b:latest", "c:latest"})
        self.assertEqual((marks(report), fake.loaded), (set(), {}))

    def test_openai_servers_are_asked_as_far_as_they_allow(self):
        class Strict(OpenAiHandler):
            EXTRAS = False

        class Silent(OpenAiHandler):
            USAGE = False

        for handler, length, expected in ((OpenAiHandler, "asked for", set()),
                                          (LlamaHandler, "forced", set()),
                                          (Strict, "not forced", set()),
                                          (Silent, "asked for", {"no_counts"})):
            with Running(Fake(), handler) as server:
                report = bench(server.url + "/v1/")
            self.assertEqual((report["models"][0]["length"], marks(report)), (length, expected))
            told = row_of(report)["generation_tok_s"] is not None
            self.assertEqual(told, handler is LlamaHandler)
        with Running(Fake(), LlamaHandler) as server:
            report = bench(server.url)
        self.assertEqual(report["server"], "llama-server b1234")
        self.assertEqual(report["models"][0]["context_length"], 4096)

    def test_requests_at_the_same_time(self):
        with Running(Fake()) as server:
            report = bench(server.url, "--parallel", "2,3")
        rows = report["models"][0]["rows"]
        self.assertEqual([(row["parallel"], len(row["runs"])) for row in rows],
                         [(1, 3), (2, 6), (3, 9)])
        for row in rows[1:]:
            self.assertGreater(row["total_tok_s"]["median"], 0)

    def test_requests_that_are_refused_at_the_same_time_are_told(self):
        class Refusing(OllamaHandler):
            def POST_api_chat(self):
                self.fake.n_asked = getattr(self.fake, "n_asked", 0) + 1
                if self.fake.n_asked > 13 and self.fake.n_asked % 2:  # what runs alone is before
                    return self.reply({"error": "server busy"}, 503)
                return super().POST_api_chat()

        with Running(Fake(), Refusing) as server:
            report = bench(server.url, "--parallel", "2")
        alone, together = report["models"][0]["rows"]
        self.assertNotIn("failed", alone["marks"])
        self.assertIn("failed", together["marks"])
        failures = [one["failure"] for one in together["runs"] if "failure" in one]
        self.assertEqual(len(failures), 3)
        self.assertIn("server busy", failures[0])

    def test_tables_csv_markdown_and_a_chart_have_both_models(self):
        chart = self.folder / "chart.svg"
        flags = ("bench", "--shapes", "26:8,40:8", "--model", "a", "--model", "b")
        with Running(Fake()) as server:
            status, text, err = run(*flags, "--server", server.url, "--chart", chart)
            self.assertEqual((status, err), (0, ""))
            self.assertRegex(text, r"\na +26 -> 8 .*\nb +26 -> 8 .*\na +40 -> 8 .*\nb +40 -> 8 ")
            self.assertIn("</svg>", chart.read_text())
            out = run(*flags, "--server", server.url, "--csv")[1]
            rows = list(csv.DictReader(io.StringIO(out)))
            self.assertEqual([(row["model"], row["prompt_tokens"]) for row in rows],
                             [("a", "26"), ("a", "40"), ("b", "26"), ("b", "40")])
            out = run(*flags, "--server", server.url, "--markdown")[1]
            self.assertEqual(out.count("| a | 26 -> 8 |"), 1)

    def test_what_is_marked_is_a_number_in_no_form(self):
        chart = self.folder / "chart.svg"
        fake = Fake()
        fake.answers_as = "b:latest"
        flags = ("bench", *QUICK, "--parallel", "2")
        with Running(fake) as server:
            report = bench(server.url, "--parallel", "2")
            text = run(*flags, "--server", server.url, "--chart", chart)[1]
            rows = list(csv.DictReader(io.StringIO(run(*flags, "--server", server.url, "--csv")[1])))
            markdown = run(*flags, "--server", server.url, "--markdown")[1]
        figures = [name for name in row_of(report) if name.endswith("_tok_s") or
                   name == "first_token_s"]
        self.assertEqual(len(figures), 5)
        for row in report["models"][0]["rows"]:
            for figure in figures:
                self.assertIsNone(row[figure], figure)
                self.assertIn("other_model", row["spoiled"][re.sub("_(tok_)?s$", "", figure)])
        self.assertIsNone(row_of(report, row=1)["total_tok_s"])
        for table in (text, markdown):
            lines = [line for line in table.splitlines() if re.match(r"(\| )?a +(\| )?26 -> 16", line)]
            self.assertEqual(len(lines), 2, table)
            for line in lines:
                self.assertNotRegex(re.sub(r"26 -> 16( x2)?", "", line), r"\d")
                self.assertIn("- (other_model", line)
        for row in rows:
            numbers = [row[name] for name in row if re.search("_(median|min|max)$|^total", name)]
            self.assertEqual(set(numbers), {""})
            self.assertRegex(row["spoiled"], r"^generation:\S*other_model client_generation:")
        self.assertEqual(chart.read_text().count("<title>"), 1)  # the picture's; bars have one each

    def test_the_only_model_needs_no_name_and_of_several_one_is_asked_for(self):
        with Running(Fake(), OpenAiHandler) as server:
            report = bench(server.url, quick=("--shapes", "26:8"))
            self.assertEqual(report["models"][0]["model"], "a")
        with Running(Fake()) as server:
            status, out, err = run("bench", "--server", server.url)
        self.assertEqual((status, out), (1, ""))
        self.assertIn("--model is needed", err)
        self.assertIn("a:latest, b:latest", err)


class Failures(ProgramTest):
    def failed(self, handler, *flags, fake=None, env=None):
        with Running(fake or Fake(), handler) as server:
            status, out, err = run("bench", "--server", server.url, *QUICK, *flags, env=env)
        self.assertEqual((status, out), (1, ""), err)
        return err

    def test_answers_that_are_none(self):
        class Garbage(OllamaHandler):
            def POST_api_chat(self):
                self.lines(["<html>busy</html>"])

        class Cut(OllamaHandler):
            def POST_api_chat(self):
                self.lines(['{"message": {"content": "word"}}'])

        class Failing(OllamaHandler):
            def POST_api_chat(self):
                self.reply({"error": "out of memory"}, 500)

        class FailingLate(OllamaHandler):
            def POST_api_chat(self):
                self.lines(['{"message": {"content": "word"}}', '{"error": "out of memory"}'])

        class Wrong(OllamaHandler):
            def GET_api_ps(self):
                self.reply({"models": [{"name": 7}]})

        class Huge(OllamaHandler):
            def POST_api_chat(self):
                self.send_response(200)
                self.end_headers()
                try:
                    for _ in range(80):
                        self.wfile.write(b"x" * (1 << 20))
                except OSError:
                    pass

        for handler, words in ((Garbage, "api/chat: the stream of the answer"),
                               (Cut, "ended before its last part"),
                               (Failing, "a: out of memory"),
                               (FailingLate, "the server says: out of memory"),
                               (Wrong, "name: expected a string"),
                               (Huge, "the answer is longer than 67.1 MB"),
                               (Handler, "not found")):
            self.assertIn(words, self.failed(handler), handler)

    def test_a_server_that_hangs_or_is_not_there(self):
        class Hanging(OllamaHandler):
            def POST_api_chat(self):
                sleep_for_ever()

        self.assertIn("nothing came for 300.0 ms (--timeout)",
                      self.failed(Hanging, "--timeout", "0.3"))
        status, _, err = run("bench", "--server", "http://127.0.0.1:1", *QUICK)
        self.assertEqual(status, 1)
        self.assertIn("no answer from http://127.0.0.1:1", err)
        status, _, err = run("bench", "--server", "ftp://x", *QUICK)
        self.assertEqual(status, 1)
        self.assertIn("--server: expected an address", err)

    def test_what_was_measured_is_printed_where_a_server_fails_later(self):
        class Dying(OllamaHandler):
            def POST_api_chat(self):
                if self.fake.n_chats > 18:
                    return self.reply({"error": "out of memory"}, 500)
                return super().POST_api_chat()

        for models in (("--model", "a"), ("--model", "a", "--model", "b")):
            with Running(Fake(), Dying) as server:
                shapes = "26:8,40:8" if len(models) == 2 else "26:8"
                status, out, err = run("bench", "--server", server.url, *models, "--shapes",
                                       shapes, "--json")
            self.assertEqual(status, 1)
            self.assertIn("out of memory", err)
            report = json.loads(out)["models"]
            # The third request of what follows the first row fails: one run of a row is there.
            self.assertEqual([len(row["runs"]) for row in report[0]["rows"]],
                             [3, 1] if len(models) == 2 else [3])
            self.assertIn("out of memory", report[-1]["failure"])

    def test_a_context_length_is_refused_where_the_api_has_no_word_for_it(self):
        self.assertIn("--context: OpenAI's API", self.failed(OpenAiHandler, "--context", "8192"))

    def test_a_key_is_sent_and_asked_for(self):
        fake = Fake()
        fake.KEY = "secret"
        err = self.failed(OllamaHandler, fake=fake, env={"PLEIAD_API_KEY": ""})
        self.assertIn("who are you? (a key is given with --api-key or PLEIAD_API_KEY)", err)
        with Running(fake) as server:
            self.assertEqual(marks(bench(server.url, "--api-key", "secret")), set())

    def test_flags_that_make_no_sense_together_are_refused(self):
        for flags, words in ((("--server", "http://x", "demo"), "MODEL"),
                             (("--server", "http://x", "--depth", "4"), "--depth"),
                             (("--server", "http://x", "--kv-type", "f32"), "--kv-type"),
                             (("--server", "http://x", "--synthetic", "e2b:q4_0"), "--synthetic"),
                             (("demo", "--parallel", "2"), "--server"),
                             (("demo", "--chart", "x.svg"), "--server"),
                             (("--server", "http://x", "--parallel", "1"), "--parallel")):
            status, out, err = run("bench", *flags)
            self.assertEqual((status, out), (2, ""), flags)
            self.assertIn(words, err)
        for flags, words in ((("--shapes", "26"), "--shapes: expected two numbers"),
                             (("--shapes", "0:5"), "--shapes: expected two numbers"),
                             (("--repetitions", "2"), "at least 3 times"),
                             (("--chart", "/nowhere/x.svg"), "/nowhere/x.svg")):
            status, out, err = run("bench", "--server", "http://127.0.0.1:1", *flags)
            self.assertEqual((status, out), (1, ""), flags)
            self.assertIn(words, err)


class OurServer(ProgramTest):
    """Our own, with the demo model."""

    def start(self):
        env = {key: value for key, value in os.environ.items()
               if not key.startswith(("PLEIAD_", "OLLAMA_"))} | {"HOME": str(self.folder)}
        log = self.folder / "log"
        with open(log, "wb") as file:
            process = subprocess.Popen([PROGRAM, "serve", "--host", "127.0.0.1:0", "demo"],
                                       env=env, stdout=file, stderr=file)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            if found := re.search(r"http://127\.0\.0\.1:\d+", log.read_text()):
                return found[0]
            time.sleep(0.02)
        raise AssertionError(log.read_text())

    def test_answers_have_the_length_that_was_asked_for_through_both_apis(self):
        url = self.start()
        for api, counts in (("ollama", "generation_tok_s"), ("openai", "client_generation_tok_s")):
            report = bench(url, "--api", api, quick=("--shapes", "40:48", "--model", "demo"))
            # The demo model goes on after its end with tokens that have no text, now and then.
            # On a busy machine our reading of the stream halts, the start of it comes at once, and
            # one prompt takes as long as its repetition does when the machine is free.
            self.assertEqual(marks(report) - {"hidden_tokens", "buffered", "implausible", "silent_cache"},
                             set(), api)
            self.assertEqual(report["models"][0]["length"], "forced")
            row = row_of(report)
            self.assertEqual([one["server"]["generated_tokens"] for one in row["runs"]], [48] * 3)
            self.assertEqual([one["server"]["prompt_tokens"] for one in row["runs"]], [40] * 3)
            if not row["spoiled"]:
                self.assertGreater(row[counts]["median"], 0)


if __name__ == "__main__":
    unittest.main()
