#!/usr/bin/env python3
"""Sounds, videos and documents on the page: how they come, what is sent and kept of them."""
import base64
import json
import pathlib
import sys
import unittest

from harness import FilesTest

TESTS = pathlib.Path(__file__).resolve().parent.parent
MEDIA = TESTS / "golden" / "media"
sys.path.insert(0, str(TESTS / "seeing"))

from picture_maker import png  # noqa: E402
from sound_maker import memo  # noqa: E402

PDF = (MEDIA / "documents" / "numbered.pdf").read_bytes()
FILM = (MEDIA / "videos" / "h264_with_sound.mp4").read_bytes()
EDIT = "document.querySelector(\"[aria-label='Edit this question']\").click()"


class MediaTest(FilesTest):
    def sent(self, chat=-1):
        """Of each message of a request its documents and its other files."""
        return [([(one["name"], base64.b64decode(one["data"])) for one in message.get("documents", [])],
                 [base64.b64decode(one) for one in message.get("images", [])]) for message in self.server.chats[chat]["messages"]]

    def quiet(self):
        """Nothing that the page's policy refused, or that failed."""
        self.assertEqual([line for line in self.browser.log() if line["level"] in ("SEVERE", "WARNING")], [])


class KindTest(MediaTest):
    def kinds(self, files):
        """What the page takes each of these for."""
        self.server.files = files
        return self.browser.run("""return (async (names) => {
            const {kindOf} = await import("/assets/media_kinds.js");
            const told = {};
            for (const name of names) {
              const bytes = await (await fetch(`/files/${name}`)).arrayBuffer();
              told[name] = kindOf(new Uint8Array(bytes))?.kind ?? null;
            }
            return told;
          })(...arguments)""", list(files))

    def test_every_file_is_what_the_server_takes_it_for(self):
        self.open_page()
        folders = {"corpus": "picture", "sounds": "sound", "videos": "video", "documents": "document"}
        for folder, kind in folders.items():
            paths = [path for path in (MEDIA / folder).iterdir() if path.suffix not in (".json", ".npy", ".f32", ".rgb", ".txt")]
            self.assertGreater(len(paths), 9, folder)
            told = self.kinds({path.name: path.read_bytes() for path in paths})
            expected = {path.name: "picture" if path.suffix in (".gif", ".png") else kind for path in paths}
            self.assertEqual(told, expected)

    def test_what_is_none_is_told_by_its_content(self):
        element = bytes.fromhex
        segment = element("1a45dfa3 80 18538067")
        audio, video = element("1654ae6b 85 ae 83 8381 02"), element("1654ae6b 85 ae 83 8381 01")
        files = {
            "note.txt": (b"just words", "document"), "BM.txt": (b"BMW builds cars, and more than that.", "document"),
            "utf16": (b"\xff\xfeh\0i\0", "document"), "zeros": (b"\0" * 2000, None), "empty": (b"", None),
            "elf": (b"\x7fELF\2\1\1\0" + b"\0" * 100, None), "late.pdf": (b"\xef\xbb\xbf\n%PDF-1.4\n", "document"),
            # Sizes of one byte and of eight; a segment of unknown size.
            "a.webm": (segment + element("8a") + audio, "sound"), "b.webm": (segment + element("01ffffffffffffff") + video, "video"),
            "c.webm": (segment + element("010000000000000a") + video, "video"), "d.webm": (segment + element("80"), "video"),
            "cut.webm": (element("1a45dfa3"), "video"), "cut.mp4": (b"\0\0\0\x10ftypisom", "video"),
            "m4a": (b"\0\0\0\x10ftypM4A \0\0\0\0", "sound"), "loop.mp4": (b"\0\0\0\0ftypisom" + b"\0\0\0\4moov" * 3, "video"),
            "theora": (b"OggS\0\2" + b"\0" * 20 + b"\1\7\x80theora", "video"), "cut.ogg": (b"OggS\0\2", "sound"),
            "riff": (b"RIFF\0\0\0\0ACON\0", None), "rifx": (b"RIFX\0\0\0\0WAVE\0", None),
        }
        self.open_page()
        self.assertEqual(self.kinds({name: data for name, (data, _) in files.items()}),
                         {name: kind for name, (_, kind) in files.items()})


