#!/usr/bin/env python3
"""Pictures on the command line and in a chat: --image, /image, dropped paths; a model here, and a server."""
import base64
import http.server
import io
import json
import os
import pathlib
import re
import shutil
import sys
import unittest

import pexpect

from fake_server import Running
from harness import DEMO, PROGRAM, ProgramTest, run

TESTS = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(TESTS / "seeing"))

import seeing_model  # noqa: E402
from picture_maker import png  # noqa: E402

PROJECTOR = TESTS / "golden" / "media" / "e2b" / "mmproj-e2b.gguf"
WIDE = png(640, 480)  # 130 soft tokens at 140, which is what the tiny model has by itself; 266 at 280


class Pictures(ProgramTest):
    def picture(self, name="wide.png", data=WIDE):
        path = self.folder / name
        path.write_bytes(data)
        return path

    def figure(self, text, name):
        """What --verbose says of it."""
        found = re.search(rf"^{name} +(.*)$", text, re.MULTILINE)
        self.assertTrue(found, f"no {name} in {text}")
        return found[1].strip()

    def n_prompt(self, text):
        return int(self.figure(text, "prompt").split()[0])


class HereTest(Pictures):
    def setUp(self):
        super().setUp()
        self.model = seeing_model.write(self.folder / "model")

    def see(self, *arguments, **more):
        return run("run", self.model, "--local", "--num-predict", "2", "-v", "-t", "1", *arguments, **more)

    def test_a_picture_stands_in_the_prompt_with_its_soft_tokens(self):
        status, _, plain = self.see("What is it?")
        self.assertEqual(status, 0, plain)
        picture = self.picture()
        status, _, said = self.see("What is it?", "--image", picture)
        self.assertEqual(status, 0, said)
        self.assertEqual(self.n_prompt(said), self.n_prompt(plain) + 1 + 130 + 1)
        self.assertEqual(self.figure(said, "picture"), "wide.png, 640 x 480, 130 tokens, seen as 624 x 480")
        self.assertRegex(self.figure(said, "pictures"), r"^1 encoded in .* 0 cached$")

    def test_budgets_are_chosen_by_number_or_by_size(self):
        picture = self.picture()
        for budget, tokens in [("70", 63), ("140", 130), ("1120", 1064), ("auto", 266)]:
            status, _, said = self.see("?", "--image", picture, "--image-tokens", budget)
            self.assertEqual(status, 0, said)
            self.assertIn(f"{tokens:,} tokens, seen as", self.figure(said, "picture"))
        status, _, said = self.see("?", "--image-tokens", "100")
        self.assertEqual((status, "expected 70|140|280|560|1120|auto, found '100'" in said), (2, True), said)

    def test_several_pictures_and_one_twice(self):
        first, second = self.picture(), self.picture("small.png", png(48, 48))
        status, _, said = self.see("?", "--image", first, "--image", second, "--image", first)
        self.assertEqual(status, 0, said)
        self.assertEqual(re.findall(r"^picture +(\S+),", said, re.MULTILINE), ["wide.png", "small.png", "wide.png"])

    def test_the_standard_input_can_be_the_picture(self):
        status, _, said = run("run", self.model, "--local", "--num-predict", "2", "-v", "?", "--image", "-", stdin=WIDE, text=False)
        self.assertEqual(status, 0, said)
        self.assertIn(b"the standard input, 640 x 480, 130 tokens", said)
        status, _, said = run("run", self.model, "--image", "-", stdin="x")
        self.assertEqual((status, "expected PROMPT among the arguments" in said), (2, True), said)

    def test_what_cannot_be_shown_is_named(self):
        (self.folder / "notes.png").write_text("no picture")
        cut = self.picture("cut.png", WIDE[:60])
        for arguments, expected, words in [
                (("--image", "missing.png"), 1, "--image: missing.png: No such file or directory"),
                (("--image", self.folder / "notes.png"), 1, "notes.png: not a picture; expected JPEG, PNG, "),
                (("--image", self.folder), 1, "is a folder"),
                (("--image", cut), 1, "cut.png "),
                (("--image", "missing.png", self.picture()), 2, "wide.png is a picture, and would be a word of the prompt"),
                (("--image", cut, "--raw"), 2, "--image: has no effect with --raw"),
                (("--image", cut) * 101, 2, "at most 100"),
                (("--mmproj", self.folder / "none.gguf"), 1, "none.gguf")]:
            status, out, said = self.see("?", *arguments)
            self.assertEqual((status, out), (expected, ""), said)
            self.assertIn(words, said)

    def test_the_demo_sees(self):
        shapes = pathlib.Path(DEMO).parent / "shapes.png"
        for question, answer in [("What is in the picture?", "3 red circles"), ("What colour is it?", "red")]:
            status, out, said = run("run", DEMO, "--local", "-t", "1", "--temperature", "0", question, "--image", shapes)
            self.assertEqual((status, out), (0, answer + "\n"), said)

    def test_the_demo_hears(self):
        seven = pathlib.Path(DEMO).parent / "seven.wav"
        for question, answer in [("Which digit is said?", "7"), ("What is said?", "seven")]:
            status, out, said = run("run", DEMO, "--local", "-t", "1", "--temperature", "0", question, "--audio", seven)
            self.assertEqual((status, out), (0, answer + "\n"), said)

    def test_a_model_without_a_tower_says_so(self):
        blind = shutil.copy(DEMO, self.folder / "blind.gguf")
        status, out, said = run("run", blind, "--local", "?", "--image", self.picture())
        self.assertEqual((status, out), (1, ""))
        self.assertIn("sees no pictures", said)
        self.assertIn("has no vision tower", said)

    def test_a_projector_of_another_model_is_refused(self):
        status, _, said = run("run", DEMO, "--local", "?", "--mmproj", PROJECTOR)
        self.assertEqual(status, 1)
        self.assertIn("mmproj-e2b.gguf", said)

    def say(self, chat, text):
        chat.sendline(text)
        chat.expect_exact(">>> ")
        return chat.before.replace("\r\n", "\n")

    def test_a_chat_about_pictures(self):
        picture = self.picture("my photo.png")
        chat = self.chat("--local", "--num-predict", "2", "-t", "1", model=self.model)
        self.say(chat, "/set verbose")
        self.assertIn("my photo.png, 640 x 480, 130 tokens\n  [with your next message; /image undo takes it back]",
                      self.say(chat, f"/image {picture}"))
        self.assertIn("with the next message:\n    my photo.png", self.say(chat, "/show images"))
        self.assertRegex(self.say(chat, "What is it?"), r"pictures +1 encoded")
        # The picture is in the cache, as are the tokens before it.
        later = self.say(chat, "And now?")
        self.assertRegex(later, r"pictures +0 encoded, 1 cached")
        self.assertGreater(int(re.search(r"(\d+) cached", self.figure(later, "prompt"))[1]), 130)
        self.assertIn("taken back: my photo.png", self.say(chat, f"'{picture}'") + self.say(chat, "/image undo"))
        self.assertIn("[image my photo.png] What is it?", self.say(chat, "/show messages"))
        asked = self.say(chat, f"/image {picture} Who is that?")
        self.assertRegex(asked, r"pictures +\d encoded")
        # Finer: the same pictures again, with the last question.
        self.say(chat, "/set image-tokens 560")
        self.assertIn("540 tokens, seen as", self.say(chat, "/retry"))
        saved = self.folder / "chat.json"
        self.assertIn("6 messages saved", self.say(chat, f"/save {saved}"))
        picture.unlink()
        self.say(chat, "/clear")
        self.assertIn("no pictures", self.say(chat, "/show images"))
        self.assertIn("6 messages loaded", self.say(chat, f"/load {saved}"))
        self.assertIn("my photo.png, 640 x 480, 540 tokens", self.say(chat, "Once more") + self.say(chat, "/show images"))

    def test_what_is_wrong_in_a_chat_leaves_it_as_it_was(self):
        picture = self.picture()
        chat = self.chat("--local", "--num-predict", "2", "--ctx", "100", model=self.model)
        self.assertIn("No such file", self.say(chat, "/image /nowhere/a.png what?"))
        answer = self.say(chat, f"/image {picture} What is it?")
        self.assertIn("the message was not sent; what was attached waits for the next message", answer)
        self.assertIn("no messages", self.say(chat, "/show messages"))
        self.assertIn("taken back: wide.png", self.say(chat, "/image none"))


