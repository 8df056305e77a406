"""The conversation as a person has it: typing, pasting, editing, reading, at terminals of several
kinds. What a terminal shows of it is looked at with screen.py; what is sent, at a server."""
import http.server
import io
import json
import os
import re
import shutil
import signal
import termios
import threading
import time
import unittest

import pexpect

from fake_server import Running
from harness import DEMO, PROGRAM, ProgramTest, run
from hostile import HOSTILE, unsafe
from screen import SEQUENCE, Screen

ENTER, UP, LEFT, ALT_ENTER, CTRL_C, CTRL_D = "\r", "\x1b[A", "\x1b[D", "\x1b\r", "\x03", "\x04"
CODE = "Look at this:\n```c\n" + "\n".join(f"\tline[{i}]\t= {i};" for i in range(38))  # never closed


def pasted(text):
    """As a terminal sends it that was asked to mark it: Enter for each end of line."""
    return "\x1b[200~" + text.replace("\n", "\r") + "\x1b[201~"


class Told:
    """What the server says, piece by piece: an Event waits until the test goes on."""

    def __init__(self, *pieces):
        self.pieces = pieces or ["Yes."]
        self.asked = []  # the bodies of /api/chat
        self.system = ""  # of the model


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.0"

    def log_message(self, *_):
        pass

    def version_string(self):
        return "pleiad"

    def send(self, *lines):
        self.send_response(200)
        self.end_headers()
        for line in lines:
            if isinstance(line, threading.Event):
                line.wait(60)
            else:
                self.wfile.write(json.dumps(line).encode() + b"\n")
                self.wfile.flush()

    def do_GET(self):
        self.send({"version": "1"})

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if self.path != "/api/chat":
            return self.send({"system": self.server.fake.system, "details": {"parameter_size": "1M"}, "model_info": {
                "general.architecture": "gemma4", "gemma4.context_length": 4096}})
        self.server.fake.asked.append(body)
        said = [piece if isinstance(piece, threading.Event) else {"message": {"content": piece}}
                for piece in self.server.fake.pieces]
        self.send(*said, {"message": {"content": ""}, "done": True, "done_reason": "stop",
                          "eval_count": 3})


class InteractiveTest(ProgramTest):
    def talk(self, told, *flags, columns=80, env=None, model="m"):
        """A conversation at a terminal of 24 rows."""
        running = Running(told, Handler)
        running.__enter__()
        self.addCleanup(running.__exit__)
        env = {**os.environ, "XDG_STATE_HOME": str(self.folder), "TERM": "xterm",
               "PLEIAD_HOST": running.url, **(env or {})}
        if not env.get("NO_COLOR"):
            env.pop("NO_COLOR", None)
        child = pexpect.spawn(PROGRAM, ["run", model, *flags], env=env, encoding="utf-8",
                              timeout=60, dimensions=(24, columns), echo=False)
        child.linesep = ENTER
        child.logfile_read = io.StringIO()
        self.addCleanup(child.close, True)
        child.expect_exact(">>> ")
        return child

    def screen(self, child, columns=80, rows=24):
        return Screen(columns, rows).feed(child.logfile_read.getvalue())

    def leave(self, child):
        child.send(CTRL_D)
        child.expect(pexpect.EOF)
        child.close()
        return child.exitstatus

    def contents(self, told):
        return [body["messages"][-1]["content"] for body in told.asked]


