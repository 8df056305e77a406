#!/usr/bin/env python3
"""Pictures on the page: how they come, what they cost, what is sent and kept of them."""
import base64
import json
import pathlib
import sys
import unittest

from fake_server import Reply
from harness import FilesTest

TESTS = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(TESTS / "seeing"))

from picture_maker import TIFF, base64_of, png  # noqa: E402

SIZES = TESTS / "golden" / "media" / "picture_sizes.json"
EDIT = "document.querySelector(\"[aria-label='Edit this question']\").click()"


class PicturesTest(FilesTest):
    FLAGS = ("--use-fake-device-for-media-stream", "--use-fake-ui-for-media-stream")

    def sent(self, chat=-1):
        """The pictures of each message of a request."""
        return [[base64.b64decode(image) for image in message.get("images", [])]
                for message in self.server.chats[chat]["messages"]]


class ComingTest(PicturesTest):
    def test_a_pasted_picture_is_sent_with_the_question_byte_for_byte(self):
        note = png(300, 200)
        self.open_page()
        self.paste_file(note)
        self.wait_costs(["260 tokens"])
        self.assertTrue(self.browser.run("return document.querySelector('#attachments img').complete"))
        self.converse("What does it say?")
        self.assertEqual(self.sent(), [[note]])
        self.assertEqual(self.server.chats[0]["messages"][0]["content"], "What does it say?")
        self.assertEqual(self.browser.count("#attachments li"), 0)
        self.assertEqual(self.browser.count(".question .media li"), 1)
        self.assertEqual([line for line in self.browser.log() if line["level"] in ("SEVERE", "WARNING")], [])

    def test_the_clipboard_of_the_system_is_pasted_with_its_key(self):
        self.open_page()
        self.browser.devtools("Browser.grantPermissions", permissions=["clipboardReadWrite", "clipboardSanitizedWrite"])
        self.browser.run("return (async (text) => { const blob = await (await new Response(Uint8Array.from(atob(text), (c) => c.charCodeAt(0)))).blob();"
                         "await navigator.clipboard.write([new ClipboardItem({'image/png': new Blob([blob], {type: 'image/png'})})]); })(arguments[0])",
                         base64_of(png(64, 64)))
        self.browser.click("#question")
        self.browser.press("Control", "v")
        self.wait_costs(["256 tokens"])

    def test_text_that_is_pasted_along_with_its_picture_is_text(self):
        self.open_page()
        self.paste_file(png(8, 8), text="a cell")
        self.paste_file(png(9, 9))
        self.wait_costs(["256 tokens"])

    def test_files_are_dropped_anywhere_on_the_chat(self):
        paths = [self.file("a photo.png", png(96, 48)), self.file("b.png", png(48, 96))]
        self.open_page()
        self.browser.run("window.marked = false; document.addEventListener('dragover', () => {"
                         "  window.marked ||= document.querySelector('#composer').classList.contains('dropping'); })")
        self.drop(*paths)
        self.assertTrue(self.browser.run("return window.marked"), "nothing shows where it goes")
        self.wait("return document.querySelectorAll('#attachments li').length === 2", "not attached")
        self.assertEqual(self.browser.count(".dropping"), 0)
        self.wait_text("#attachments .note", "2 pictures, ")
        self.converse("Which is wide?")
        self.assertEqual(self.sent(), [[path.read_bytes() for path in paths]])

    def test_a_picture_from_the_camera(self):
        self.open_page()
        self.browser.click("#camera")
        self.wait("return document.querySelector('dialog.camera .main:not(:disabled)')", "the camera shows nothing")
        self.browser.click("dialog.camera .main")
        self.wait("return document.querySelectorAll('#attachments li').length === 1", "no picture")
        self.converse("What is this?")
        [[picture]] = self.sent()
        self.assertTrue(picture.startswith(b"\x89PNG"))
        self.assertGreaterEqual(int.from_bytes(picture[16:20], "big"), 320)

    def test_a_dismissed_camera_is_let_go(self):
        self.open_page()
        self.browser.run("const ask = navigator.mediaDevices.getUserMedia.bind(navigator.mediaDevices);"
                         "navigator.mediaDevices.getUserMedia = async (wanted) => window.stream = await ask(wanted)")
        self.browser.click("#camera")
        self.wait("return document.querySelector('dialog.camera')", "no dialog")
        self.browser.press("Escape")
        self.wait("return !document.querySelector('dialog')", "the dialog stays")
        self.assertEqual(self.browser.run("return stream.getTracks().map(({readyState}) => readyState)"), ["ended"])
        self.assertEqual(self.browser.count("#attachments li"), 0)

    def test_a_camera_that_is_refused_is_told(self):
        self.open_page()
        self.browser.run("navigator.mediaDevices.getUserMedia = () => Promise.reject(new DOMException('', 'NotFoundError'))")
        self.browser.click("#camera")
        self.wait_text("#attachments .note", "there is no camera.")

    def test_what_is_no_picture_is_named_whatever_it_is_called(self):
        self.open_page()
        self.browser.type("#files", f"{self.file('notes.png', b'not a picture')}\n{self.file('x.txt', png(48, 48))}")
        self.wait_text("#attachments .note", "“notes.png”: not a picture.")
        self.wait_costs(["256 tokens"])
        self.paste_file(b"<svg xmlns='http://www.w3.org/2000/svg'/>", "x.svg", "image/svg+xml")
        self.wait_text("#attachments .note", "“x.svg”: not a picture.")
        self.assertEqual(self.browser.count("#attachments li"), 1)

    def test_pictures_can_be_taken_away_again(self):
        one, two = png(48, 48), png(48, 49)
        self.open_page()
        self.pick(self.file("one.png", one), self.file("two.png", two))
        self.browser.click("[aria-label='Remove one.png']")
        self.wait("return document.querySelectorAll('#attachments li').length === 1", "it stays")
        self.assertEqual(self.browser.run("return document.activeElement.id"), "question")
        self.converse("?")
        self.assertEqual(self.sent(), [[two]])

    def test_a_picture_may_be_all_of_a_question(self):
        self.open_page()
        self.assertTrue(self.browser.run("return document.querySelector('#send').disabled"))
        self.pick(self.file("cat.png", png(48, 48)))
        self.browser.click("#send")
        self.wait_reply()
        self.assertEqual(self.server.chats[0]["messages"][0]["content"], "")
        self.wait_text("#title", "cat.png")
        self.assertEqual(self.browser.count(".bubble"), 1)
        self.assertFalse(self.browser.shown(".bubble"))

    def test_a_format_that_the_browser_does_not_show_is_sent_all_the_same(self):
        self.open_page()
        self.pick(self.file("scan.tif", TIFF))
        self.wait_costs(["tokens unknown"])
        self.wait_text("#attachments .name", "scan.tif")
        self.server.default = Reply("Gray.", media=[{"width": 2, "height": 3, "tokens": 260, "budget": 280, "cached": False}])
        self.converse("?")
        self.assertEqual(self.sent(), [[TIFF]])
        self.wait_costs(["260 tokens"], ".question")  # the server said its size
        self.wait_text(".reply .figures", "1 picture: 260 tokens, 0 cached")