class Handler(http.server.BaseHTTPRequestHandler):
    """A server of ours whose model sees, or not."""
    protocol_version = "HTTP/1.0"

    def log_message(self, *_):
        pass

    def version_string(self):
        return "pleiad"

    def send(self, *lines):
        self.send_response(200)
        self.end_headers()
        for line in lines:
            self.wfile.write(json.dumps(line).encode() + b"\n")

    def do_GET(self):
        self.send({"version": "1"})

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if self.path != "/api/chat":
            return self.send({"details": {}, "capabilities": self.server.fake.capabilities, "vision": {"max_soft_tokens": 140},
                              "model_info": {"general.architecture": "gemma4", "gemma4.context_length": 4096}})
        self.server.fake.asked.append(body)
        self.send({"message": {"content": "Yes."}},
                  {"message": {"content": ""}, "done": True, "done_reason": "stop", "eval_count": 3,
                   "media": [{"width": 640, "height": 480, "tokens": 130, "budget": 140, "cached": False},
                             {"width": 48, "height": 48, "tokens": 121, "budget": 140, "cached": True}]})


class Server:
    def __init__(self, *capabilities):
        self.capabilities = ["completion", *capabilities]
        self.asked = []


class ThereTest(Pictures):
    def serve(self, *capabilities):
        fake = Server(*capabilities)
        running = Running(fake, Handler)
        running.__enter__()
        self.addCleanup(running.__exit__)
        self.env = {"PLEIAD_HOST": running.url}
        return fake

    def images(self, message):
        return [base64.b64decode(image) for image in message.get("images", [])]

    def test_a_server_gets_the_files_as_they_are_in_the_order_given(self):
        fake = self.serve("vision")
        small = png(48, 48)
        status, out, said = run("run", "m", "Which is wide?", "-v", "--image", self.picture(), "--image", self.picture("s.png", small),
                                env=self.env)
        self.assertEqual((status, out), (0, "Yes.\n"), said)
        [body] = fake.asked
        self.assertEqual(self.images(body["messages"][0]), [WIDE, small])
        self.assertEqual(body["messages"][0]["content"], "Which is wide?")
        self.assertNotIn("max_soft_tokens", body["options"])
        self.assertEqual(self.figure(said, "pictures"), "1 encoded, 1 cached")
        self.assertIn("wide.png, 640 x 480, 130 tokens", said)  # by the budget that the server's model has
        for budget, sent in [("560", 560), ("auto", "auto")]:
            run("run", "m", "?", "--image", self.picture(), "--image-tokens", budget, env=self.env)
            self.assertEqual(fake.asked[-1]["options"]["max_soft_tokens"], sent)

    def test_a_servers_model_that_sees_nothing_is_not_asked(self):
        fake = self.serve()
        status, out, said = run("run", "m", "?", "--image", self.picture(), env=self.env)
        self.assertEqual((status, out, fake.asked), (1, "", []))
        self.assertIn("m sees no pictures: it has no vision tower", said)

    def talk(self, *flags):
        env = {**os.environ, "XDG_STATE_HOME": str(self.folder), "TERM": "xterm", "NO_COLOR": "1", "HOME": str(self.folder), **self.env}
        child = pexpect.spawn(PROGRAM, ["run", "m", *map(str, flags)], env=env, encoding="utf-8", timeout=60, dimensions=(24, 200), echo=False)
        child.linesep = "\r"
        child.logfile_read = io.StringIO()
        self.addCleanup(child.close, True)
        child.expect_exact(">>> ")
        return child

    def paste(self, child, text):
        child.send(f"\x1b[200~{text}\x1b[201~\r")
        child.expect_exact(">>> ")
        return child.before

    def test_dropped_paths_are_attached_and_can_be_taken_back(self):
        fake = self.serve("vision")
        one, two = self.picture("my photo.png"), self.picture("b.png", png(48, 48))
        child = self.talk()
        self.assertIn("my photo.png, 640 x 480, 130 tokens", self.paste(child, str(one).replace(" ", "\\ ") + " "))
        self.assertIn("b.png", self.paste(child, f"'{two}' file://{two}"))
        child.sendline("/image undo")
        child.expect_exact("taken back: b.png")
        child.expect_exact(">>> ")
        child.sendline("What are they?")
        child.expect_exact("Yes.")
        child.expect_exact(">>> ")
        self.assertEqual(self.images(fake.asked[0]["messages"][0]), [WIDE, two.read_bytes()])
        # With anything beside it a path is text, and in """ as well.
        self.paste(child, f"Where is {one}?")
        self.paste(child, f'"""{one}"""')
        self.assertEqual([message["content"] for message in fake.asked[-1]["messages"] if message["role"] == "user"],
                         ["What are they?", f"Where is {one}?", str(one)])
        self.assertEqual(self.images(fake.asked[-1]["messages"][0]), [WIDE, two.read_bytes()])

    def test_several_pictures_behind_one_command(self):
        fake = self.serve("vision")
        one, two = self.picture("a.png"), self.picture("b.png", png(48, 48))
        child = self.talk()
        child.sendline(f"/image {one} {two} Which is larger?")
        child.expect_exact("Yes.")
        child.expect_exact(">>> ")
        self.assertEqual(fake.asked[0]["messages"][0]["content"], "Which is larger?")
        self.assertEqual(self.images(fake.asked[0]["messages"][0]), [WIDE, two.read_bytes()])

    def test_image_completes_paths(self):
        self.serve("vision")
        self.picture("my photo.png")
        (self.folder / "my notes.txt").write_text("x")
        child = self.talk()
        child.send("/image ~/my\t\r")
        child.expect_exact("my photo.png, 640 x 480, 130 tokens")

    def test_pictures_of_the_command_line_wait_for_the_first_message(self):
        fake = self.serve("vision")
        child = self.talk("--image", self.picture())
        self.assertIn("wide.png, 640 x 480, 130 tokens", child.before)
        child.sendline("Hi")
        child.expect_exact("Yes.")
        self.assertEqual(self.images(fake.asked[0]["messages"][0]), [WIDE])

    def test_a_chat_of_the_page_goes_on_here(self):
        fake = self.serve("vision")
        chat = self.folder / "exported.json"
        chat.write_text(json.dumps({"messages": [
            {"role": "user", "content": "What is it?", "pictures": [{"name": "a.png"}], "images": [base64.b64encode(WIDE).decode()]},
            {"role": "assistant", "content": "A wide one."}]}))
        status, out, said = run("run", "m", "Sure?", "--chat", chat, env=self.env)
        self.assertEqual((status, out), (0, "Yes.\n"), said)
        self.assertEqual(self.images(fake.asked[0]["messages"][0]), [WIDE])

    def test_what_ollamas_api_cannot_say_is_told(self):
        fake = self.serve("vision")
        self.picture("a.png")
        chat = self.folder / "chat.json"
        chat.write_text(json.dumps({"messages": [{"role": "user", "content": [
            {"type": "text", "text": "Before it"}, {"type": "image", "image": "a.png"}]}]}))
        status, _, said = run("run", "m", "Sure?", "--chat", chat, env=self.env)
        self.assertEqual((status, fake.asked), (1, []))
        self.assertIn("messages[0]: a picture stands behind text", said)


if __name__ == "__main__":
    unittest.main()
