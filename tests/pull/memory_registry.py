"""A registry on this machine that keeps everything in memory: manifests, blobs with ranges, uploads. For
tests of the program and of clients of its server; docker-registry is what the protocol is tried with."""
import hashlib
import http.server
import json
import re
import socket
import threading
import urllib.parse

from byte_range import range_headers, requested_part

MODEL = "application/vnd.ollama.image.model"


class MemoryRegistry(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.host = f"127.0.0.1:{self.server_address[1]}"
        self.blobs = {}                  # "sha256:..." -> bytes
        self.manifests = {}              # "me/demo:latest" -> bytes
        self.uploads = {}
        self.requests = []               # "GET /v2/..."
        self.served = 0                  # bytes of blobs
        self.ranges = []                 # (begin, end) of blobs' parts that were asked for; whole ones too
        self.go_on = threading.Event()   # cleared: blobs stop after `first` bytes
        self.go_on.set()
        self.first = 1 << 20
        self.lock = threading.Lock()
        self.thread = threading.Thread(target=self.serve_forever, args=(0.02,), daemon=True)
        self.thread.start()

    def stop(self):
        self.go_on.set()
        self.shutdown()
        self.server_close()

    def handle_error(self, request, client_address):
        pass  # a client that has gone away

    def add_blob(self, data, kind):
        digest = "sha256:" + hashlib.sha256(data).hexdigest()
        self.blobs[digest] = data
        return {"mediaType": kind, "digest": digest, "size": len(data)}

    def add_model(self, name, data, **texts):
        """`name`: user/model:tag. `texts`: system="...", license="...", params={...}."""
        layers = [self.add_blob(data, MODEL)]
        for kind, text in texts.items():
            text = text if isinstance(text, str) else json.dumps(text)
            layers.append(self.add_blob(text.encode(), f"application/vnd.ollama.image.{kind}"))
        config = self.add_blob(json.dumps({"model_format": "gguf", "model_family": "gemma4", "model_type": "4.6M",
                                           "file_type": "F16"}).encode(), "application/vnd.docker.container.image.v1+json")
        self.manifests[name] = json.dumps({"schemaVersion": 2, "config": config, "layers": layers,
                                           "mediaType": "application/vnd.docker.distribution.manifest.v2+json"}).encode()


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *arguments):
        pass

    def setup(self):
        super().setup()
        self.connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def handle_one_request(self):
        super().handle_one_request()
        if getattr(self, "path", None):
            self.server.requests.append(f"{self.command} {self.path}")

    def do_GET(self):
        if self.path == "/v2/":
            return self.answer(200, b"{}")
        name = re.fullmatch(r"/v2/(.+)/manifests/([^/]+)", self.path)
        if name:
            manifest = self.server.manifests.get(f"{name[1]}:{name[2]}")
            if manifest is None:
                return self.refuse(404, "MANIFEST_UNKNOWN")
            return self.answer(200, manifest, {"Content-Type": "application/vnd.docker.distribution.manifest.v2+json",
                                               "Docker-Content-Digest": "sha256:" + hashlib.sha256(manifest).hexdigest()})
        blob = re.fullmatch(r"/v2/.+/blobs/(sha256:[0-9a-f]{64})", self.path)
        if blob and blob[1] in self.server.blobs:
            return self.send_blob(self.server.blobs[blob[1]])
        return self.refuse(404, "BLOB_UNKNOWN")

    do_HEAD = do_GET

    def send_blob(self, data):
        status, begin, end = requested_part(self.headers.get("Range"), len(data))
        if status == 416:
            return self.answer(status, b"", range_headers(status, begin, end, len(data)))
        self.server.ranges.append((begin, end))
        self.send_response(status)
        for key, value in range_headers(status, begin, end, len(data)).items():
            self.send_header(key, value)
        self.end_headers()
        if self.command == "HEAD":
            return None
        for at in range(begin, end, 1 << 16):
            if at >= self.server.first:
                self.server.go_on.wait(60)
            piece = data[at:min(at + (1 << 16), end)]
            self.wfile.write(piece)
            with self.server.lock:
                self.server.served += len(piece)
        return None

    def do_POST(self):
        self.read_body()
        place = f"{self.path.split('?')[0]}{len(self.server.uploads)}"
        self.server.uploads[place] = b""
        self.answer(202, b"", {"Location": place, "Range": "0-0"})

    def do_PATCH(self):
        self.server.uploads[self.path] += self.read_body()
        self.answer(202, b"", {"Location": self.path, "Range": f"0-{len(self.server.uploads[self.path]) - 1}"})

    def do_PUT(self):
        body = self.read_body()
        name = re.fullmatch(r"/v2/(.+)/manifests/([^/]+)", self.path)
        if name:
            self.server.manifests[f"{name[1]}:{name[2]}"] = body
            return self.answer(201, b"")
        parts = urllib.parse.urlsplit(self.path)
        [digest] = urllib.parse.parse_qs(parts.query)["digest"]
        data = self.server.uploads.pop(parts.path) + body
        if "sha256:" + hashlib.sha256(data).hexdigest() != digest:
            return self.refuse(400, "DIGEST_INVALID")
        self.server.blobs[digest] = data
        return self.answer(201, b"", {"Docker-Content-Digest": digest})

    def read_body(self):
        return self.rfile.read(int(self.headers.get("Content-Length", 0)))

    def refuse(self, status, code):
        self.answer(status, json.dumps({"errors": [{"code": code, "message": code.lower()}]}).encode())

    def answer(self, status, body, headers=None):
        self.send_response(status)
        for key, value in {"Content-Length": str(len(body)), **(headers or {})}.items():
            self.send_header(key, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)
