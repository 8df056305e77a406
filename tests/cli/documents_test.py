#!/usr/bin/env python3
"""Documents on the command line and in a chat: --file, --pages, /file, dropped paths; a model here, and a server."""
import base64
import io
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time
import unittest
import urllib.error
import urllib.request

import pexpect

from harness import DEMO, PROGRAM, ROOT, ProgramTest, run

TESTS = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(TESTS / "seeing"))

import seeing_model  # noqa: E402

DOCUMENTS = ROOT / "tests" / "golden" / "media" / "documents"
SHAPES = pathlib.Path(DEMO).parent / "shapes.png"
NOTES = "The meeting is on Monday.\nBring cake, and tea.\n"
SHOWN = "<document>\n<title>notes.txt</title>\n" + NOTES + "\n</document>"
QUESTION = "What is 3 plus 4?"
GREEDY = ("--temperature", "0", "-t", "1", "-v")


class Documents(ProgramTest):
    def setUp(self):
        super().setUp()
        self.notes = self.write("notes.txt", NOTES)

    def write(self, name, content):
        path = self.folder / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    def blind(self):
        """The demo without its tower."""
        return shutil.copy(DEMO, self.folder / "blind.gguf")

    def figure(self, text, name):
        """What --verbose says of it."""
        found = re.search(rf"^{name} +(.*)$", text, re.MULTILINE)
        self.assertTrue(found, f"no {name} in {text}")
        return found[1].strip()

    def n_prompt(self, text):
        return int(self.figure(text, "prompt").split()[0].replace(",", ""))


