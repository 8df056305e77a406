"""What fingers type: synonyms, mistakes, options before what they must not swallow, help, manuals."""
import datetime
import json
import os
import pathlib
import re
import shutil
import subprocess
import time
import unittest

import pexpect

from harness import DEMO, DEMO_TOWER, PROGRAM, ROOT, ProgramTest, run

COUNT = "Count from 1 to 5"
COUNTED = "1, 2, 3, 4, 5\n"


def pages(folder):
    """The manual pages, by command ("" for the program's own)."""
    status, _, err = run("man", "--out", folder)
    assert status == 0, err
    found = {}
    for path in sorted((pathlib.Path(folder) / "man" / "man1").iterdir()):
        found[path.name.removeprefix("pleiad").removeprefix("-").removesuffix(".1")] = path.read_text()
    return found


def options_with_values(page):
    """(name, what its value is called) of each option in a manual page that takes a value."""
    terms = re.findall(r"^\.TP\n(\\fB\\-.*)$", page, re.M)
    found = []
    for term in terms:
        match = re.fullmatch(r"(?:\\fB([^ ]*?)\\fR(?:, )?)+ \\fI(.*)\\fR", term)
        if match:
            names = [name.replace("\\-", "-") for name in re.findall(r"\\fB(.*?)\\fR", term)]
            found.append((names, match[2].replace("\\-", "-")))
    return found


