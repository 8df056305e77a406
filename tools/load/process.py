"""What a process holds, from /proc, and a server with folders of its own."""
import os
import pathlib
import re
import shutil
import signal
import subprocess
import time
from dataclasses import astuple, dataclass, fields


@dataclass
class Sample:
    seconds: float     # since the start of the load
    phase: str         # "warm-up", "rest" or "load"
    requests: int      # sent until now
    resident: int      # bytes
    anonymous: int     # of these, bytes that are no file's
    descriptors: int
    threads: int
    cpu_seconds: float

    @staticmethod
    def header():
        return [field.name for field in fields(Sample)]

    def row(self):
        return list(astuple(self))


def sample(pid, seconds, phase, requests):
    """Raises OSError where the process has ended."""
    status = pathlib.Path(f"/proc/{pid}/status").read_text()
    found = dict(re.findall(r"^(VmRSS|RssAnon|Threads):\s+(\d+)", status, re.M))
    if "VmRSS" not in found:
        raise ProcessLookupError(f"process {pid} has ended")
    times = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    cpu = (int(times[11]) + int(times[12])) / os.sysconf("SC_CLK_TCK")
    return Sample(round(seconds, 2), phase, requests, int(found["VmRSS"]) << 10, int(found["RssAnon"]) << 10,
                  len(os.listdir(f"/proc/{pid}/fd")), int(found["Threads"]), round(cpu, 2))


class Server:
    """`pleiad serve` on a free port. Its folder holds a second model, "other", and its log."""

    def __init__(self, program, folder, flags):
        self.folder = pathlib.Path(folder)
        self.log_path = self.folder / "server.log"
        models = self.folder / "models"
        models.mkdir(parents=True, exist_ok=True)
        demo = pathlib.Path(__file__).resolve().parents[2] / "models/demo/pleiad-demo.gguf"
        self.other = models / "other.gguf"
        shutil.copyfile(demo, self.other)
        env = {k: v for k, v in os.environ.items() if not k.startswith(("PLEIAD_", "OLLAMA_"))}
        env |= {"HOME": str(self.folder), "XDG_DATA_HOME": str(self.folder / "data"),
                "XDG_STATE_HOME": str(self.folder / "state"), "HF_HOME": str(self.folder / "hf"),
                "PLEIAD_MODEL_FOLDERS": str(models)}
        with open(self.log_path, "wb") as log:
            self.process = subprocess.Popen([program, "serve", "--host", "127.0.0.1:0", *flags, "demo"],
                                            env=env, stdout=log, stderr=log)
        self.pid = self.process.pid
        self.url = self._wait_for_address(60)

    def _wait_for_address(self, seconds):
        end = time.monotonic() + seconds
        while time.monotonic() < end and self.process.poll() is None:
            found = re.search(r"http://127\.0\.0\.1:\d+", self.log_path.read_text(errors="replace"))
            if found:
                return found[0]
            time.sleep(0.05)
        self.stop()
        raise RuntimeError(f"the server did not start:\n{self.log_path.read_text(errors='replace')}")

    def stop(self, seconds=60):
        """Its exit status; None where it had to be killed."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        try:
            return self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            return None
