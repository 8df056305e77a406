"""What comes from outside and is printed: none of it may command the reader's terminal."""
import csv
import http.client
import http.server
import io
import json
import os
import re
import socket
import subprocess
import threading
import unittest
import xml.etree.ElementTree

import pexpect

from fake_server import Fake, LlamaHandler, OllamaHandler, Running
from harness import DEMO, PROGRAM, ProgramTest, run
from hostile import HOSTILE, HOSTILE_BYTES, Gguf, unsafe

# What replies may have: joined emoji, a flag of tags, text from right to left, combining marks.
GOOD = ("\U0001f469\u200d\U0001f4bb \U0001f3f4\U000e0067\U000e0062\U000e007f "
        "\u05e9\u05dc\u05d5\u05dd\u200f e\u0301 \u0928\u092e\u0938\u094d\u0924\u0947\t\u2713\n")
OWN = re.compile(rb"\r\x1b\[K|\x1b\[[0-9;]*m")  # the program's own: a progress bar, styles


def cut(text, size):
    return [text[i:i + size] for i in range(0, len(text), size)]


class ReplyHandler(http.server.BaseHTTPRequestHandler):
    """One of our servers, as far as it can be seen; what it answers stands in server.fake."""
    protocol_version = "HTTP/1.0"

    def log_message(self, *_):
        pass

    def version_string(self):
        return "pleiad"

    def do_GET(self):
        self.answer([self.server.fake.get(self.path, {})])

    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        self.answer(self.server.fake[self.path], self.server.fake.get("status", 200)
                    if self.path == self.server.fake.get("fails") else 200)

    def answer(self, lines, status=200):
        self.send_response(status)
        self.end_headers()
        for line in lines:
            self.wfile.write(json.dumps(line).encode() + b"\n")


def reply(pieces, **last):
    return [{"message": {"content": piece}} for piece in pieces] + [
        {"message": {"content": ""}, "done": True, "done_reason": "stop", "eval_count": 7,
         "warnings": [HOSTILE], **last}]


class TerminalTest(ProgramTest):
    def at_terminal(self, *arguments, env=None):
        """(status, bytes) of the program at a terminal, without its own sequences."""
        env = {**os.environ, "TERM": "xterm", "XDG_STATE_HOME": str(self.folder), **(env or {})}
        child = pexpect.spawn(PROGRAM, [os.fsdecode(a) if isinstance(a, bytes) else str(a)
                                        for a in arguments], env=env, timeout=120, echo=False)
        self.addCleanup(child.close, True)
        shown = child.read()
        child.close()
        return child.exitstatus, OWN.sub(b"", shown)

    def assert_safe(self, *arguments, env=None, status=None, shows="\\x1b]52;c;"):
        """At a terminal and into a pipe; returns the output of both."""
        outputs = []
        found, shown = self.at_terminal(*arguments, env=env)
        outputs.append(shown)
        done = subprocess.run([PROGRAM, *arguments], stdin=subprocess.DEVNULL, capture_output=True,
                              env={**os.environ, **(env or {})}, timeout=120, check=False)
        outputs.append(done.stdout + done.stderr)
        for output, code in zip(outputs, (found, done.returncode)):
            self.assertEqual(unsafe(output), [], (arguments, output[-2000:]))
            if status is not None:
                self.assertEqual(code, status, output[-2000:])
            if shows:
                self.assertIn(shows, output.decode())
        return [output.decode() for output in outputs]

    def server(self, fake, handler=ReplyHandler):
        running = Running(fake, handler)
        running.__enter__()
        self.addCleanup(running.__exit__)
        return running.url