class OptionsAndWords(ProgramTest):
    def test_options_leave_the_prompt_alone(self):
        for options in (("--seed", "1"), ("-s", "1"), ("--temperature", "0"), ("--temp", "0"), ("-n", "50"),
                        ("--num-predict", "50"), ("--stop", "zebra"), ("--logit-bias", "1=1"),
                        ("--top-k", "1"), ("--system", "Count."), ("--think=false",), ("--num_predict", "50"),
                        ("-t", "1"), ("-c", "500"), ("--ctx-size", "500"), ("--verbose",), ("-v",)):
            status, out, err = run("run", DEMO, "--temperature", "0", *options, COUNT)
            self.assertEqual((status, out), (0, COUNTED), (options, err))

    def test_every_option_with_a_value_takes_one_word(self):
        text = self.folder / "text"
        text.write_text("text")
        missing, out = str(self.folder / "missing.gguf"), str(self.folder / "out")
        # What follows the option, and the word that the error has to name: all of them got through.
        calls = {
            "run": ([missing, "Hi"], missing),
            "serve": ([missing, "--host", "unix:" + str(self.folder / "socket"), "--insecure"], missing),
            "logits": ([missing, "--tokens", "2", "--out", out], missing),
            "embed-media": ([missing, "--image", str(text), "--out", out], missing),
            "verify": ([missing, "--reference", str(text), "--tokens", "2"], missing),
            "bench": ([missing], missing),
            "eval": ([missing], missing),
            "quantize": ([missing, out, "--type", "q4_0"], missing),
            "convert": ([missing, out], missing),
            "render": ([missing], missing),
            "create": (["name"], missing),
            "synth": (["e3b", "q4_0", out], "e3b"),
            "tokenize": ([missing, "Hi"], missing),
            "show": ([missing], missing), "cp": ([missing, "name"], missing), "rm": ([missing], missing),
            "pull": ([missing], missing), "push": (["nothing", missing], missing),
            "stop": ([missing], missing), "list": None, "prune": None, "ps": None, "fit": None, "help": None,
            "version": None, "completion": None, "health": None,
        }
        values = {"N": "4", "X": "1", "ID=X": "1=1", "N,...": "4", "P": "0.01", "NAME,...": "sums",
                  "IDS": "2", "CLASS=TYPE": "ffn=q4_0", "MODEL:TYPE": "e2b:q4_0", "SIZE": "1G",
                  "DURATION": "5m", "VERSION": "0.1.2", "ADDRESS": "127.0.0.1:0", "LIST": "unix", "HOST[:PORT]": "x:1",
                  "P:G,...": "26:8", "SECONDS": "1", "URL": "http://127.0.0.1:1", "FLOAT": "1",
                  "NAME": "x", "KEY": "x", "TEXT": "x", "PAGES": "3-7"}
        # Refused for another reason than a word too many or too few.
        other = r"requires|excludes|is of|no use for it|takes the place|expected|is the same|no port|No such"
        lost = r"is required|not expected|too much|found nothing|is empty|at least \d+ required"
        tried = 0
        for command, page in pages(self.folder / "share").items():
            if not command:
                continue
            self.assertIn(command, calls)
            if calls[command] is None:
                continue
            following, named = calls[command]
            for names, kind in options_with_values(page):
                value = ("json" if kind == "FILE|json" else kind.split("|")[0].split(",")[0] if "|" in kind else
                         missing if command == "create" else str(text) if kind.startswith("FILE") else values[kind])
                for name in names:
                    if name in following:
                        continue
                    forms = [[name, value, *following]]
                    if name == names[0]:
                        forms.append([*following[:1], name, value, *following[1:]])
                    else:
                        forms.append([f"{name}={value}" if name[1] == "-" else name + value, *following])
                    for words in forms:
                        with self.subTest(words=(command, *words)):
                            status, out_text, err = run(command, *words)
                            self.assertNotEqual(status, 0)
                            self.assertEqual(out_text, "")
                            self.assertNotRegex(err, lost)
                            if named not in err:
                                self.assertRegex(err, other)
                        tried += 1
        self.assertGreater(tried, 250)

    def test_a_value_that_is_a_list_leaves_the_model_alone(self):
        for words in (("bench", "--prompt", "512", "/none.gguf"), ("eval", "--checks", "sums", "/none.gguf"),
                      ("quantize", "--keep", "ffn=q8_0", "/none.gguf", "out", "--type", "q4_0")):
            _, _, err = run(*words)
            self.assertIn("/none.gguf", err)

    def test_words_of_a_prompt_are_words(self):
        # With --raw the prompt is what it is: <bos> and a token for each piece.
        for prompt in ("[Count,a]", "[]", "++", "-5", "- a list"):
            _, tokens, _ = run("tokenize", DEMO, "--", prompt)
            _, _, err = run("run", DEMO, "--raw", "-n", "0", "--verbose", "--", prompt)
            self.assertIn(f" {len(tokens.split(',')) + 1} tokens", err, prompt)
        status, out, _ = run("run", DEMO, "Count", "from", "1", "to", "5", "--temperature", "0")
        self.assertEqual((status, out), (0, COUNTED))
        _, _, err = run("run", DEMO, "what", "is", "++", "here", "-n", "0")
        self.assertIn("cut off after 0 tokens", err)

    def test_what_follows_two_dashes_is_a_prompt(self):
        status, out, _ = run("run", DEMO, "--temperature", "0", "--", COUNT)
        self.assertEqual((status, out), (0, COUNTED))
        for words in ((DEMO, "--", "--seed"), (DEMO, "Hi", "--", "--seed"), ("--stop", "x", DEMO, "--", "--seed")):
            self.assertEqual(run("run", *words, "-1", stdin="")[0], 0, words)
        status, _, err = run("run", DEMO, "--temperature", "0", "-write a poem")
        self.assertEqual(status, 2)
        self.assertIn("comes after --", err)


