#!/usr/bin/env python3
"""The page with a server whose replies are chosen: conversations, figures, keys, faults."""
import json
import threading
import unittest

from fake_server import Pull, Reply
from harness import PageTest

CALL = {"function": {"name": "get_weather", "arguments": {"city": "Lis<b>bon", "days": 3}}}


class ConversationTest(PageTest):
    def test_a_reply_streams_and_ends_with_its_figures(self):
        held = threading.Event()
        self.server.replies["hi"] = Reply("Some **bo", "ld** words", held=held)
        self.open_page()
        self.ask("hi")
        self.wait_text(".reply > .markdown", "Some bold words")
        self.assertEqual(self.browser.count(".reply .figures span"), 0)
        self.assertTrue(self.browser.shown("#stop"))
        self.assertFalse(self.browser.shown("#send"))
        held.set()
        self.wait_reply()
        self.assertEqual(self.browser.texts(".reply .figures span"), [
            "gemma4:e2b", "50 tokens at 25.0 tok/s", "prompt 1,204: 1,180 cached, 24 evaluated at 240 tok/s", "2.5 s in all"])
        self.assertTrue(self.browser.shown("#send"))
        self.assertEqual(self.browser.count(".reply strong"), 1)

    def test_figures_claim_nothing_that_the_server_did_not_say(self):
        self.server.default = Reply("a", prompt_eval_cached_count=None, total_duration=0, eval_duration=0)
        self.server.replies["all cached"] = Reply("a", prompt_eval_cached_count=1204, load_duration=3_100_000_000)
        del self.server.default.final["prompt_eval_cached_count"]
        self.open_page()
        self.converse("unknown")
        self.assertEqual(self.browser.texts(".reply .figures span")[1:], ["50 tokens", "prompt 1,204, cached unknown"])
        self.converse("all cached")
        self.assertEqual(self.browser.texts(".reply:last-child .figures span")[2:],
                         ["prompt 1,204: 1,204 cached, 0 evaluated", "loaded in 3.1 s", "2.5 s in all"])

    def test_the_whole_conversation_is_sent_without_thinking(self):
        self.server.default = Reply("an answer", thinking=["secret"])
        self.open_page()
        self.converse("one")
        self.converse("two")
        self.assertEqual(self.server.chats[1]["messages"], [
            {"role": "user", "content": "one"}, {"role": "assistant", "content": "an answer"}, {"role": "user", "content": "two"}])
        self.assertEqual(self.server.chats[1]["model"], "gemma4:e2b")
        self.assertTrue(self.server.chats[1]["stream"])

    def test_thinking_is_asked_for_by_the_switch_and_folded_away(self):
        self.server.default = Reply("42", thinking=["First *this*,", " then that."])
        self.open_page()
        self.wait("return !document.querySelector('#thinking').disabled", "the switch stays off")
        self.converse("quick")
        self.assertIs(self.server.chats[0]["think"], False)
        self.browser.click(".switch")
        self.converse("slow")
        self.assertIs(self.server.chats[1]["think"], True)
        self.assertFalse(self.browser.shown(".reply:last-child .thinking .markdown"))
        self.browser.click(".reply:last-child .thinking summary")
        self.wait_text(".reply:last-child .thinking .markdown", "First this, then that.")
        self.assertEqual(self.browser.texts(".reply:last-child > .markdown"), ["42"])

    def test_thinking_streams_where_it_is_open(self):
        held = threading.Event()
        self.server.default = Reply(thinking=["Let me", " see"], held=held)
        self.open_page()
        self.ask("?")
        self.wait_text(".thinking summary", "Thinking")
        self.browser.click(".thinking summary")
        self.wait_text(".thinking .markdown", "Let me see")
        held.set()
        self.wait_reply()
        self.wait_text(".thinking summary", "Thought for")
        self.wait_text(".note", "The model ended without an answer.")

    def test_stop_closes_the_connection_and_keeps_what_came(self):
        self.server.default = Reply(*["word "] * 5000, pause=0.01)
        self.open_page()
        self.ask("go on")
        self.wait_text(".reply", "word word")
        self.browser.press("Escape")
        self.wait_text(".note", "Stopped.")
        self.assertTrue(self.server.gone.wait(10), "the server was not told")
        self.assertIn("word", self.browser.text(".reply > .markdown"))

    def test_the_rate_is_shown_while_a_reply_comes(self):
        self.server.default = Reply(*["word "] * 5000, pause=0.01)
        self.open_page()
        self.ask("go on")
        self.wait("return /about [0-9.]+ tok.s/.test(document.querySelector('.status')?.innerText)", "no rate")
        self.browser.click("#stop")
        self.wait_text(".note", "Stopped.")

    def test_answering_again_replaces_the_last_reply(self):
        self.open_page()
        self.converse("one")
        self.server.default = Reply("Another.")
        self.browser.click(".reply:last-child [aria-label='Answer again']")
        self.wait_text(".reply:last-child", "Another.")
        self.wait_reply()
        self.assertEqual(self.browser.count(".reply"), 1)
        self.assertEqual(self.server.chats[1]["messages"], [{"role": "user", "content": "one"}])

    def test_the_last_question_can_be_edited(self):
        self.open_page()
        self.converse("first")
        self.converse("secnd")
        self.assertEqual(self.browser.count("[aria-label='Edit this question']"), 1)
        self.browser.run("document.querySelector(\"[aria-label='Edit this question']\").click()")
        self.browser.clear(".edit textarea")
        self.browser.type(".edit textarea", "second")
        self.browser.press("Enter")
        self.wait("return document.querySelectorAll('.bubble').length === 2 && !document.querySelector('.edit')", "not sent")
        self.wait_reply()
        self.assertEqual(self.browser.texts(".bubble"), ["first", "second"])
        self.assertEqual([message["content"] for message in self.server.chats[-1]["messages"]], ["first", "Hello there.", "second"])

    def test_tool_calls_are_readable(self):
        self.server.default = Reply(calls=[CALL])
        self.open_page()
        self.converse("weather?")
        self.assertEqual(self.browser.text(".call .name code"), "get_weather")
        self.assertEqual(self.browser.texts(".call dt") + self.browser.texts(".call dd"), ["city", "days", "Lis<b>bon", "3"])

    def test_a_cut_reply_and_warnings_are_shown(self):
        self.server.default = Reply("Once", done_reason="length", warnings=["options.foo is not known"])
        self.open_page()
        self.converse("tell")
        self.assertIn("Cut at the limit", self.browser.texts(".note")[0])
        self.assertEqual(self.browser.texts(".note")[1], "options.foo is not known")

    def test_markup_in_replies_and_questions_is_text(self):
        attack = "<img src=x onerror=window.hit=1><script>window.hit=1</script> [x](javascript:window.hit=1)"
        self.server.default = Reply(attack, thinking=[attack], calls=[{"function": {"name": attack, "arguments": {attack: attack}}}])
        self.server.models.insert(0, {"name": attack, "details": {}, "size": 1})
        self.open_page()
        self.converse(attack)
        self.browser.click(".thinking summary")
        self.browser.open(f"{self.server.address}/#models")
        self.wait_text("#models", "onerror")
        self.assertIsNone(self.browser.run("return window.hit ?? null"))
        self.assertEqual(self.browser.count("img:not([src^='/assets/'])"), 0)


