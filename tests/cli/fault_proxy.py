"""What stands between a client and a registry and spoils what goes through: answers that are cut,
changed, slow or of another length, refusals, and redirects that lead nowhere good."""
import contextlib
import http.client
import http.server
import socket
import threading
import time


class FaultProxy:
    """Hands requests on to a server of this machine. Of those that `watched` is in the path of, `fault(number)` is asked
    first, which counts them from 1: None lets the answer through unchanged, else it is called with the Answer."""

    def __init__(self, port, watched="/blobs/sha256:"):
        self.upstream, self.watched = port, watched
        self.fault = lambda number: None
        self.sent = 0  # bytes of watched bodies that were handed to the client
        self.n_watched = 0
        self.lock = threading.Lock()
        proxy = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def handle_one_request(self):
                with contextlib.suppress(OSError):
                    return super().handle_one_request()
                self.close_connection = True

            def log_message(self, *_):
                pass

            def do_GET(self):
                proxy.answer(self)

            do_HEAD = do_POST = do_PUT = do_PATCH = do_GET

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.port = self.server.server_address[1]
        self.host = f"127.0.0.1:{self.port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def stop(self):
        self.server.shutdown()
        self.server.server_close()

    def answer(self, handler):
        length = int(handler.headers.get("Content-Length") or 0)
        body = handler.rfile.read(length)
        watched = self.watched in handler.path and handler.command == "GET"
        with self.lock:
            self.n_watched += watched
            number = self.n_watched
        fault = self.fault(number) if watched else None
        connection = http.client.HTTPConnection("127.0.0.1", self.upstream, timeout=60)
        with contextlib.closing(connection):
            headers = {name: value for name, value in handler.headers.items() if name.lower() != "content-length"}
            if body or handler.command in ("PUT", "POST", "PATCH"):
                headers["Content-Length"] = str(len(body))
            connection.request(handler.command, handler.path, body, headers)
            reply = connection.getresponse()
            content = reply.read()
        answer = Answer(self, handler, reply, content, watched)
        (fault or Answer.whole)(answer)

    def send_half(self, handler):
        """The server gets half of a body, and then its connection breaks off."""
        length = int(handler.headers["Content-Length"])
        with contextlib.closing(socket.create_connection(("127.0.0.1", self.upstream))) as upstream:
            head = [f"{handler.command} {handler.path} HTTP/1.1",
                    *(f"{name}: {value}" for name, value in handler.headers.items())]
            upstream.sendall("\r\n".join([*head, "", ""]).encode() + handler.rfile.read(length // 2))
            upstream.shutdown(socket.SHUT_WR)
            upstream.recv(1 << 16)  # until it has given up


class Answer:
    """What the server said, and ways to hand it on."""

    def __init__(self, proxy, handler, reply, content, watched):
        self.proxy, self.handler, self.content, self.watched = proxy, handler, content, watched
        self.status, self.headers = reply.status, [h for h in reply.getheaders() if h[0].lower() != "connection"]

    def head(self, **other):
        """Status and headers; `other` replaces them: Content_Length="5"."""
        replaced = {name.replace("_", "-"): value for name, value in other.items()}
        self.handler.send_response(self.status)
        for name, value in self.headers:
            if name.title() not in replaced and name.lower() != "transfer-encoding":
                self.handler.send_header(name, value)
        for name, value in replaced.items():
            self.handler.send_header(name, value)
        self.handler.end_headers()

    def body(self, content):
        if self.handler.command == "HEAD":
            return
        with contextlib.suppress(OSError):
            self.handler.wfile.write(content)
            if self.watched:
                with self.proxy.lock:
                    self.proxy.sent += len(content)

    def end(self):
        """The connection breaks off here."""
        self.handler.close_connection = True
        with contextlib.suppress(OSError):
            self.handler.wfile.flush()
            self.handler.connection.shutdown(socket.SHUT_RDWR)

    def whole(self):
        self.head()
        self.body(self.content)

    def cut(self, count):
        self.head()
        self.body(self.content[:count])
        self.end()

    def flipped(self, place):
        """One bit of the body is another."""
        content = bytearray(self.content)
        content[place % len(content)] ^= 1
        self.head()
        self.body(bytes(content))

    def longer(self, more):
        """Claims, and brings, more than there is."""
        content = self.content + b"x" * more
        self.head(Content_Length=str(len(content)))
        self.body(content)

    def stalled(self, count, until):
        """Nothing more comes, and the connection stays open."""
        self.head()
        self.body(self.content[:count])
        until.wait(60)
        self.end()

    def dripped(self, piece, seconds):
        self.head()
        for begin in range(0, len(self.content), piece):
            self.body(self.content[begin:begin + piece])
            time.sleep(seconds)

    def refused(self, status, **headers):
        self.status, self.headers, self.content = status, [], b"{}"
        self.head(Content_Length="2", **headers)
        self.body(b"{}")

    def redirected(self, location):
        self.refused(307, Location=location)