class CostTest(PicturesTest):
    def test_the_rule_is_the_references(self):
        self.open_page()
        wrong = self.browser.run("""return (async (rows) => {
            const {targetSize, softTokens} = await import("/assets/pictures.js");
            return rows.filter(([width, height, budget, ...target]) => {
              const {width: w, height: h} = targetSize({width, height}, budget);
              return w !== target[0] || h !== target[1] || softTokens({width: w, height: h}) !== w * h / 2304;
            });
          })(...arguments)""", json.loads(SIZES.read_text()))
        self.assertEqual(wrong, [])

    def test_types_are_told_by_the_first_bytes_as_the_server_tells_them(self):
        def brands(text):
            return (8 + len(text)).to_bytes(4, "big") + b"ftyp" + text + b"...."

        files = [(b"II*\0", "image/tiff"), (b"MM\0*", "image/tiff"), (b"II+\0", "image/tiff"), (b"MM\0+", "image/tiff"),
                 (brands(b"avif\0\0\0\0mif1"), "image/avif"), (brands(b"mif1\0\0\0\0heic"), "image/heic"),
                 (brands(b"isom\0\0\0\0" + b"isom" * 30 + b"avis"), "image/avif"),
                 (brands(b"mp42avif"), None), (brands(b"mp42\0\0\0\0xavifxxx"), None), (brands(b"mp42") + b"avif", None),
                 (b"\0\0\0\x10ftyp", None), (b"", None)]
        self.open_page()
        told = self.browser.run("""return (async (files) => {
            const {typeOf} = await import("/assets/pictures.js");
            return files.map((bytes) => typeOf(Uint8Array.from(bytes)));
          })(...arguments)""", [list(data) for data, _ in files])
        self.assertEqual(told, [kind for _, kind in files])

    def test_the_costs_follow_the_budget_that_is_chosen(self):
        self.open_page()
        self.assertFalse(self.browser.shown("#detail"))
        self.pick(self.file("wide.png", png(640, 480)))
        self.wait_costs(["266 tokens"])
        self.converse("one")
        for value, cost in [("1120", "1,064 tokens"), ("70", "63 tokens"), ("auto", "266 tokens")]:
            self.choose_detail(value)
            self.wait_costs([cost], ".question")
        self.converse("two")
        self.assertEqual([chat.get("options") for chat in self.server.chats], [None, {"max_soft_tokens": "auto"}])
        self.open_again()
        self.wait_costs(["266 tokens"], ".question")
        self.assertEqual(self.browser.run("return document.querySelector('#detail').value"), "auto")

    def choose_detail(self, value):
        self.browser.run("const box = document.querySelector('#detail'); box.value = arguments[0];"
                         "box.dispatchEvent(new Event('change'))", value)

    def test_a_turned_photo_costs_what_it_costs_upright(self):
        # A JPEG of 8 x 24 whose orientation makes it 24 x 8, made by the browser itself.
        self.open_page()
        width, height = self.browser.run("""return (async () => {
            const {readFile} = await import("/assets/media_files.js");
            const canvas = document.createElement("canvas");
            canvas.width = 8;
            canvas.height = 24;
            const plain = new Uint8Array(await (await new Promise((done) => canvas.toBlob(done, "image/jpeg"))).arrayBuffer());
            const exif = [0xff, 0xe1, 0, 34, 69, 120, 105, 102, 0, 0, 77, 77, 0, 42, 0, 0, 0, 8, 0, 1, 1, 0x12, 0, 3, 0, 0, 0, 1, 0, 6,
                          0, 0, 0, 0, 0, 0];
            const turned = new Uint8Array([...plain.slice(0, 2), ...exif, ...plain.slice(2)]);
            const {width, height} = await readFile(new File([turned], "x.jpg"));
            return [width, height];
          })()""")
        self.assertEqual((width, height), (24, 8))


