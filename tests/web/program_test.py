#!/usr/bin/env python3
"""The page that the program itself serves: a real conversation with the demo model."""
import json
import os
import pathlib
import re
import socket
import subprocess
import sys
import tempfile
import unittest
import urllib.error
import urllib.request

from harness import PageTest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests" / "seeing"))

import seeing_model  # noqa: E402
from picture_maker import png  # noqa: E402

SOUND = ROOT / "tests" / "golden" / "media" / "sounds" / "s16_44100_stereo.wav"
VIDEO = ROOT / "tests" / "golden" / "media" / "videos" / "h264_with_sound.mp4"
DOCUMENT = ROOT / "tests" / "golden" / "media" / "documents" / "numbered.pdf"
PROGRAM = os.environ.get("PLEIAD_PROGRAM", "")


def can_serve():
    return bool(PROGRAM) and subprocess.run([PROGRAM, "serve", "--help"], capture_output=True, check=False).returncode == 0


class Program:
    """`pleiad serve` with a home of its own; `folders`: where it finds more models."""

    def __init__(self, *flags, folders=""):
        self.home = tempfile.TemporaryDirectory()
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        self.address = f"http://127.0.0.1:{port}"
        self.log = open(pathlib.Path(self.home.name) / "log", "w+", encoding="utf-8")
        env = {name: value for name, value in os.environ.items() if not name.startswith(("OLLAMA_", "PLEIAD_", "XDG_", "HF_"))}
        self.process = subprocess.Popen(
            [PROGRAM, "serve", "--host", f"127.0.0.1:{port}", *flags],
            env={**env, "HOME": self.home.name, "PLEIAD_MODEL_FOLDERS": str(folders)}, stdout=self.log, stderr=self.log)

    def answers(self, path="/api/version", accept="*/*"):
        request = urllib.request.Request(self.address + path, headers={"Accept": accept})
        try:
            with urllib.request.urlopen(request, timeout=10) as answer:
                return answer.headers, answer.read().decode()
        except urllib.error.HTTPError as error:
            return error.headers, ""
        except OSError:
            return None

    def said(self):
        self.log.seek(0)
        return self.log.read()

    def stop(self):
        self.process.terminate()
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.log.close()
        self.home.cleanup()


@unittest.skipUnless(can_serve(), "PLEIAD_PROGRAM has no `serve`")
class ServedTest(PageTest):
    def setUp(self):
        super().setUp()
        self.server.stop()
        self.server = self.start()

    def start(self, *flags, folders=""):
        server = Program(*flags, folders=folders)
        self.addCleanup(server.stop)
        self.browser.wait_for(lambda: server.answers() or server.process.poll() is not None, "the server does not start")
        self.assertIsNone(server.process.poll(), server.said())
        return server

    def choose(self, name):
        self.browser.wait_for(f"return [...document.querySelectorAll('#model option')].some(({{value}}) => value.startsWith({name!r}))",
                              f"{name} is not offered")
        self.browser.run("const box = document.querySelector('#model');"
                         "box.value = [...box.options].map(({value}) => value).find((value) => value.startsWith(arguments[0]));"
                         "box.dispatchEvent(new Event('change'))", name)

    def choose_demo(self):
        self.choose("demo")

    def figures(self):
        return self.browser.texts(".reply:last-child .figures span")


