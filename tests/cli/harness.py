"""What the tests of the program share: running it, and talking to it at a terminal."""
import os
import pathlib
import subprocess
import tempfile
import unittest

import pexpect

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PROGRAM = os.environ["PLEIAD_PROGRAM"]
DEMO = str(ROOT / "models" / "demo" / "pleiad-demo.gguf")
DEMO_TOWER = str(ROOT / "models" / "demo" / "mmproj-pleiad-demo.gguf")
MODELS = ROOT / "tests" / "golden" / "models"
# No figure of the machine is asserted; to find its limit in a gibibyte would be most of what `bench` costs.
BUFFER_MIB = 32
os.environ["PLEIAD_READ_BUFFER_MIB"] = str(BUFFER_MIB)


def run(*arguments, stdin="", env=None, text=True):
    """Runs the program to its end; returns (status, stdout, stderr)."""
    surroundings = {**os.environ, **(env or {})}
    done = subprocess.run([PROGRAM, *map(str, arguments)], input=stdin, capture_output=True,
                          text=text, timeout=120, env=surroundings, check=False)
    return done.returncode, done.stdout, done.stderr


def bare_home(folder, **more):
    """The environment of somebody who has nothing: no models, keys, proxies, certificates or servers, whatever whoever
    runs the tests has."""
    nothing = ("PLEIAD_MODELS", "PLEIAD_MODEL_FOLDERS", "HF_HUB_CACHE", "HF_ENDPOINT", "HF_TOKEN", "HUGGING_FACE_HUB_TOKEN",
               "HF_TOKEN_PATH", "HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE", "NETRC", "SSL_CERT_FILE", "http_proxy",
               "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY", "no_proxy", "NO_PROXY")
    return {**dict.fromkeys(nothing, ""), "HOME": str(folder), "XDG_DATA_HOME": str(folder / "data"),
            "XDG_STATE_HOME": str(folder), "OLLAMA_MODELS": str(folder / "ollama"), "OLLAMA_HOST": "127.0.0.1:1",
            "HF_HOME": str(folder / "hf"), "DOCKER_CONFIG": str(folder / "docker"), "TERM": "xterm", "NO_COLOR": "1", **more}


class ProgramTest(unittest.TestCase):
    """A test with a folder of its own."""

    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name)

    def chat(self, *arguments, env=None, model=DEMO):
        """A conversation at a terminal; history and state in the test's folder."""
        env = {**os.environ, "XDG_STATE_HOME": str(self.folder), "TERM": "xterm", "NO_COLOR": "1",
               **(env or {})}
        child = pexpect.spawn(PROGRAM, ["run", str(model), *arguments], env=env, encoding="utf-8",
                              timeout=60, dimensions=(24, 200), echo=False)
        child.linesep = "\r"  # what Enter sends
        self.addCleanup(child.close, True)
        child.expect_exact(">>> ")
        return child