class HereTest(Documents):
    def ask(self, *arguments, model=None, **more):
        return run("run", model or self.blind(), "--local", *GREEDY, *arguments, **more)

    def test_a_model_that_sees_nothing_reads_text(self):
        status, out, said = self.ask(QUESTION, "--file", self.notes)
        self.assertEqual(status, 0, said)
        # The same message, typed.
        typed = self.ask(SHOWN + "\n\n" + QUESTION)
        self.assertEqual((typed[1], self.n_prompt(typed[2])), (out, self.n_prompt(said)))
        tokens = len(run("tokenize", DEMO, SHOWN)[1].split(","))
        self.assertEqual(self.figure(said, "document"), f"notes.txt, {tokens} tokens")
        self.assertNotIn("pictures", said)

    def test_documents_stand_in_the_order_given(self):
        second = self.write("more.csv", "a,b\n1,2\n")
        status, out, said = self.ask(QUESTION, "--file", second, "--file", self.notes)
        self.assertEqual(status, 0, said)
        typed = self.ask("<document>\n<title>more.csv</title>\na,b\n1,2\n\n</document>\n\n" + SHOWN + "\n\n" + QUESTION)
        self.assertEqual((typed[1], self.n_prompt(typed[2])), (out, self.n_prompt(said)))
        self.assertEqual(re.findall(r"^document +(\S+),", said, re.MULTILINE), ["more.csv", "notes.txt"])

    def test_pages_of_a_pdf_keep_their_numbers(self):
        status, out, said = self.ask(QUESTION, "--file", DOCUMENTS / "numbered.pdf", "--pages", "12")
        self.assertEqual(status, 0, said)
        self.assertRegex(self.figure(said, "document"), r"^numbered.pdf, 1 of 12 pages, \d+ tokens$")
        page = subprocess.run(["/usr/bin/pdftotext", "-f", "12", DOCUMENTS / "numbered.pdf", "-"], capture_output=True,
                              text=True, check=True).stdout.rstrip("\f\n ")
        typed = self.ask(f"<document>\n<title>numbered.pdf</title>\nPage 12:\n{page}\n</document>\n\n{QUESTION}")
        self.assertEqual((typed[1], self.n_prompt(typed[2])), (out, self.n_prompt(said)))
        # Behind the file and before it, lists and open ends.
        for arguments in (("--file", DOCUMENTS / "numbered.pdf", "--pages", "11-12,12"),
                          ("--pages", "11-", "--file", DOCUMENTS / "numbered.pdf")):
            status, _, said = self.ask("?", *arguments, "-n", "1")
            self.assertEqual(status, 0, said)
            self.assertIn("numbered.pdf, 2 of 12 pages", self.figure(said, "document"))

    def test_pages_without_text_are_pictures(self):
        seeing = seeing_model.write(self.folder / "model")
        scans = DOCUMENTS / "scans.pdf"
        status, _, said = self.ask("?", "--file", scans, "-n", "2", "--image-tokens", "70", model=seeing)
        self.assertEqual(status, 0, said)
        self.assertRegex(self.figure(said, "document"), r" pages?, \d of them as .*tokens$")
        self.assertRegex(self.figure(said, "pictures"), r"^\d encoded in ")
        status, _, said = self.ask("?", "--file", DOCUMENTS / "numbered.pdf", "--pages", "1", "--pages-as", "image", "-n", "2",
                                   "--image-tokens", "70", model=seeing)
        self.assertEqual(status, 0, said)
        self.assertIn("numbered.pdf, 1 of 12 pages as a picture, ", self.figure(said, "document"))
        # What sees none is told which page, and what can be done about it.
        status, out, said = self.ask("?", "--file", scans)
        self.assertEqual((status, out), (1, ""), said)
        self.assertRegex(said, r"scans.pdf: page \d would be shown as a picture, and the model sees none: it has no vision tower")
        status, _, said = self.ask("?", "--file", scans, "--pages-as", "text", "-n", "1")
        self.assertEqual(status, 0, said)
        self.assertIn("scans.pdf: ", said)  # which pages have hardly any

    def test_the_standard_input_can_be_the_document(self):
        status, out, said = self.ask(QUESTION, "--file", "-", stdin=NOTES)
        self.assertEqual(status, 0, said)
        typed = self.ask(f"<document>\n{NOTES}\n</document>\n\n{QUESTION}")
        self.assertEqual((typed[1], self.n_prompt(typed[2])), (out, self.n_prompt(said)))
        self.assertIn("a document, ", self.figure(said, "document"))

    def test_what_does_not_fit_is_refused_with_the_count(self):
        book = self.write("book.txt", "word " * 5000)
        status, out, said = self.ask("?", "--file", book, "--ctx", "512")
        self.assertEqual((status, out), (1, ""))
        found = re.search(r"the prompt has ([\d,]+) tokens and the context holds 512", said)
        self.assertTrue(found and int(found[1].replace(",", "")) > 5000, said)

    def test_what_cannot_be_read_is_named(self):
        binary = self.write("program.txt", b"\x7fELF\0\1\2\3")
        empty = self.write("empty.md", b"")
        old = self.write("old.doc", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1")
        zipped = self.write("some.zip", b"PK\3\4rest")
        numbered = DOCUMENTS / "numbered.pdf"
        for arguments, expected, words in [
                (("--file", "missing.pdf"), 1, "--file: missing.pdf: No such file or directory"),
                (("--file", self.folder), 1, "is a folder; expected the file of a document"),
                (("--file", binary), 1, "program.txt is not a document: expected PDF, DOCX, HTML or text, found 8 bytes that begin 7f 45"),
                (("--file", empty), 1, "empty.md is empty"),
                (("--file", old), 1, "save it as DOCX or PDF"),
                (("--file", zipped), 1, "some.zip "),
                (("--file", SHAPES), 1, "shapes.png is a picture, which --image takes"),
                (("--file", DOCUMENTS / "locked.pdf"), 1, "locked.pdf is a PDF that needs a password"),
                (("--file", numbered, "--pages", "12-13"), 1, "numbered.pdf is a PDF that has 12 pages, so that there is no page 13"),
                (("--file", numbered, "--pages", "7-3"), 2, "--pages: expected pages such as 3-7,9 or 12-, found '7-3'"),
                (("--file", numbered, "--pages", ""), 2, "--pages: expected pages such as 3-7,9 or 12-, found nothing"),
                (("--file", numbered, "--pages", "3", "--pages", "4"), 2, "--pages: was given before for the same file"),
                (("--file", numbered, "--pages-as", "pictures"), 2, "--pages-as: expected auto|text|image, found 'pictures'"),
                (("--pages", "3"), 2, "--pages: expected --file FILE beside it, found none"),
                (("--pages-as", "text"), 2, "--pages-as: expected --file FILE beside it, found none"),
                (("--pages", "3", "--file", numbered, "--file", numbered), 2, "--pages: expected behind the --file that it is of"),
                (("--file", self.notes, "--pages", "3"), 2, "notes.txt is no PDF, so that it has no pages to choose from"),
                (("--file", self.notes, "--pages-as", "image"), 2, "notes.txt is no PDF"),
                (("--file", self.notes, "--raw"), 2, "--file: has no effect with --raw"),
                (("--file", self.notes) * 101, 2, "at most 100")]:
            status, out, said = self.ask("?", *arguments)
            self.assertEqual((status, out), (expected, ""), (arguments, said))
            self.assertIn(words, said)

    def test_help_names_the_flags(self):
        text = run("help", "run")[1]
        for words in ("--file FILE", "--pages PAGES", "--pages-as auto|text|image", "--file offer.pdf --pages 3-7"):
            self.assertIn(words, text)


class ChatTest(Documents):
    def say(self, chat, text):
        chat.sendline(text)
        chat.expect_exact(">>> ")
        return chat.before.replace("\r\n", "\n")

    def test_a_chat_about_documents(self):
        report = pathlib.Path(shutil.copy(DOCUMENTS / "numbered.pdf", self.folder / "my report.pdf"))
        chat = self.chat("--local", "--temperature", "0", "-n", "4", "-t", "1", model=self.blind())
        self.say(chat, "/set verbose")
        attached = self.say(chat, f"/file {report} 11-12")
        self.assertRegex(attached, r"my report.pdf, 2 of 12 pages, \d+ tokens\n  \[with your next message; /file undo takes it back\]")
        self.assertIn("with the next message:\n    my report.pdf", self.say(chat, "/show images"))
        self.assertIn("my report.pdf, 2 of 12 pages", self.say(chat, QUESTION))
        later = self.say(chat, "And now?")
        n_cached = int(re.search(r"(\d+) cached", self.figure(later, "prompt"))[1])
        self.assertGreater(n_cached, int(re.search(r"(\d+) tokens", attached)[1]))
        self.assertIn("[document my report.pdf] " + QUESTION, self.say(chat, "/show messages"))
        # A dropped file of text, and one with a question.
        self.assertIn("notes.txt, ", self.say(chat, f"'{self.notes}'"))
        self.assertIn("taken back: notes.txt", self.say(chat, "/file undo"))
        self.assertIn("notes.txt, ", self.say(chat, f"/file {self.notes} 1 question: who brings cake?"))
        saved = self.folder / "chat.json"
        self.assertIn("6 messages saved", self.say(chat, f"/save {saved}"))
        parts = json.loads(saved.read_text())["messages"][0]["content"]
        self.assertEqual((parts[0]["file"]["filename"], parts[0]["pages"]), ("my report.pdf", "11-12"))
        self.assertEqual(base64.b64decode(parts[0]["file"]["file_data"].split(",")[1]), report.read_bytes())
        before = self.n_prompt(self.say(chat, "Once more"))
        report.unlink()
        self.say(chat, "/clear")
        self.assertIn("no pictures, sounds, videos or documents", self.say(chat, "/show images"))
        self.assertIn("6 messages loaded", self.say(chat, f"/load {saved}"))
        self.assertEqual(self.n_prompt(self.say(chat, "Once more")), before)

    def test_what_is_wrong_in_a_chat_leaves_it_as_it_was(self):
        chat = self.chat("--local", "-n", "2", "--ctx", "40", "-t", "1", model=self.blind())
        numbered = DOCUMENTS / "numbered.pdf"
        for typed, words in [(f"/file {self.folder / 'none.pdf'} what?", "No such file"),
                             (f"/file {numbered} 13 what?", "has 12 pages, so that there is no page 13"),
                             (f"/file {numbered} 7-3", "expected pages such as 3-7,9"),
                             (f"/file {self.notes} 2", "is no PDF, so that it has no pages"),
                             (f"/file {self.folder}", "is a folder"),
                             (f"/file {DOCUMENTS / 'scans.pdf'}", "would be shown as a picture")]:
            self.assertIn(words, self.say(chat, typed))
        self.assertIn("no messages", self.say(chat, "/show messages"))
        # What is longer than the context is counted no further.
        self.assertNotIn(" tokens", self.say(chat, f"/file {self.write('long.txt', 'word ' * 20000)}"))
        self.assertIn("taken back: long.txt", self.say(chat, "/file undo"))
        refused = self.say(chat, f"/file {numbered} 1 {QUESTION}")
        self.assertRegex(refused, r"the prompt has \d+ tokens and the context holds 40")
        self.assertIn("the message was not sent; what was attached waits for the next message", refused)

    def test_file_completes_paths(self):
        self.write("my notes.md", NOTES)
        env = {**os.environ, "XDG_STATE_HOME": str(self.folder), "TERM": "xterm", "NO_COLOR": "1", "HOME": str(self.folder)}
        child = pexpect.spawn(PROGRAM, ["run", str(self.blind()), "--local", "-t", "1"], env=env, encoding="utf-8", timeout=60,
                              dimensions=(24, 200), echo=False)
        child.logfile_read = io.StringIO()
        self.addCleanup(child.close, True)
        child.expect_exact(">>> ")
        child.send("/file ~/my\t\r")
        child.expect(r"my notes.md, \d+ tokens")
        child.expect_exact(">>> ")
        child.send("\x1b[200~" + str(self.notes) + "\x1b[201~\r")
        child.expect(r"notes.txt, \d+ tokens")


class ThereTest(Documents):
    def setUp(self):
        super().setUp()
        log = self.folder / "log"
        with open(log, "w") as file:
            server = subprocess.Popen([PROGRAM, "serve", "demo", "--port", "0", "-t", "1"], stdout=file, stderr=file)
        self.addCleanup(server.wait)
        self.addCleanup(server.terminate)
        for _ in range(600):
            found = re.search(r"127\.0\.0\.1:\d+", log.read_text())
            if found:
                break
            self.assertIsNone(server.poll(), log.read_text())
            time.sleep(0.05)
        self.url = found[0]
        self.env = {"PLEIAD_HOST": self.url}

    def api(self, parts, **more):
        """The answer, and the tokens of its prompt, as a client of OpenAI's gets them."""
        body = {"model": "demo", "messages": [{"role": "user", "content": parts}], "temperature": 0, **more}
        request = urllib.request.Request(f"http://{self.url}/v1/chat/completions", json.dumps(body).encode(),
                                         {"Content-Type": "application/json"})
        answer = json.load(urllib.request.urlopen(request, timeout=60))
        return answer["choices"][0]["message"]["content"] + "\n", answer["usage"]["prompt_tokens"]

    def part(self, path, **more):
        data = base64.b64encode(pathlib.Path(path).read_bytes()).decode()
        return {"type": "file", "file": {"file_data": data, "filename": pathlib.Path(path).name}, **more}

    def picture(self, path):
        data = base64.b64encode(pathlib.Path(path).read_bytes()).decode()
        return {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{data}"}}

    def test_a_prompt_is_the_same_here_through_a_server_and_through_the_api(self):
        text = {"type": "text", "text": QUESTION}
        numbered = DOCUMENTS / "numbered.pdf"
        for arguments, parts in [
                (("--file", self.notes), [self.part(self.notes)]),
                (("--file", DOCUMENTS / "report.docx"), [self.part(DOCUMENTS / "report.docx")]),
                (("--file", numbered, "--pages", "2,11-"), [self.part(numbered, pages="2,11-")]),
                (("--file", numbered, "--pages", "2", "--pages-as", "image", "--image-tokens", "70"),
                 [self.part(numbered, pages="2", pages_as="image", max_soft_tokens=70)]),
                (("--image", SHAPES, "--file", self.notes), [self.picture(SHAPES), self.part(self.notes)]),
                (("--file", self.notes, "--image", SHAPES), [self.part(self.notes), self.picture(SHAPES)])]:
            with self.subTest(arguments):
                try:
                    answer, n_prompt = self.api([*parts, text])
                except urllib.error.HTTPError as error:
                    problem = error.read().decode()
                    self.assertIn("built without", problem)  # libzip and libxml2
                    continue
                flags = ("run", "demo", QUESTION, *GREEDY[:2], "-v", *arguments)
                status, out, said = run(*flags, env=self.env)
                self.assertEqual((status, out), (0, answer), said)
                self.assertEqual(self.n_prompt(said), n_prompt)
                self.assertRegex(self.figure(said, "prompt"), r"[1-9]\d* cached")  # the server knows it already
                there = self.figure(said, "document")
                status, out, said = run(*flags, "--local", "-t", "1")
                self.assertEqual((status, out), (0, answer), said)
                self.assertEqual((self.n_prompt(said), self.figure(said, "document")), (n_prompt, there))

    def test_a_chat_through_a_server_says_what_a_document_takes_before_it_is_sent(self):
        here = run("run", "demo", QUESTION, *GREEDY, "--local", "--file", self.notes)[2]
        chat = self.chat("--temperature", "0", env=self.env, model="demo")
        chat.sendline(f"/file {self.notes}")
        chat.expect_exact(">>> ")
        self.assertIn(self.figure(here, "document") + "\r\n", chat.before)
        chat.sendline(QUESTION)
        chat.expect_exact(">>> ")
        self.assertNotIn("not sent", chat.before)

    def test_what_the_server_would_refuse_is_told_before_it_is_asked(self):
        status, out, said = run("run", "demo", "?", "--file", DOCUMENTS / "locked.pdf", env=self.env)
        self.assertEqual((status, out), (1, ""))
        self.assertIn("locked.pdf is a PDF that needs a password", said)
        book = self.write("book.txt", "word " * 100_000)
        status, out, said = run("run", "demo", "?", "--file", book, env=self.env)
        self.assertEqual((status, out), (1, ""))
        self.assertRegex(said, r"the prompt has (at least )?[\d,]+ tokens and the context holds")


if __name__ == "__main__":
    unittest.main()