class KeptTest(PicturesTest):
    def test_pictures_are_sent_again_with_later_turns_also_after_a_reload(self):
        picture = png(100, 100)
        self.open_page()
        self.paste_file(picture)
        self.wait_costs(["256 tokens"])
        self.converse("one")
        self.open_again()
        self.wait("return document.querySelector('.question .media img')?.naturalWidth === 100", "the picture is not shown")
        self.converse("two")
        self.assertEqual(self.sent(), [[picture], [], []])

    def test_an_edited_question_and_an_answer_anew_keep_their_pictures(self):
        one, two = png(48, 48), png(48, 60)
        self.open_page()
        self.pick(self.file("one.png", one), self.file("two.png", two))
        self.converse("first")
        self.browser.click(".reply:last-child [aria-label='Answer again']")
        self.wait_frame()  # the reply before is not the one that is waited for
        self.wait("return document.querySelector('.reply[aria-busy=false]')", "no reply")
        self.wait_reply()
        self.assertEqual(self.sent(), [[one, two]])
        self.browser.run(EDIT)
        self.browser.click(".edit [aria-label='Remove one.png']")
        self.browser.type(".edit textarea", " again")
        self.browser.press("Enter")
        self.wait_text(".bubble", "first again")
        self.wait_reply()
        self.assertEqual(self.sent(), [[two]])
        self.assertEqual(self.browser.count(".question .media li"), 1)

    def test_a_picture_is_looked_at_and_put_away(self):
        self.open_page()
        self.paste_file(png(120, 90))
        self.wait_costs(["266 tokens"])
        self.converse("?")
        self.browser.click(".question .open")
        self.wait("return document.querySelector('dialog.picture img')?.naturalWidth === 120", "it is not shown")
        self.assertIn("120 × 90", self.browser.text("dialog.picture footer"))
        self.browser.press("Escape")
        self.wait("return !document.querySelector('dialog')", "the dialog stays")

    def test_a_deleted_conversation_takes_its_pictures_along(self):
        self.open_page()
        self.paste_file(png(48, 48))
        self.wait_costs(["256 tokens"])
        self.converse("?")
        self.assertEqual(self.stored(), 1)
        self.browser.run("document.querySelector('#conversations .icon-button').click();"
                         "document.querySelector('.menu:popover-open .danger').click()")
        self.browser.click("dialog button.danger")
        self.browser.wait_for(lambda: self.stored() == 0, "the picture stays")

    def stored(self):
        return self.browser.run("""return new Promise((done) => {
            const opened = indexedDB.open("pleiad");
            opened.onsuccess = () => {
              const counted = opened.result.transaction("pictures").objectStore("pictures").count();
              counted.onsuccess = () => { opened.result.close(); done(counted.result); };
            };
          })""")

    def test_conversations_of_an_earlier_version_are_kept(self):
        self.browser.open(f"{self.server.address}/assets/pleiad.svg")
        self.browser.run("""return new Promise((done) => {
            const opened = indexedDB.open("pleiad", 1);
            opened.onupgradeneeded = () => opened.result.createObjectStore("conversations", {keyPath: "id"});
            opened.onsuccess = () => {
              const change = opened.result.transaction("conversations", "readwrite");
              change.objectStore("conversations").put({id: "old", title: "", created: 1, changed: 1, model: "gemma4:e2b",
                                                       messages: [{role: "user", content: "from before"}]});
              change.oncomplete = () => { opened.result.close(); done(); };
            };
          })""")
        self.open_page("#old")
        self.wait_text(".bubble", "from before")

    def test_a_full_browser_says_so_and_the_conversation_goes_on(self):
        self.open_page()
        self.refuse_to_keep_pictures()
        picture = png(48, 48)
        self.paste_file(picture)
        self.wait_costs(["256 tokens"])
        self.converse("one")
        self.wait_text("#chat > .error", "could not keep")
        self.converse("two")
        self.assertEqual(self.sent(), [[picture], [], []])
        self.open_again()
        self.wait_text(".question .card", "no longer kept")
        self.ask("three")
        self.wait_text(".reply .error", "A file of this conversation is gone.")

    def test_no_room_is_told_however_the_browser_tells_it(self):
        ways = {"an event of a request": "put.call(this, value); return this.add(value);",
                "the transaction's end": "put.call(this, value).onsuccess = () => this.transaction.abort(); return;"}
        for what, way in ways.items():
            with self.subTest(what):
                self.browser.open("about:blank")
                self.open_page()
                self.browser.run("const put = IDBObjectStore.prototype.put; IDBObjectStore.prototype.put = function (value) {"
                                 f"  if (this.name === 'pictures') {{ {way} }} return put.call(this, value); }}")
                self.paste_file(png(48, 48))
                self.wait_costs(["256 tokens"])
                self.converse("one")
                self.wait_text("#chat > .error", "The browser could not keep this conversation.")
                self.open_again()
                self.wait_text(".question .card", "no longer kept")

    def test_an_export_holds_the_pictures(self):
        self.open_page()
        picture = png(48, 48)
        self.pick(self.file("a.png", picture))
        self.converse("question")
        self.assertEqual([base64.b64decode(image) for image in self.exported()["messages"][0]["images"]], [picture])
        self.assertEqual(self.browser.count("#chat > .error"), 0)

    def test_an_export_names_the_pictures_that_it_has_no_more_and_holds_the_others(self):
        self.open_page()
        kept = png(48, 48)
        self.pick(self.file("a.png", kept))
        self.wait_costs(["256 tokens"])
        self.converse("one")
        self.refuse_to_keep_pictures()
        self.pick(self.file("lost.png", png(96, 48)))
        self.browser.wait_for("return document.querySelectorAll('#attachments li').length === 1", "it was not added")
        self.converse("two")
        self.open_again()
        messages = self.exported()["messages"]
        self.assertEqual([base64.b64decode(image) for image in messages[0]["images"]], [kept])
        self.assertNotIn("images", messages[2])
        self.wait_text("#chat > .error", "Files are missing from what was exported.")
        self.wait_text("#chat > .error", "lost.png")

    def refuse_to_keep_pictures(self):
        self.browser.run("const put = IDBObjectStore.prototype.put; IDBObjectStore.prototype.put = function (value) {"
                         "  if (this.name === 'pictures') throw new DOMException('full', 'QuotaExceededError');"
                         "  return put.call(this, value); }")