class Typing(InteractiveTest):
    def test_a_paste_is_one_message_that_comes_back_whole(self):
        told = Told()
        child = self.talk(told)
        child.send(pasted(CODE))
        child.expect_exact("... " + " " * 4 + "line[37]")  # a tab from column 4 leads to column 8
        self.assertEqual(told.asked, [])
        screen = self.screen(child)
        self.assertEqual(len(screen.shown()), 24)  # the rows around the cursor
        self.assertIn("line[37]", screen.shown()[-1])
        child.send(ENTER)
        child.expect_exact("Yes.")
        child.expect_exact(">>> ")
        # All of it stays to be read, once.
        self.assertEqual("\n".join(self.screen(child).all()).count("line[0]"), 1)
        docs = '"""Adds two numbers.\nmore of it'
        child.send(pasted(docs) + ENTER)
        child.expect_exact("Yes.")
        child.expect_exact(">>> ")
        self.assertEqual(self.contents(told), [CODE, docs])
        self.assertEqual(self.leave(child), 0)
        history = self.folder / "pleiad" / "history"
        self.assertEqual(history.stat().st_mode & 0o777, 0o600)

        told = Told()
        child = self.talk(told)
        child.send(UP + UP)
        child.expect_exact("more of it")
        child.send(UP)  # over the two lines of the newer one
        child.expect_exact("line[37]")
        child.send(ENTER)
        child.expect_exact("Yes.")
        self.assertEqual(self.contents(told), [CODE])

    def test_a_history_of_an_earlier_version_is_read(self):
        (self.folder / "pleiad").mkdir()
        (self.folder / "pleiad" / "history").write_text("_HiStOrY_V2_\nasked\\040before\\012\n")
        told = Told()
        child = self.talk(told)
        child.send(UP + ENTER)
        child.expect_exact("Yes.")
        self.assertEqual(self.contents(told), ["asked before"])

    def test_lines_are_added_and_gone_through(self):
        told = Told()
        child = self.talk(told)
        child.send("one" + ALT_ENTER + "two\nthree")
        child.send(UP + UP + "!" + ENTER)
        child.expect_exact("Yes.")
        self.assertEqual(self.contents(told), ["one!\ntwo\nthree"])

    def test_a_server_gets_a_level_as_its_word_and_a_budget_as_a_number(self):
        told = Told()
        child = self.talk(told, "--think=low")
        for line in ("one", "/set parameter thinking_budget 30", "two", "/set think", "three",
                     "/set think high", "/set nothink", "four"):
            child.send(line + ENTER)
            child.expect_exact("Yes." if not line.startswith("/") else ">>> ")
        self.assertEqual([(body["think"], body["options"].get("thinking_budget"))
                          for body in told.asked],
                         [("low", None), (True, 30), (True, 30), (False, None)])
        self.assertEqual(self.leave(child), 0)

    def test_wide_characters_stand_where_they_are(self):
        told = Told()
        child = self.talk(told)
        child.send("日本語 e\u0301 👩\u200d💻 한국어" + LEFT * 4)
        child.send("X\x7f\x7f")  # what is before the cursor: the person at a computer
        time.sleep(0.3)
        child.send(ENTER)
        child.expect_exact("Yes.")
        self.assertEqual(self.contents(told), ["日本語 e\u0301  한국어"])
        self.assertIn(">>> 日本語 e\u0301  한국어", self.screen(child).all())

    def test_escapes_in_a_paste_reach_nobody(self):
        told = Told()
        child = self.talk(told)
        hostile = "x" + HOSTILE.replace("\r", "") + "\nend"
        child.send(pasted(hostile) + ENTER)
        child.expect_exact("Yes.")
        self.assertEqual(self.contents(told), [hostile])
        shown = child.logfile_read.getvalue()
        screen = self.screen(child)
        self.assertEqual((screen.unknown, screen.modes), ([], {"?2004"}))
        self.assertEqual(unsafe(SEQUENCE.sub("", shown).replace("\r", "").encode()), [])
        self.assertIn("\\x1b]52;c;", shown)

    def test_another_width_while_a_message_is_edited(self):
        told = Told()
        child = self.talk(told)
        message = " ".join(f"word{i}" for i in range(30))
        child.send(message)
        child.expect_exact("word29")
        child.setwinsize(24, 40)
        child.expect_exact("\x1b[J>>> word0")  # drawn anew, in rows of 40 columns
        child.send("!" + ENTER)
        child.expect_exact("Yes.")
        self.assertEqual(self.contents(told), [message + "!"])

    def test_ctrl_c_throws_the_message_away_and_twice_leaves(self):
        told = Told()
        child = self.talk(told)
        child.send("never sent" + CTRL_C)
        child.expect_exact("Ctrl-C again")
        child.expect_exact(">>> ")
        child.send("sent" + ENTER)
        child.expect_exact("Yes.")
        child.expect_exact(">>> ")
        child.send(CTRL_C)
        child.expect_exact("Ctrl-C again")
        child.expect_exact(">>> ")
        child.send(CTRL_C)
        child.expect(pexpect.EOF)
        child.close()
        self.assertEqual((child.exitstatus, self.contents(told)), (0, ["sent"]))

    def test_a_paste_that_stalls_is_never_run(self):
        told = Told()
        child = self.talk(told)
        child.send("\x1b[200~one\r/set system oops\r")
        time.sleep(2.7)
        child.expect_exact("oops")  # what has come is shown
        child.send("/bye\r\x1b[201")
        time.sleep(0.7)
        child.send("~two" + ENTER)
        child.expect_exact("Yes.")
        child.expect_exact(">>> ")
        child.send("\x1b[20")
        time.sleep(0.3)
        child.send("0~a\r/bye\r\x1b[201~" + ENTER)
        child.expect_exact("Yes.")
        self.assertEqual(self.contents(told), ["one\n/set system oops\n/bye\ntwo", "a\n/bye\n"])
        self.assertEqual([len(body["messages"]) for body in told.asked], [1, 3])  # no system turn

    def test_an_interrupt_from_outside_is_ctrl_c(self):
        told = Told()
        child = self.talk(told)
        child.send("never sent")
        child.expect_exact("never sent")
        child.kill(signal.SIGINT)
        child.expect_exact("Ctrl-C again")
        child.expect_exact(">>> ")
        child.send("sent" + ENTER)
        child.expect_exact("Yes.")
        self.assertEqual(self.contents(told), ["sent"])

    def test_the_terminal_is_set_again_when_the_program_goes_on(self):
        go_on = threading.Event()
        self.addCleanup(go_on.set)
        told = Told("First ", go_on, "last.\n")
        child = self.talk(told)
        usual = termios.tcgetattr(child.child_fd)
        usual[0] |= termios.ICRNL
        usual[3] |= termios.ICANON | termios.ECHO | termios.ISIG

        def stop_and_go_on():
            child.kill(signal.SIGSTOP)
            time.sleep(0.1)
            termios.tcsetattr(child.child_fd, termios.TCSANOW, usual)  # as a shell has it
            child.kill(signal.SIGCONT)
            child.expect_exact("\x1b[?2004h")
            self.assertFalse(termios.tcgetattr(child.child_fd)[3] & (termios.ICANON | termios.ECHO))

        child.send("Hi" + ENTER)
        child.expect_exact("First")
        stop_and_go_on()
        child.send(pasted("one\n/bye\ntwo"))
        go_on.set()
        child.expect_exact("\x1b[?2004h")
        child.expect_exact(">>> one")
        child.expect_exact("two")
        stop_and_go_on()
        # In the foreground again without having been stopped: nothing tells the program.
        termios.tcsetattr(child.child_fd, termios.TCSANOW, usual)
        child.send(ENTER)
        child.expect_exact("First")
        child.expect_exact("last.")
        self.assertEqual(self.contents(told), ["Hi", "one\n/bye\ntwo"])

    def test_the_words_exit_and_quit_leave(self):
        for word in ("exit", "quit", "/exit"):
            child = self.talk(Told())
            child.send(word + ENTER)
            child.expect(pexpect.EOF)

    def test_whoever_ends_it_finds_the_terminal_as_it_was(self):
        child = self.talk(Told())
        child.send("half")
        child.expect_exact("half")
        self.assertFalse(termios.tcgetattr(child.child_fd)[3] & termios.ICANON)
        child.kill(signal.SIGTERM)
        child.expect_exact("\x1b[?2004l")
        child.expect(pexpect.EOF)
        self.assertTrue(termios.tcgetattr(child.child_fd)[3] & termios.ICANON)
        child.close()
        self.assertEqual(child.exitstatus, 128 + signal.SIGTERM)

    def test_commands_are_completed(self):
        child = self.talk(Told())
        child.send("/set nowo\t")
        child.expect_exact("rdwrap")
        child.send(ENTER)
        child.expect_exact("by the terminal")


