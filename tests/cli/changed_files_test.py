"""Commands whose model file is cut off or written over while they read it: an error that names the
file and status 1, no signal, and nothing half written."""
import os
import pathlib
import shutil
import subprocess
import time
import unittest

import pexpect
from harness import DEMO, PROGRAM, ProgramTest


def empty(model):
    os.truncate(model, 0)


def cut_off(model):
    os.truncate(model, model.stat().st_size // 2)


def write_over(model):
    with open(model, "r+b") as file:
        file.write(b"\x11" * model.stat().st_size)


class ChangedFile(ProgramTest):
    def each_change(self):
        """Each change, and a model to make it to."""
        model = self.folder / "model.gguf"
        for change in (empty, cut_off, write_over):
            shutil.copy(DEMO, model)
            yield change, model

    def start(self, *arguments):
        running = subprocess.Popen([PROGRAM, *map(str, arguments)], stdin=subprocess.PIPE,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(lambda: (running.kill(), running.communicate()))
        return running

    def expect_error(self, running):
        out, err = running.communicate(timeout=120)
        self.assertEqual(running.returncode, 1, err)
        self.assertIn("model.gguf: changed while it was in use", err)
        self.assertIn("try again", err)
        return out

    def pipe(self):
        """A pipe as a file: whoever is at its other end waits for this one."""
        path = self.folder / "pipe"
        if not path.exists():
            os.mkfifo(path)
        return path

    def test_a_conversation(self):
        for change, model in self.each_change():
            env = {**os.environ, "XDG_STATE_HOME": str(self.folder), "TERM": "xterm", "NO_COLOR": "1"}
            child = pexpect.spawn(PROGRAM, ["run", str(model), "--temperature", "0"], env=env,
                                  encoding="utf-8", timeout=60, dimensions=(24, 200), echo=False)
            child.linesep = "\r"  # what Enter sends
            self.addCleanup(child.close, True)
            child.expect_exact(">>> ")
            child.sendline("Count from 1 to 5")
            child.expect_exact("1, 2, 3, 4, 5")
            child.expect_exact(">>> ")
            change(model)
            child.sendline("Count from 1 to 10")
            child.expect_exact("model.gguf: changed while it was in use")
            child.expect(pexpect.EOF)
            child.close()
            self.assertEqual((child.exitstatus, child.signalstatus), (1, None))

    def test_what_is_written_to_a_pipe(self):
        tokens = ",".join(["2"] * 500)
        for arguments in (("quantize", "{model}", "{pipe}", "--type", "q4_0", "--from-quantized"),
                          ("logits", "{model}", "--tokens", tokens, "--out", "{pipe}")):
            for change, model in self.each_change():
                names = {"model": model, "pipe": self.pipe()}
                running = self.start(*(argument.format(**names) for argument in arguments))
                with open(self.pipe(), "rb") as reader:
                    self.assertTrue(reader.read(1))
                    change(model)
                    reader.read()
                self.expect_error(running)

    def test_a_text_that_is_judged(self):
        for change, model in self.each_change():
            out = self.folder / "out.logits"
            running = self.start("eval", model, "--text", self.pipe(), "--save-logits", out)
            with open(self.pipe(), "w", encoding="utf-8") as text:  # it is asked for: all is loaded
                change(model)
                text.write("One two three four five six seven eight nine ten. " * 200)
            self.assertEqual(self.expect_error(running), "")
            self.assertEqual(list(self.folder.glob("out*")), [])

    def test_a_measurement(self):
        for change, model in self.each_change():
            running = self.start("bench", model, "--repetitions", "1000")
            maps = pathlib.Path(f"/proc/{running.pid}/maps")
            looks = 0  # in a row that found it: for a moment it is opened to see what it is
            while looks < 20:
                self.assertIsNone(running.poll())
                looks = looks + 1 if str(model) in maps.read_text(encoding="utf-8") else 0
                time.sleep(0.01)
            change(model)
            self.assertEqual(self.expect_error(running), "")


if __name__ == "__main__":
    unittest.main()