class ProgramTest(ServedTest):
    def test_browsers_get_the_page_and_others_ollamas_line(self):
        headers, page = self.server.answers("/", "text/html,*/*;q=0.8")
        self.assertIn("<title>Pleiad</title>", page)
        self.assertIn("default-src 'self'", headers["Content-Security-Policy"])
        self.assertEqual(self.server.answers("/")[1], "Ollama is running")

    def test_a_real_conversation(self):
        self.open_page()
        self.choose_demo()
        first = self.converse("Count from 1 to 10")
        self.assertTrue(first.strip(), "an empty reply")
        self.assertRegex(" ".join(self.figures()), r"^demo.* [0-9,]+ tokens? at [0-9.,]+ tok/s prompt [0-9]+: [0-9]+ cached, [0-9]+ evaluated")
        self.converse("And backwards?")
        self.assertEqual(self.browser.count(".reply"), 2)
        self.assertEqual(self.browser.count(".error"), 0)
        self.browser.click(".reply:last-child [aria-label='Answer again']")
        self.wait_frame()
        self.wait_reply()
        self.assertEqual(self.browser.count(".reply"), 2)
        self.open_page(self.browser.run("return location.hash"))
        self.wait_text(".reply", first[:20])
        problems = [line for line in self.browser.log() if line["level"] in ("SEVERE", "WARNING")]
        self.assertEqual(problems, [])

    def test_the_settings_reach_the_model(self):
        self.open_page()
        self.choose_demo()
        self.browser.click("#settings-button")
        for name, value in {"num_predict": "3", "temperature": "0"}.items():
            self.browser.type(f"dialog [name={name}]", value)
        self.browser.click("dialog button.main")
        self.converse("Count from 1 to 10")
        self.assertIn("3 tokens", " ".join(self.figures()))
        self.wait_text(".note", "Cut at the limit")

    def test_a_stopped_reply_frees_the_server(self):
        self.open_page()
        self.choose_demo()
        self.ask("Count from 1 to 100")
        self.browser.press("Escape")
        self.wait("return !document.querySelector('#stop').checkVisibility()", "it does not stop")
        self.assertTrue(self.converse("Hello").strip())

    def test_the_models_page_follows_the_server(self):
        self.open_page()
        self.choose_demo()
        self.converse("Hello")
        self.browser.click("#models-link")
        self.wait_text("#models", "1 in memory")
        self.browser.click("[aria-label^='Unload demo']")
        self.wait_text("#models", "none in memory")
        self.assertEqual(json.loads(self.server.answers("/api/ps")[1])["models"], [])

    def test_a_key_is_asked_for(self):
        self.server = self.start("--api-key", "s3cret")
        self.browser.open(self.server.address)
        self.wait("return document.querySelector('dialog[open] input.secret')", "no question for the key")
        self.browser.type("dialog input", "s3cret")
        self.browser.press("Enter")
        self.wait("return Boolean(document.querySelector('#version').textContent)", "the key does not open the server")
        self.choose_demo()
        self.assertTrue(self.converse("Hello").strip())


class MediaTest(ServedTest):
    """A tiny model of random weights, that of tests/golden/media called MODEL."""
    MODEL = ""

    def start(self, *flags, folders=""):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        seeing_model.write(pathlib.Path(holder.name) / "tiny", self.MODEL)
        return super().start(*flags, folders=holder.name)

    def open_tiny(self, words):
        """The page with that model, whose replies have so many tokens."""
        self.open_page()
        self.choose("tiny")
        self.wait("return [...document.querySelectorAll('#model option')].some(({selected, value}) => selected && value.startsWith('tiny'))",
                  "it is not chosen")
        self.browser.click("#settings-button")
        self.browser.type("dialog [name=num_predict]", str(words))
        self.browser.click("dialog button.main")

    def attach(self, data, name, kind="image/png"):
        before = self.browser.count("#attachments li")
        self.paste_file(data, name, kind)
        self.wait(f"return document.querySelectorAll('#attachments li').length === {before + 1}", "not attached")

    def cost(self, where):
        """The tokens that stand below all files there."""
        return sum(int(re.search(r"([\d,]+) tokens?$", text)[1].replace(",", "")) for text in self.browser.texts(f"{where} .cost"))

    def told(self):
        """(files, tokens, cached) as the server says after the last reply."""
        text = " ".join(self.figures())
        found = re.search(r"(\d+) (?:picture|sound|video|document|file)s?: ([\d,]+) tokens, (\d+) cached", text)
        self.assertTrue(found, text)
        return tuple(int(number.replace(",", "")) for number in found.groups())

    def no_errors(self):
        self.assertEqual(self.browser.count(".error"), 0, self.browser.texts(".error"))