MARKDOWN = ("# Title\n\nSome **bold** words and `code_here`, " + "word " * 60 + "end.\n\n- one\n- two\n"
            "\n```c\n\tint a_b = 2*3;\n```\n")


class Reading(InteractiveTest):
    def reply(self, pieces, *flags, columns=80, env=None):
        """What came for one question."""
        child = self.talk(Told(*pieces), *flags, columns=columns, env=env)
        child.send("Hi" + ENTER)
        child.expect_exact("\n")
        child.expect_exact(">>> ")
        return child.before.replace("\r\n", "\n")

    def test_markdown_is_shown_in_styles(self):
        shown = self.reply([MARKDOWN[i:i + 3] for i in range(0, len(MARKDOWN), 3)])
        self.assertIn("\x1b[0;1;4mTitle\x1b[0m\n", shown)
        self.assertIn("Some \x1b[0;1mbold\x1b[0m words and \x1b[0;36mcode_here\x1b[0m,", shown)
        self.assertIn("• one\n• two\n", shown)
        self.assertRegex(shown, r"\n(\t|        )int a_b = 2\*3;\n")

    def test_words_stay_whole_at_80_and_200_columns(self):
        for columns in (80, 200):
            shown = SEQUENCE.sub("", self.reply([MARKDOWN], columns=columns))
            lines = shown.split("\n")
            self.assertLessEqual(max(map(len, lines)), columns)
            self.assertGreater(max(map(len, lines)), columns - 12)
            self.assertEqual(re.sub(r"```|`|\*\*|[#-] ", "", MARKDOWN).split(),
                             re.sub(r"```|• ", "", shown).split())

    def test_flags_and_settings_turn_it_off(self):
        shown = self.reply([MARKDOWN], "--nomarkdown", "--nowordwrap")
        self.assertEqual(shown.split("\n\n- one")[0], MARKDOWN.split("\n\n- one")[0])
        child = self.talk(Told(MARKDOWN))
        for line in ("/set nomarkdown", "/set nowordwrap"):
            child.send(line + ENTER)
            child.expect_exact(">>> ")
        child.send("Hi" + ENTER)
        child.expect_exact("# Title\r\n\r\nSome **bold** words and `code_here`, " + "word " * 60)

    def test_without_colours_there_are_no_styles(self):
        shown = self.reply([MARKDOWN], env={"NO_COLOR": "1"})
        self.assertNotIn("\x1b[0", shown)
        self.assertIn("# Title\n\nSome **bold** words and `code_here`,", shown)
        self.assertLessEqual(max(map(len, shown.split("\n"))), 80)

    def test_a_dumb_terminal_gets_plain_lines(self):
        told = Told(MARKDOWN)
        child = self.talk(told, env={"TERM": "dumb"})
        child.linesep = "\n"
        child.sendline("Hi")
        child.expect_exact(">>> ")
        self.assertIn("# Title\r\n\r\nSome **bold** words and `code_here`, " + "word " * 60, child.before)
        child.sendline('"""two')
        child.expect_exact("... ")
        child.sendline('lines"""')
        child.expect_exact(">>> ")
        child.sendline("exit")
        child.expect(pexpect.EOF)
        self.assertNotIn("\x1b", child.logfile_read.getvalue())
        self.assertEqual(self.contents(told), ["Hi", "two\nlines"])

    def test_another_width_in_mid_reply(self):
        narrow = threading.Event()
        self.addCleanup(narrow.set)
        words = [f"word{i} " for i in range(40)]
        child = self.talk(Told(*words[:20], "\n", narrow, *words[20:], "\n"))
        child.send("Hi" + ENTER)
        child.expect_exact("word19")
        child.setwinsize(24, 40)
        time.sleep(0.1)
        narrow.set()
        child.expect_exact(">>> ")
        lines = SEQUENCE.sub("", child.before).replace("\r\n", "\n").split("\n")
        self.assertLessEqual(max(map(len, lines)), 40)
        self.assertEqual(" ".join(lines).split(), "".join(words[20:]).split())

    def test_ctrl_c_stops_a_reply_and_then_leaves(self):
        never = threading.Event()
        self.addCleanup(never.set)
        told = Told("**A ", "beginning** and ", never)
        child = self.talk(told)
        child.send("Hi" + ENTER)
        child.expect_exact("beginning")
        child.send(CTRL_C)
        child.expect_exact("[stopped]")
        child.expect_exact(">>> ")
        child.send(CTRL_C)
        child.expect(pexpect.EOF)

    def test_what_is_typed_in_mid_reply_waits(self):
        go_on = threading.Event()
        self.addCleanup(go_on.set)
        told = Told("First ", go_on, "last.\n")
        child = self.talk(told)
        child.send("one" + ENTER)
        child.expect_exact("First")
        child.send("two" + ENTER + "th")
        time.sleep(0.2)
        go_on.set()
        child.expect_exact(">>> two")
        child.expect_exact("last.")
        child.expect_exact(">>> th")
        self.assertEqual(self.contents(told), ["one", "two"])

    def test_pipes_get_what_the_model_said(self):
        for flags, given in ((["Hi"], ""), (["-i"], "Hi\n")):
            told = Told(*MARKDOWN)
            with Running(told, Handler) as running:
                status, out, _ = run("run", "m", *flags, stdin=given,
                                     env={"PLEIAD_HOST": running.url, "TERM": "xterm"})
            self.assertEqual((status, out.rstrip("\n")), (0, MARKDOWN.rstrip("\n")))


