"""A hub of models on loopback that speaks the documented routes of huggingface.co, and the network of
its large files, which is another host: another port. What it is asked is kept, so that tests see who
was told what."""
import dataclasses
import hashlib
import http.server
import json
import pathlib
import sys
import threading
import time
import urllib.parse

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "pull"))
from byte_range import range_headers, requested_part  # noqa: E402

LARGE = 1_000_000  # bytes: from here on a file is kept as git LFS does


def git_id(content):
    """What git calls a file with that content."""
    return hashlib.sha1(b"blob %d\0" % len(content) + content).hexdigest()


@dataclasses.dataclass
class File:
    content: bytes
    large: bool | None = None  # None: by its size
    xet: bool = False

    @property
    def is_large(self):
        return self.large if self.large is not None else len(self.content) >= LARGE

    @property
    def pointer(self):
        return (b"version https://git-lfs.github.com/spec/v1\noid sha256:%s\nsize %d\n"
                % (hashlib.sha256(self.content).hexdigest().encode(), len(self.content)))

    @property
    def etag(self):
        return hashlib.sha256(self.content).hexdigest() if self.is_large else git_id(self.content)

    def entry(self, path):
        entry = {"type": "file", "oid": git_id(self.pointer if self.is_large else self.content),
                 "size": len(self.content), "path": path}
        if self.is_large:
            entry["lfs"] = {"oid": self.etag, "size": len(self.content), "pointerSize": len(self.pointer)}
        if self.xet:
            entry["xetHash"] = self.etag
        return entry


@dataclasses.dataclass
class Repository:
    commits: dict  # commit -> {path: File}
    refs: dict  # "main" -> commit
    card: dict = dataclasses.field(default_factory=lambda: {"license": "apache-2.0"})
    private: bool = False
    gated: bool = False
    moved_to: str = ""


@dataclasses.dataclass
class Request:
    server: str  # "hub" or "network"
    method: str
    path: str
    headers: dict


class _Server(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request, client_address):
        """Clients are killed in these tests; all else is told."""
        if not isinstance(sys.exc_info()[1], ConnectionError):
            super().handle_error(request, client_address)


class Hub:
    """Both servers. `token` reads private repositories; `reader`, another, only what is public."""

    token = "hf_accepted"
    reader = "hf_reader"

    def __init__(self):
        self.repositories = {}
        self.requests = []
        self.page_size = 1000
        self.stop_after = None  # bytes of a large file, after which nothing more comes
        self.wrong_byte = False  # in large files
        self.wrong_small = False  # likewise in small ones
        self.link_host = None  # what pages lead to, where it is not this hub
        self.files_host = None  # likewise what files lead to: a mirror of lists alone
        self.prefix = ""
        self.status = None  # of all answers of the hub
        self.small_tag = None  # the ETag of small files, where it is not git's id
        self._servers = {name: _Server(("127.0.0.1", 0), self._handler(name)) for name in ("hub", "network")}
        for server in self._servers.values():
            threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()

    def close(self):
        for server in self._servers.values():
            server.shutdown()
            server.server_close()

    def url(self, name="hub"):
        return f"http://127.0.0.1:{self._servers[name].server_address[1]}" + (self.prefix if name == "hub" else "")

    def add(self, name, files, **more):
        """A repository with one commit on main; files are bytes or File."""
        files = {path: file if isinstance(file, File) else File(file) for path, file in files.items()}
        commit = hashlib.sha1(repr(sorted((path, file.etag) for path, file in files.items())).encode()).hexdigest()
        repository = self.repositories.setdefault(name, Repository({}, {}, **more))
        repository.commits[commit] = files
        repository.refs["main"] = commit
        return commit

    def _handler(self, name):
        hub = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True

            def log_message(self, *_):
                pass

            def do_GET(self):
                self._answer()

            def do_HEAD(self):
                self._answer()

            def _answer(self):
                hub.requests.append(Request(name, self.command, self.path, dict(self.headers)))
                try:
                    answer = _HubAnswer if name == "hub" else _NetworkAnswer
                    answer(hub, self).give()
                except (BrokenPipeError, ConnectionResetError):
                    self.close_connection = True

        return Handler


class _Answer:
    def __init__(self, hub, handler):
        self.hub = hub
        self.handler = handler
        self.target = urllib.parse.urlsplit(handler.path)
        self.query = dict(urllib.parse.parse_qsl(self.target.query))

    def send(self, status, headers, body=b""):
        self.handler.send_response(status)
        for key, value in {"Content-Length": len(body), **headers}.items():
            self.handler.send_header(key, str(value))
        self.handler.end_headers()
        if self.handler.command != "HEAD":
            self.handler.wfile.write(body)

    def send_part(self, content, headers):
        """The content, or what a Range asks for of it."""
        status, begin, end = requested_part(self.handler.headers.get("Range"), len(content))
        self.send(status, {**headers, **range_headers(status, begin, end, len(content))}, content[begin:end])

    def send_json(self, value, headers=None):
        self.send(200, {"Content-Type": "application/json", **(headers or {})}, json.dumps(value).encode())

    def refuse(self, status, code="", message=""):
        headers = {key: value for key, value in {"X-Error-Code": code, "X-Error-Message": message}.items() if value}
        self.send(status, headers, json.dumps({"error": message}).encode())