class Mistakes(ProgramTest):
    def refused(self, *words, env=None):
        status, out, err = run(*words, env=env)
        self.assertEqual((status, out), (2, ""), (words, err))
        self.assertLess(len(err.splitlines()), 8, err)
        self.assertTrue(err.startswith("pleiad: "), err)
        return err

    def test_commands_are_suggested(self):
        self.assertIn("did you mean 'run'?", self.refused("runn"))
        self.assertIn("did you mean 'serve'?", self.refused("sevre"))
        self.assertIn("did you mean 'list'", self.refused("lsit"))
        self.assertIn("did you mean 'rm'?", self.refused("delete", "demo"))
        self.assertIn("pleiad run demo", self.refused("demo"))
        self.assertIn("pleiad run ./model.gguf", self.refused("./model.gguf"))
        self.assertIn("did you mean 'quantize'?", self.refused("help", "quantise"))

    def test_options_are_suggested(self):
        self.assertIn("did you mean '--temperature'?", self.refused("run", DEMO, "--temperatur", "0", "Hi"))
        self.assertIn("did you mean '--top-k' or '--top-p'?", self.refused("run", DEMO, "--top", "0", "Hi"))
        self.assertIn("did you mean '--parallel'?", self.refused("serve", "--paralell", "4"))
        self.assertIn("pleiad help serve", self.refused("serve", "--nonsense"))

    def test_what_was_expected_is_named(self):
        self.assertIn("expected MODEL", self.refused("show"))
        self.assertIn("expected N after it", self.refused("run", DEMO, "--threads"))
        self.assertIn("'b' is too much", self.refused("show", "a", "b"))
        self.assertIn("expected bf16|f16|f32|q4_0|q8_0, found 'q1'",
                      self.refused("run", DEMO, "Hi", "--kv-type", "q1"))
        self.assertIn("expected a number, found 'hot'", self.refused("run", DEMO, "--temperature", "hot", "Hi"))
        self.assertIn("--top-p: expected more than 0 and at most 1, found 3",
                      self.refused("run", DEMO, "--top-p", "3", "Hi"))
        self.assertIn("expected one of bash, zsh, fish", self.refused("completion", "tcsh"))
        self.assertIn("--keep-alive", self.refused("run", DEMO, "--keepalive", "soon", "Hi"))
        self.assertIn("expected true, false, high, medium or low, found 'deep'",
                      self.refused("run", DEMO, "--think=deep", "Hi"))
        self.assertIn("--thinking-budget: expected a whole number from 1",
                      self.refused("run", DEMO, "--thinking-budget", "0", "Hi"))
        self.assertIn("--repetition-guard: expected on or off, found 'maybe'",
                      self.refused("run", DEMO, "--repetition-guard", "maybe", "Hi"))
        self.assertIn("PROMPT", self.refused("run", DEMO, "--raw", "-i"))
        self.assertIn("run: --format: expected once, found 2 times",
                      self.refused("run", DEMO, "--format", "json", "--format", "none", "Hi"))

    def test_ports_that_contradict_each_other(self):
        err = self.refused("serve", "--host", "127.0.0.1:8080", "--port", "9090")
        self.assertIn("8080", err)
        self.assertIn("9090", err)
        self.assertIn("Unix socket", self.refused("serve", "--host", "unix:/tmp/x", "--port", "9090"))
        self.assertIn("65535", self.refused("serve", "--port", "99999"))
        self.assertIn("expected a port", self.refused("serve", "--port", "http"))