class BlindTest(PicturesTest):
    def test_controls_say_that_a_model_sees_nothing(self):
        self.server.sees = set()
        self.open_page()
        self.wait("return document.querySelector('#camera').disabled", "it is on")
        self.assertEqual(self.browser.run("return document.querySelector('#camera').title"), "Take a picture: gemma4:e2b sees no pictures.")
        self.paste_file(png(48, 48))
        self.wait_text("#attachments .note", "gemma4:e2b sees no pictures.")
        self.assertEqual(self.browser.count("#attachments li"), 0)

    def test_another_model_that_sees_nothing_is_not_asked_about_pictures(self):
        self.open_page()
        self.paste_file(png(48, 48))
        self.wait_costs(["256 tokens"])
        self.converse("one")
        self.choose("demo:latest")
        self.wait_text("#attachments .note", "demo sees no pictures.")
        self.browser.type("#question", "two")
        self.assertTrue(self.browser.run("return document.querySelector('#send').disabled"))
        self.browser.press("Enter")
        self.assertEqual(len(self.server.chats), 1)

    def test_a_refusal_of_the_server_is_shown_and_the_picture_can_be_taken_out(self):
        self.open_page()
        self.server.default = Reply(status=400, error="messages[0].images[0]: a PNG that ends early")
        self.pick(self.file("a.png", png(48, 48)))
        self.ask("?")
        self.wait_text(".reply .error", "messages[0].images[0]: a PNG that ends early")
        self.server.default = Reply("Fine.")
        self.browser.run(EDIT)
        self.browser.click(".edit [aria-label='Remove a.png']")
        self.browser.click(".edit .main")
        self.wait_text(".reply", "Fine.")
        self.assertEqual(self.sent(), [[]])


