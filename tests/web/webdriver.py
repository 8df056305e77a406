"""A small WebDriver client: what the tests of the page need of chromedriver, over HTTP."""
import base64
import http.client
import json
import os
import pathlib
import shutil
import socket
import subprocess
import tempfile
import time

ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
KEYS = {"Enter": "\ue007", "Escape": "\ue00c", "Shift": "\ue008", "Control": "\ue009", "Tab": "\ue004"}


class Browser:
    """A headless Chromium of its own; `flags` go to it."""

    def __init__(self, *flags):
        if not shutil.which("chromedriver"):
            raise RuntimeError("chromedriver is missing (Debian: chromium chromium-driver)")
        self.folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.driver = subprocess.Popen(
            ["chromedriver", f"--port={self.port}"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            env={**os.environ, "HOME": self.folder.name})
        self.session = None
        try:
            self.wait_for(self._is_ready, "chromedriver does not start")
            arguments = ["--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu",
                         f"--user-data-dir={self.folder.name}/profile", "--no-first-run", "--lang=en", *flags]
            answer = self._ask("POST", "/session", {"capabilities": {"alwaysMatch": {
                "goog:chromeOptions": {"args": arguments}, "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"}}}})
            self.session = answer["sessionId"]
        except BaseException:
            self.close()
            raise

    def close(self):
        if self.session:
            try:
                self._ask("DELETE", f"/session/{self.session}")
            except OSError:
                pass
        self.driver.terminate()
        self.driver.wait()
        self.folder.cleanup()

    def _is_ready(self):
        try:
            return self._ask("GET", "/status")["ready"]
        except OSError:
            return False

    def _ask(self, method, path, body=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)
        try:
            connection.request(method, path, None if body is None else json.dumps(body),
                               {"Content-Type": "application/json"})
            value = json.loads(connection.getresponse().read())["value"]
        finally:
            connection.close()
        if isinstance(value, dict) and "error" in value:
            raise RuntimeError(f"{value['error']}: {value['message']}")
        return value

    def do(self, method, path, **body):
        return self._ask(method, f"/session/{self.session}{path}", body if method == "POST" else None)

    def open(self, address):
        self.do("POST", "/url", url=address)

    def size(self, width, height):
        """The page's own size, as a device of that size shows it."""
        self.devtools("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1,
                      mobile=width < 600)

    def colours(self, scheme):
        self.devtools("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])

    def devtools(self, command, **parameters):
        return self.do("POST", "/goog/cdp/execute", cmd=command, params=parameters)

    def run(self, script, *arguments):
        """The value of a function's body; `arguments` are its own."""
        return self.do("POST", "/execute/sync", script=script, args=list(arguments))

    def text(self, selector):
        return self.run("return document.querySelector(arguments[0])?.innerText ?? null", selector)

    def texts(self, selector):
        return self.run("return [...document.querySelectorAll(arguments[0])].map((node) => node.innerText)", selector)

    def count(self, selector):
        return self.run("return document.querySelectorAll(arguments[0]).length", selector)

    def shown(self, selector):
        return self.run("return Boolean(document.querySelector(arguments[0])?.checkVisibility({visibilityProperty: true}))",
                        selector)

    def find(self, selector):
        return self.do("POST", "/element", using="css selector", value=selector)[ELEMENT]

    def click(self, selector):
        self.do("POST", f"/element/{self.find(selector)}/click")

    def clear(self, selector):
        self.do("POST", f"/element/{self.find(selector)}/clear")

    def type(self, selector, text):
        self.do("POST", f"/element/{self.find(selector)}/value", text=text)

    def press(self, *keys):
        """Keys of one chord, to whatever has the focus: press("Control", "k")."""
        values = [KEYS.get(key, key) for key in keys]
        steps = [{"type": "keyDown", "value": value} for value in values]
        steps += [{"type": "keyUp", "value": value} for value in reversed(values)]
        self.do("POST", "/actions", actions=[{"type": "key", "id": "keyboard", "actions": steps}])

    def wait_for(self, condition, problem, seconds=30):
        """Waits until `condition` holds, a function or a script's body."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            value = condition() if callable(condition) else self.run(condition)
            if value:
                return value
            time.sleep(0.03)
        raise AssertionError(problem)

    def log(self, kind="browser"):
        return self.do("POST", "/se/log", type=kind)

    def screenshot(self, file):
        pathlib.Path(file).write_bytes(base64.b64decode(self.do("GET", "/screenshot")))