class Names(TerminalTest):
    """File names, arguments and variables."""

    def setUp(self):
        super().setUp()
        self.missing = os.fsencode(self.folder) + b"/" + HOSTILE_BYTES
        self.model = os.fsencode(self.folder) + b"/" + HOSTILE_BYTES + b".gguf"
        os.symlink(DEMO, self.model)

    def test_of_what_is_not_there(self):
        for command in (["run", self.missing, "Hi"], ["show", self.missing], ["verify", self.missing],
                        ["show", self.missing, "--tensors"], ["serve", self.missing],
                        ["bench", self.missing], ["eval", self.missing], ["rm", self.missing],
                        ["tokenize", self.missing, "Hi"], ["render", self.missing],
                        ["render", "e2b", "--input", self.missing],
                        ["create", "x", "-f", self.missing], ["cp", self.missing, "x"],
                        ["logits", self.missing, "--tokens", "1", "--out", "x"],
                        ["logits", DEMO, "--tokens-file", self.missing, "--out", "/dev/null"],
                        ["quantize", self.missing, "x", "--type", "q4_0"],
                        ["convert", self.missing, "x"], ["eval", DEMO, "--text", self.missing],
                        ["convert", DEMO, self.missing + b"/x.gguf"],
                        ["synth", "e2b", "q4_0", self.missing + b"/x"],
                        ["run", DEMO, "Hi", "--tools", self.missing],
                        ["run", DEMO, "Hi", "--chat", self.missing],
                        ["verify", DEMO, "--reference", self.missing, "--tokens", "1"],
                        ["serve", "--api-key-file", self.missing],
                        ["quantize", DEMO, "x", "--type", "q4_0", "--calibrate", self.missing],
                        ["fit", "--plot", self.missing + b"/x", "--bandwidth", "9", "--memory", "9"]):
            self.assert_safe(*command, status=1)

    def test_of_what_is_there(self):
        text = self.folder / "text"
        text.write_text("Count from one to five. " * 40)
        tokens = ["--tokens", "2,105,107"]
        self.assert_safe("show", self.model, status=0)
        self.assert_safe("verify", self.model, status=0)
        self.assert_safe("verify", self.model, "--json", status=0)
        self.assert_safe("logits", self.model, *tokens, "--out", self.missing, status=0)
        self.assert_safe("verify", self.model, "--reference", self.missing, *tokens, status=0)
        self.assert_safe("convert", self.model, self.missing + b".out.gguf", "--force", status=0)
        self.assert_safe("quantize", self.model, self.missing + b".out.gguf", "--type", "q4_0",
                         "--force", "--from-quantized", status=0)
        self.assert_safe("eval", self.model, DEMO, "--text", text, "--ctx", "64", status=0)
        self.assert_safe("eval", self.model, "--text", text, "--ctx", "64", "--save-logits",
                         self.missing, status=0)
        self.assert_safe("eval", DEMO, "--against", self.missing, status=0)
        self.assert_safe("eval", self.model, "--checks", "sums", "-v", status=0)
        self.assert_safe("list", "--all", env={"PLEIAD_MODEL_FOLDERS": str(self.folder)}, status=0)
        self.assert_safe("bench", self.model, "--prompt", "8", "--generate", "2", "--repetitions",
                         "1", "--json", status=0, shows="u001b]52;c;")

    def test_of_flags_and_variables(self):
        hostile = HOSTILE_BYTES
        for command in ([hostile], ["run", DEMO, "Hi", b"--" + hostile], ["show", DEMO, hostile],
                        ["verify", DEMO, "--max-kl", hostile], ["bench", DEMO, "--kv-type", hostile],
                        ["quantize", DEMO, "x", "--type", "q4_0", "--rounding", hostile],
                        ["run", DEMO, "Hi", "--temperature", hostile],
                        ["run", DEMO, "Hi", "--logit-bias", hostile], ["run", DEMO, "Hi", b"--think=" + hostile],
                        ["run", DEMO, "Hi", "--format", hostile], ["run", DEMO, "Hi", "--keepalive", hostile],
                        ["quantize", DEMO, "x", "--type", hostile],
                        ["quantize", DEMO, "x", "--type", "q4_0", "--keep", hostile],
                        ["eval", DEMO, "--checks", hostile],
                        ["bench", "--synthetic", hostile],
                        ["fit", "--model", hostile], ["fit", "--type", hostile],
                        ["synth", hostile, "q4_0", "x"], ["synth", "e2b", hostile, "x"],
                        ["serve", "--parallel", hostile], ["serve", "--port", hostile],
                        ["help", hostile], ["completion", hostile], ["man", hostile]):
            self.assert_safe(*command, status=2)
        self.assert_safe("logits", DEMO, "--tokens", hostile, "--out", "x", status=1)
        self.assert_safe("serve", "--host", hostile, status=1)  # a name like any other, and no key
        text = os.fsdecode(hostile)
        self.assert_safe("list", env={"PLEIAD_ISA": text}, status=1)
        self.assert_safe("ps", env={"PLEIAD_HOST": text}, status=1)
        self.assert_safe("serve", "--print-config", env={"PLEIAD_ORIGINS": text}, status=0)
        self.assert_safe("serve", "--print-config", env={"PLEIAD_MODELS": text}, status=0)

    def test_an_error_begins_one_line_only(self):
        """A name with ends of lines cannot write an error, or a success, of its own."""
        for name in ("a\npleiad: all is well\nx", "a\n\n\rpleiad: all is well"):
            for command in (["run", name, "Hi"], ["verify", name], ["tokenize", name, "Hi"],
                            ["eval", DEMO, "--text", name], ["serve", name]):
                _, _, err = run(*command)
                lines = err.splitlines()
                self.assertTrue(lines[0].startswith("pleiad: "), err)
                self.assertEqual([line for line in lines[1:] if line and not line.startswith("  ")],
                                 [], err)


