"""What the tests of the page share: one browser for a file, a server for each test."""
import base64
import json
import pathlib
import tempfile
import unittest

from fake_server import FakeServer
from webdriver import Browser

PASTE = """
const bytes = Uint8Array.from(atob(arguments[0]), (c) => c.charCodeAt(0));
const data = new DataTransfer();
data.items.add(new File([bytes], arguments[1], {type: arguments[2]}));
if (arguments[3]) data.setData("text/plain", arguments[3]);
document.querySelector("#question").dispatchEvent(new ClipboardEvent("paste", {clipboardData: data, bubbles: true, cancelable: true}));
"""


class BrowserTest(unittest.TestCase):
    """Tests in one browser; the page that was open is forgotten between them."""
    FLAGS = ()  # of Chromium

    @classmethod
    def setUpClass(cls):
        cls.browser = Browser(*cls.FLAGS)
        cls.addClassCleanup(cls.browser.close)

    def setUp(self):
        self.browser.open("about:blank")
        self.browser.log()


class PageTest(BrowserTest):
    """A fake server with the page open in the browser."""

    def setUp(self):
        super().setUp()
        self.server = FakeServer()
        self.addCleanup(self.server.stop)
        self.browser.size(1100, 800)

    def open_page(self, place=""):
        self.browser.open(f"{self.server.address}/{place}")
        self.wait("return Boolean(document.querySelector('#version').textContent)", "the page did not start")

    def wait(self, script, problem):
        return self.browser.wait_for(script, problem)

    def wait_text(self, selector, text):
        script = f"return document.querySelector({selector!r})?.innerText.includes({text!r})"
        try:
            self.wait(script, "")
        except AssertionError:
            self.fail(f"{selector} does not say {text!r} but {self.browser.texts(selector)}")

    def paste_file(self, data, name="image.png", kind="image/png", text=""):
        """A file from the clipboard, with `text` beside it."""
        self.browser.run(PASTE, base64.b64encode(data).decode(), name, kind, text)

    def ask(self, question):
        self.browser.type("#question", question)
        self.browser.press("Enter")

    def wait_frame(self):
        """The page draws what has changed in the next frame; until it has."""
        self.browser.run("window.drawn = false; requestAnimationFrame(() => { window.drawn = true })")
        self.wait("return window.drawn", "it draws nothing")

    def wait_reply(self):
        self.wait("return !document.querySelector('.reply:last-child[aria-busy=true]') && "
                  "document.querySelector('.reply:last-child .foot .icon-button, .reply:last-child .error')",
                  "the reply does not end")

    def converse(self, question):
        """Asks and waits; the reply as it stands on the page."""
        self.ask(question)
        self.wait(f"return document.querySelectorAll('.question').length > 0 && "
                  f"[...document.querySelectorAll('.question')].at(-1).innerText.includes({question!r})",
                  "the question is not shown")
        self.wait_reply()
        return self.browser.texts(".reply .markdown")[-1]


class FilesTest(PageTest):
    """Questions with files of a folder of the test's own."""

    def setUp(self):
        super().setUp()
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def open_again(self):
        """The same conversation in a page of its own: an address that differs behind # alone loads nothing."""
        place = self.browser.run("return location.hash")
        self.browser.open("about:blank")
        self.open_page(place)

    def file(self, name, data):
        path = self.folder / name
        path.write_bytes(data)
        return path

    def pick(self, *paths):
        """As the system's dialog gives them."""
        before = self.browser.count("#attachments li")
        self.browser.type("#files", "\n".join(map(str, paths)))
        self.wait(f"return document.querySelectorAll('#attachments li').length === {before + len(paths)}", "not attached")

    def costs(self, where="#attachments"):
        return self.browser.texts(f"{where} .cost")

    def wait_costs(self, costs, where="#attachments"):
        self.wait(f"return JSON.stringify([...document.querySelectorAll('{where} .cost')].map(({{innerText}}) => innerText)) === "
                  f"{json.dumps(json.dumps(costs, separators=(',', ':'), ensure_ascii=False))}", f"not {costs}")

    def drop(self, *paths):
        """Onto the messages, as from the system's file manager."""
        for kind in ("dragEnter", "dragOver", "drop"):
            self.browser.devtools("Input.dispatchDragEvent", type=kind, x=600, y=200, data={
                "items": [], "files": [str(path) for path in paths], "dragOperationsMask": 1})

    def choose(self, model):
        self.browser.run("const box = document.querySelector('#model'); box.value = arguments[0]; box.dispatchEvent(new Event('change'))",
                         model)

    def exported(self):
        """The conversation, by its menu."""
        self.browser.run("window.files = []; URL.createObjectURL = (blob) => { blob.text().then((text) => files.push(text)); return '#'; };"
                         "document.querySelector('#conversations .icon-button').click();"
                         "[...document.querySelectorAll('.menu:popover-open button')].find(({innerText}) => innerText === 'Export as JSON').click()")
        [text] = self.browser.wait_for("return files.length === 1 && files", "nothing was exported")
        return json.loads(text)
