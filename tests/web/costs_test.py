#!/usr/bin/env python3
"""What sounds, videos and documents take of a prompt, as the page tells it, and what a model cannot be shown."""
import base64
import threading
import unittest

from fake_server import Reply
from media_test import EDIT, FILM, PDF, MediaTest, memo, png


class CostTest(MediaTest):
    def test_the_server_is_asked_once_and_no_model_is_loaded(self):
        self.open_page()
        self.pick(self.file("a.pdf", PDF))
        self.wait_costs(["2 pages · 120 tokens"])
        self.browser.type("#question", "typing draws the page again")
        self.wait_frame()
        [count] = self.server.counts
        self.assertEqual(count, {
            "model": "gemma4:e2b", "options": {}, "_debug_render_only": True, "stream": False,
            "messages": [{"role": "user", "content": "", "documents": [{"name": "a.pdf", "data": base64.b64encode(PDF).decode()}]}]})

    def test_pages_that_are_pictures_are_counted_anew_for_another_budget(self):
        self.server.told[PDF] = {"kind": "document", "pages": 3, "total_pages": 3, "picture_pages": 1, "tokens": 1200}
        self.open_page()
        self.assertFalse(self.browser.shown("#detail"))
        self.pick(self.file("a.pdf", PDF))
        self.wait_costs(["3 pages · 1,200 tokens"])
        self.assertTrue(self.browser.shown("#detail"))
        self.server.told[PDF] = {**self.server.told[PDF], "tokens": 150}
        self.browser.run("const box = document.querySelector('#detail'); box.value = '70'; box.dispatchEvent(new Event('change'))")
        self.wait_costs(["3 pages · 150 tokens"])
        self.assertEqual([count["options"] for count in self.server.counts], [{}, {"max_soft_tokens": 70}])
        self.converse("?")
        self.assertEqual(self.server.chats[0]["options"], {"max_soft_tokens": 70})

    def test_pages_of_a_document_are_chosen(self):
        self.server.told[PDF] = {"kind": "document", "pages": 12, "total_pages": 12, "picture_pages": 0, "tokens": 9000}
        self.open_page()
        self.pick(self.file("a.pdf", PDF))
        self.wait_costs(["12 pages · 9,000 tokens"])
        self.server.told[PDF] = {"kind": "document", "pages": 3, "total_pages": 12, "picture_pages": 0, "tokens": 2000}
        self.browser.type("[aria-label='Pages of a.pdf']", "2-4")
        self.browser.press("Enter")
        self.wait_costs(["3 of 12 pages · 2,000 tokens"])
        self.assertEqual(self.browser.run("return document.activeElement.id"), "question")
        self.server.told[PDF] = "has no page 99"
        self.browser.clear("[aria-label='Pages of a.pdf']")
        self.browser.type("[aria-label='Pages of a.pdf']", "99")
        self.browser.press("Enter")
        self.wait_text("#attachments .note", "“a.pdf”: has no page 99")
        self.assertTrue(self.browser.run("return document.querySelector('#send').disabled"))
        self.server.told[PDF] = {"kind": "document", "pages": 3, "total_pages": 12, "picture_pages": 0, "tokens": 2000}
        self.browser.clear("[aria-label='Pages of a.pdf']")
        self.browser.type("[aria-label='Pages of a.pdf']", "2-4")
        self.browser.press("Enter")
        self.wait_costs(["3 of 12 pages · 2,000 tokens"])
        self.assertEqual(self.server.chats, [])
        self.converse("?")
        self.assertEqual([one["messages"][0]["documents"][0].get("pages") for one in self.server.counts[:2] + self.server.chats],
                         [None, "2-4", "2-4"])
        self.open_again()
        self.wait_costs(["3 of 12 pages · 2,000 tokens"], ".question")
        self.converse("again")
        self.assertEqual(self.server.chats[1]["messages"][0]["documents"][0]["pages"], "2-4")
        self.assertEqual(self.exported()["messages"][0]["documents"][0]["pages"], "2-4")

    def test_videos_are_heard_where_it_is_wished(self):
        self.open_page()
        self.assertFalse(self.browser.shown("#video-sound-choice"))
        self.pick(self.file("film.mp4", FILM))
        self.wait_costs(["0:04 · 256 tokens"])
        self.server.told[FILM] = {"kind": "video", "seconds": 4.0, "tokens": 356}
        self.browser.click("#video-sound-choice")
        self.wait_costs(["0:04 · 356 tokens"])
        self.converse("?")
        self.assertEqual(self.server.chats[0]["options"], {"use_audio_in_video": True})
        self.open_again()
        self.wait_costs(["0:04 · 356 tokens"], ".question")
        self.assertTrue(self.browser.run("return document.querySelector('#video-sound').checked"))

    def test_nothing_is_counted_before_it_is_known_what_the_model_can(self):
        self.server.sees.add("demo:latest")
        self.server.held["demo:latest"] = threading.Event()
        self.addCleanup(self.server.held["demo:latest"].set)
        self.open_page()
        self.pick(self.file("film.mp4", FILM))
        self.wait_costs(["0:04 · 256 tokens"])
        self.server.told[FILM] = {"kind": "video", "seconds": 4.0, "tokens": 300}
        self.choose("demo:latest")
        self.browser.click("#video-sound-choice")  # draws the page again
        self.wait_costs(["0:04 · tokens unknown"])
        self.assertEqual(len(self.server.counts), 1)
        self.server.held["demo:latest"].set()
        self.wait_costs(["0:04 · 300 tokens"])
        self.assertEqual([(one["model"], one["options"]) for one in self.server.counts[1:]], [("demo:latest", {})])

    def test_the_budget_that_nobody_chose_is_told(self):
        def told():
            return self.browser.run("return document.querySelector('#detail').selectedOptions[0].innerText")

        self.server.told[PDF] = {"kind": "document", "pages": 3, "total_pages": 3, "picture_pages": 1, "tokens": 1200}
        self.open_page()
        self.pick(self.file("a.png", png(48, 48)))
        self.wait_frame()
        self.assertEqual(told(), "up to 280 tokens (model's)")
        self.pick(self.file("a.pdf", PDF))
        self.wait_costs(["256 tokens", "3 pages · 1,200 tokens"])
        self.assertEqual(told(), "up to 280 tokens (model's), pages 1,120")
        self.browser.click("[aria-label='Remove a.png']")
        self.wait_frame()
        self.assertEqual(told(), "up to 1,120 tokens (usual of pages)")

    def test_more_files_than_the_server_takes_are_not_sent(self):
        self.open_page()
        self.pick(*[self.file(f"{i}.png", png(48, 48)) for i in range(101)])
        self.wait_text("#attachments .note", "One conversation has 100 files at most; these are 101.")
        self.assertTrue(self.browser.run("return document.querySelector('#send').disabled"))
        self.browser.click("[aria-label='Remove 7.png']")
        self.wait("return !document.querySelector('#send').disabled", "a hundred are not sent")

    def test_what_the_server_would_refuse_is_told_before_it_is_sent(self):
        sound = memo()
        self.server.told[sound] = "is a WAV file that ends early"
        self.open_page()
        self.pick(self.file("memo.wav", sound))
        self.wait_text("#attachments .note", "“memo.wav”: is a WAV file that ends early")
        self.browser.type("#question", "What is said?")
        self.assertTrue(self.browser.run("return document.querySelector('#send').disabled"))
        self.browser.press("Enter")
        self.assertEqual(self.server.chats, [])
        self.browser.click("[aria-label='Remove memo.wav']")
        self.wait("return !document.querySelector('#send').disabled", "it cannot be sent without")
        self.assertFalse(self.browser.shown("#attachments .note"))

    def test_what_the_server_warns_of_stands_below(self):
        self.server.told[PDF] = {"kind": "document", "pages": 3, "total_pages": 3, "picture_pages": 0, "tokens": 70,
                                 "warnings": ["messages[0].documents[0]: page 2 is empty"]}
        self.open_page()
        self.pick(self.file("a.pdf", PDF))
        self.wait_text("#attachments .note", "“a.pdf”: page 2 is empty")
        self.assertFalse(self.browser.run("return document.querySelector('#send').disabled"))

    def test_a_server_that_counts_nothing_leaves_the_tokens_unknown(self):
        self.server.told[PDF] = {}
        self.open_page()
        self.pick(self.file("a.pdf", PDF))
        self.wait_costs(["tokens unknown"])
        self.server.default = Reply("Yes.", media=[{"kind": "document", "pages": 5, "total_pages": 5, "picture_pages": 0, "tokens": 77,
                                                    "cached": True}])
        self.converse("?")
        self.wait_costs(["5 pages · 77 tokens"], ".question")
        self.wait_text(".reply .figures", "1 document: 77 tokens, 1 cached")