class Commands(InteractiveTest):
    def test_retry_model_and_the_length_of_the_context(self):
        child = self.chat("--temperature", "0")

        def say(text):
            child.send(text + ENTER)
            child.expect_exact(">>> ")
            return child.before

        self.assertIn("no message to answer", say("/retry"))
        self.assertIn("1, 2, 3, 4", say("Count from 1 to 4"))
        self.assertIn("1, 2, 3, 4", say("/retry"))
        self.assertEqual(say("/show messages").count("1, 2, 3, 4"), 1)
        self.assertIn("at most", say("/set parameter num_ctx 99999999"))
        self.assertIn("num_ctx: expected", say("/set parameter num_ctx many"))
        self.assertIn("num_ctx = 64", say("/set parameter num_ctx 64"))
        self.assertIn("the context holds 64", say("hello " * 100))
        self.assertIn("num_ctx = 512", say("/set parameter num_ctx 512"))
        self.assertIn("1, 2, 3", say("Count from 1 to 3"))
        self.assertIn(" * demo:latest", say("/model"))
        self.assertIn("nowhere:7b", say("/model nowhere:7b"))
        self.assertIn("512 tokens", say("/show info"))
        other = self.folder / "other.gguf"
        other.symlink_to(DEMO)
        self.assertIn("Pleiad", say(f"/model {other}").replace("pleiad", "Pleiad"))
        self.assertIn("1, 2, 3, 4", say("/show messages"))
        self.assertIn("/model gemma9", say("/load gemma9"))

    def test_no_failure_of_a_switch_takes_the_conversation(self):
        own = self.folder / "own.gguf"
        shutil.copy(DEMO, own)
        broken = self.folder / "broken.gguf"
        broken.write_bytes(own.read_bytes()[:100_000])
        child = self.chat("--temperature", "0", model=own)

        def say(text):
            child.send(text + ENTER)
            child.expect_exact(">>> ")
            return child.before

        self.assertIn("1, 2, 3", say("Count from 1 to 3"))
        self.assertIn("broken.gguf", say(f"/model {broken}"))
        self.assertIn("1, 2, 3, 4", say("Count from 1 to 4"))
        own.unlink()
        self.assertIn("no model is loaded", say(f"/model {broken}"))
        self.assertIn("no model is loaded", say("Count from 1 to 5"))
        self.assertIn("no model is loaded", say("/set parameter num_ctx 64"))
        self.assertIn("model       none", say("/show info"))
        self.assertIn("1, 2, 3, 4", say("/show messages"))
        say(f"/model {DEMO}")
        self.assertIn("1, 2, 3, 4, 5", say("Count from 1 to 5"))

    def test_the_system_turn_is_the_users_or_else_the_models(self):
        env = {"PLEIAD_MODELS": str(self.folder / "own"), "PLEIAD_HOST": "127.0.0.1:1"}
        for name in ("alpha", "beta"):
            done = run("create", name, "-f", "-", stdin=f"FROM {DEMO}\nSYSTEM I am {name}.\n", env=env)
            self.assertEqual(done[0], 0, done[2])
        child = self.chat(model="alpha", env=env)

        def say(text):
            child.send(text + ENTER)
            child.expect_exact(">>> ")
            return child.before

        self.assertIn("I am alpha.", say("/show system"))
        self.assertIn(" * alpha:latest", say("/model"))
        say("/model beta")
        self.assertIn("I am beta.", say("/show system"))
        say("/set system")
        say("/model alpha")
        self.assertIn("no system turn", say("/show system"))
        child = self.chat("--system", "", model="alpha", env=env)
        self.assertIn("no system turn", say("/show system"))

    def test_a_servers_model_loses_its_system_turn_when_told(self):
        told = Told()
        told.system = "I am the server's."
        child = self.talk(told)
        for line in ("Hi", "/set system", "Hi"):
            child.send(line + ENTER)
            child.expect_exact(">>> ")
        self.assertEqual([body["messages"][0] for body in told.asked],
                         [{"role": "user", "content": "Hi"}, {"role": "system", "content": ""}])

    def test_a_server_gets_the_format_and_the_length(self):
        told = Told()
        child = self.talk(told)
        for line in ("/set format json", "/set parameter num_ctx 2048"):
            child.send(line + ENTER)
            child.expect_exact(">>> ")
        child.send("/set parameter num_ctx 5000" + ENTER)
        child.expect_exact("at most 4,096")
        child.send("Hi" + ENTER)
        child.expect_exact("Yes.")
        self.assertEqual((told.asked[0]["format"], told.asked[0]["options"]["num_ctx"]), ("json", 2048))
        child.expect_exact(">>> ")
        child.send("/retry" + ENTER)
        child.expect_exact("Yes.")
        self.assertEqual([len(body["messages"]) for body in told.asked], [1, 1])


if __name__ == "__main__":
    unittest.main()
