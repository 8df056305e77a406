"""A conversation at a terminal."""
import json
import unittest

import pexpect

from harness import DEMO, ProgramTest, run

TOOLS = [{"type": "function", "function": {
    "name": "get_weather", "description": "Get the weather in a city.",
    "parameters": {"type": "object", "required": ["city"],
                   "properties": {"city": {"type": "string", "description": "The city."}}}}}]


class Conversation(ProgramTest):
    def say(self, chat, text):
        """Sends a line; returns what came before the next prompt."""
        chat.sendline(text)
        chat.expect_exact(">>> ")
        return chat.before

    def call_and_answer(self, chat, question, result):
        """Asks what the tool is called for, and gives its result; returns what came before and behind that."""
        chat.sendline(question)
        chat.expect_exact("result of get_weather> ")
        call = chat.before
        return call, self.say(chat, result)

    def test_six_turns_with_a_tool_call_thinking_and_json(self):
        (self.folder / "tools.json").write_text(json.dumps(TOOLS))
        chat = self.chat("--temperature", "0")
        self.assertIn("1, 2, 3, 4, 5, 6", self.say(chat, "Count from 1 to 6"))
        self.say(chat, f"/set tools {self.folder / 'tools.json'}")
        call, reply = self.call_and_answer(chat, "What is the weather in Paris?", "sunny, 21 degrees")
        self.assertIn('[tool call] get_weather({"city":"Paris"})', call)
        self.assertIn("sunny", reply)
        self.say(chat, "/set tools none")
        self.say(chat, "/set think")
        thought = self.say(chat, "What is 5 + 4?")
        self.assertIn("Thinking: ", thought)
        self.assertIn("5 + 4 = 9", thought)
        self.say(chat, "/set nothink")
        self.assertIn('{"answer": 50}', self.say(chat, "What is 20 + 30? Answer in JSON."))
        self.say(chat, "/set verbose")
        verbose = self.say(chat, "What day comes after Monday?")
        self.assertIn("Tuesday", verbose)
        self.assertRegex(verbose, r"[1-9]\d* cached")
        self.assertIn("p-l-a-n-e-t", self.say(chat, "Spell the word planet"))
        chat.sendline("/bye")
        chat.expect(pexpect.EOF)

    def test_calls_are_held_to_the_tools_that_are_set(self):
        tool = json.loads(json.dumps(TOOLS[0]))
        tool["function"]["parameters"]["properties"]["city"].update({"maxLength": 3, "format": "zip"})
        file = self.folder / "tools.json"
        file.write_text(json.dumps([tool]))
        chat = self.chat("--temperature", "0")
        self.say(chat, f"/set tools {file}")
        call, _ = self.call_and_answer(chat, "What is the weather in Paris?", "sunny")
        self.assertRegex(call, r'\[tool call\] get_weather\(\{"city":".{0,3}"\}\)')
        self.assertIn("warning: tools[0].function.parameters.properties.city.format: ", call)
        tool["function"]["parameters"]["properties"]["city"] = {"type": "integer", "minimum": 1, "multipleOf": 1048576}
        file.write_text(json.dumps([tool]))
        self.say(chat, f"/set tools {file}")
        call, _ = self.call_and_answer(chat, "What is the weather in Paris?", "rainy")
        self.assertIn("warning: tools[0].function.parameters: the arguments of a call are not valid under it: ", call)
        tool["function"]["strict"] = True
        tool["function"]["parameters"]["properties"]["city"] = {"type": "string", "pattern": "(?<=a)b"}
        file.write_text(json.dumps([tool]))
        self.say(chat, f"/set tools {file}")
        self.assertIn("tools[0].function.parameters.properties.city.pattern: ",
                      self.say(chat, "What is the weather in Rome?"))

    def test_a_message_of_several_lines(self):
        chat = self.chat("--temperature", "0")
        chat.sendline('"""Count from')
        chat.expect_exact("... ")
        chat.sendline('1 to 4"""')
        chat.expect_exact(">>> ")
        self.assertIn("user: Count from\r\n1 to 4", self.say(chat, "/show messages"))

    # The tokens that end a reply, made impossible: such a reply ends with the context.
    ENDLESS = ("--repetition-guard", "off",
               "--logit-bias", "1=-100", "--logit-bias", "106=-100", "--logit-bias", "50=-100")

    def test_ctrl_c_stops_the_reply_and_not_the_program(self):
        chat = self.chat("--temperature", "0", *self.ENDLESS)
        chat.sendline("Count from 1 to 30")
        chat.expect_exact("1, 2")
        chat.sendintr()
        chat.expect_exact(">>> ")
        self.assertIn("[stopped]", chat.before)
        self.assertIn("assistant: 1, 2", self.say(chat, "/show messages"))
        chat.sendintr()
        chat.expect_exact("/bye leaves")
        chat.expect_exact(">>> ")
        chat.sendeof()
        chat.expect(pexpect.EOF)

    def test_ctrl_c_stops_a_reply_that_shows_nothing(self):
        # <|channel> again and again: a thought that is dropped, because thinking is off.
        chat = self.chat("--temperature", "0", "--repetition-guard", "off",
                         "--logit-bias", "100=100")
        chat.sendline("Hello")
        chat.expect_exact("Hello\r")  # the line is taken, and a reply follows
        seen = pexpect.TIMEOUT
        while seen is pexpect.TIMEOUT:
            chat.sendintr()
            chat.expect_exact(["[stopped]", ">>> ", pexpect.TIMEOUT], timeout=0.2)
            seen = chat.after
        self.assertEqual(seen, "[stopped]")
        self.assertEqual(chat.before.strip(), "")
        chat.expect_exact(">>> ")

    def test_typing_works_without_a_language(self):
        chat = self.chat("--temperature", "0", env={"LC_ALL": "C"})
        self.say(chat, "Grüße 😀 hi")
        self.assertIn("user: Grüße 😀 hi", self.say(chat, "/show messages"))

    def test_a_block_may_begin_with_a_slash(self):
        chat = self.chat("--temperature", "0")
        self.say(chat, '"""/bin is a folder""" and more')
        self.assertIn("user: /bin is a folder and more", self.say(chat, "/show messages"))

    def test_replies_have_the_format_that_is_set(self):
        schema = self.folder / "schema.json"
        schema.write_text(json.dumps({"type": "object", "properties": {"n": {"type": "integer"}},
                                      "required": ["n"], "additionalProperties": False}))
        chat = self.chat("--temperature", "0", "--num-predict", "60")
        self.say(chat, f"/set format {schema}")
        self.assertRegex(self.say(chat, "Count from 1 to 6"), r'\{\s*"n"\s*:')
        self.assertIn("format.type", self.say(chat, '/set format {"type": 7}')
                      + self.say(chat, "Count from 1 to 6"))
        self.say(chat, "/set format none")
        self.assertIn("1, 2, 3, 4, 5, 6", self.say(chat, "Count from 1 to 6"))

    def test_save_clear_load(self):
        chat = self.chat("--temperature", "0")
        self.say(chat, "Count from 1 to 4")
        path = self.folder / "chat.json"
        self.assertIn("2 messages saved", self.say(chat, f"/save {path}"))
        self.say(chat, "/clear")
        self.assertIn("no messages", self.say(chat, "/show messages"))
        self.assertIn("2 messages loaded", self.say(chat, f"/load {path}"))
        self.assertIn("1, 2, 3, 4", self.say(chat, "/show messages"))
        self.assertIn("cannot write", self.say(chat, "/save /dev/full/x"))
        self.assertIn("cannot open", self.say(chat, "/load /nowhere"))
        self.assertEqual(json.loads(path.read_text())["messages"][0]["content"],
                         "Count from 1 to 4")

    def test_a_message_too_long_is_refused_and_the_chat_goes_on(self):
        chat = self.chat("--temperature", "0", "--ctx", "120")
        answer = self.say(chat, "hello " * 150)
        self.assertRegex(answer, r"the prompt has \d+ tokens and the context holds 120")
        self.assertIn("not sent", answer)
        self.assertIn("1, 2, 3", self.say(chat, "Count from 1 to 3"))

    def test_lines_are_kept_for_the_next_time_unless_told_not_to(self):
        chat = self.chat()
        self.say(chat, "/show info")
        chat.sendline("/bye")
        chat.expect(pexpect.EOF)
        history = self.folder / "pleiad" / "history"
        self.assertIn("/show", history.read_text())
        self.assertEqual(history.stat().st_mode & 0o777, 0o600)
        history.unlink()
        chat = self.chat("--no-history")
        self.say(chat, "/show info")
        chat.sendline("/bye")
        chat.expect(pexpect.EOF)
        self.assertFalse(history.exists())

    def test_a_script_can_hold_a_conversation(self):
        status, out, _ = run("run", DEMO, "-i", "--temperature", "0",
                             stdin="Count from 1 to 4\n/show messages\n")
        self.assertEqual(status, 0)
        self.assertEqual(out.count("1, 2, 3, 4"), 2)


if __name__ == "__main__":
    unittest.main()
