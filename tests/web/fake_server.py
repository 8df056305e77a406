#!/usr/bin/env python3
"""A server that answers the page as `pleiad serve` does, with replies that a test chooses.

A question is a key of `replies`, or `default` answers. Alone, it serves the page's sources
for whoever works on them: fake_server.py [PORT].
"""
import base64
import http.server
import json
import pathlib
import socket
import sys
import threading
import time
import urllib.parse

PAGE = pathlib.Path(__file__).resolve().parent.parent.parent / "src" / "web" / "page"
TYPES = {".html": "text/html; charset=utf-8", ".css": "text/css; charset=utf-8",
         ".js": "text/javascript; charset=utf-8", ".svg": "image/svg+xml"}
POLICY = ("default-src 'self'; img-src 'self' blob:; media-src 'self' blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
          "object-src 'none'; require-trusted-types-for 'script'")
PERMISSIONS = "camera=(self), microphone=(self), geolocation=(), display-capture=()"
DETAILS = {"format": "gguf", "family": "gemma4", "parameter_size": "5.1B", "quantization_level": "Q4_0"}


# 34 x 48 pixels, as a small page.
SHEET = ("iVBORw0KGgoAAAANSUhEUgAAACIAAAAwCAIAAAD7Oz8FAAAAaklEQVR4Ae3UwQ0AIAxC0U7i/qO4lTrDO3AR45XQ/hTmRN5EXE5tgHOhCbS9VuBPwONZ1AY4F5pAg6yBpJ1WaEAAJKlLg6yBpJ1WaEAAJKlLg0iDJNUCMBpIuk2hQaRBkmoBGA0k3eZ7aBdg28PlJuYYoAAAAABJRU5ErkJggg==")


def numbers_of(words, pages):
    """Those of the pages that "3-7,9" names."""
    ends = [(first, last if dash else first) for first, dash, last in (one.partition("-") for one in words.split(","))]
    return [page for page in pages if any(int(first or 1) <= page <= int(last or page) for first, last in ends)]


def usual_of(file):
    if file.startswith(b"RIFF"):
        return {"kind": "sound", "seconds": 2.0, "clips": 1, "tokens": 50, "cached": False}
    if file[4:8] == b"ftyp":
        return {"kind": "video", "width": 64, "height": 48, "seconds": 4.0, "frames": 4, "total_frames": 4, "tokens": 256,
                "cached": False}
    return {"kind": "document", "pages": 2, "total_pages": 2, "picture_pages": 0, "tokens": 120, "cached": False}


class Reply:
    """What /api/chat answers: pieces with pauses, then the last event; or an error."""

    def __init__(self, *content, thinking=(), calls=(), pause=0.0, status=200, error=None, broken=False, held=None, **final):
        self.content, self.thinking, self.calls, self.pause = content, thinking, calls, pause
        self.status, self.error, self.broken = status, error, broken
        self.held = held  # an Event: the reply's end waits for it
        self.final = {"done_reason": "stop", "total_duration": 2_500_000_000, "load_duration": 0,
                      "prompt_eval_count": 1204, "prompt_eval_cached_count": 1180, "prompt_eval_duration": 100_000_000,
                      "eval_count": 50, "eval_duration": 2_000_000_000, **final}

    def events(self, model):
        for thinking in self.thinking:
            yield {"model": model, "message": {"role": "assistant", "content": "", "thinking": thinking}, "done": False}
        for content in self.content:
            yield {"model": model, "message": {"role": "assistant", "content": content}, "done": False}
        for call in self.calls:
            yield {"model": model, "message": {"role": "assistant", "content": "", "tool_calls": [call]}, "done": False}
        if self.held:
            self.held.wait(60)
        if self.error and self.status == 200:
            yield {"error": self.error}
        elif not self.broken:
            yield {"model": model, "message": {"role": "assistant", "content": ""}, "done": True, **self.final}


class Pull:
    """What /api/pull answers: its lines, with a wait before the last."""

    def __init__(self, *lines, held=None, status=200):
        self.lines, self.held, self.status = lines, held, status