class KeptTest(PageTest):
    def test_conversations_outlast_the_page(self):
        self.open_page()
        self.converse("Remember me")
        self.open_page(self.browser.run("return location.hash"))
        self.wait_text("#title", "Remember me")
        self.wait_text(".reply", "Hello there.")
        self.assertEqual(self.browser.texts("#conversations .entry"), ["Remember me"])

    def test_several_conversations_are_apart_and_go_on_in_the_background(self):
        held = threading.Event()
        self.server.replies["slow"] = Reply("begun", held=held)
        self.open_page()
        self.ask("slow")
        self.wait_text(".reply", "begun")
        self.browser.press("Control", "k")
        self.wait("return !document.querySelector('.question')", "no new chat")
        self.converse("quick")
        self.assertEqual(self.browser.texts("#conversations .entry"), ["quick", "slow"])
        self.assertEqual(self.browser.count("#conversations .pulse"), 1)
        self.assertEqual([len(chat["messages"]) for chat in self.server.chats], [1, 1])
        held.set()
        self.wait("return !document.querySelector('#conversations .pulse')", "it does not end")
        self.browser.click("#conversations li:last-child .entry")
        self.wait_text(".bubble", "slow")
        self.wait_text(".reply .figures", "25.0 tok/s")

    def choose(self, label):
        self.browser.run("document.querySelector('#conversations .icon-button').click();"
                         "[...document.querySelectorAll('.menu:popover-open button')].find((button) => button.innerText === arguments[0]).click()",
                         label)

    def test_rename(self):
        self.open_page()
        self.converse("question")
        self.choose("Rename")
        self.browser.clear("dialog input")
        self.browser.type("dialog input", "A better <b>title")
        self.browser.press("Enter")
        self.wait_text("#conversations .entry", "A better <b>title")
        self.open_page(self.browser.run("return location.hash"))
        self.wait_text("#title", "A better <b>title")

    def test_delete_asks_first(self):
        self.open_page()
        self.converse("question")
        self.choose("Delete")
        self.browser.press("Escape")
        self.wait("return !document.querySelector('dialog')", "the dialog stays")
        self.assertEqual(self.browser.count("#conversations .entry"), 1)
        self.choose("Delete")
        self.browser.click("dialog button.danger")
        self.wait("return !document.querySelector('#conversations .entry')", "it is still there")
        self.open_page()
        self.assertEqual(self.browser.count("#conversations .entry"), 0)

    def test_export(self):
        self.open_page()
        self.browser.run("window.files = []; URL.createObjectURL = (blob) => { blob.text().then((text) => files.push(text)); return '#'; }")
        self.converse("question")
        self.choose("Export as Markdown")
        self.choose("Export as JSON")
        files = self.browser.wait_for("return files.length === 2 && files", "nothing was exported")
        self.assertEqual(files[0], "# question\n\n## Question\n\nquestion\n\n## Reply (gemma4:e2b)\n\nHello there.\n")
        self.assertEqual([message["content"] for message in json.loads(files[1])["messages"]], ["question", "Hello there."])

    def test_the_model_is_remembered(self):
        self.open_page()
        self.browser.run("const box = document.querySelector('#model'); box.value = 'demo:latest'; box.dispatchEvent(new Event('change'))")
        self.open_page()
        self.converse("hi")
        self.assertEqual(self.server.chats[0]["model"], "demo:latest")


