"""pull and push with a real registry on this machine: what is pushed is pulled back, by every kind of
login, and whatever a line does to it."""
import hashlib
import json
import os
import pathlib
import random
import re
import resource
import signal
import subprocess
import threading
import time
import unittest

from fault_proxy import FaultProxy
from harness import DEMO, DEMO_TOWER, PROGRAM, ROOT, ProgramTest, bare_home, run
from registry_server import Authority, Registry, TokenServer, store_password, why_not

with open(DEMO, "rb") as demo:
    DEMO_CONTENT = demo.read()
DEMO_SHA256 = hashlib.sha256(DEMO_CONTENT).hexdigest()
DEMO_BYTES = len(DEMO_CONTENT)
MODELS_DOCUMENT = ROOT / "docs" / "models.md"
CHUNK_BYTES = 64 << 20  # of an upload


@unittest.skipIf(why_not(), why_not())
class RegistryTest(ProgramTest):
    def setUp(self):
        super().setUp()
        self.env = self.home("home")

    def home(self, name):
        """Of somebody who has nothing yet."""
        home = self.folder / name
        home.mkdir()
        return bare_home(home, PLEIAD_MODELS=str(home / "models"))

    def registry(self, **options):
        registry = Registry(self.folder / f"registry{len(list(self.folder.glob('registry*')))}", **options)
        self.addCleanup(registry.stop)
        return registry

    def proxy(self, registry):
        proxy = FaultProxy(registry.port, watched=f"/blobs/sha256:{DEMO_SHA256}")
        self.addCleanup(proxy.stop)
        return proxy

    def pleiad(self, *arguments, env=None):
        status, out, err = run(*arguments, env=env or self.env)
        self.assertEqual(status, 0, err + out)
        return out

    def refused(self, *arguments, env=None):
        status, out, err = run(*arguments, env=env or self.env)
        self.assertEqual(status, 1, err + out)
        return err

    def push_demo(self, registry, name="ann/demo:v1", env=None, model=DEMO):
        self.pleiad("push", model, f"{registry.host}/{name}", env=env)
        return name

    def files(self, folder, env=None):
        store = os.path.join((env or self.env)["PLEIAD_MODELS"], folder)
        return sorted(os.listdir(store)) if os.path.isdir(store) else []

    def names_blob(self, sha256):
        """Whether a manifest of the store names a blob."""
        manifests = pathlib.Path(self.env["PLEIAD_MODELS"], "manifests")
        return any(sha256 in path.read_text() for path in manifests.rglob("*") if path.is_file())

    def check_pulled(self, name, env=None):
        """It is whole, and nothing half done is left."""
        env = env or self.env
        blob = os.path.join(env["PLEIAD_MODELS"], "blobs", f"sha256-{DEMO_SHA256}")
        with open(blob, "rb") as file:
            self.assertEqual(hashlib.sha256(file.read()).hexdigest(), DEMO_SHA256)
        self.assertEqual(self.files("partial", env), [])
        self.pleiad("show", name, env=env)


