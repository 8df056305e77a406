"""pleiad.exe under Wine beside Linux's program of the same sources: what it has, prints and writes.

PLEIAD_PROGRAM is the one, PLEIAD_LINUX_PROGRAM the other (`cmake --preset program` builds it).
"""
import array
import hashlib
import json
import os
import pathlib
import re
import signal
import subprocess
import tempfile
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
WINE = ROOT / "scripts" / "wine"
WINDOWS = os.environ["PLEIAD_PROGRAM"]
LINUX = os.environ["PLEIAD_LINUX_PROGRAM"]
# Relative to ROOT, where all of it runs: both systems call these the same.
DEMO = "models/demo/pleiad-demo.gguf"
FOLDER = "tests/golden/models/e2b"
NAME = "Grüße 你好 🙂"
# Names of files reach Wine in the language's encoding. No figure of the machine is asserted; to find its limit in a
# gibibyte would be most of what `bench` costs.
SURROUNDINGS = {**os.environ, "LC_ALL": "C.UTF-8", "PLEIAD_READ_BUFFER_MIB": "32"}
COMMANDS = ["render", "logits", "verify", "bench", "fit", "tokenize", "quantize", "convert", "synth", "help", "version"]


def run_program(words, stdin="", **more):
    """Returns (status, stdout, stderr); what is written has no ends of lines of Windows."""
    done = subprocess.run([*map(str, words)], input=stdin.encode(), capture_output=True, cwd=ROOT, timeout=300,
                          env={**SURROUNDINGS, **more}, check=False)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def windows(*arguments, **more):
    return run_program([WINE, WINDOWS, *arguments], **more)


def linux(*arguments, **more):
    return run_program([LINUX, *arguments], **more)


def commands_of(program):
    """The names and aliases in the list that the program's help has."""
    status, out, err = program("--help")
    assert (status, err) == (0, ""), err
    names = re.findall(r"^  ([a-z-]+(?:, [a-z-]+)*)  +[A-Z]", out.split("Subcommands:\n")[1], re.M)
    return [name for line in names for name in line.split(", ")]


def rows(path):
    """Rows of an .npy file of floats."""
    whole = path.read_bytes()
    start = 10 + int.from_bytes(whole[8:10], "little")
    n_rows, n_columns = map(int, re.search(rb"'shape': \((\d+), (\d+)\)", whole[:start]).groups())
    values = array.array("f", whole[start:])
    assert len(values) == n_rows * n_columns
    return [values[i * n_columns:(i + 1) * n_columns] for i in range(n_rows)]


def sha256(path):
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


class ProgramTest(unittest.TestCase):
    """A test with a folder of its own."""

    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name)

    def both(self, *words, **more):
        """What is given to both programs, which print the same; returns that."""
        ours, theirs = windows(*words, **more), linux(*words, **more)
        self.assertEqual(ours, theirs)
        self.assertEqual(ours[0], 0, ours)
        return ours[1]

    def written_by_both(self, command, *words, name="out.gguf", options=()):
        """Both write files of the same names and bytes."""
        found = []
        for program in (windows, linux):
            place = self.folder / program.__name__
            place.mkdir()
            status, _, err = program(command, *words, place / name, *options)
            self.assertEqual(status, 0, err)
            found.append({path.name: sha256(path) for path in place.iterdir()})
        self.assertEqual(*found)
        self.assertIn(name, found[0])


class WhatItHas(ProgramTest):
    def test_the_version(self):
        status, out, err = windows("--version")
        self.assertEqual((status, err), (0, ""))
        form = r"pleiad \d+\.\d+\.\d+ \(commit [0-9a-f-]+(dirty)?\), instruction set \w+\n"
        self.assertRegex(out, form)
        self.assertRegex(linux("--version")[1], form)
        self.assertEqual(windows("version")[1], out)
        self.assertIn("instruction set scalar (forced", windows("version", PLEIAD_ISA="scalar")[1])

    def test_its_commands_are_some_of_linuxs(self):
        self.assertEqual(commands_of(windows), COMMANDS)
        self.assertLessEqual(set(COMMANDS), set(commands_of(linux)))

    def test_every_command_tells_what_it_takes(self):
        for command in COMMANDS:
            status, out, err = windows(command, "--help")
            self.assertEqual((status, err), (0, ""), command)
            self.assertIn(f"Usage: pleiad {command}", out)
            # Nobody is told of what is not there.
            self.assertNotRegex(out, r"--server|--store|pleiad (run|serve|pull|list|show)\b")

    def test_a_command_that_linux_has_is_said_not_to_be_there(self):
        missing = set(commands_of(linux)) - set(COMMANDS)
        self.assertIn("run", missing)
        for command in sorted(missing):
            status, out, err = windows(command)
            self.assertEqual((status, out), (2, ""))
            self.assertEqual(err.splitlines()[0], f"pleiad: the program for Windows has no command '{command}'; it has "
                                                  + ", ".join(COMMANDS))
        status, _, err = windows("help", "run")
        self.assertEqual(status, 2)
        self.assertIn("the program for Windows has no command 'run'", err)

    def test_flags_of_linuxs_commands_that_are_not_there(self):
        for words in (("bench", "--server", "http://127.0.0.1:1"), ("verify", "--store"),
                      ("logits", DEMO, "--input", "x.json", "--out", "x.npy")):
            status, out, err = windows(*words)
            self.assertEqual((status, out), (2, ""), words)
            self.assertIn("has no option", err)