class Habits(ProgramTest):
    def test_the_version_by_every_name(self):
        _, version, _ = run("--version")
        for words in (("-v",), ("-V",), ("version",)):
            self.assertEqual(run(*words), (0, version, ""))

    def test_help_by_every_name(self):
        status, out, _ = run("help")
        self.assertEqual((status, out), run("--help")[:2])
        self.assertEqual(out, run()[1])
        self.assertIn("pleiad run demo", out)
        for command in ("run", "serve", "ls", "quantize"):
            status, out, err = run("help", command)
            self.assertEqual((status, err), (0, ""))
            self.assertEqual(out, run(command, "-h")[1])
            self.assertIn("Usage: pleiad ", out)
        self.assertEqual(run("show", "--help")[0], 0)

    def test_synonyms_of_ollamas_commands(self):
        self.assertEqual(run("ls")[1].split()[0], "NAME")
        self.assertIn("Usage: pleiad serve", run("start", "--help")[1])

    def test_the_server_listens_where_it_is_told(self):
        def listens(*words, env=None):
            status, out, err = run("serve", "--print-config", *words, env=env)
            self.assertEqual(status, 0, err)
            return dict(line.split()[:2] for line in out.splitlines())
        self.assertEqual(listens("--port", "8080")["port"], "8080")
        self.assertEqual(listens("--host", "127.0.0.1:8080", "--port", "8080")["host"], "127.0.0.1:8080")
        # A flag comes before a variable, whatever that says.
        self.assertEqual(listens("--port", "8080", env={"OLLAMA_HOST": "127.0.0.1:1"})["port"], "8080")
        self.assertEqual(listens("--ctx-size", "512", "--keepalive", "1h")["ctx"], "512")
        self.assertNotEqual(self.start_server("--port", "0"), "127.0.0.1:11434")

    def start_server(self, *words):
        """Returns its address."""
        log = open(self.folder / "log", "w+")
        self.addCleanup(log.close)
        server = subprocess.Popen([PROGRAM, "serve", *words], stdout=log, stderr=log)
        self.addCleanup(server.wait)
        self.addCleanup(server.terminate)
        for _ in range(600):
            found = re.search(r"127\.0\.0\.1:\d+", (self.folder / "log").read_text())
            if found:
                return found[0]
            self.assertIsNone(server.poll())
            time.sleep(0.05)
        self.fail("no server within 30 s")

    def test_a_server_keeps_the_model_as_long_as_it_is_told(self):
        env = {"PLEIAD_HOST": self.start_server("--port", "0")}
        status, out, err = run("run", "demo", "--keepalive", "20h", "--temperature", "0", COUNT, env=env)
        self.assertEqual((status, out, err), (0, COUNTED, ""))
        status, out, _ = run("ps", "--json", env=env)
        model = json.loads(out)["models"][0]
        expires = datetime.datetime.fromisoformat(model["expires_at"].split(".")[0].rstrip("Z"))
        hours = (expires - datetime.datetime.utcnow()).total_seconds() / 3600
        self.assertTrue(19 < hours <= 20, model)
        # What the server holds is what `stop` completes.
        self.assertEqual(run("complete", "--", "stop", "", env=env)[1], f"none\n{model['name']}\n")
        self.assertEqual(run("complete", "--", "stop", "", env={"PLEIAD_HOST": "127.0.0.1:1"})[1], "none\n")

    def test_levels_of_thinking_are_budgets(self):
        question = ("run", DEMO, "What is 3 plus 4?", "--temperature", "0")
        _, _, thought = run(*question, "--think")
        self.assertIn("Thinking: ", thought)
        for level in ("high", "medium", "low"):
            self.assertEqual(run(*question, f"--think={level}")[2], thought)  # it is short
        status, out, cut = run(*question, "--think=low", "--thinking-budget", "6")
        self.assertEqual(status, 0)
        self.assertTrue(out.strip(), cut)
        self.assertIn("[the thought was ended: its budget was spent]", cut)
        self.assertLess(len(cut.split("[")[0]), len(thought))
        self.assertEqual(run(*question, "--think=true")[2], thought)
        self.assertNotIn("Thinking", run(*question, "--think=false")[2])
        # --think leaves the prompt alone.
        self.assertEqual(run("run", DEMO, "--temperature", "0", "--think", "What is 3 plus 4?")[2], thought)
        self.assertNotIn("Thinking", run(*question, "--think", "--hidethinking")[2])

    def test_a_reply_has_the_format_that_is_asked_for(self):
        question = ("run", DEMO, "Tell me something", "--temperature", "0", "-n", "40")
        self.assertIsInstance(json.loads(run(*question, "--format", "json")[1]), dict)
        schema = {"type": "object", "properties": {"answer": {"type": "integer", "maximum": 99}},
                  "required": ["answer"], "additionalProperties": False}
        file = self.folder / "schema.json"
        file.write_text(json.dumps(schema))
        for form in (str(file), json.dumps(schema)):
            status, out, err = run(*question[:2], "--format", form, *question[2:])
            self.assertEqual(status, 0, err)
            self.assertIsInstance(json.loads(out)["answer"], int)
        env = {"PLEIAD_HOST": self.start_server("--port", "0")}
        status, out, err = run("run", "demo", *question[2:], "--format", file, env=env)
        self.assertEqual((status, err), (0, ""))
        self.assertIsInstance(json.loads(out)["answer"], int)
        file.write_text("no JSON")
        for form, word in ((file, "schema.json"), ("/none.json", "/none.json"), ("[1]", "[1]"), ("{", "JSON"),
                           ("", "expected a value"), ("regex:", "the regular expression is empty")):
            status, out, err = run(*question, "--format", form)
            self.assertEqual((status, out), (2, ""), form)
            self.assertIn(word, err)

    def test_what_of_a_format_is_not_enforced_is_told(self):
        """Here and against a server alike: whole, a line each; a format that cannot be held is an error of usage."""
        question = ("--temperature", "0", "-n", "60", "Tell me something", "--format")
        schema = json.dumps({"type": "object", "properties": {"a": {"type": "string", "format": "zip", "maxLength": 5},
                                                              "b": {"type": "string", "format": "zap", "maxLength": 5}}})
        wrong = '{"type": "array", "uniqueItems": true}'
        served = {"PLEIAD_HOST": self.start_server("--port", "0")}
        told = []
        for model, env in ((DEMO, {"PLEIAD_HOST": "127.0.0.1:1"}), ("demo", served)):
            status, out, err = run("run", model, *question, schema, env=env)
            self.assertEqual(status, 0, err)
            self.assertIsInstance(json.loads(out), dict)
            lines = err.splitlines()
            self.assertEqual([line[:line.index(" ", 9)] for line in lines],
                             [f"warning: format.properties.{name}.format:" for name in "ab"], err)
            told.append(lines)
            status, out, err = run("run", model, *question, wrong, env=env)
            self.assertEqual((status, out), (2, ""), err)
            self.assertIn("pleiad: format.uniqueItems: ", err)
        self.assertEqual(*told)

    WEATHER = {"type": "function", "function": {
        "name": "get_weather", "description": "Get the weather of a city",
        "parameters": {"type": "object", "required": ["city", "unit"],
                       "properties": {"city": {"type": "string", "maxLength": 3},
                                      "unit": {"type": "string", "enum": ["c", "f"]}}}}}

    def changed_tool(self, name, part, **more):
        """A file of the tool with this part as a property."""
        tool = json.loads(json.dumps(self.WEATHER))
        tool["function"]["parameters"]["properties"][name] = part
        tool["function"].update(more)
        file = self.folder / "tools.json"
        file.write_text(json.dumps([tool]))
        return file

    def test_calls_are_held_to_their_tools_schemas(self):
        """Here and by a server alike; what cannot be held is told, and where it may not be left out an error of usage."""
        question = ("What is the weather in Paris?", "--seed", "1", "--tools")
        served = {"PLEIAD_HOST": self.start_server("--port", "0")}
        told = []
        for model, env in ((DEMO, {"PLEIAD_HOST": "127.0.0.1:1"}), ("demo", served)):
            file = self.changed_tool("city", {"type": "string", "maxLength": 3, "format": "zip"})
            status, out, err = run("run", model, *question, file, env=env)
            self.assertEqual(status, 0, err)
            call = json.loads(re.fullmatch(r"\[tool call\] get_weather\((.*)\)\n", out)[1])
            self.assertEqual(sorted(call), ["city", "unit"])
            self.assertLessEqual(len(call["city"]), 3)
            self.assertIn(call["unit"], ("c", "f"))
            lines = err.splitlines()
            self.assertEqual([line[:line.index(" ", 9)] for line in lines],
                             ["warning: tools[0].function.parameters.properties.city.format:"], err)
            told.append(lines)
            file = self.changed_tool("city", {"type": "string", "pattern": "(?<=a)b"}, strict=True)
            status, out, err = run("run", model, *question, file, env=env)
            self.assertEqual((status, out), (2, ""), err)
            self.assertIn("pleiad: tools[0].function.parameters.properties.city.pattern: ", err)
        self.assertEqual(*told)

    def test_tools_and_a_format_go_together(self):
        """The reply is a call or has the format; with a grammar no tool can be called, which is told."""
        served = {"PLEIAD_HOST": self.start_server("--port", "0")}
        file = self.changed_tool("unit", {"type": "string", "enum": ["c", "f"]})
        for model, env in ((DEMO, {"PLEIAD_HOST": "127.0.0.1:1"}), ("demo", served)):
            asked = ("--temperature", "0", "-n", "60", "--tools", file, "--format")
            status, out, err = run("run", model, "What is the weather in Paris?", *asked, "json", env=env)
            self.assertEqual((status, err), (0, ""))
            self.assertRegex(out, r'^\[tool call\] get_weather\(\{"city":".{0,3}","unit":"[cf]"\}\)\n$')
            status, out, err = run("run", model, "Count from 1 to 5", *asked, "regex:[a-c]{3}", env=env)
            self.assertEqual(status, 0)
            self.assertRegex(out, "^[a-c]{3}\n$")
            self.assertIn("warning: tools: the reply had to have the format, so no tool could be called", err)
            status, out, err = run("run", model, "Count from 1 to 5", *asked, '{"const": "abc"}', "--stop", "ab", env=env)
            self.assertEqual((status, out.strip()), (0, '"'), err)
            self.assertIn("warning: format: a stop string cut the answer off", err)

    def test_raw_refuses_what_is_of_a_conversation(self):
        for flags in (("--format", "json"), ("--system", "x"), ("--system", ""), ("--tools", "t.json"), ("--think",),
                      ("--think=false",), ("--chat", "c.json")):
            status, out, err = run("run", DEMO, COUNT, "--raw", *flags)
            self.assertEqual((status, out), (2, ""), flags)
            self.assertIn(f"{flags[0].split('=')[0]}: has no effect with --raw", err)

    def test_a_keep_alive_without_a_server_has_no_effect_and_says_so(self):
        nowhere = {"PLEIAD_HOST": "127.0.0.1:1"}
        status, out, err = run("run", DEMO, "--keepalive", "5m", "--temperature", "0", COUNT, env=nowhere)
        self.assertEqual((status, out), (0, COUNTED))
        self.assertIn("--keep-alive has no effect", err)

    def test_lists_for_scripts(self):
        env = {"HOME": str(self.folder), "PLEIAD_MODELS": str(self.folder / "own"), "OLLAMA_MODELS": "/none",
               "HF_HUB_CACHE": "/none", "PLEIAD_MODEL_FOLDERS": ""}
        self.assertEqual(run("list", "--names", env=env), (0, "demo:latest\n", ""))
        status, out, _ = run("list", "--json", env=env)
        models = json.loads(out)["models"]
        self.assertEqual([model["name"] for model in models], ["demo:latest"])
        self.assertEqual(models[0]["size"], os.path.getsize(DEMO) + os.path.getsize(DEMO_TOWER))