class Registries(RegistryTest):
    def test_what_is_pushed_is_pulled_back(self):
        registry = self.registry()
        (self.folder / "Modelfile").write_text(
            f'FROM {DEMO}\nFROM {DEMO_TOWER}\nSYSTEM Be brief.\nPARAMETER top_k 3\nLICENSE Free\nMESSAGE user Hi\n')
        self.pleiad("create", "mine", "-f", self.folder / "Modelfile")
        name = f"{registry.host}/ann/mine:v1"
        self.pleiad("push", "mine", name)
        # As another client sees it.
        status, text = registry.get("/v2/ann/mine/manifests/v1")
        self.assertEqual(status, 200)
        manifest = json.loads(text)
        self.assertEqual(manifest["mediaType"], "application/vnd.docker.distribution.manifest.v2+json")
        self.assertEqual([layer["mediaType"].removeprefix("application/vnd.ollama.image.")
                          for layer in manifest["layers"]],
                         ["model", "projector", "system", "license", "params", "messages"])
        self.assertEqual(manifest["layers"][0]["digest"], f"sha256:{DEMO_SHA256}")
        _, config = registry.get(f"/v2/ann/mine/blobs/{manifest['config']['digest']}")
        self.assertEqual(json.loads(config)["model_family"], "gemma4")
        other = self.home("other")
        self.pleiad("pull", name, "--yes", env=other)
        self.check_pulled(name, other)
        shown = self.pleiad("show", name, "--modelfile", env=other)
        for line in ("SYSTEM Be brief.", "PARAMETER top_k 3", "LICENSE Free", "MESSAGE user Hi"):
            self.assertIn(line, shown)
        # And back once more, from the store, where the digest is the file's name.
        self.pleiad("push", name, f"{registry.host}/ann/again:v1", env=other)
        self.assertEqual(json.loads(registry.get("/v2/ann/again/manifests/v1")[1])["layers"], manifest["layers"])
        self.pleiad("rm", name, env=other)
        self.assertEqual((self.files("blobs", other), self.files("partial", other)), ([], []))

    def test_the_three_lines_of_the_documentation_lead_from_a_registry_to_an_answer(self):
        with open(MODELS_DOCUMENT, encoding="utf-8") as document:
            [walk] = re.findall(r"^## A registry of one's own.*?```\n(.*?)```", document.read(), re.M | re.S)
        self.assertEqual(len(walk.splitlines()), 3)
        programs = self.folder / "bin"
        programs.mkdir()
        (programs / "pleiad").symlink_to(PROGRAM)
        done = subprocess.run(["sh", "-e", "-c", walk.replace("localhost:5000", self.registry().host)],
                              env={**os.environ, **self.env, "PATH": f"{programs}:{os.environ['PATH']}"},
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout.splitlines()[-1], "1, 2, 3, 4, 5")

    def test_an_updated_tag_replaces_the_model_and_what_it_had(self):
        registry = self.registry()
        name = f"{registry.host}/{self.push_demo(registry)}"
        self.pleiad("pull", name, "--yes")
        self.assertEqual(len(self.files("blobs")), 2, "the model, and its tower")
        longer = self.folder / "longer.gguf"
        longer.write_bytes(DEMO_CONTENT + b"\0" * 64)
        self.push_demo(registry, model=longer)
        self.pleiad("pull", name, "--yes")
        sha256 = hashlib.sha256(longer.read_bytes()).hexdigest()
        self.assertEqual(self.files("blobs"), [f"sha256-{sha256}"])

    def test_basic_passwords_come_from_dockers_file(self):
        registry = self.registry(login="basic")
        name = f"{registry.host}/ann/demo:v1"
        self.assertIn(f"docker login {registry.host}", self.refused("push", DEMO, name))
        store_password(self.folder / "home/docker", registry.host, "guess")
        self.assertIn("refused", self.refused("push", DEMO, name))
        store_password(self.folder / "home/docker", registry.host)
        self.pleiad("push", DEMO, name)
        self.pleiad("pull", name, "--yes")
        self.check_pulled(name)

    def test_tokens_are_fetched_with_the_password(self):
        tokens = TokenServer(self.folder / "tokens")
        self.addCleanup(tokens.stop)
        registry = self.registry(login=tokens)
        name = f"{registry.host}/ann/demo:v1"
        self.assertIn("who are you?", self.refused("pull", name, "--yes"))
        store_password(self.folder / "home/docker", registry.host)
        self.pleiad("push", DEMO, name)
        scopes = {scope for _, query in tokens.asked for scope in query["scope"]}
        self.assertIn("repository:ann/demo:pull,push", scopes)
        self.pleiad("pull", name, "--yes")
        self.check_pulled(name)

    def test_tls_is_believed_where_its_authority_is(self):
        authority = Authority(self.folder / "authority")
        registry = self.registry(authority=authority)
        name = f"{registry.host}/ann/demo:v1"
        self.assertIn(registry.host.split(":")[0], self.refused("push", DEMO, name))
        env = {**self.env, "SSL_CERT_FILE": str(authority.authority)}
        self.pleiad("push", DEMO, name, env=env)
        self.pleiad("pull", name, "--yes", env=env)
        self.check_pulled(name, env)
        other = self.home("other")
        self.pleiad("pull", name, "--yes", "--insecure", registry.host, env=other)
        self.check_pulled(name, other)

    def test_what_is_not_there_is_said(self):
        registry = self.registry()
        self.push_demo(registry)
        err = self.refused("pull", f"{registry.host}/ann/demo:v2", "--yes")
        self.assertIn("there is no model 'ann/demo:v2'", err)
        self.assertIn("ann/none", self.refused("pull", f"{registry.host}/ann/none", "--yes"))