class Metadata(TerminalTest):
    """Model files."""

    def test_a_tensors_name(self):
        model = Gguf().add_tensor(HOSTILE_BYTES).write(self.folder / "m.gguf")
        out = self.folder / "out.gguf"
        for command in (["run", model, "Hi", "-n", "1"], ["show", model, "--tensors"],
                        ["show", model, "--tensors", "--json"],
                        ["convert", model, out, "--force"]):
            self.assert_safe(*command, status=0)
        damaged = Gguf().rename_tensor(0, HOSTILE).write(self.folder / "damaged.gguf")
        self.assert_safe("show", damaged, shows="")
        self.assert_safe("run", damaged, "Hi", "-n", "1", shows="")
        data = bytearray((self.folder / "m.gguf").read_bytes())
        at = data.index(HOSTILE_BYTES) + len(HOSTILE_BYTES)
        data[at + 12:at + 16] = (99).to_bytes(4, "little")  # a type that there is not
        (self.folder / "type.gguf").write_bytes(data)
        for command in (["run", "Hi", "-n", "1"], ["verify"], ["show", "--tensors"]):
            self.assert_safe(command[0], self.folder / "type.gguf", *command[1:])

    def test_its_name_and_its_tokenizer(self):
        model = Gguf().set("general.name", HOSTILE_BYTES).write(self.folder / "name.gguf")
        extra = Gguf().set("general.name", HOSTILE_BYTES).add_tensor("x").write(
            self.folder / "extra.gguf")
        self.assert_safe("run", extra, "Hi", "-n", "1", status=0)
        self.assert_safe("show", model, status=0, shows="")
        self.assert_safe("convert", model, self.folder / "out.gguf", "--force", status=0)
        self.assert_safe("eval", model, "--checks", "sums", status=0)
        for form in ([], ["--csv"], ["--markdown"], ["--json"]):
            self.assert_safe("bench", model, "--prompt", "8", "--generate", "2", "--repetitions",
                             "1", *form, status=0)
        for key in ("general.architecture", "tokenizer.ggml.model"):
            model = Gguf().set(key, HOSTILE_BYTES).write(self.folder / "m.gguf")
            for command in (["run", model, "Hi", "-n", "1"], ["show", model], ["verify", model]):
                self.assert_safe(*command, shows="")

    def test_a_key_of_its_metadata(self):
        changed = Gguf()
        changed.keys += [(HOSTILE_BYTES, 8, bytes(8))] * 2
        model = changed.write(self.folder / "m.gguf")
        for command in (["run", model, "Hi"], ["show", model], ["verify", model]):
            self.assert_safe(*command, status=1)

    def test_its_pieces(self):
        changed = Gguf()
        at = next(i for i, key in enumerate(changed.keys) if key[0] == b"tokenizer.ggml.tokens")
        name, kind, value = changed.keys[at]
        changed.keys[at] = (name, kind, value.replace(b"\x09\0\0\0\0\0\0\0<|image|>",
                                                      b"\x09\0\0\0\0\0\0\0\x1b]0;\xc2\x9bxy\x07", 1))
        model = changed.write(self.folder / "m.gguf")
        self.assert_safe("tokenize", model, "\x1b]0;\u009bxy\x07", "--pieces", "--control", status=0,
                         shows="\\x1b]0;")

    def test_a_folders_json(self):
        for name, text in (("config.json", {"model_type": HOSTILE}),
                           ("config.json", {"architectures": [HOSTILE], HOSTILE: HOSTILE})):
            folder = self.folder / "model"
            folder.mkdir(exist_ok=True)
            (folder / name).write_text(json.dumps(text))
            for command in (["run", folder, "Hi"], ["show", folder], ["verify", folder]):
                self.assert_safe(*command, shows="")

    def test_a_modelfile(self):
        env = {"PLEIAD_MODELS": str(self.folder / "models")}
        file = self.folder / "Modelfile"
        file.write_text(f"FROM {DEMO}\n{HOSTILE} x\n")
        self.assert_safe("create", "x", "-f", file, env=env, status=1, shows="")
        file.write_text(f"FROM {DEMO}\nPARAMETER {HOSTILE[:-10]} 1\n")
        self.assert_safe("create", "x", "-f", file, env=env, status=1)
        system = HOSTILE + GOOD.strip() + "\nsecond"
        file.write_bytes(f'FROM {DEMO}\nSYSTEM """{system}"""\nPARAMETER stop "{HOSTILE}"\n'
                         f'LICENSE """{HOSTILE}"""\nMESSAGE user "{HOSTILE}"\n'.encode())
        self.assertEqual(run("create", "hostile", "-f", file, env=env)[0], 0)
        self.assert_safe("show", "hostile", env=env, status=0)
        for part, holds in (("--system", system), ("--license", HOSTILE), ("--modelfile", system),
                            ("--parameters", "")):
            status, shown = self.at_terminal("show", "hostile", part, env=env)
            self.assertEqual((status, unsafe(shown)), (0, []), shown)
            # Whoever writes it to a file gets what was stored.
            written = subprocess.run([PROGRAM, "show", "hostile", part], capture_output=True,
                                     env={**os.environ, **env}, check=True).stdout
            self.assertIn(holds.encode(), written, part)