class ChoiceOfModel(ProgramTest):
    def setUp(self):
        super().setUp()
        own = self.folder / "models"
        own.mkdir()
        shutil.copy(DEMO, own / "second.gguf")
        self.env = {**os.environ, "HOME": str(self.folder), "PLEIAD_MODELS": str(self.folder / "own"),
                    "OLLAMA_MODELS": "/none", "HF_HUB_CACHE": "/none", "PLEIAD_MODEL_FOLDERS": str(own),
                    "PLEIAD_HOST": "127.0.0.1:1", "XDG_STATE_HOME": str(self.folder), "TERM": "xterm",
                    "NO_COLOR": "1"}

    def ask(self, *words):
        child = pexpect.spawn(PROGRAM, ["run", *words], env=self.env, encoding="utf-8", timeout=60,
                              dimensions=(24, 200), echo=False)
        self.addCleanup(child.close, True)
        child.expect_exact("Which model?")
        child.expect_exact("leave): ")
        return child

    def test_a_number_or_a_name_begins_the_chat(self):
        child = self.ask()
        self.assertRegex(child.before, r"1 .*\r\n +2 ")
        self.assertIn("second:latest", child.before)
        child.sendline("demo")
        child.expect_exact(">>> ")
        child = self.ask("--temperature", "0")
        child.sendline("3")
        child.expect_exact("There is no '3'")
        child.expect_exact("leave): ")
        child.sendline("1")
        child.expect_exact(">>> ")

    def test_nothing_leaves(self):
        for leave in (lambda child: child.sendline(""), lambda child: child.sendeof()):
            child = self.ask()
            leave(child)
            child.expect(pexpect.EOF)
            child.close()
            self.assertEqual(child.exitstatus, 0)

    def test_without_a_terminal_the_models_are_listed(self):
        status, out, err = run("run", env=self.env)
        self.assertEqual((status, out), (2, ""))
        self.assertIn("expected MODEL", err)
        self.assertIn("demo:latest", err)
        self.assertIn("second:latest", err)