class NarrowTest(PicturesTest):
    def test_a_phone_shows_pictures_within_its_width_and_takes_its_own_camera(self):
        self.browser.size(360, 700)
        self.browser.devtools("Emulation.setTouchEmulationEnabled", enabled=True)
        self.addCleanup(self.browser.devtools, "Emulation.setTouchEmulationEnabled", enabled=False)
        self.open_page()
        self.pick(*(self.file(f"{i}.png", png(48 + i, 48)) for i in range(7)))
        self.assertLessEqual(self.browser.run("return document.documentElement.scrollWidth"), 360)
        self.converse("wide")
        self.assertEqual(self.browser.run("const box = document.querySelector('#messages'); return box.scrollWidth - box.clientWidth"), 0)
        self.browser.run("document.querySelector('#capture').addEventListener('click', (event) => { event.preventDefault(); window.captured = true; })")
        self.browser.click("#camera")
        self.assertTrue(self.browser.run("return window.captured"))

    def test_every_control_has_a_name(self):
        self.open_page()
        self.paste_file(png(48, 48))
        self.wait_costs(["256 tokens"])
        tree = self.browser.devtools("Accessibility.getFullAXTree")["nodes"]
        roles = {"button", "textbox", "combobox", "switch", "image", "list", "listbox"}
        controls = [node for node in tree if node.get("role", {}).get("value") in roles and not node["ignored"]]
        names = [node.get("name", {}).get("value") for node in controls]
        self.assertIn("Remove image.png", names)
        self.assertEqual([node for node, name in zip(controls, names) if not name and node["role"]["value"] != "list"], [])


if __name__ == "__main__":
    unittest.main()