class ComingTest(MediaTest):
    def test_a_memo_a_film_and_a_document_are_dropped_and_sent_byte_for_byte(self):
        sound = memo()
        paths = [self.file("memo.wav", sound), self.file("film.mp4", FILM), self.file("report.pdf", PDF)]
        self.open_page()
        self.drop(*paths)
        self.wait_costs(["0:02 · 50 tokens", "0:04 · 256 tokens", "2 pages · 120 tokens"])
        self.wait_text("#attachments .note", "3 files, 426 tokens")
        self.assertEqual(self.browser.texts("#attachments .card .name"), ["report.pdf"])
        self.wait_text("#attachments .card", "PDF, 6.8 KB")
        self.wait("return document.querySelector('#attachments audio').duration > 1.9", "the sound cannot be played")
        self.assertEqual(self.server.chats, [])
        self.converse("What are they?")
        self.assertEqual(self.sent(), [([("report.pdf", PDF)], [sound, FILM])])
        self.assertNotIn("options", self.server.chats[0])
        self.assertEqual(self.costs(".question"), ["0:02 · 50 tokens", "0:04 · 256 tokens", "2 pages · 120 tokens"])
        self.assertEqual(self.browser.count("#attachments li"), 0)
        self.quiet()

    def test_the_sound_is_played(self):
        self.open_page()
        self.pick(self.file("memo.wav", memo()))
        self.browser.click("#question")  # browsers play nothing before somebody has done something
        self.browser.run("document.querySelector('#attachments audio').play()")
        self.wait("return document.querySelector('#attachments audio').currentTime > 0", "it does not play")

    def test_files_are_picked_and_pasted_together_with_pictures(self):
        picture, sound = png(48, 48), memo(0.4)
        self.server.told[sound] = {"kind": "sound", "seconds": 0.4, "tokens": 10}
        self.open_page()
        self.paste_file(b"name,age\nAda,36\n", "people.csv", "text/csv")
        self.wait_costs(["2 pages · 120 tokens"])
        self.wait_text("#attachments .card", "CSV, 16 B")
        self.pick(self.file("a.png", picture), self.file("b.wav", sound))
        self.wait_costs(["2 pages · 120 tokens", "256 tokens", "400 ms · 10 tokens"])
        self.converse("?")
        self.assertEqual(self.sent(), [([("people.csv", b"name,age\nAda,36\n")], [picture, sound])])

    def test_a_file_that_is_nothing_known_is_named(self):
        self.open_page()
        self.drop(self.file("program.bin", b"\x7fELF\2\1\1\0" + b"\0" * 99))
        self.wait_text("#attachments .note", "“program.bin”: no picture, sound, video or document that is known here.")
        self.assertEqual(self.browser.count("#attachments li"), 0)

    def test_files_have_as_many_bytes_together_as_the_server_takes(self):
        self.open_page()
        self.pick(self.file("a.wav", memo()))
        self.browser.run("const size = Object.getOwnPropertyDescriptor(Blob.prototype, 'size').get; Object.defineProperty(File.prototype, 'size',"
                         "{get() { return this.name === 'long.mp4' ? 47_990_000 : size.call(this); }})")
        self.paste_file(FILM, "long.mp4", "video/mp4")
        self.wait_text("#attachments .note", "“long.mp4” has 48.0 MB. The files of one conversation have 48.0 MB together at most.")
        self.assertEqual(self.browser.count("#attachments li"), 1)

    def test_what_the_browser_cannot_play_is_sent_all_the_same(self):
        aiff = (MEDIA / "sounds" / "s16_44100_stereo.aiff").read_bytes()
        self.server.told[aiff] = {"kind": "sound", "seconds": 0.25, "tokens": 6}
        self.open_page()
        self.pick(self.file("old.aiff", aiff))
        self.wait_text("#attachments .card", "this browser does not play it")
        self.wait_costs(["250 ms · 6 tokens"])
        self.converse("?")
        self.assertEqual(self.sent(), [([], [aiff])])