class SettingsTest(PageTest):
    def test_only_what_was_set_is_sent(self):
        self.open_page()
        self.converse("one")
        self.assertNotIn("options", self.server.chats[0])
        self.browser.click("#settings-button")
        self.assertEqual(self.browser.run("return document.querySelector('[name=top_k]').placeholder"), "64 (model's)")
        for name, value in {"temperature": "0.5", "top_k": "20", "seed": "7", "num_ctx": "4096", "top_p": "2"}.items():
            self.browser.type(f"dialog [name={name}]", value)
        self.browser.type("dialog [name=system]", "Be brief.")
        self.assertEqual(self.browser.text("#help-top_p"), "a number from 0 to 1")
        self.browser.click("dialog button.main")
        self.converse("two")
        self.assertEqual(self.server.chats[1]["options"], {"temperature": 0.5, "top_k": 20, "seed": 7, "num_ctx": 4096})
        self.assertEqual(self.server.chats[1]["messages"][0], {"role": "system", "content": "Be brief."})

    def test_colours_follow_the_system_until_they_are_chosen(self):
        colour = "return getComputedStyle(document.documentElement).backgroundColor"
        self.browser.colours("light")
        self.open_page()
        light = self.browser.run(colour)
        self.browser.colours("dark")
        dark = self.browser.run(colour)
        self.assertNotEqual(light, dark)
        self.browser.click("#settings-button")
        self.browser.click("dialog [value=light]")
        self.assertEqual(self.browser.run(colour), light)
        self.open_page()
        self.assertEqual(self.browser.run(colour), light)