class WhatItPrints(ProgramTest):
    def test_tokens(self):
        for text in ("Count from 1 to 5", NAME, "two\nlines\r\nand a \"quote\" \\"):
            self.both("tokenize", DEMO, text, "--pieces")
        self.both("tokenize", DEMO, stdin="from\r\nstandard input \x1a and on")
        self.assertEqual(self.both("tokenize", DEMO, "<turn|>", "--control"), "106\n")

    def test_prompts(self):
        chat = json.dumps({"messages": [{"role": "user", "content": NAME}], "add_generation_prompt": True})
        prompt = self.both("render", "e2b", "--input", "-", stdin=chat)
        self.assertIn(NAME, prompt)
        file = self.folder / f"{NAME}.json"
        file.write_text(chat)
        self.both("render", DEMO, "--input", file)

    def test_what_is_wrong_with_a_model(self):
        for model in (DEMO, FOLDER):
            self.assertIn("nothing wrong", self.both("verify", model))
        cut = self.folder / "cut.gguf"
        cut.write_bytes((ROOT / DEMO).read_bytes()[:-1])
        ours, theirs = windows("verify", cut), linux("verify", cut)
        self.assertEqual((ours[0], ours[2]), (1, theirs[2]))

    def test_which_model_fits(self):
        status, out, err = windows("fit", "--json")
        self.assertEqual(status, 0, err)
        report, other = json.loads(out), json.loads(linux("fit", "--json")[1])
        self.assertEqual(report.keys(), other.keys())
        for fact in ("name", "threads"):
            self.assertEqual(report["machine"][fact], other["machine"][fact])

    def test_how_fast_a_model_is(self):
        status, out, err = windows("bench", "demo", "--prompt", "32", "--generate", "8", "--repetitions", "2", "--json")
        self.assertEqual((status, err), (0, ""))
        report = json.loads(out)
        self.assertEqual([test["name"] for test in report["tests"]], ["pp32", "tg8"])
        for test in report["tests"]:
            self.assertGreater(test["tok_s"]["median"], 0)
        self.assertIsNone(report["model"]["peak_resident_bytes"])  # Windows cannot forget what was before

    def test_models_by_paths_of_either_form(self):
        native = "Z:" + str(ROOT / DEMO).replace("/", "\\")
        for path in (native, DEMO.replace("/", "\\"), ROOT / DEMO, "demo"):
            status, out, err = windows("tokenize", path, "Hi")
            self.assertEqual((status, err), (0, ""), path)
            self.assertEqual(out, linux("tokenize", DEMO, "Hi")[1])
        status, _, err = windows("tokenize", "gemma4:e2b", "Hi")
        self.assertEqual(status, 1)
        self.assertIn("there is no file or folder 'gemma4:e2b'; this build of Pleiad knows models by their paths", err)


class WhatItWrites(ProgramTest):
    def test_quantized_models_are_linuxs(self):
        self.written_by_both("quantize", FOLDER, options=("--type", "q4_0"))

    def test_mixed_types_are_linuxs_under_any_name(self):
        self.written_by_both("quantize", DEMO, name=f"{NAME}.gguf", options=("--type", "q4_k_m", "--from-quantized"))

    def test_weights_by_a_sample_text_are_whole(self):
        text = self.folder / "sample.txt"
        text.write_text("Count from 1 to 5. " * 400)
        out = self.folder / "out.gguf"
        status, _, err = windows("quantize", DEMO, out, "--type", "q4_0", "--from-quantized", "--calibrate", text)
        self.assertEqual(status, 0, err)
        self.assertIn("nothing wrong", windows("verify", out)[1])

    def test_converted_models_are_linuxs(self):
        self.written_by_both("convert", FOLDER)

    def test_random_models_are_linuxs(self):
        self.written_by_both("synth", "e2b", "q4_0", options=("--layers", "1"))

    def test_logits_are_linuxs_but_for_their_last_bits(self):
        found = []
        tokens = self.folder / f"{NAME}.txt"
        tokens.write_text("2,105,564,107,573,571,577")
        for program in (windows, linux):
            out = self.folder / f"{program.__name__}.npy"
            status, _, err = program("logits", DEMO, "--tokens-file", tokens, "--out", out)
            self.assertEqual(status, 0, err)
            found.append(rows(out))
        ours, theirs = found
        self.assertEqual((len(ours), len(ours[0])), (len(theirs), len(theirs[0])))
        for row, other in zip(ours, theirs):
            # docs/windows.md has how far apart they are.
            self.assertLess(max(abs(a - b) for a, b in zip(row, other)), 0.1)


class Interrupted(ProgramTest):
    """Wine makes of SIGINT what Windows makes of Ctrl-C."""

    def interrupt(self, words, is_time):
        with subprocess.Popen([WINE, WINDOWS, *map(str, words)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=ROOT,
                              env=SURROUNDINGS) as program:
            deadline = time.monotonic() + 120
            while not is_time() and program.poll() is None and time.monotonic() < deadline:
                time.sleep(0.01)
            program.send_signal(signal.SIGINT)
            out, err = program.communicate(timeout=120)
        return program.returncode, out.decode(), err.decode()

    def test_a_file_that_was_begun_does_not_stay(self):
        status, _, err = self.interrupt(
            ("quantize", DEMO, self.folder / "out.gguf", "--type", "q4_k_m", "--threads", "1", "--from-quantized"),
            lambda: any(self.folder.iterdir()))
        self.assertEqual(status, 130, err)
        self.assertIn("was not written", err)
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_what_was_measured_so_far_is_printed(self):
        started = time.monotonic()
        status, out, err = self.interrupt(
            ("bench", DEMO, "--prompt", "16", "--generate", "100", "--repetitions", "1000", "--json"),
            lambda: time.monotonic() > started + 15)
        self.assertEqual((status, err), (130, ""))
        self.assertTrue(json.loads(out)["interrupted"])


if __name__ == "__main__":
    unittest.main()