class Replies(TerminalTest):
    """A server's answers to `run`, which are a model's as well."""
    SHOWN = {"details": {"parameter_size": HOSTILE, "quantization_level": HOSTILE},
             "model_info": {"general.architecture": HOSTILE, f"{HOSTILE}.context_length": 4096},
             "parameters": f'stop "{HOSTILE}"\n'}

    def answers(self, lines, **more):
        url = self.server({"/api/version": {"version": HOSTILE}, "/api/show": [self.SHOWN],
                           "/api/chat": lines, "/api/generate": lines, **more})
        return {"PLEIAD_HOST": url, "NO_COLOR": "1"}

    def test_are_shown_and_not_obeyed_however_they_are_cut(self):
        wanted = None
        for size in (1, 2, 3, 7, 1000):
            env = self.answers(reply(cut(GOOD + HOSTILE + "\r\nend", size)))
            status, shown = self.at_terminal("run", "m", "Hi", env=env)  # in lines of words
            self.assertEqual((status, unsafe(shown)), (0, []), shown)
            status, shown = self.at_terminal("run", "m", "Hi", "--nowordwrap", env=env)
            self.assertEqual((status, unsafe(shown)), (0, []), shown)
            text = re.sub("\r{1,2}\n", "\n", shown.decode())
            self.assertTrue(text.startswith(GOOD), text)
            self.assertIn("\\x1b]52;c;ZXZpbA==\\x07", text)
            self.assertIn("\\u009b31m", text)
            self.assertIn("\\u202eevil\\u202c", text)
            self.assertRegex(text, r"\nend\nwarning: [^\n]*evil[^\n]*\n$")  # the server's, in a line
            wanted = wanted or text
            self.assertEqual(text, wanted)

    def test_as_markdown_are_shown_and_not_obeyed(self):
        wanted = None
        for size in (1, 3, 1000):
            env = {**self.answers(reply(cut(f"# **{HOSTILE}**\n- `{HOSTILE}`\n```{HOSTILE}\n{HOSTILE}", size))),
                   "NO_COLOR": ""}
            status, shown = self.at_terminal("run", "m", "Hi", env=env)
            self.assertEqual((status, unsafe(shown)), (0, []), shown)
            self.assertIn("\\x1b]52;c;ZXZpbA==\\x07", shown.decode())
            wanted = wanted or shown
            self.assertEqual(shown, wanted)

    def test_into_a_pipe_are_what_the_model_said(self):
        said = GOOD + HOSTILE + "\r\nend\n"
        for flags in ([], ["--raw"]):
            lines = reply(cut(said, 3)) if not flags else [
                {"response": piece} for piece in cut(said, 3)] + [{"response": "", "done": True}]
            done = subprocess.run([PROGRAM, "run", "m", "Hi", *flags], capture_output=True,
                                  env={**os.environ, **self.answers(lines)}, check=True,
                                  stdin=subprocess.DEVNULL)
            self.assertEqual(done.stdout, said.encode())
            self.assertEqual(unsafe(done.stderr), [])

    def test_raw_ones_too(self):
        env = self.answers([{"response": piece} for piece in cut(HOSTILE, 2)]
                           + [{"response": "", "done": True}])
        status, shown = self.at_terminal("run", "m", "Hi", "--raw", env=env)
        self.assertEqual((status, unsafe(shown)), (0, []), shown)

    def test_of_a_model_here(self):
        """The demo model made to say ESC and half a character: bytes of its vocabulary."""
        _, out, _ = run("tokenize", DEMO, "\x1b\u009b", )
        esc = out.strip().split(",")[0]
        flags = ("run", DEMO, "Hi", "--logit-bias", f"{esc}=100", "--temperature", "0", "-n", "3")
        status, shown = self.at_terminal(*flags)
        self.assertEqual((status, unsafe(shown)), (0, []))
        self.assertIn(b"\\x1b\\x1b\\x1b", shown)
        self.assertEqual(run(*flags)[1], "\x1b\x1b\x1b\n")

    def test_thoughts_tool_calls_statistics_and_errors(self):
        call = {"function": {"name": HOSTILE, "arguments": {HOSTILE: HOSTILE}}}
        lines = [{"message": {"thinking": piece}} for piece in cut(HOSTILE, 5)]
        lines += [{"message": {"content": "", "tool_calls": [call]}}, *reply(["done"])]
        # What a program reads has the call as it is; thoughts and notes are for people.
        env = self.answers(lines)
        status, shown = self.at_terminal("run", "m", "Hi", "--think", "--verbose", "--nowordwrap",
                                          env=env)
        self.assertEqual((status, unsafe(shown)), (0, []), shown)
        for words in ("Thinking: \\x1b]52", "[tool call] \\x1b]52", "warning", "done"):
            self.assertIn(words, shown.decode())
        done = subprocess.run([PROGRAM, "run", "m", "Hi", "--think", "--verbose"], check=True,
                              env={**os.environ, **env}, capture_output=True,
                              stdin=subprocess.DEVNULL)
        self.assertEqual(unsafe(done.stderr), [], done.stderr)
        self.assertIn(b"Thinking: \\x1b]52", done.stderr)
        self.assert_safe("run", "m", "Hi", env=self.answers([{"error": HOSTILE}]), status=1)
        self.assert_safe("run", "m", "Hi", env=self.answers([{"error": {HOSTILE: 1}}]), status=1,
                         shows="")
        self.assert_safe("run", "m", "Hi", status=1, env=self.answers(
            [{"error": HOSTILE}], fails="/api/chat", status=400))
        self.assert_safe("run", "m", "Hi", status=1, env=self.answers([HOSTILE]), shows="")

    def test_colours_are_the_programs_own(self):
        lines = [{"message": {"thinking": "\x1b[31m"}}, *reply(["\x1b[31m"])]
        env = {**self.answers(lines), "NO_COLOR": "", "TERM": "xterm"}
        child = pexpect.spawn(PROGRAM, ["run", "m", "Hi", "--think"], env={**os.environ, **env},
                              timeout=60, echo=False)
        shown = child.read()
        self.assertIn(b"\x1b[0;2mThinking: \\x1b[31m\x1b[0m", shown)
        self.assertNotIn(b"\x1b[31m", shown)