class KeyboardTest(PageTest):
    def test_shift_enter_begins_a_line_and_enter_sends(self):
        self.open_page()
        self.browser.type("#question", "one")
        self.browser.press("Shift", "Enter")
        self.browser.type("#question", "two")
        self.browser.press("Enter")
        self.wait_reply()
        self.assertEqual(self.server.chats[0]["messages"][0]["content"], "one\ntwo")

    def test_every_control_has_a_name(self):
        self.open_page()
        self.converse("hi")
        for opener in (None, "#settings-button"):
            if opener:
                self.browser.click(opener)
            tree = self.browser.devtools("Accessibility.getFullAXTree")["nodes"]
            roles = {"button", "textbox", "combobox", "switch", "checkbox", "radio", "spinbutton", "link"}
            controls = [node for node in tree if node.get("role", {}).get("value") in roles and not node["ignored"]]
            self.assertGreater(len(controls), 5)
            self.assertEqual([node for node in controls if not node.get("name", {}).get("value")], [])

    def test_a_finished_reply_is_announced(self):
        self.open_page()
        self.converse("hi")
        self.wait_text("#announcer[aria-live=polite]", "Hello there.")

    def test_a_phone_shows_everything_within_its_width(self):
        self.browser.size(360, 700)
        self.server.default = Reply("| a | b | c |\n|--|--|--|\n| " + "word " * 9 + "| " + "x" * 80 + " | y |\n\n```\n" + "z" * 200 + "\n```\n" + "w" * 200)
        self.open_page()
        self.converse("wide " + "q" * 100)
        self.assertLessEqual(self.browser.run("return document.documentElement.scrollWidth"), 360)
        self.assertEqual(self.browser.run("const box = document.querySelector('#messages'); return box.scrollWidth - box.clientWidth"), 0)
        self.assertFalse(self.browser.shown("#new-chat"))
        self.browser.click("#menu")
        self.wait("return document.querySelector('#new-chat').checkVisibility({visibilityProperty: true})", "no menu")
        self.browser.click("#new-chat")
        self.wait("return !document.querySelector('.question') && !document.body.classList.contains('menu-open')", "no new chat")


class FaultTest(PageTest):
    def error_after(self, question, reply):
        # Not the one before it, which is the last until the question is there.
        before = self.browser.run("return document.querySelectorAll('.reply .error').length")
        self.server.replies[question] = reply
        self.ask(question)
        self.wait(f"return document.querySelectorAll('.reply .error').length > {before}"
                  " && document.querySelector('.reply:last-child .error')?.textContent", "no error is shown")
        return self.browser.text(".reply:last-child .error")

    def test_refusals_are_told_in_plain_words(self):
        self.open_page()
        for status, error, words in [
            (503, "server busy, please try again.  maximum pending requests exceeded", "The server is busy."),
            (404, 'model "x" not found, try pulling it first', "This model is not here."),
            (400, {"error": "12,310 tokens; 8,192 fit", "code": "context_length_exceeded"}, "longer than the model's context"),
            (400, {"error": "needs 9 GB", "code": "insufficient_memory"}, "not enough memory"),
            (400, "options.top_k: expected a whole number", "refused the request"),
            (500, "internal error", "Something went wrong in the server."),
        ]:
            with self.subTest(status=status, error=error):
                shown = self.error_after(f"{status} {error}", Reply(status=status, error=error))
                self.assertIn(words, shown)
                self.assertIn(f"The server says: {error['error'] if isinstance(error, dict) else error}".split("  ")[0], shown)

    def test_an_error_in_the_middle_keeps_what_came(self):
        self.open_page()
        self.assertIn("Something went wrong", self.error_after("broken", Reply("Half an ans", error="the engine failed")))
        self.assertEqual(self.browser.text(".reply > .markdown"), "Half an ans")

    def test_a_stream_that_breaks_off_is_told(self):
        self.open_page()
        self.assertIn("The connection broke off", self.error_after("cut", Reply("Half", broken=True)))

    def test_trying_again_asks_again(self):
        self.open_page()
        self.error_after("busy", Reply(status=503, error="busy"))
        self.server.replies["busy"] = Reply("Now.")
        self.browser.click(".reply .error button")
        self.wait_text(".reply > .markdown", "Now.")
        self.wait_reply()
        self.assertEqual(self.browser.count(".error"), 0)

    def test_a_server_that_is_gone_is_told(self):
        self.open_page()
        self.server.stop()
        self.ask("anybody?")
        self.wait_text(".reply .error", "The server does not answer.")

    def test_the_key_is_asked_for_and_kept_for_the_tab(self):
        self.server.key = "s3cret"
        self.browser.open(self.server.address)
        self.wait("return document.querySelector('dialog[open] input.secret')", "no question for the key")
        self.browser.type("dialog input", "wrong")
        self.browser.press("Enter")
        self.wait("return document.querySelector('dialog[open] input')?.value === ''", "not asked again")
        self.browser.type("dialog input", "s3cret")
        self.browser.press("Enter")
        self.wait_text("#version", "0.1.0")
        self.assertEqual(self.converse("hi"), "Hello there.")
        self.assertEqual(self.browser.run("return [sessionStorage.getItem('pleiad.key'), Object.values(localStorage).join().includes('s3cret')]"),
                         ['"s3cret"', False])
        self.open_page()

    def test_no_models_is_told(self):
        self.server.models = []
        self.open_page()
        self.wait_text(".error", "There are no models yet.")
        self.assertTrue(self.browser.run("return document.querySelector('#send').disabled"))