class KeptTest(MediaTest):
    def test_they_are_sent_again_with_later_turns_and_shown_after_a_reload(self):
        sound = memo()
        self.open_page()
        self.pick(self.file("memo.wav", sound), self.file("a.pdf", PDF))
        self.wait_costs(["0:02 · 50 tokens", "2 pages · 120 tokens"])
        self.converse("one")
        self.open_again()
        self.wait("return document.querySelector('.question audio')?.duration > 1.9", "the sound is not there")
        self.wait_costs(["0:02 · 50 tokens", "2 pages · 120 tokens"], ".question")
        self.converse("two")
        self.assertEqual(self.sent(), [([("a.pdf", PDF)], [sound]), ([], []), ([], [])])
        self.quiet()

    def test_an_edited_question_and_an_answer_anew_keep_them(self):
        sound = memo()
        self.open_page()
        self.pick(self.file("memo.wav", sound), self.file("film.mp4", FILM), self.file("a.pdf", PDF))
        self.converse("first")
        self.browser.click(".reply:last-child [aria-label='Answer again']")
        self.wait_frame()
        self.wait("return document.querySelector('.reply[aria-busy=false]')", "no reply")
        self.wait_reply()
        self.assertEqual(self.sent(), [([("a.pdf", PDF)], [sound, FILM])])
        self.browser.run(EDIT)
        self.wait("return document.querySelector('.edit audio')?.duration > 1.9", "the sound is not in the form")
        self.browser.click(".edit [aria-label='Remove film.mp4']")
        self.browser.type(".edit textarea", " again")
        self.browser.press("Enter")
        self.wait_text(".bubble", "first again")
        self.wait_reply()
        self.assertEqual(self.sent(), [([("a.pdf", PDF)], [sound])])
        self.assertEqual(self.browser.count(".question .media li"), 2)

    def test_an_export_holds_them_as_the_api_takes_them(self):
        sound = memo()
        self.open_page()
        self.pick(self.file("a.pdf", PDF), self.file("memo.wav", sound), self.file("a.png", png(48, 48)))
        self.converse("question")
        [message, _] = self.exported()["messages"]
        self.assertEqual([base64.b64decode(one) for one in message["images"]], [sound, png(48, 48)])
        self.assertEqual([one["name"] for one in message["pictures"]], ["memo.wav", "a.png"])
        self.assertEqual(message["documents"], [{"name": "a.pdf", "data": base64.b64encode(PDF).decode()}])
        self.assertNotIn("attachments", message)

    def test_pictures_of_an_earlier_version_are_kept(self):
        self.browser.open(f"{self.server.address}/assets/pleiad.svg")
        self.browser.run("""return new Promise((done) => {
            const opened = indexedDB.open("pleiad", 2);
            opened.onupgradeneeded = () => {
              opened.result.createObjectStore("conversations", {keyPath: "id"});
              opened.result.createObjectStore("pictures", {keyPath: "id"});
            };
            opened.onsuccess = () => {
              const change = opened.result.transaction(["conversations", "pictures"], "readwrite");
              const bytes = Uint8Array.from(atob(arguments[0]), (c) => c.charCodeAt(0));
              change.objectStore("pictures").put({id: "p", blob: new Blob([bytes], {type: "image/png"})});
              change.objectStore("conversations").put({id: "old", title: "", created: 1, changed: 1, model: "gemma4:e2b", messages: [
                {role: "user", content: "from before", pictures: [{id: "p", name: "a.png", type: "image/png", bytes: 99, width: 48, height: 48}]}]});
              change.oncomplete = () => { opened.result.close(); done(); };
            };
          })""", base64.b64encode(png(48, 48)).decode())
        self.open_page("#old")
        self.wait("return document.querySelector('.question .media img')?.naturalWidth === 48", "the picture is not shown")
        self.wait_costs(["256 tokens"], ".question")
        self.converse("two")
        self.assertEqual(self.sent(), [([], [png(48, 48)]), ([], [])])
        refused = self.browser.run('''return new Promise((done) => {
            const opened = indexedDB.open("pleiad", 2);
            opened.onsuccess = () => done("opened");
            opened.onerror = () => done(opened.error.name);
          })''')
        self.assertEqual(refused, "VersionError", "such a page would sweep away files of messages that it does not know")