class Conversation(TerminalTest):
    """`run --interactive`, which has a line editor of its own."""

    def conversation(self, env, *flags):
        env = {**os.environ, "XDG_STATE_HOME": str(self.folder), "TERM": "xterm", "NO_COLOR": "1",
               **env}
        child = pexpect.spawn(PROGRAM, ["run", "m", *flags], env=env, timeout=60,
                              dimensions=(24, 2000), echo=False)
        child.linesep = b"\r"  # what Enter sends
        self.addCleanup(child.close, True)
        return child

    def assert_obeys_nothing(self, shown):
        """The line editor moves the cursor and clears lines; what was sent from outside does not come."""
        for sequence in (b"\x1b]", b"\x1bP", b"\x1b[6n", b"\x1b[8m", b"\x9b31m", b"\x05",
                         "\u009d".encode(), "\u202e".encode(), "\u2066".encode()):
            self.assertNotIn(sequence, shown)

    def test_prompts_messages_and_history(self):
        call = {"function": {"name": HOSTILE, "arguments": {}}}
        url = self.server({"/api/version": {}, "/api/show": [Replies.SHOWN], "/api/chat":
                           [{"message": {"content": "", "tool_calls": [call]}}, *reply(["x"])]})
        history = self.folder / "pleiad" / "history"
        history.parent.mkdir()
        history.write_text("_HiStOrY_V2_\n" + "".join(f"\\{byte:03o}" for byte in HOSTILE.encode())
                           + "\n")
        child = self.conversation({"PLEIAD_HOST": url})
        child.expect_exact(b">>> ")
        shown = child.before
        child.sendline(b"Hi")
        child.expect(b"result of [^\n]*> ")
        shown += child.before + child.after
        self.assertIn(b"result of \\x1b]52;c;", child.after)
        child.sendcontrol("d")
        child.expect_exact(b">>> ")
        shown += child.before
        for command in (b"/show info", b"/show messages", b"/show parameters", b"/set parameter stop x",
                        b"/load /nowhere/\x07\x9b31m"):
            child.sendline(command)
            child.expect_exact(b">>> ")
            shown += child.before
        child.send(b"\x1b[A\x1b[A" + b"\x10" * 10)  # up, to the oldest
        child.expect_exact(b"\\x1b]52;c;")
        shown += child.before
        child.sendcontrol("a")
        child.sendcontrol("k")
        child.sendline(b"/bye")
        child.expect(pexpect.EOF)
        self.assert_obeys_nothing(shown + child.before)