class ModelsTest(PageTest):
    def test_memory_and_load_state_are_shown_and_follow(self):
        self.server.load("gemma4:e2b")
        self.server.load("demo:latest", state="loading", loaded_bytes=3_900_000_000, total_bytes=8_000_000_000)
        self.server.models.append({"name": "bad:latest", "size": 1, "details": {}, "problem": "bad.gguf: not a GGUF file"})
        self.open_page("#models")
        self.wait_text(".models", "In memory · 4.9 GB · context 32,768")
        self.wait_text(".models", "Loading: 3.9 GB of 8.0 GB")
        self.wait_text(".models", "bad.gguf: not a GGUF file")
        self.assertEqual(self.browser.run("return document.querySelector('.models progress:not([hidden])').value"), 3.9e9)
        self.assertIn("3 at hand, 1 in memory, 4.9 GB.", self.browser.text("#models"))
        self.server.load("demo:latest", size=20_000_000)
        self.wait_text("#models", "2 in memory")

    def test_load_and_unload(self):
        self.server.load("gemma4:e2b")
        self.open_page("#models")
        self.wait_text(".models", "In memory")
        self.browser.click("[aria-label='Unload gemma4:e2b']")
        self.wait_text("#models", "none in memory")
        self.assertEqual(self.server.unloads, ["gemma4:e2b"])
        self.browser.click("[aria-label='Load demo:latest']")
        self.wait_text("#models", "1 in memory")

    def begin_pull(self, name):
        self.open_page("#models")
        self.wait_text(".models", "demo:latest")
        self.browser.type(".pull input", name)
        self.browser.press("Enter")

    @staticmethod
    def moving(completed, total=7_200_000_000):
        return {"status": "pulling aaaaaaaaaaaa", "digest": "sha256:a", "total": total, "completed": completed}

    def test_a_pull_shows_how_far_it_is_and_ends_in_the_list(self):
        held = threading.Event()
        offer = {"status": "pulling manifest", "host": "registry.ollama.ai", "size": 7_200_000_100, "license": "Apache", "type": "Q4_K_M"}
        self.server.pulls["gemma4:e4b"] = Pull({"status": "pulling manifest"}, offer, self.moving(1_800_000_000),
                                               {"status": "success"}, held=held)
        self.begin_pull("gemma4:e4b")
        self.wait_text(".pulls", "from registry.ollama.ai · Q4_K_M · Apache · 7.2 GB")
        self.wait_text(".pulls", "1.8 GB of 7.2 GB")
        self.assertEqual(self.browser.run("const bar = document.querySelector('.pulls progress'); return bar.value / bar.max > 0.24"), True)
        held.set()
        self.wait_text("#models", "3 at hand")
        self.wait("return !document.querySelector('.pulls li')", "the row stays")
        self.assertEqual(self.server.pulled, ["gemma4:e4b"])

    def test_cancelling_a_pull_closes_the_connection(self):
        self.server.pulls["gemma4:e4b"] = Pull(self.moving(1_800_000_000), {"status": "success"}, held=threading.Event())
        self.begin_pull("gemma4:e4b")
        self.wait_text(".pulls", "1.8 GB of 7.2 GB")
        self.browser.click("[aria-label='Cancel gemma4:e4b']")
        self.wait("return !document.querySelector('.pulls li')", "the row stays")
        self.assertTrue(self.server.gone.wait(10), "the server goes on")

    def test_a_pull_that_fails_says_why_and_can_be_tried_again(self):
        self.server.pulls["gemma4:e4b"] = Pull(self.moving(100), {"error": "registry.ollama.ai: the connection broke off"})
        self.begin_pull("gemma4:e4b")
        self.wait_text(".pulls .error", "The server says: registry.ollama.ai: the connection broke off")
        self.wait_text(".pulls .error", "trying again goes on from there")
        self.server.pulls["gemma4:e4b"] = Pull(self.moving(100), {"status": "success"})
        self.browser.run("[...document.querySelectorAll('.pulls .error button')].at(-1).click()")
        self.wait_text("#models", "3 at hand")
        self.server.pulls["no"] = Pull({"error": "this server neither fetches models nor sends them"}, status=403)
        self.browser.type(".pull input", "no")
        self.browser.press("Enter")
        self.wait_text(".pulls .error", "The server does not allow this.")
        self.browser.click("[aria-label='Dismiss no']")
        self.wait("return !document.querySelector('.pulls li')", "the row stays")

    def test_two_are_fetched_at_a_time_and_the_others_wait_for_their_turn(self):
        ends = {name: threading.Event() for name in ("one:a", "two:a", "three:a", "four:a", "five:a", "six:a", "seven:a")}
        for name, end in ends.items():
            self.server.pulls[name] = Pull(self.moving(1_800_000_000), {"status": "success"}, held=end)
        self.begin_pull("one:a")
        for name in list(ends)[1:]:
            self.browser.type(".pull input", name)
            self.browser.press("Enter")
        self.wait("return [...document.querySelectorAll('.pulls li')].filter(({innerText}) =>"
                  " innerText.includes('1.8 GB of 7.2 GB')).length === 2", "two are not fetched")
        self.assertIn("Waiting: 2 models are fetched at a time", self.browser.texts(".pulls li")[2])
        self.server.load("gemma4:e2b")  # there are connections left for all else
        self.wait_text("#models", "1 in memory")
        self.browser.click("[aria-label='Cancel three:a']")
        self.wait("return document.querySelectorAll('.pulls li').length === 6", "the row stays")
        self.assertEqual(self.server.pulled, ["one:a", "two:a"])
        self.browser.click("[aria-label='Cancel one:a']")
        self.wait("return [...document.querySelectorAll('.pulls li')][1].innerText.includes('1.8 GB of 7.2 GB')", "four does not come")
        for end in ends.values():
            end.set()
        self.wait("return !document.querySelector('.pulls li')", "the rows stay")
        self.assertEqual(self.server.pulled, ["one:a", "two:a", "four:a", "five:a", "six:a", "seven:a"])

    def test_what_a_pull_leaves_out_is_said_until_it_was_read(self):
        offer = {"status": "pulling manifest", "size": 100, "left_out": ["a draft model: it is not fetched"]}
        self.server.pulls["gemma4:e4b"] = Pull(offer, self.moving(100, 100), {
            "status": "success", "left_out": [*offer["left_out"], "its projector: it is of another model"]})
        self.begin_pull("gemma4:e4b")
        self.wait_text("#models", "3 at hand")
        for text in ("Fetched", "Left out: a draft model: it is not fetched", "Left out: its projector: it is of another model"):
            self.wait_text(".pulls li", text)
        self.browser.click("[aria-label='Dismiss gemma4:e4b']")
        self.wait("return !document.querySelector('.pulls li')", "the row stays")

    def test_reading_again_what_was_there_is_neither_rate_nor_a_step_back(self):
        self.open_page("#models")
        said = self.browser.run("""
            const {PullProgress} = await import("/assets/pull_progress.js");
            const progress = new PullProgress(), said = [];
            const at = (completed) => ({status: "pulling a", digest: "a", total: 1e9, completed});
            progress.add({status: "pulling manifest", size: 1e9, files: [{digest: "a", size: 1e9, at_hand: 9e8}]}, 0);
            said.push(progress.text(0));
            [3e8, 6e8, 9e8, 9.2e8, 9.4e8].forEach((completed, second) => {
              progress.add(at(completed), second);
              said.push(progress.text(second));
            });
            progress.add(at(1e7), 5);
            said.push(progress.completed);
            return said;""")
        self.assertEqual(said, ["pulling manifest", *["900 MB of 1.0 GB"] * 3, "920 MB of 1.0 GB · 6.7 MB/s · 12 s left",
                                "940 MB of 1.0 GB · 10.0 MB/s · 6.0 s left", 10_000_000])

    def test_deleting_asks_first_and_is_offered_for_what_pulling_fills_alone(self):
        self.open_page("#models")
        self.wait_text(".models", "demo:latest")
        self.assertFalse(self.browser.shown("[aria-label='Delete demo:latest']"))
        self.browser.click("[aria-label='Delete gemma4:e2b']")
        self.wait_text("dialog", "Delete gemma4:e2b?")
        self.browser.run("[...document.querySelectorAll('dialog button')].find(({innerText}) => innerText === 'Cancel').click()")
        self.assertEqual(self.server.removed, [])
        self.browser.click("[aria-label='Delete gemma4:e2b']")
        self.browser.run("document.querySelector('dialog .main').click()")
        self.wait_text("#models", "1 at hand")
        self.assertEqual(self.server.removed, ["gemma4:e2b"])

    def test_details_are_shown_when_asked_for(self):
        self.open_page("#models")
        self.wait_text(".models", "gemma4:e2b")
        self.browser.click("[aria-label='Details of gemma4:e2b']")
        for text in ("Q4_0, gguf", "completion, tools, thinking", "0123456789ab", "top_k 64"):
            self.wait_text(".models .details", text)
        self.assertEqual(self.browser.run("return document.querySelector(\"[aria-label='Details of gemma4:e2b']\").ariaExpanded"), "true")
        self.browser.click("[aria-label='Details of gemma4:e2b']")
        self.wait("return !document.querySelector('.models .details').checkVisibility()", "the details stay")

    def test_choosing_a_model_begins_to_chat_with_it(self):
        self.open_page("#models")
        self.wait_text(".models", "demo:latest")
        self.browser.run("[...document.querySelectorAll('.models .link')].find(({innerText}) => innerText === 'demo:latest').click()")
        self.wait("return document.querySelector('#composer').checkVisibility()", "no chat")
        self.converse("hi")
        self.assertEqual(self.server.chats[0]["model"], "demo:latest")

    def test_a_reply_that_waits_for_its_model_says_how_far_it_is(self):
        held = threading.Event()
        self.server.default = Reply(held=held)
        self.server.load("gemma4:e2b", state="loading", loaded_bytes=1_000_000_000, total_bytes=4_000_000_000)
        self.open_page()
        self.ask("hi")
        self.wait_text(".status", "Loading gemma4:e2b: 1.0 GB of 4.0 GB")
        held.set()
        self.wait_reply()


class SafetyTest(PageTest):
    def test_no_other_host_is_asked_and_the_policy_holds(self):
        self.browser.log("performance")
        self.server.default = Reply("![x](https://example.org/x.png) [x](https://example.org/) https://example.com")
        self.open_page()
        self.converse("pictures?")
        self.browser.click("#models-link")
        self.wait_text("#models", "at hand")
        events = [json.loads(line["message"])["message"] for line in self.browser.log("performance")]
        asked = [event["params"]["request"]["url"] for event in events if event["method"] == "Network.requestWillBeSent"]
        self.assertGreater(len(asked), 10)
        self.assertEqual([url for url in asked if not url.startswith(self.server.address)], [])
        self.assertEqual([line for line in self.browser.log() if line["level"] in ("SEVERE", "WARNING")], [])

    def test_markup_cannot_be_made_of_text_even_by_mistake(self):
        self.open_page()
        self.assertEqual(self.browser.run("try { document.createElement('div').innerHTML = '<b>x</b>'; return 'made'; } catch (error) { return error.name; }"),
                         "TypeError")


if __name__ == "__main__":
    unittest.main()