class AbleTest(MediaTest):
    def test_a_model_that_hears_nothing_is_given_no_sound(self):
        self.server.hears = set()
        self.open_page()
        self.wait("return document.querySelector('#microphone').disabled", "it is on")
        self.assertEqual(self.browser.run("return document.querySelector('#microphone').title"),
                         "Record with the microphone: gemma4:e2b hears no sound.")
        self.drop(self.file("memo.wav", memo()), self.file("a.pdf", PDF))
        self.wait_text("#attachments .note", "gemma4:e2b hears no sound.")
        self.wait_costs(["2 pages · 120 tokens"])  # of the document, which every model reads
        self.assertEqual(len(self.server.counts), 1)

    def test_a_model_that_sees_nothing_is_shown_no_video_and_no_page_that_is_a_picture(self):
        self.server.sees = set()
        self.server.told[PDF] = "gemma4:e2b has no vision tower that can be used, and page 3 has no text: it would be shown as a picture"
        self.open_page()
        self.wait("return document.querySelector('#camera').disabled", "it is on")
        self.drop(self.file("film.mp4", FILM))
        self.wait_text("#attachments .note", "gemma4:e2b sees no videos.")
        self.assertEqual(self.browser.count("#attachments li"), 0)
        self.drop(self.file("a.pdf", PDF))
        self.wait_text("#attachments .note", "“a.pdf”: gemma4:e2b has no vision tower that can be used, and page 3 has no text")
        self.assertTrue(self.browser.run("return document.querySelector('#send').disabled"))

    def test_a_conversation_is_not_sent_to_a_model_that_cannot_take_it(self):
        for name, data, words in [("memo.wav", memo(), "demo hears no sound."), ("film.mp4", FILM, "demo sees no videos."),
                                  ("a.pdf", PDF, "demo sees no pictures, and pages of “a.pdf” would be shown as some.")]:
            with self.subTest(name=name):
                self.server.told[PDF] = {"kind": "document", "pages": 3, "total_pages": 3, "picture_pages": 1, "tokens": 1200}
                self.open_page()
                self.choose("gemma4:e2b")
                self.pick(self.file(name, data))
                self.wait("return /\\d tokens/.test(document.querySelector('#attachments .cost').innerText)", "not counted")
                self.converse("one")
                n_sent = len(self.server.chats)
                self.choose("demo:latest")
                self.wait_text("#attachments .note", words)
                self.browser.type("#question", "two")
                self.browser.press("Enter")
                self.wait_frame()
                self.assertEqual(len(self.server.chats), n_sent)
                self.browser.clear("#question")

    def test_a_reply_stays_where_the_model_cannot_take_what_was_asked(self):
        sound = memo()
        self.open_page()
        self.pick(self.file("memo.wav", sound))
        self.wait_costs(["0:02 · 50 tokens"])
        self.converse("one")
        n_sent = len(self.server.chats)
        self.choose("demo:latest")
        self.wait_text("#attachments .note", "demo hears no sound.")
        self.browser.click("[aria-label='Answer again']")
        self.wait_text("#chat > .error", "Nothing was sent.\n\ndemo hears no sound.")
        self.assertEqual(self.browser.texts(".reply .markdown")[-1], "Hello there.")
        self.browser.run(EDIT)
        self.browser.type(".edit textarea", " two")
        self.browser.press("Enter")
        self.wait_frame()
        self.assertTrue(self.browser.shown(".edit"))
        self.assertEqual(self.browser.texts(".reply .markdown")[-1], "Hello there.")
        self.assertEqual(len(self.server.chats), n_sent)
        # Without what it cannot take the question goes.
        self.browser.click(".edit [aria-label='Remove memo.wav']")
        self.browser.press("Enter")
        self.wait_text(".bubble", "one two")
        self.wait_reply()
        self.assertEqual(self.browser.count("#chat > .error"), 0)
        self.assertEqual(self.sent(), [([], [])])


if __name__ == "__main__":
    unittest.main()
