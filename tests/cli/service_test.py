"""The server as what starts, watches and stops it meets it: `pleiad health`, and systemd's protocol."""
import http.server
import os
import signal
import socket
import subprocess
import threading
import unittest

from harness import PROGRAM, ProgramTest, bare_home, run


class Service(ProgramTest):
    def start(self, *words, env=None):
        """A server and the socket on which it tells how it is doing."""
        manager = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.addCleanup(manager.close)
        path = str(self.folder / "notify")
        manager.bind(path)
        manager.settimeout(60)
        log = open(self.folder / "log", "w+")
        self.addCleanup(log.close)
        env = {**os.environ, **bare_home(self.folder), "NOTIFY_SOCKET": path, **(env or {})}
        server = subprocess.Popen([PROGRAM, "serve", "--host", "127.0.0.1", "--port", "0", *words], stdout=log,
                                  stderr=log, env=env)
        self.addCleanup(server.wait)
        self.addCleanup(server.kill)
        return server, manager

    def test_is_told_of_once_it_answers_and_when_it_ends(self):
        server, manager = self.start("--api-key", "secret", "--grace", "7s")
        ready = manager.recv(1000).decode().splitlines()
        self.assertEqual(ready[0], "READY=1")
        address = ready[1].removeprefix("STATUS=Listening on ")
        # No key is needed.
        self.assertEqual(run("health", env={"PLEIAD_HOST": address.removeprefix("http://")}), (0, "ok\n", ""))
        server.send_signal(signal.SIGTERM)
        ending = manager.recv(1000).decode().splitlines()
        self.assertEqual((ending[0], ending[-1]), ("STOPPING=1", "EXTEND_TIMEOUT_USEC=17000000"))
        self.assertEqual(server.wait(60), 0)

    def test_goes_on_where_nobody_can_be_told(self):
        server, _ = self.start(env={"NOTIFY_SOCKET": str(self.folder / "nobody")})
        log = self.folder / "log"
        for _ in range(1200):
            if "was not told" in log.read_text():
                break
            self.assertIsNone(server.poll())
            threading.Event().wait(0.05)
        self.assertIn("nobody", log.read_text())
        server.send_signal(signal.SIGTERM)
        self.assertEqual(server.wait(60), 0)


class Health(ProgramTest):
    def sick(self, address, said):
        status, out, err = run("health", env={"PLEIAD_HOST": address})
        self.assertEqual((status, out), (1, ""), err)
        self.assertIn(said, err)
        self.assertNotIn("\x1b", err)

    def test_of_no_server_names_the_address(self):
        self.sick("127.0.0.1:1", "127.0.0.1:1")

    def test_says_what_is_wrong(self):
        answer = {}

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                self.send_response(answer["code"] if self.path == "/health" else 500)
                self.send_header("Content-Length", str(len(answer["body"])))
                self.end_headers()
                self.wfile.write(answer["body"])

            def log_message(self, *_):
                pass

        with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
            threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
            address = f"127.0.0.1:{server.server_port}"
            for code, body, said in ((503, b'{"status":"loading"}', "is loading"),
                                     (503, rb'{"status":"\u001b[2J"}', address), (404, b"{}", "404"),
                                     (200, b"[]", "expected an answer"), (200, b"<html>", address),
                                     (200, b'{"status":3}', "expected an answer"), (200, b"", address)):
                answer.update(code=code, body=body)
                with self.subTest(code=code, body=body):
                    self.sick(address, said)
            answer.update(code=200, body=b'{"status":"ok"}')
            self.assertEqual(run("health", env={"PLEIAD_HOST": address}), (0, "ok\n", ""))
            server.shutdown()


if __name__ == "__main__":
    unittest.main()
