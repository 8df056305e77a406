"""The process that reads pictures, as the program starts it of its own file, and as anybody else might."""
import os
import struct
import subprocess
import unittest

from harness import PROGRAM, ROOT, ProgramTest, run

PICTURES = ROOT / "tests" / "golden" / "media" / "pictures"
MESSAGE = struct.Struct("<QIIIIIIIIQ")  # src/media/helper/messages.h
QUESTION = struct.Struct("<QQIIQIIQqdIIQ")
QUESTION_BEGIN = 0x504C454941443F31
READY, NOT_CONFINED, PICTURE, FAILURE = 1, 2, 3, 4
MEMORY, SECONDS = 1 << 30, 60


class MediaHelperTest(ProgramTest):
    def start(self):
        process = subprocess.Popen([PROGRAM, "media-helper", "picture", str(MEMORY), str(SECONDS)], env={},
                                   stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.addCleanup(self.end, process)
        return process

    def end(self, process):
        process.kill()
        process.wait(60)
        process.stdin.close()
        process.stdout.close()

    def message(self, process):
        whole = process.stdout.read(MESSAGE.size)
        self.assertEqual(len(whole), MESSAGE.size)
        _, kind, _, *numbers, n_bytes = MESSAGE.unpack(whole)
        return kind, numbers, process.stdout.read(n_bytes)

    def ask(self, process, picture, budget=0):
        question = (len(picture), 0, 65535, 10**8, 100, 0, budget, 0, 0, 0, 0, 0)
        process.stdin.write(QUESTION.pack(QUESTION_BEGIN, *question))
        process.stdin.write(picture)
        process.stdin.flush()

    def test_reads_one_picture_and_ends(self):
        process = self.start()
        kind, _, text = self.message(process)
        self.assertEqual(kind, READY, text)
        self.ask(process, (PICTURES / "wide.png").read_bytes(), 70)
        kind, (width, height, shown_width, shown_height, budget, tokens), pixels = self.message(process)
        self.assertEqual(kind, PICTURE, pixels)
        self.assertEqual(struct.unpack(">II", (PICTURES / "wide.png").read_bytes()[16:24]), (width, height))
        self.assertEqual(budget, 70)
        self.assertEqual(tokens, shown_width // 48 * (shown_height // 48))
        self.assertEqual(len(pixels), shown_width * shown_height * 3)
        self.assertEqual(process.wait(60), 0)

    def test_says_what_is_wrong(self):
        process = self.start()
        self.message(process)
        self.ask(process, b"no picture at all")
        kind, _, text = self.message(process)
        self.assertEqual(kind, FAILURE)
        self.assertIn(b"is not a picture", text)

    def test_ends_with_who_started_it(self):
        process = self.start()
        self.message(process)
        process.stdin.close()
        process.stdout.close()
        self.assertEqual(process.wait(60), 1)

    def test_is_nothing_for_people(self):
        for words in (["media-helper"], ["media-helper", "1", "2"], ["media-helper", "--help"]):
            done = subprocess.run([PROGRAM, *words], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                                  timeout=60, check=False)
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertIn("media-helper is what pleiad starts by itself", done.stderr)
        self.assertNotIn("media-helper", run("help")[1])
        self.assertNotIn("media-helper", run("complete", "pleiad", "m")[1])


if __name__ == "__main__":
    os.environ.pop("PLEIAD_ISA", None)
    unittest.main()
