"""A server for a while, on a free port and with folders of its own."""
import contextlib
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time


@contextlib.contextmanager
def serve(program, models, *flags, environment=()):
    """Its address. It has to end well, and ends with what asked for it."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    with tempfile.TemporaryDirectory() as folder:
        log = pathlib.Path(folder) / "server.log"
        own = {k: v for k, v in os.environ.items() if not k.startswith(("PLEIAD_", "OLLAMA_", "XDG_"))}
        own |= {"HOME": folder} | dict(environment)
        with log.open("wb") as file:
            process = subprocess.Popen([program, "serve", *models, "--host", "127.0.0.1:0", "--keep-alive", "-1", *flags],
                                       env=own, stdout=file, stderr=subprocess.STDOUT)
        try:
            yield _address(process, log)
        finally:
            process.terminate()
            status = process.wait(120)
        if status != 0:
            raise SystemExit(f"the server ended with {status}:\n{log.read_text(errors='replace')[-3000:]}")


def _address(process, log):
    while process.poll() is None:
        found = re.search(r"http://127\.0\.0\.1:\d+", log.read_text(errors="replace"))
        if found:
            return found[0]
        time.sleep(0.1)
    raise SystemExit(f"the server did not start:\n{log.read_text(errors='replace')}")