class _HubAnswer(_Answer):
    def give(self):
        if self.hub.status:
            return self.refuse(self.hub.status)
        path = urllib.parse.unquote(self.target.path.removeprefix(self.hub.prefix))
        parts = [urllib.parse.unquote(part)
                 for part in self.target.path.removeprefix(self.hub.prefix).strip("/").split("/")]
        if parts[:2] == ["api", "models"] and len(parts) >= 4:
            return self.give_api("/".join(parts[2:4]), parts[4:])
        if len(parts) >= 5 and parts[2] == "resolve":
            return self.give_file("/".join(parts[:2]), parts[3], "/".join(parts[4:]))
        return self.refuse(404, message=f"nothing at {path}")

    def _token(self):
        return self.handler.headers.get("Authorization", "").removeprefix("Bearer ")

    def _repository(self, name):
        """The one that may be seen; otherwise it is refused."""
        token = self._token()
        if token not in ("", self.hub.token, self.hub.reader):
            return self.refuse(401, message="Invalid credentials in Authorization header")
        repository = self.hub.repositories.get(name)
        if repository is None or (repository.private and token != self.hub.token):
            return self.refuse(404 if token else 401, "RepoNotFound", "Repository not found")
        if repository.moved_to:
            self.send(307, {"Location": self.handler.path.replace(name, repository.moved_to)})
            return None
        return repository

    def _commit(self, repository, revision):
        commit = revision if revision in repository.commits else repository.refs.get(revision)
        if commit is None:
            self.refuse(404, "RevisionNotFound", f"Invalid rev id: {revision}")
        return commit

    def give_api(self, name, parts):
        repository = self._repository(name)
        if repository is None:
            return
        revision = parts[1] if len(parts) > 1 else "main"
        commit = self._commit(repository, revision)
        if commit is None:
            return
        files = repository.commits[commit]
        if not parts or parts[0] == "revision":
            self.send_json({"id": name, "sha": commit, "private": repository.private,
                            "gated": "manual" if repository.gated else False, "cardData": repository.card,
                            "tags": ["gguf"], "siblings": [{"rfilename": path} for path in files]})
        elif parts[0] == "tree":
            self.give_tree(name, commit, files)
        else:
            self.refuse(404, message="no such route")

    def give_tree(self, name, commit, files):
        entries = [{"type": "directory", "oid": "0" * 40, "size": 0, "path": folder}
                   for folder in sorted({path.rpartition("/")[0] for path in files} - {""})]
        entries += [file.entry(path) for path, file in sorted(files.items())]
        begin = int(self.query.get("cursor", 0))
        end = begin + self.hub.page_size
        headers = {}
        if end < len(entries):
            query = urllib.parse.urlencode({**self.query, "cursor": end})
            base = self.hub.link_host or self.hub.url()
            headers["Link"] = f'<{base}/api/models/{name}/tree/{commit}?{query}>; rel="next"'
        self.send_json(entries[begin:end], headers)

    def give_file(self, name, revision, path):
        repository = self._repository(name)
        if repository is None:
            return
        token = self._token()
        if repository.gated and token != self.hub.token:
            self.refuse(403 if token else 401, "GatedRepo",
                        f"Access to model {name} is restricted. You must have access to it and be authenticated.")
            return
        if self.hub.files_host:
            self.send(308, {"Location": self.hub.files_host + self.target.path.removeprefix(self.hub.prefix)})
            return
        commit = self._commit(repository, revision)
        if commit is None:
            return
        file = repository.commits[commit].get(path)
        headers = {"X-Repo-Commit": commit}
        if file is None:
            self.handler.send_response(404)
            for key, value in {**headers, "X-Error-Code": "EntryNotFound", "X-Error-Message": "Entry not found",
                               "Content-Length": 0}.items():
                self.handler.send_header(key, str(value))
            self.handler.end_headers()
        elif file.is_large:
            if file.xet:
                headers |= {"X-Xet-Hash": file.etag, "X-Xet-Refresh-Route": f"{self.hub.url()}/api/xet-read-token"}
            self.send(302, {**headers, "X-Linked-Etag": f'"{file.etag}"', "X-Linked-Size": len(file.content),
                            "Location": f"{self.hub.url('network')}/{file.etag}?Signature=x"})
        else:
            content = file.content
            if self.hub.wrong_small and self.handler.command == "GET":
                content = bytes([content[0] ^ 1]) + content[1:]
            self.send_part(content, {**headers, "ETag": self.hub.small_tag or f'"{file.etag}"'})


class _NetworkAnswer(_Answer):
    """Large files by their SHA-256, whole or in part."""

    def give(self):
        etag = self.target.path.strip("/")
        content = next((file.content for repository in self.hub.repositories.values()
                        for files in repository.commits.values() for file in files.values()
                        if file.etag == etag), None)
        if content is None or self.query.get("Signature") != "x":
            return self.refuse(403)
        if self.hub.wrong_byte:
            content = content[:-1] + bytes([content[-1] ^ 1])
        status, begin, end = requested_part(self.handler.headers.get("Range"), len(content))
        headers = range_headers(status, begin, end, len(content))
        if status == 416:
            return self.send(status, headers)
        self.handler.send_response(status)
        for key, value in {**headers, "ETag": '"network"'}.items():
            self.handler.send_header(key, value)
        self.handler.end_headers()
        if self.handler.command == "HEAD":
            return None
        stop = self.hub.stop_after
        if stop is not None and stop < end:
            self.handler.wfile.write(content[begin:max(begin, stop)])
            self.handler.wfile.flush()
            while self.hub.stop_after == stop:  # until the test goes on, or the client is gone
                time.sleep(0.02)
            self.handler.close_connection = True
            return None
        return self.handler.wfile.write(content[begin:end])