class SeeingTest(MediaTest):
    MODEL = "e2b"

    def test_pictures_cost_what_the_page_says_before_they_are_sent(self):
        self.open_tiny(2)
        self.wait("return !document.querySelector('#camera').disabled", "the model is said to be blind")
        self.attach(png(300, 200), "a.png")
        self.attach(png(48, 200, (20, 160, 60)), "b.png")
        for detail in ("140", "70", "auto"):
            self.browser.run("const box = document.querySelector('#detail'); box.value = arguments[0];"
                             "box.dispatchEvent(new Event('change'))", detail)
            self.wait_frame()
            where = "#attachments" if detail == "140" else ".question"
            self.wait("return !document.querySelector('#stop').checkVisibility()", "it runs")
            shown = self.cost(where)
            self.browser.type("#question", f"detail {detail}")
            self.browser.press("Enter")
            self.wait(f"return [...document.querySelectorAll('.question')].at(-1)?.innerText.includes('detail {detail}')", "not sent")
            self.wait_reply()
            self.no_errors()
            self.assertEqual(self.told()[:2], (2, shown), detail)
        # The same pictures at the same budget: nothing of them is computed.
        self.converse("and again")
        self.assertEqual(self.told(), (2, shown, 2))

    def test_a_model_that_hears_nothing_is_told_by_the_page(self):
        self.open_tiny(2)
        self.wait("return document.querySelector('#microphone').disabled", "the model is said to hear")
        self.attach(DOCUMENT.read_bytes(), "numbered.pdf", "application/pdf")
        self.paste_file(SOUND.read_bytes(), "memo.wav", "audio/wav")
        self.wait_text("#attachments .note", "tiny hears no sound.")
        self.assertEqual(self.browser.count("#attachments li"), 1)


class HearingTest(MediaTest):
    MODEL = "12b"
    FLAGS = ("--use-fake-device-for-media-stream", "--use-fake-ui-for-media-stream")

    def test_files_cost_what_the_page_says_before_they_are_sent(self):
        self.open_tiny(2)
        self.wait("return !document.querySelector('#microphone').disabled", "the model is said to be deaf")
        for path, kind in ((SOUND, "audio/wav"), (VIDEO, "video/mp4"), (DOCUMENT, "application/pdf")):
            self.attach(path.read_bytes(), path.name, kind)
        known = ("return [...document.querySelectorAll('#attachments .cost')].every(({innerText}) => / tokens?$/.test(innerText) && "
                 "!/unknown|counting/.test(innerText))")
        self.wait(known, "not counted")
        silent = self.cost("#attachments")
        self.browser.click("#video-sound-choice")
        self.wait_frame()
        self.wait(known, "not counted with its sound")
        shown = self.cost("#attachments")
        self.assertGreater(shown, silent)
        self.wait("const sheets = [...document.querySelectorAll('#attachments .sheets img')]; "
                  "return sheets.length === 12 && sheets.every(({naturalWidth: width, naturalHeight: height}) => width === 336 && height === 432)",
                  "the pages are not drawn")
        self.converse("What are these?")
        self.no_errors()
        self.assertEqual(self.told()[:2], (3, shown))
        self.assertEqual(self.cost(".question"), shown)

    def test_a_recording_is_heard(self):
        self.open_tiny(2)
        self.wait("return !document.querySelector('#microphone').disabled", "the model is said to be deaf")
        self.browser.click("#microphone")
        self.wait("return document.querySelector('.recording .time')?.innerText >= '0:01'", "nothing is recorded")
        self.browser.click(".recording .main")
        self.wait("return / tokens$/.test(document.querySelector('#attachments .cost')?.innerText)", "not counted")
        self.wait("return !/unknown|counting/.test(document.querySelector('#attachments .cost').innerText)", "not counted")
        shown = self.cost("#attachments")
        self.assertGreaterEqual(shown, 25)
        self.converse("What did I say?")
        self.no_errors()
        self.assertEqual(self.told(), (1, shown, 0))

    def test_a_damaged_file_is_refused_in_the_words_of_the_server(self):
        self.open_tiny(2)
        self.attach(SOUND.read_bytes()[:3000], "cut.wav", "audio/wav")
        self.wait_text("#attachments .note", "“cut.wav”: is a WAV file that ends early")


if __name__ == "__main__":
    unittest.main()