class Faults(RegistryTest):
    """A registry behind a line that is not to be trusted. Every run ends with the model or a clear
    error, and the next one with the model."""

    def setUp(self):
        super().setUp()
        self.registry_behind = registry = self.registry()
        self.push_demo(registry)
        self.proxy = self.proxy(registry)
        self.name = f"{self.proxy.host}/ann/demo:v1"

    def pull(self):
        self.pleiad("pull", self.name, "--yes")
        self.check_pulled(self.name)

    def pull_fails(self):
        err = self.refused("pull", self.name, "--yes")
        self.assertIn("127.0.0.1", err)
        self.assertEqual(self.files("blobs"), [])
        return err

    def test_what_breaks_off_goes_on(self):
        for part in (2, 5):
            with self.subTest(part=part):
                self.proxy.sent = 0
                self.proxy.fault = lambda _, part=part: lambda answer: answer.cut(DEMO_BYTES // part + 1)
                self.pull()
                self.assertLessEqual(self.proxy.sent, 2 * DEMO_BYTES)
                self.pleiad("rm", self.name)

    def test_bytes_of_others_are_not_kept(self):
        self.proxy.fault = lambda _: lambda answer: answer.flipped(12345)
        err = self.pull_fails()
        self.assertIn("SHA-256", err)
        self.assertEqual(self.files("partial"), [])
        self.proxy.fault = lambda _: None
        self.pull()

    def test_another_length_is_refused(self):
        self.proxy.fault = lambda _: lambda answer: answer.longer(1000)
        self.pull_fails()
        self.proxy.fault = lambda _: None
        self.pull()

    def test_a_server_that_is_busy_is_asked_again(self):
        def fault(number):
            if number == 1:
                return lambda answer: answer.refused(429, Retry_After="0")
            return (lambda answer: answer.refused(503)) if number == 2 else None
        self.proxy.fault = fault
        self.pull()

    def test_redirects_that_lead_nowhere_good_are_not_followed(self):
        for location, part in ((f"http://{self.proxy.host}/v2/ann/demo/blobs/sha256:{DEMO_SHA256}", "circle"),
                               ("http://192.0.2.1/x", "192.0.2.1"), ("file:///etc/passwd", "")):
            with self.subTest(location=location):
                self.proxy.fault = lambda _, to=location: lambda answer: answer.redirected(to)
                self.assertIn(part, self.pull_fails())
        self.proxy.fault = lambda _: None
        self.pull()

    def test_a_pull_that_is_interrupted_or_killed_is_resumed(self):
        released = threading.Event()
        self.addCleanup(released.set)
        for number in (signal.SIGINT, signal.SIGKILL):
            with self.subTest(signal=number):
                self.proxy.fault = lambda _: lambda answer: answer.stalled(DEMO_BYTES // 2, released)
                process = subprocess.Popen([PROGRAM, "pull", self.name, "--yes"], stdout=subprocess.DEVNULL,
                                           stderr=subprocess.DEVNULL, env={**os.environ, **self.env})
                partial = os.path.join(self.env["PLEIAD_MODELS"], "partial", f"sha256-{DEMO_SHA256}")
                deadline = time.monotonic() + 30
                while not (os.path.exists(partial) and os.path.getsize(partial) > 0):
                    self.assertLess(time.monotonic(), deadline)
                    time.sleep(0.02)
                process.send_signal(number)
                self.assertNotEqual(process.wait(30), 0)
                self.assertEqual(self.files("blobs"), [])
                kept = os.path.getsize(partial)
                self.proxy.sent = 0
                self.proxy.fault = lambda _: None
                self.pull()
                self.assertLessEqual(self.proxy.sent, DEMO_BYTES - kept, "what had come is not fetched again")
                self.pleiad("rm", self.name)

    def test_a_pull_that_is_killed_again_and_again_ends_with_the_model(self):
        """Moments by chance, in a download that takes half a second, over an older model of the name."""
        self.pull()
        older = self.files("blobs")
        chance = random.Random(7)
        registry = self.registry_behind
        longer = self.folder / "longer.gguf"
        longer.write_bytes(DEMO_CONTENT + b"\0" * 64)
        self.push_demo(registry, model=longer)
        sha256 = hashlib.sha256(longer.read_bytes()).hexdigest()
        self.proxy.watched = f"/blobs/sha256:{sha256}"
        self.proxy.fault = lambda _: lambda answer: answer.dripped(1 << 17, 0.008)
        n_killed, left = 0, []
        for _ in range(8):
            was_named = self.names_blob(sha256)
            process = subprocess.Popen([PROGRAM, "pull", self.name, "--yes"], stdout=subprocess.DEVNULL,
                                       stderr=subprocess.DEVNULL, env={**os.environ, **self.env})
            try:
                process.wait(chance.uniform(0.05, 0.4))
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
                n_killed += 1
                if not was_named and self.names_blob(sha256):  # it had no time for the older blob's removal
                    left = [blob for blob in self.files("blobs") if blob in older]
            self.pleiad("show", self.name)  # the old one or the new one, but whole
            for blob in self.files("blobs"):
                with open(os.path.join(self.env["PLEIAD_MODELS"], "blobs", blob), "rb") as file:
                    self.assertEqual(f"sha256-{hashlib.sha256(file.read()).hexdigest()}", blob)
        self.assertGreater(n_killed, 0)
        self.proxy.fault = lambda _: None
        self.pleiad("pull", self.name, "--yes")
        self.assertEqual((self.files("blobs"), self.files("partial")), (sorted([f"sha256-{sha256}", *left]), []))

    def test_a_disk_that_is_full_is_named_and_the_rest_comes_later(self):
        def limited():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (DEMO_BYTES // 2, DEMO_BYTES // 2))
        done = subprocess.run([PROGRAM, "pull", self.name, "--yes"], capture_output=True, text=True, check=False,
                              env={**os.environ, **self.env}, preexec_fn=limited, timeout=60)
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertIn("partial", done.stderr)
        self.assertEqual(self.files("blobs"), [])
        self.pull()

    def test_a_token_that_ends_in_the_middle_is_renewed(self):
        tokens = TokenServer(self.folder / "tokens")
        self.addCleanup(tokens.stop)
        store_password(self.folder / "home/docker", "127.0.0.1:0")
        registry = self.registry(login=tokens)
        store_password(self.folder / "home/docker", registry.host)
        self.push_demo(registry)
        proxy = FaultProxy(registry.port, watched=f"/blobs/sha256:{DEMO_SHA256}")
        self.addCleanup(proxy.stop)
        store_password(self.folder / "home/docker", proxy.host)
        challenge = f'Bearer realm="{tokens.url}",service="test registry",scope="repository:ann/demo:pull"'

        def fault(number):
            if number == 1:
                return lambda answer: answer.cut(DEMO_BYTES // 3)
            return (lambda answer: answer.refused(401, WWW_Authenticate=challenge)) if number == 2 else None
        proxy.fault = fault
        before = len(tokens.asked)
        self.name = f"{proxy.host}/ann/demo:v1"
        self.pull()
        self.assertGreaterEqual(len(tokens.asked) - before, 2)


class Uploads(RegistryTest):
    def test_a_large_file_goes_in_chunks_and_on_where_it_broke_off(self):
        registry = self.registry()
        proxy = FaultProxy(registry.port)
        self.addCleanup(proxy.stop)
        large = self.folder / "large.gguf"
        large.write_bytes(DEMO_CONTENT)
        os.truncate(large, CHUNK_BYTES + 1000)  # what follows the tensors is nobody's
        answer, chunks = proxy.answer, []

        def break_two(handler):
            """The second chunk is lost on its way, and then half of it."""
            if handler.command == "PATCH":
                chunks.append(handler.headers["Content-Range"])
                if len(chunks) in (2, 3):
                    if len(chunks) == 3:
                        proxy.send_half(handler)
                    handler.close_connection = True
                    handler.connection.close()
                    return
            answer(handler)
        proxy.answer = break_two
        name = f"{proxy.host}/ann/large:v1"
        self.pleiad("push", large, name)
        first, second = f"0-{CHUNK_BYTES - 1}", f"{CHUNK_BYTES}-{CHUNK_BYTES + 999}"
        # This registry gives an upload up of which half a chunk came.
        self.assertEqual(chunks, [first, second, second, first, second])
        self.pleiad("pull", name, "--yes")
        with open(large, "rb") as file:
            sha256 = hashlib.file_digest(file, "sha256").hexdigest()
        self.assertEqual(self.files("blobs"), [f"sha256-{sha256}"])

    def test_an_upload_that_breaks_off_is_tried_again(self):
        registry = self.registry()
        proxy = FaultProxy(registry.port)
        self.addCleanup(proxy.stop)
        broken = []
        answer = proxy.answer

        def break_first(handler):
            """The first body is lost on its way."""
            if handler.command == "PUT" and "/uploads/" in handler.path and not broken:
                broken.append(handler.path)
                handler.close_connection = True
                handler.connection.close()
                return
            answer(handler)
        proxy.answer = break_first
        self.pleiad("push", DEMO, f"{proxy.host}/ann/demo:v1")
        self.assertEqual(len(broken), 1)
        self.assertEqual(registry.get("/v2/ann/demo/manifests/v1")[0], 200)


if __name__ == "__main__":
    unittest.main()