class OtherServers(TerminalTest):
    """`ps`, `stop` and `bench --server`."""

    def test_ps_and_stop(self):
        model = {"name": HOSTILE, "digest": HOSTILE, "state": HOSTILE, "expires_at": HOSTILE}
        env = {"PLEIAD_HOST": self.server({"/api/ps": {"models": [model]}, "fails": "/api/generate",
                                           "status": 404, "/api/generate": [{"error": HOSTILE}]})}
        self.assert_safe("ps", env=env, status=0)
        self.assert_safe("stop", "x", env=env, status=1)
        self.assert_safe("ps", status=1, shows="", env={
            "PLEIAD_HOST": self.server({"/api/ps": HOSTILE})})

    def bench(self, handler, *flags):
        url = self.server(Fake(), handler)
        return ["bench", "--server", url, "--shapes", "26:16", "--seed", "1", *flags]

    def test_a_measured_one(self):
        class Hostile(OllamaHandler):
            def GET_api_version(self):
                self.reply({"version": HOSTILE})

            def GET_api_tags(self):
                self.reply({"models": [{"name": HOSTILE}]})

        for flags in ([], ["--markdown"], ["--csv"]):
            for out in self.assert_safe(*self.bench(Hostile, *flags), status=0):
                if flags == ["--csv"]:
                    rows = list(csv.reader(io.StringIO(out)))
                    self.assertEqual({len(row) for row in rows}, {len(rows[0])})
        status, out, _ = run(*self.bench(Hostile, "--json", "--model", HOSTILE))
        self.assertEqual((status, unsafe(out.encode())), (0, []))
        self.assertEqual(json.loads(out)["models"][0]["model"], HOSTILE)
        chart = self.folder / "chart.svg"
        self.assertEqual(run(*self.bench(Hostile, "--chart", chart))[0], 0)
        self.assertEqual(unsafe(chart.read_bytes()), [])
        xml.etree.ElementTree.parse(chart)
        self.assertIn("\\x1b]52;c;", chart.read_text())

    def test_its_errors(self):
        class Failing(LlamaHandler):
            def POST_v1_chat_completions(self):
                self.body()
                self.reply({"error": {"message": HOSTILE}}, 400)

        class Named(OllamaHandler):
            def GET_api_tags(self):
                self.reply({"models": [{"name": HOSTILE}, {"name": "b"}]})

        class Garbage(OllamaHandler):
            def GET_api_version(self):
                self.reply(HOSTILE_BYTES)

        self.assert_safe(*self.bench(Failing), status=1)
        self.assert_safe(*self.bench(Named), status=1)
        self.assert_safe(*self.bench(Garbage), status=1, shows="")


