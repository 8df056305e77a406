"""Real registries on this machine: Debian's docker-registry, plain, behind TLS, and with both kinds
of logins; and a token server for it."""
import base64
import contextlib
import http.client
import http.server
import json
import shutil
import socket
import ssl
import subprocess
import threading
import time
import urllib.parse

PROGRAM = shutil.which("docker-registry")
USER, PASSWORD = "ann", "secret"
PASSWORD_HASH = "$2b$04$uZbzXyuCo7Ldujndw2NxCe.xKrO21d5niWc8sEQqR.fegsDUPADx2"  # bcrypt, few rounds
SERVICE = "test registry"


def why_not():
    """Why there can be no registry here; empty where there can be one."""
    if PROGRAM is None:
        return "docker-registry is not installed (scripts/setup test)"
    return "" if shutil.which("openssl") else "openssl is not installed"


def free_port():
    with contextlib.closing(socket.socket()) as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def openssl(*arguments, data=None):
    return subprocess.run(["openssl", *map(str, arguments)], input=data, check=True, capture_output=True).stdout


class Authority:
    """A certificate authority of the test's own, and a certificate of 127.0.0.1 by it."""

    def __init__(self, folder):
        self.folder = folder
        folder.mkdir()
        self.authority, self.key = folder / "authority.pem", folder / "authority.key"
        openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", 2,
                "-subj", "/CN=test authority", "-keyout", self.key, "-out", self.authority)
        self.server, self.server_key = folder / "server.pem", folder / "server.key"
        request, names = folder / "server.csr", folder / "names"
        names.write_text("subjectAltName=IP:127.0.0.1,DNS:localhost\n")
        openssl("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", "/CN=127.0.0.1",
                "-keyout", self.server_key, "-out", request)
        openssl("x509", "-req", "-in", request, "-CA", self.authority, "-CAkey", self.key, "-CAcreateserial",
                "-days", 2, "-extfile", names, "-out", self.server)


class Registry:
    """docker-registry with a folder of its own. `login`: None, "basic", or a TokenServer."""

    def __init__(self, folder, login=None, authority=None):
        folder.mkdir()
        self.port = free_port()
        self.host = f"127.0.0.1:{self.port}"
        config = {"version": "0.1", "log": {"level": "error", "accesslog": {"disabled": True}},
                  "storage": {"filesystem": {"rootdirectory": str(folder / "data")}},
                  "http": {"addr": self.host, "secret": "test"}}
        if login == "basic":
            (folder / "htpasswd").write_text(f"{USER}:{PASSWORD_HASH}\n")
            config["auth"] = {"htpasswd": {"realm": "test", "path": str(folder / "htpasswd")}}
        elif login is not None:
            config["auth"] = {"token": {"realm": login.url, "service": SERVICE, "issuer": "test",
                                        "rootcertbundle": str(login.certificate)}}
        if authority is not None:
            config["http"]["tls"] = {"certificate": str(authority.server), "key": str(authority.server_key)}
        (folder / "config.yml").write_text(json.dumps(config))  # JSON is YAML
        self.log = (folder / "log").open("wb")
        self.process = subprocess.Popen([PROGRAM, "serve", str(folder / "config.yml")], stdout=self.log,
                                        stderr=subprocess.STDOUT, cwd=folder)
        for _ in range(200):
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self.port)):
                return
            if self.process.poll() is not None:
                raise RuntimeError((folder / "log").read_text())
            time.sleep(0.05)
        raise RuntimeError("docker-registry does not listen")

    def stop(self):
        self.process.kill()
        self.process.wait()
        self.log.close()

    def get(self, path):
        """Of an open registry, by another client than ours; (status, body)."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        connection.request("GET", path, headers={"Accept": "application/vnd.docker.distribution.manifest.v2+json"})
        answer = connection.getresponse()
        with contextlib.closing(connection):
            return answer.status, answer.read()


def base64url(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


class TokenServer:
    """Gives tokens that docker-registry believes: signed ones, to those who know the password."""

    SECONDS = 300  # that a token is good

    def __init__(self, folder):
        folder.mkdir()
        self.certificate, self.key = folder / "tokens.pem", folder / "tokens.key"
        openssl("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", 2, "-subj", "/CN=test tokens",
                "-keyout", self.key, "-out", self.certificate)
        self.asked = []  # (Authorization, query)
        server = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                server.answer(self)

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}/token"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def stop(self):
        self.server.shutdown()
        self.server.server_close()

    def answer(self, handler):
        query = urllib.parse.parse_qs(urllib.parse.urlsplit(handler.path).query)
        given = handler.headers.get("Authorization", "")
        self.asked.append((given, query))
        known = given == "Basic " + base64.b64encode(f"{USER}:{PASSWORD}".encode()).decode()
        status, body = 401, {"details": "who are you?"}
        if known and query.get("service") == [SERVICE]:
            status, body = 200, {"token": self.sign(query.get("scope", [])), "expires_in": self.SECONDS}
        text = json.dumps(body).encode()
        handler.send_response(status)
        handler.send_header("Content-Length", str(len(text)))
        handler.end_headers()
        handler.wfile.write(text)

    def sign(self, scopes):
        now = int(time.time())
        access = []
        for scope in scopes:
            kind, name, actions = scope.split(":")
            access.append({"type": kind, "name": name, "actions": actions.split(",")})
        certificate = ssl.PEM_cert_to_DER_cert(self.certificate.read_text())
        head = {"typ": "JWT", "alg": "RS256", "x5c": [base64.b64encode(certificate).decode()]}
        claims = {"iss": "test", "sub": USER, "aud": SERVICE, "exp": now + self.SECONDS, "nbf": now - 10, "iat": now,
                  "jti": str(time.monotonic_ns()), "access": access}
        text = ".".join(base64url(json.dumps(part).encode()) for part in (head, claims))
        return text + "." + base64url(openssl("dgst", "-sha256", "-sign", self.key, data=text.encode()))


def store_password(folder, host, password=PASSWORD):
    """Docker's file of passwords; its folder, for DOCKER_CONFIG."""
    folder.mkdir(parents=True, exist_ok=True)
    auth = base64.b64encode(f"{USER}:{password}".encode()).decode()
    (folder / "config.json").write_text(json.dumps({"auths": {host: {"auth": auth}}}))
    return str(folder)