class FakeServer(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, port=0):
        super().__init__(("127.0.0.1", port), Handler)
        self.address = f"http://127.0.0.1:{self.server_address[1]}"
        self.default = Reply("Hello", " there.")
        self.replies = {}
        self.key = None            # the API key that is asked for
        self.sees = {"gemma4:e2b"}  # models with the capability "vision"
        self.hears = {"gemma4:e2b"}  # and with "audio"
        self.held = {}             # by models' names Events that /api/show waits for
        self.chats = []            # the bodies of /api/chat that are to be answered
        self.counts = []           # and of those that only ask what a prompt takes
        self.told = {}             # bytes of a file -> what is told of it there, or what it is refused with
        self.files = {}            # by their names, below /files/
        self.sheets = [1, 2]       # the pages of every PDF; None: it cannot be drawn
        self.blank = 0             # the page that has nothing on it
        self.page_requests = []    # the bodies of /api/pages
        self.gone = threading.Event()  # a client left in the middle of a reply
        self.models = [{"name": "gemma4:e2b", "model": "gemma4:e2b", "size": 3_200_000_000, "details": DETAILS,
                        "source": "pleiad", "digest": "0123456789abcdef"},
                       {"name": "demo:latest", "model": "demo:latest", "size": 9_100_000,
                        "details": {**DETAILS, "parameter_size": "4.6M", "quantization_level": "F16"}, "source": "demo"}]
        self.loaded = []
        self.unloads = []
        self.pulls = {}            # by models' names what /api/pull answers
        self.pulled = []           # the names that it was asked for
        self.removed = []          # and those that /api/delete was
        self.connections = []
        self.thread = threading.Thread(target=self.serve_forever, args=(0.05,), daemon=True)
        self.thread.start()

    def get_request(self):
        connection, address = super().get_request()
        self.connections.append(connection)
        return connection, address

    def stop(self):
        self.shutdown()
        self.server_close()
        for connection in self.connections:
            try:
                connection.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass  # closed already

    def load(self, name, **more):
        self.loaded = [model for model in self.loaded if model["name"] != name]
        self.loaded.append({"name": name, "model": name, "size": 4_900_000_000, "size_vram": 0, "details": DETAILS,
                            "context_length": 32768, "expires_at": time.strftime("%Y-%m-%dT%H:%M:%SZ",
                                                                                time.gmtime(time.time() + 290)), **more})

    def handle_error(self, request, client_address):
        pass


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # head and body are two writes

    def log_message(self, *arguments):
        pass

    def do_GET(self):
        path = urllib.parse.urlsplit(self.path).path
        if path == "/" or path.startswith("/assets/"):
            self.send_file("index.html" if path == "/" else path.removeprefix("/assets/"))
        elif path.startswith("/files/"):
            self.send_bytes(200, "application/octet-stream", self.server.files[path.removeprefix("/files/")], {})
        elif self.is_allowed():
            answers = {"/api/tags": {"models": self.server.models}, "/api/ps": {"models": self.server.loaded},
                       "/api/version": {"version": "0.34.2", "pleiad": "0.1.0"}}
            self.send_json(200 if path in answers else 404, answers.get(path, {"error": "not found"}))

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if not self.is_allowed():
            return
        if self.path == "/api/show":
            if body["model"] in self.server.held:
                self.server.held[body["model"]].wait(60)
            vision = ["vision"] if body["model"] in self.server.sees else []
            audio = ["audio"] if body["model"] in self.server.hears else []
            self.send_json(200, {"details": DETAILS, "capabilities": ["completion", "tools", "thinking", *vision, *audio],
                                 "vision": {"max_soft_tokens": 280}, "parameters": "temperature                    1\ntop_k                          64\n"
                                               "top_p                          0.95"})
        elif self.path == "/api/pull":
            self.pull(body)
        elif self.path == "/api/generate":
            self.generate(body)
        elif self.path == "/api/pages":
            self.pages(body)
        elif self.path == "/api/chat" and body.get("_debug_render_only"):
            self.count(body)
        elif self.path == "/api/chat":
            self.chat(body)
        else:
            self.send_json(404, {"error": "not found"})

    def do_DELETE(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if self.is_allowed():
            self.server.removed.append(body["model"])
            self.server.models = [model for model in self.server.models if model["name"] != body["model"]]
            self.send_bytes(200, "text/plain; charset=utf-8", b"", {})

    def pull(self, body):
        self.server.pulled.append(body["model"])
        pull = self.server.pulls[body["model"]]
        if pull.status != 200:
            self.send_json(pull.status, pull.lines[0])
            return
        self.begin_lines()
        try:
            for index, line in enumerate(pull.lines):
                if pull.held and index == len(pull.lines) - 1:
                    while not pull.held.wait(0.02):
                        self.write_line(pull.lines[-2])
                self.write_line(line)
            if pull.lines[-1].get("status") == "success":
                self.server.models.append({"name": body["model"], "model": body["model"], "size": 7_200_000_000,
                                           "details": DETAILS, "source": "pleiad"})
            self.wfile.write(b"0\r\n\r\n")
        except OSError:
            self.server.gone.set()
            self.close_connection = True

    def begin_lines(self):
        self.send_response(200)
        self.send_header("Content-Type", "application/x-ndjson")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()

    def write_line(self, value):
        line = json.dumps(value, ensure_ascii=False).encode() + b"\n"
        self.wfile.write(b"%x\r\n%s\r\n" % (len(line), line))

    def generate(self, body):
        if body.get("keep_alive") == 0:
            self.server.unloads.append(body["model"])
            self.server.loaded = [model for model in self.server.loaded if model["name"] != body["model"]]
        else:
            self.server.load(body["model"])
        self.send_json(200, {"model": body["model"], "response": "", "done": True})

    def count(self, body):
        """What the one file of the request takes, as the test says, else as its beginning tells."""
        self.server.counts.append(body)
        [message] = body["messages"]
        [text] = [document["data"] for document in message.get("documents", [])] + message.get("images", [])
        file = base64.b64decode(text)
        told = self.server.told.get(file, usual_of(file))
        told = told if isinstance(told, str) else dict(told)
        if isinstance(told, str):
            field = "documents" if "documents" in message else "images"
            self.send_json(400, {"error": f"messages[0].{field}[0]: {told}", "code": "invalid_request"})
        else:
            warnings = told.pop("warnings", [])
            self.send_json(200, {"model": body["model"], "done": True, "media": [told], "warnings": warnings})

    def pages(self, body):
        """Twelve pages at most of those that the test says the document has; of one that cannot be read none."""
        self.server.page_requests.append(body)
        if self.server.sheets is None:
            self.send_json(400, {"error": "document: is a PDF that needs a password", "code": "invalid_request"})
            return
        numbers = numbers_of(body["pages"], self.server.sheets) if "pages" in body else self.server.sheets
        pages = [{"number": n, "width": 34, "height": 48, "aspect": 0.7, "png": SHEET} if n != self.server.blank else {"number": n} for n in numbers[:12]]
        self.send_json(200, {"total_pages": len(self.server.sheets), "pages": pages})

    def chat(self, body):
        self.server.chats.append(body)
        question = [message for message in body["messages"] if message["role"] == "user"][-1]["content"]
        reply = self.server.replies.get(question, self.server.default)
        if reply.status != 200:
            self.send_json(reply.status, {"error": reply.error} if isinstance(reply.error, str) else reply.error)
            return
        self.begin_lines()
        try:
            for event in reply.events(body["model"]):
                self.write_line(event)
                time.sleep(reply.pause)
            self.wfile.write(b"0\r\n\r\n")
        except OSError:
            self.server.gone.set()
            self.close_connection = True

    def is_allowed(self):
        key = self.server.key
        if key is None or self.headers.get("Authorization") == f"Bearer {key}":
            return True
        self.send_json(401, {"error": "an API key is needed"})
        return False

    def send_file(self, name):
        file = PAGE / name
        if "/" in name or not file.is_file():
            self.send_json(404, {"error": "not found"})
            return
        self.send_bytes(200, TYPES[file.suffix], file.read_bytes(), {
            "Content-Security-Policy": POLICY, "Permissions-Policy": PERMISSIONS, "X-Content-Type-Options": "nosniff", "Cache-Control": "no-cache"})

    def send_json(self, status, value):
        self.send_bytes(status, "application/json; charset=utf-8", json.dumps(value).encode(), {})

    def send_bytes(self, status, kind, body, headers):
        self.send_response(status)
        for name, value in {"Content-Type": kind, "Content-Length": str(len(body)), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)


def main():
    server = FakeServer(int(sys.argv[1]) if len(sys.argv) > 1 else 8080)
    server.default = Reply(*"A reply with **bold** words, one piece after the other.".split(" "), pause=0.1)
    print(server.address)
    server.thread.join()


if __name__ == "__main__":
    main()