class Log(TerminalTest):
    """The server's log: a line an event, whatever the client sends."""

    def served(self, *flags, requests):
        """The log of a server that got these bytes and calls."""
        env = {**os.environ, "PLEIAD_HOST": "127.0.0.1:0"}
        child = subprocess.Popen([PROGRAM, "serve", "--log-level", "debug", "--log-prompts", *flags],
                                 stderr=subprocess.PIPE, env=env)
        lines = [child.stderr.readline()]
        reader = threading.Thread(target=lambda: lines.extend(child.stderr), daemon=True)
        reader.start()
        port = int(re.search(rb"127\.0\.0\.1:(\d+)", lines[0])[1])
        try:
            for request in requests:
                with socket.create_connection(("127.0.0.1", port), timeout=30) as connection:
                    connection.sendall(request)
                    connection.shutdown(socket.SHUT_WR)
                    while connection.recv(65536):
                        pass
        finally:
            child.terminate()
            self.assertEqual(child.wait(60), 0)
            reader.join(60)
            child.stderr.close()
        return lines

    def requests(self):
        escaped = "".join(f"%{byte:02x}" for byte in HOSTILE_BYTES + b"\nlevel=error msg=forged")
        hostile = HOSTILE_BYTES.replace(b"\r", b"")
        requests = [f"GET /{escaped} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode(),
                    b"GET /" + hostile + b" HTTP/1.1\r\nHost: localhost\r\n\r\n",
                    hostile + b" / HTTP/1.1\r\nHost: localhost\r\n\r\n",
                    b"GET / HTTP/1.1\r\nHost: " + hostile + b"\r\n\r\n",
                    b"GET / HTTP/1.1\r\nHost: localhost\r\nX-Request-Id: " + hostile
                    + b"\r\nUser-Agent: " + hostile + b"\r\nOrigin: " + hostile + b"\r\n\r\n"]
        name = HOSTILE + "\nlevel=error msg=forged"
        for path, body in (("/api/generate", {"model": name, "prompt": "x"}),
                           ("/api/generate", {"model": DEMO, "prompt": name,
                                              "options": {"num_predict": 1}}),
                           ("/api/chat", {"model": DEMO, "messages": [{"role": name, "content": name}]}),
                           ("/api/generate", {"model": DEMO, "options": {name: name}, name: name}),
                           ("/v1/chat/completions", {"model": name, "messages": []})):
            text = json.dumps(body, ensure_ascii=False).encode()
            requests.append(f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: "
                            f"application/json\r\nContent-Length: {len(text)}\r\n\r\n".encode() + text)
        return requests

    def test_as_text(self):
        lines = self.served(requests=self.requests())
        self.assertGreater(len(lines), 10)
        for line in lines:
            self.assertEqual(unsafe(line), [], line)
            self.assertRegex(line, rb"^time=\S+ level=\w+ msg=")
            self.assertNotRegex(line, rb"^[^\"]* level=error msg=forged")
        self.assertIn(b"u202e", b"".join(lines))

    def test_as_json(self):
        names = set()
        for line in self.served("--log-format", "json", requests=self.requests()):
            self.assertEqual(unsafe(line), [], line)
            names.add(json.loads(line).get("model"))
        self.assertIn(HOSTILE + "\nlevel=error msg=forged", names)


if __name__ == "__main__":
    unittest.main()