class Manual(ProgramTest):
    def setUp(self):
        super().setUp()
        self.pages = pages(self.folder)

    def test_every_command_has_a_page(self):
        commands = set(re.findall(r"^  ([a-z-]+)(?:, \w+)*  ", run("help")[1].split("Subcommands:")[1], re.M))
        self.assertGreater(len(commands), 15)
        self.assertEqual(set(self.pages), commands | {""})

    def test_mandoc_finds_nothing_to_say(self):
        if not shutil.which("mandoc"):
            self.skipTest("no mandoc here; scripts/setup brings it")
        files = sorted((self.folder / "man" / "man1").iterdir())
        done = subprocess.run(["mandoc", "-Tlint", *files], capture_output=True, text=True, check=False)
        self.assertEqual(done.stdout + done.stderr, "")

    def test_pages_read_as_they_are_meant(self):
        if not shutil.which("mandoc"):
            self.skipTest("no mandoc here; scripts/setup brings it")
        shown = subprocess.run(["mandoc", "-Tascii", self.folder / "man" / "man1" / "pleiad-run.1"],
                               capture_output=True, text=True, check=True).stdout
        shown = re.sub(r".\x08", "", shown)
        self.assertIn("--num-predict, --n-predict, --predict, -n X", shown)
        self.assertIn("--think[=true|false|high|medium|low]", shown)
        self.assertIn('pleiad run model.gguf "Translate to French: good morning" --temperature 0', shown)

    def test_pages_name_every_flag_and_variable(self):
        for command, page in self.pages.items():
            if not command:
                continue
            help_text = run("help", command)[1]
            for name in re.findall(r"(?<=[ ,])--[a-z][a-z-]+", help_text.split("Example")[0]):
                self.assertIn(name.replace("-", "\\-"), page, command)
        # What the program reads of its environment stands in pleiad(1).
        sources = "".join((ROOT / "apps" / "common" / name).read_text() for name in ("environment.cc",))
        named = set(re.findall(r'(?:variable|xdg_folder)\("(\w+)"', sources)) - {"TERM"}
        for several in re.findall(r"first_variable\(\{([^}]*)\}", sources):
            named |= set(re.findall(r'"(\w+)"', several))
        self.assertGreater(len(named), 8)
        for name in named:
            self.assertIn(name, self.pages[""], name)
        self.assertIn("OLLAMA_KEEP_ALIVE", self.pages["serve"])

    def test_one_page_to_the_output(self):
        self.assertEqual(run("man", "run")[1], self.pages["run"])
        self.assertEqual(run("man")[1], self.pages[""])
        self.assertEqual(run("man", "runn")[0], 2)
        status, out, err = run("man", "--out", "/dev/null/share")
        self.assertEqual((status, out), (1, ""))
        self.assertIn("/dev/null/share", err)
        self.assertNotIn("mistake in Pleiad", err)


if __name__ == "__main__":
    unittest.main()
