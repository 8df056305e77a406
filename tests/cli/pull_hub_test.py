"""Models of a hub from the command line: named, fetched, run; with a token, without one, offline, interrupted."""
import os
import pathlib
import signal
import subprocess
import sys
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "hub"))
from harness import DEMO, DEMO_TOWER, PROGRAM, ProgramTest, bare_home, run  # noqa: E402
from hub_server import Hub  # noqa: E402

COUNTED = "1, 2, 3, 4, 5\n"


class PullHubTest(ProgramTest):
    def setUp(self):
        super().setUp()
        self.hub = Hub()
        self.addCleanup(self.hub.close)
        self.addCleanup(setattr, self.hub, "stop_after", None)
        self.files = {"demo-Q4_0.gguf": pathlib.Path(DEMO).read_bytes(), "README.md": b"# Demo\n",
                      "mmproj-BF16.gguf": pathlib.Path(DEMO_TOWER).read_bytes()}
        self.env = bare_home(self.folder, HF_ENDPOINT=self.hub.url())
        self.cache = self.folder / "hf" / "hub"

    def pleiad(self, *arguments, status=0, **environment):
        found, out, err = run(*arguments, env={**self.env, **environment})
        self.assertEqual(found, status, out + err)
        return out + err

    def test_a_gated_model_is_fetched_with_the_token_file_and_run(self):
        self.hub.add("org/demo", self.files, gated=True)
        refusal = self.pleiad("pull", "hf.co/org/demo", status=1)
        self.assertIn(f"org/demo is gated: log in at {self.hub.url()}/org/demo", refusal)
        self.assertFalse(self.cache.exists())
        (self.folder / "hf").mkdir()
        (self.folder / "hf" / "token").write_text(Hub.token + "\n")
        said = self.pleiad("pull", "hf.co/org/demo")
        for text in ("Q4_0", "10.5 MB", "apache-2.0", str(self.cache), "'hf.co/org/demo:Q4_0' is at hand"):
            self.assertIn(text, said)
        self.assertIn("hf.co/org/demo:Q4_0", self.pleiad("list"))
        self.assertEqual(self.pleiad("run", "hf.co/org/demo", "Count from 1 to 5", "--temperature", "0"), COUNTED)

    def test_offline_nobody_is_asked(self):
        self.hub.add("org/demo", self.files)
        missing = self.pleiad("pull", "hf:org/demo", status=1, HF_HUB_OFFLINE="1")
        self.assertIn("HF_HUB_OFFLINE is set", missing)
        self.assertEqual(self.hub.requests, [])
        self.pleiad("pull", "hf:org/demo")
        self.hub.requests.clear()
        self.assertIn("is at hand", self.pleiad("pull", "hf:org/demo", HF_HUB_OFFLINE="1"))
        self.assertEqual(self.hub.requests, [])

    def test_an_interrupted_pull_is_resumed(self):
        self.hub.add("org/demo", self.files)
        self.hub.stop_after = 5_000_000
        pull = subprocess.Popen([PROGRAM, "pull", "hf.co/org/demo"], env={**os.environ, **self.env},
                                stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        blobs = self.cache / "models--org--demo" / "blobs"
        end = time.monotonic() + 30
        while not [path for path in blobs.glob("*.incomplete") if path.stat().st_size >= 4_000_000]:
            self.assertLess(time.monotonic(), end, "nothing came")
            time.sleep(0.05)
        pull.send_signal(signal.SIGINT)
        _, err = pull.communicate(timeout=30)
        self.assertNotEqual(pull.returncode, 0)
        self.assertIn("goes on from there", err)
        self.assertIn("less than a minute ago", self.pleiad("prune"))
        self.hub.stop_after = None
        self.hub.requests.clear()
        self.pleiad("pull", "hf.co/org/demo")
        ranges = [request.headers["Range"] for request in self.hub.requests if request.server == "network"]
        self.assertTrue(ranges)
        for text in ranges:
            self.assertGreaterEqual(int(text.removeprefix("bytes=").split("-")[0]), 4_000_000)

    def test_what_was_interrupted_long_ago_is_pruned(self):
        self.hub.add("org/demo", self.files)
        self.pleiad("pull", "hf:org/demo")
        begun = self.cache / "models--org--other" / "blobs" / ("a" * 64 + ".incomplete")
        begun.parent.mkdir(parents=True)
        begun.write_bytes(b"x" * 5000)
        os.utime(begun, (0, 0))
        self.assertIn("`pleiad prune --yes` frees 5.0 KB in 1 place", self.pleiad("prune"))
        self.assertIn("freed 5.0 KB", self.pleiad("prune", "--yes"))
        self.assertFalse(begun.exists())
        self.assertEqual(self.pleiad("run", "hf.co/org/demo", "Count from 1 to 5", "--temperature", "0"), COUNTED)


if __name__ == "__main__":
    unittest.main()
