"""pull, push, prune and what run says of a model that is not at hand, with a registry of this machine."""
import json
import os
import pathlib
import signal
import subprocess
import sys
import time
import unittest

import pexpect

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "pull"))
from harness import DEMO, PROGRAM, ProgramTest, bare_home, run  # noqa: E402
from memory_registry import MemoryRegistry  # noqa: E402

COUNTED = "1, 2, 3, 4, 5\n"


class PullTest(ProgramTest):
    def setUp(self):
        super().setUp()
        self.registry = MemoryRegistry()
        self.addCleanup(self.registry.stop)
        self.data = pathlib.Path(DEMO).read_bytes()
        self.registry.add_model("me/demo:latest", self.data, system="Be brief.", license="MIT License")
        self.name = f"{self.registry.host}/me/demo"
        self.env = bare_home(self.folder)
        self.store = self.folder / "data" / "pleiad" / "models"

    def pleiad(self, *arguments, status=0):
        found, out, err = run(*arguments, env=self.env)
        self.assertEqual(found, status, out + err)
        return out, err

    def at_terminal(self, *arguments):
        child = pexpect.spawn(PROGRAM, list(arguments), env={**os.environ, **self.env}, encoding="utf-8", timeout=60,
                              dimensions=(24, 120), echo=False)
        self.addCleanup(child.close, True)
        return child

    def counts(self, name=None):
        out, _ = self.pleiad("run", name or self.name, "Count from 1 to 5", "--temperature", "0")
        self.assertEqual(out, COUNTED)

    def test_says_what_it_is_and_fetches_it(self):
        out, err = self.pleiad("pull", self.name)
        self.assertEqual(out, "")
        for text in (f"from {self.registry.host}", "MIT License", "size ", str(self.store), "is at hand"):
            self.assertIn(text, err)
        self.counts()
        self.assertEqual(self.pleiad("show", self.name, "--system")[0], "Be brief.\n")
        before = self.registry.served
        self.assertIn("all of it is here already", self.pleiad("pull", self.name)[1])
        self.assertLess(self.registry.served - before, 4096, "more than the texts was fetched again")

    def test_lines_of_json_for_programs(self):
        lines = [json.loads(line) for line in self.pleiad("pull", self.name, "--json")[0].splitlines()]
        self.assertEqual(lines[0], {"status": "pulling manifest"})
        self.assertEqual((lines[1]["status"], lines[1]["license"]), ("pulling manifest", "MIT License"))
        moving = [line for line in lines if line["status"].startswith("pulling ") and "total" in line]
        self.assertEqual(moving[-1]["completed"], moving[-1]["total"])
        self.assertEqual(lines[-1]["status"], "success")
        self.assertIn(lines[-1]["name"], self.pleiad("list", "--names")[0].splitlines())
        out, _ = self.pleiad("pull", f"{self.registry.host}/me/none", "--json", status=1)
        self.assertIn("error", json.loads(out.splitlines()[-1]))
        self.assertEqual(self.pleiad("pull", self.name, "--quiet"), (f"{self.name}:latest\n", ""))

    def test_asks_at_a_terminal(self):
        child = self.at_terminal("pull", self.name)
        child.expect_exact("Pull it? [Y/n] ")
        child.send("n\r")
        child.expect_exact("nothing was pulled")
        child.expect(pexpect.EOF)
        child.close()
        self.assertEqual(child.exitstatus, 1)
        self.assertLess(self.registry.served, 4096, "the model was fetched all the same")
        child = self.at_terminal("pull", self.name)
        child.expect_exact("Pull it? [Y/n] ")
        child.send("\r")
        child.expect_exact("is at hand")
        child.expect(pexpect.EOF)
        self.counts()

    def test_an_interrupted_pull_goes_on_where_it_ended(self):
        self.registry.go_on.clear()
        child = subprocess.Popen([PROGRAM, "pull", self.name], env={**os.environ, **self.env}, stderr=subprocess.PIPE, text=True)
        self.wait_for_partial_file()
        child.send_signal(signal.SIGINT)
        _, err = child.communicate(timeout=60)
        self.assertEqual(child.returncode, 130, err)
        self.assertIn("are kept, and the same command goes on from there", err)
        kept = sum(file.stat().st_size for file in (self.store / "partial").iterdir())
        self.assertGreater(kept, 0)
        self.assertEqual(run("show", self.name, env=self.env)[0], 1)
        self.registry.go_on.set()
        self.registry.ranges.clear()
        self.assertIn("are here already", self.pleiad("pull", self.name)[1])
        again = [(begin, end) for begin, end in self.registry.ranges if begin < kept and end > 4096]  # texts are shorter
        self.assertEqual(again, [], f"{kept} bytes were there")
        self.counts()

    def wait_for_partial_file(self):
        end = time.monotonic() + 60
        while time.monotonic() < end:
            if any(file.stat().st_size for file in (self.store / "partial").glob("*")):
                return
            time.sleep(0.02)
        self.fail("nothing comes")

    def test_run_offers_to_pull_at_a_terminal_and_names_the_command_elsewhere(self):
        _, err = self.pleiad("run", self.name, "hi", status=1)
        self.assertIn(f"`pleiad pull {self.name}` asks {self.registry.host} for it", err)
        child = self.at_terminal("run", self.name, "Count from 1 to 5", "--temperature", "0")
        child.expect_exact("Pull it? [Y/n] ")
        child.send("y\r")
        child.expect_exact("1, 2, 3, 4, 5")
        child.expect(pexpect.EOF)

    def test_a_chat_offers_to_pull_the_model_to_go_on_with(self):
        child = self.at_terminal("run", "demo", "--temperature", "0")
        child.expect_exact(">>> ")
        for answer in ("n\r", "\x03"):
            child.send(f"/model {self.name}\r")
            child.expect_exact("Pull it? [Y/n] ")
            child.send(answer)
            child.expect_exact("nothing was pulled")
            child.expect_exact(">>> ")
        child.send(f"/model {self.name}\r")
        child.expect_exact("Pull it? [Y/n] ")
        child.send("y\r")
        child.expect_exact("is at hand")
        child.expect_exact(">>> ")
        child.send("/model\r")
        child.expect_exact(f"* {self.name}:latest")
        child.send("Count from 1 to 5\r")
        child.expect_exact("1, 2, 3, 4, 5")
        child.send("\x03")
        child.expect_exact("leaves)")
        child.send("/bye\r")
        child.expect(pexpect.EOF)

    def test_what_is_pushed_can_be_pulled(self):
        self.registry.manifests.clear()
        self.registry.blobs.clear()
        self.pleiad("cp", "demo", self.name)
        _, err = self.pleiad("push", self.name)
        self.assertIn(f"pushed as '{self.name}:latest'", err)
        self.assertIn("me/demo:latest", self.registry.manifests)
        self.pleiad("push", "demo", f"{self.registry.host}/me/other:v1", "--json")
        self.assertIn("me/other:v1", self.registry.manifests)
        self.assertEqual(self.pleiad("push", self.name, "--quiet"), (f"{self.name}:latest\n", ""))
        self.pleiad("rm", self.name)
        self.pleiad("pull", self.name)
        self.counts()

    def test_prune_says_what_it_frees_and_removes_it_when_told(self):
        self.pleiad("pull", self.name)
        (self.store / "partial").mkdir(exist_ok=True)
        (self.store / "partial" / ("sha256-" + "a" * 64)).write_bytes(b"x" * 5000)
        out, _ = self.pleiad("prune")
        self.assertIn("interrupted download", out)
        self.assertIn("`pleiad prune --yes` frees 5.0 KB in 1 place", out)
        self.assertIn("freed 5.0 KB", self.pleiad("prune", "--yes")[0])
        self.assertIn("nothing is there that no model needs", self.pleiad("prune")[0])
        self.counts()

    def test_verify_finds_a_damaged_file(self):
        self.pleiad("pull", self.name)
        self.assertIn("all of them are what their names say", self.pleiad("verify", "--store")[0])
        blob = max((self.store / "blobs").iterdir(), key=lambda file: file.stat().st_size)
        with open(blob, "r+b") as file:
            file.seek(1_000_000)
            byte = file.read(1)[0]
            file.seek(1_000_000)
            file.write(bytes([byte ^ 1]))
        out, _ = self.pleiad("verify", "--store", status=1)
        self.assertIn("is damaged", out)
        self.assertIn(f"needed by {self.name}:latest", out)

    def test_names_that_are_none_are_mistakes_of_the_command_line(self):
        for name in ("hf:gemma", "/etc/passwd", "http://host/a/b", "a b", "", self.registry.host, "demo"):
            _, err = self.pleiad("pull", name, status=2)
            self.assertIn("pleiad: ", err)
        _, err = self.pleiad("pull", self.name, "--insecure", "host:99999", status=2)
        self.assertIn("--insecure: expected HOST or HOST:PORT, found 'host:99999'", err)
        self.assertIn("expected HOST/USER/MODEL", self.pleiad("push", "demo", status=1)[1])
        self.assertEqual(self.registry.requests, [])

    def test_what_does_not_fit_the_disk_is_said_before_the_question(self):
        manifest = json.loads(self.registry.manifests["me/demo:latest"])
        manifest["layers"][0]["size"] = 1 << 50
        self.registry.manifests["me/huge:latest"] = json.dumps(manifest).encode()
        child = self.at_terminal("pull", f"{self.registry.host}/me/huge")
        child.expect_exact("me/huge:latest does not fit the disk")
        child.expect(pexpect.EOF)
        self.assertNotIn("Pull it?", child.before)

    def test_a_projector_that_is_of_no_use_is_said_at_the_end(self):
        manifest = json.loads(self.registry.manifests["me/demo:latest"])
        manifest["layers"].append(self.registry.add_blob(b"GGUF but no more", "application/vnd.ollama.image.projector"))
        self.registry.manifests["me/blind:latest"] = json.dumps(manifest).encode()
        _, err = self.pleiad("pull", f"{self.registry.host}/me/blind")
        self.assertIn("left out  its projector: ", err.splitlines()[-1])
        out, _ = self.pleiad("pull", f"{self.registry.host}/me/blind", "--json")
        self.assertIn("its projector: ", json.loads(out.splitlines()[-1])["left_out"][0])

    def test_the_short_names_of_the_family_are_listed(self):
        out, _ = self.pleiad("list", "--remote")
        for text in ("gemma4:e2b ", "gemma4:31b-it-bf16", "the same as gemma4:e4b"):
            self.assertIn(text, out)
        models = json.loads(self.pleiad("list", "--remote", "--json")[0])["models"]
        self.assertIn("gemma4:e2b", [model["name"] for model in models])
        self.assertEqual([model["name"] for model in models], self.pleiad("list", "--remote", "--names")[0].splitlines())


if __name__ == "__main__":
    unittest.main()