class SheetsTest(MediaTest):
    SHEETS = "[...document.querySelectorAll('#attachments .sheets > div')].map(({innerText}) => innerText)"

    def wait_sheets(self, names, where="#attachments"):
        script = self.SHEETS.replace("#attachments", where)
        self.wait(f"return JSON.stringify({script}) === {json.dumps(json.dumps(names, separators=(',', ':')))}", f"not {names}")

    def asked(self):
        """Of each request the file, and the pages that it names."""
        return [(base64.b64decode(body["document"]), body.get("pages")) for body in self.server.page_requests]

    def test_pages_of_a_pdf_are_seen_before_it_is_sent_and_behind_it(self):
        self.server.sheets, self.server.blank = list(range(1, 31)), 2
        self.open_page()
        self.pick(self.file("a.pdf", PDF))
        self.wait_sheets([str(n) for n in range(1, 13)] + ["and 18 more"])
        self.wait("return document.querySelector('#attachments .sheets img').naturalWidth === 34", "no picture is shown")
        self.assertEqual(self.browser.count("#attachments .sheets img"), 11)
        self.assertEqual(self.browser.count("#attachments .sheets .blank"), 1)
        self.assertEqual(self.asked(), [(PDF, None)])
        self.converse("What is it?")
        self.wait("return document.querySelectorAll('.question .sheets img').length === 11", "not in the question")
        self.assertEqual(len(self.asked()), 1)  # they are known
        self.quiet()

    def test_those_are_seen_that_are_chosen(self):
        self.server.sheets = [1, 2, 3, 4]
        self.server.told[PDF] = {"kind": "document", "pages": 4, "total_pages": 4, "picture_pages": 0, "tokens": 9, "cached": False}
        self.open_page()
        self.pick(self.file("a.pdf", PDF))
        self.wait_sheets(["1", "2", "3", "4"])
        self.wait("return Boolean(document.querySelector('#attachments .pages'))", "no pages can be chosen")
        self.browser.type("#attachments .pages", "2-3")
        self.browser.press("Enter")
        self.wait_sheets(["2", "3"])
        self.assertEqual(self.asked(), [(PDF, None), (PDF, "2-3")])

    def test_of_other_documents_and_of_pdfs_that_cannot_be_drawn_there_is_the_card_alone(self):
        self.server.sheets = None
        self.open_page()
        self.pick(self.file("a.csv", b"name,age\nAda,36\n"), self.file("a.pdf", PDF))
        self.wait_costs(["2 pages · 120 tokens"] * 2)
        self.wait("return document.querySelectorAll('#attachments .card').length === 2", "no cards")
        for _ in range(100):
            if self.server.page_requests:
                break
            self.wait_frame()
        self.assertEqual(self.asked(), [(PDF, None)])
        self.wait_frame()
        self.assertTrue(self.browser.run("return [...document.querySelectorAll('#attachments .sheets')].every(({hidden}) => hidden)"))


class NarrowTest(MediaTest):
    def test_a_phone_shows_them_within_its_width(self):
        self.browser.size(360, 700)
        self.open_page()
        self.pick(self.file("a memo with a long name of no use to anybody at all.wav", memo()), self.file("film.mp4", FILM),
                  self.file("an_unbroken_name_" * 6 + ".pdf", PDF))
        self.wait_costs(["0:02 · 50 tokens", "0:04 · 256 tokens", "2 pages · 120 tokens"])
        self.assertLessEqual(self.browser.run("return document.documentElement.scrollWidth"), 360)
        self.converse("wide")
        self.assertLessEqual(self.browser.run("return document.documentElement.scrollWidth"), 360)
        self.assertEqual(self.browser.run("const box = document.querySelector('#messages'); return box.scrollWidth - box.clientWidth"), 0)

    def test_every_control_has_a_name(self):
        self.open_page()
        self.pick(self.file("memo.wav", memo()), self.file("film.mp4", FILM), self.file("a.pdf", PDF))
        self.wait_costs(["0:02 · 50 tokens", "0:04 · 256 tokens", "2 pages · 120 tokens"])
        tree = self.browser.devtools("Accessibility.getFullAXTree")["nodes"]
        roles = {"button", "textbox", "combobox", "switch", "image", "listbox", "Audio", "Video", "slider"}
        controls = [node for node in tree if node.get("role", {}).get("value") in roles and not node["ignored"]]
        names = [node.get("name", {}).get("value") for node in controls]
        for name in ("Remove memo.wav", "Remove film.mp4", "Remove a.pdf", "memo.wav", "film.mp4", "Record with the microphone",
                     "Add pictures, sounds, videos or documents"):
            self.assertIn(name, names)
        self.assertEqual([node for node, name in zip(controls, names) if not name], [])


if __name__ == "__main__":
    unittest.main()
