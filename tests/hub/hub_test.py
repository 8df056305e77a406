"""Models of a hub: what is offered, what lies in the cache afterwards, and that the official Python client
and this program share it, each going on with what the other began."""
import json
import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import time
import unittest

from hub_server import File, Hub, git_id

HERE = pathlib.Path(__file__).resolve().parent
DEMO = HERE.parent.parent / "models" / "demo"
PULL = os.environ["HUB_PULL"]
CLIENTS = pathlib.Path(os.environ["HUB_CLIENTS"])
LATEST, RESUMING = os.environ["HUB_VERSIONS"].split()

MODEL = (DEMO / "pleiad-demo.gguf").read_bytes()
TOWER = (DEMO / "mmproj-pleiad-demo.gguf").read_bytes()
CONFIG = b'{"model_type": "gemma4"}\n'
# Names that no cache should be asked for by others: small text, and large bytes.
GGUF = {"README.md": b"# A model\n", ".gitattributes": b"*.gguf filter=lfs\n", "m-Q4_K_M.gguf": MODEL,
        "m-Q8_0.gguf": MODEL + b"q8", "m-IQ2_M.gguf": MODEL + b"iq2", "imatrix.gguf": MODEL + b"i",
        "mmproj-BF16.gguf": TOWER, "mmproj-F16.gguf": TOWER + b"f16"}
FOLDER = {"README.md": b"# A model\n", "config.json": CONFIG, "generation_config.json": b"{}\n",
          "tokenizer.json": b'{"a": 1}\n' * 200_000, "tokenizer_config.json": b'{"b": 2}\n',
          "chat_template.jinja": b"{{ bos_token }}", "processor_config.json": b"{}",
          "special_tokens_map.json": b"{ }", "additional_chat_templates/tools.jinja": b"{{ tools }}",
          "model.safetensors.index.json": json.dumps({"metadata": {}, "weight_map": {
              "a": "model-00001-of-00002.safetensors", "b": "model-00002-of-00002.safetensors"}}).encode(),
          "model-00001-of-00002.safetensors": MODEL[:3_000_000], "model-00002-of-00002.safetensors": TOWER[:2_000_000],
          "pytorch_model.bin": TOWER + b"bin", "onnx/model.onnx": TOWER + b"onnx", "original/params.json": b"{}"}
FOLDER_TAKEN = sorted(set(FOLDER) - {"README.md", "pytorch_model.bin", "onnx/model.onnx", "original/params.json"})


def tree(cache, leave_out=("CACHEDIR.TAG",)):
    """Every file, link and folder below a cache: what it holds, where it leads."""
    found = {}
    for path in sorted(pathlib.Path(cache).rglob("*")):
        name = path.relative_to(cache).as_posix()
        # What a process that is killed at the last moment leaves beside the locks, for a minute.
        if name in leave_out or (name.startswith(".locks/") and "/revision-" in name):
            continue
        if path.is_symlink():
            found[name] = "-> " + os.readlink(path)
        elif path.is_dir():
            found[name] = "folder"
        else:
            found[name] = path.read_bytes()
    return found


class HubTest(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name)
        self.cache = self.folder / "ours"
        self.hub = Hub()
        self.addCleanup(self.hub.close)
        self.addCleanup(setattr, self.hub, "stop_after", None)

    def start(self, reference, *words, cache=None, endpoint=None):
        return self.watched([PULL, endpoint or self.hub.url(), str(cache or self.cache), reference, *words],
                            stdout=subprocess.PIPE, text=True)

    def watched(self, *arguments, **more):
        """A process that a failed test does not leave behind."""
        process = subprocess.Popen(*arguments, **more)
        self.addCleanup(lambda: process.poll() is None and (process.kill(), process.communicate()))
        return process

    def pull(self, reference, *words, **more):
        """The lines that it said."""
        out, _ = self.start(reference, *words, **more).communicate(timeout=60)
        return [json.loads(line) for line in out.splitlines()]

    def pulled(self, reference, *words, **more):
        lines = self.pull(reference, *words, **more)
        self.assertEqual(lines[-1].get("status"), "success", lines[-1])
        return lines[-1]["name"]

    def refused(self, reference, *words, **more):
        lines = self.pull(reference, *words, **more)
        self.assertIn("error", lines[-1], lines[-1])
        return lines[-1]["error"]

    def offered(self, reference, *words, **more):
        lines = self.pull(reference, *words, "offer", **more)
        self.assertIn("files", lines[-1], lines[-1])
        return lines[-1]

    def start_python(self, repository, files, version=LATEST, cache=None, revision="main", **environment):
        env = {key: value for key, value in os.environ.items() if not key.startswith(("HF_", "HUGGING"))}
        env |= {"PYTHONPATH": str(CLIENTS / version), "HF_ENDPOINT": self.hub.url(), "HF_HOME": str(self.folder / "home"),
                "HF_HUB_DISABLE_XET": "1", "HF_HUB_DISABLE_TELEMETRY": "1", "HF_HUB_DISABLE_PROGRESS_BARS": "1",
                **environment}
        return self.watched([sys.executable, HERE / "client.py", str(cache or self.cache), repository, revision, *files],
                            env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def python(self, repository, files, **more):
        out, errors = self.start_python(repository, files, **more).communicate(timeout=60)
        self.assertTrue(out, errors)
        return json.loads(out)["paths"]

    def wait_for(self, condition, what):
        end = time.monotonic() + 30
        while not condition():
            self.assertLess(time.monotonic(), end, what)
            time.sleep(0.02)

    def network_bytes(self):
        """Asked of the network of large files, by what ranges say."""
        return [request.headers.get("Range", "") for request in self.hub.requests if request.server == "network"]

    def blobs(self, repository):
        return self.cache / f"models--{repository.replace('/', '--')}" / "blobs"


class Offers(HubTest):
    def test_a_usual_type_is_chosen_and_said(self):
        commit = self.hub.add("org/m", GGUF)
        offer = self.offered("hf.co/org/m")
        self.assertEqual(offer["name"], f"hf:org/m@{commit}:Q4_K_M")
        self.assertEqual((offer["type"], offer["license"], offer["revision"]), ("Q4_K_M", "apache-2.0", commit))
        self.assertIn("Q4_K_M, since no type was named; others are there: Q8_0", offer["chosen"])
        self.assertEqual([file["what"] for file in offer["files"]], ["mmproj-BF16.gguf", "m-Q4_K_M.gguf"])
        self.assertEqual([file["size"] for file in offer["files"]], [len(TOWER), len(MODEL)])
        left_out = "\n".join(offer["left_out"])
        self.assertIn("IQ2_M: types that Pleiad does not read", left_out)
        self.assertIn("mmproj-F16.gguf: the same or other projectors; mmproj-BF16.gguf is taken", left_out)
        self.assertFalse(self.cache.exists(), "an offer changes nothing")
        self.assertEqual([r for r in self.hub.requests if r.server == "network"], [])

    def test_a_type_that_is_not_there_or_not_read_is_refused(self):
        self.hub.add("org/m", GGUF)
        self.assertIn("has no 'Q5_K_M'; there are: IQ2_M, Q4_K_M, Q8_0", self.refused("hf.co/org/m:Q5_K_M"))
        self.assertIn("IQ2_M, a type that Pleiad does not read; it reads these of the repository: Q4_K_M, Q8_0",
                      self.refused("hf.co/org/m:iq2_m"))
        self.assertIn("is no model", self.refused("hf.co/org/m:mmproj-F16.gguf"))

    def test_lists_have_pages(self):
        self.hub.page_size = 2
        self.hub.add("org/m", GGUF)
        self.offered("hf.co/org/m")
        pages = [r.path for r in self.hub.requests if "/tree/" in r.path]
        self.assertEqual(len(pages), 4)

    def test_a_mirror_that_hands_out_the_hubs_own_pages_is_asked_itself(self):
        self.hub.page_size = 5
        self.hub.prefix = "/mirrors/hf"
        self.hub.link_host = "https://huggingface.co"
        self.hub.add("org/m", GGUF)
        self.assertEqual(self.offered("hf.co/org/m", "hf_accepted")["host"], self.hub.url().split("/")[2])
        self.hub.files_host = "https://huggingface.co"
        self.offered("hf.co/org/m", "hf_accepted")
        self.hub.link_host = "http://127.0.0.1:9"
        self.assertIn("leads to 'http://127.0.0.1:9/", self.refused("hf.co/org/m"))

    def test_names_that_cannot_be_paths_are_left_out(self):
        self.hub.add("org/m", {"m-Q4_0.gguf": MODEL, "../m-Q8_0.gguf": MODEL + b"x", "/etc/mmproj-F16.gguf": TOWER})
        offer = self.offered("hf.co/org/m")
        self.assertEqual([file["what"] for file in offer["files"]], ["m-Q4_0.gguf"])
        self.assertIn("'../m-Q8_0.gguf' has the part '..', '/etc/mmproj-F16.gguf' has an empty part",
                      "\n".join(offer["left_out"]))

    def test_refusals_say_what_to_do(self):
        hub = self.hub.url()
        self.hub.add("org/gated", GGUF, gated=True)
        self.hub.add("org/private", GGUF, private=True)
        self.hub.add("org/m", GGUF)
        without = self.refused("hf.co/org/gated")
        self.assertIn(f"org/gated is gated: log in at {hub}/org/gated", without)
        self.assertIn("accept its licence there", without)
        self.assertIn("the account of your token has no access", self.refused("hf.co/org/gated", Hub.reader))
        self.assertIn("has no repository org/private, or it is private, which takes a token",
                      self.refused("hf.co/org/private"))
        self.assertIn("or it is private and your token may not read it", self.refused("hf.co/org/none", Hub.token))
        self.assertIn("does not know your token", self.refused("hf.co/org/m", "hf_expired"))
        self.assertIn("org/m has no revision 'v9'", self.refused("hf:org/m@v9"))
        self.assertIn("a character that no token has", self.refused("hf.co/org/m", "hf_a\nX-Evil: 1"))
        self.hub.status = 503
        self.assertIn("answers 503 for org/m", self.refused("hf.co/org/m"))
        self.assertFalse(self.cache.exists())

    def test_a_moved_repository_is_found(self):
        self.hub.add("org/new", GGUF)
        self.hub.add("org/old", GGUF, moved_to="org/new")
        self.assertEqual(self.pulled("hf.co/org/old:Q4_K_M"), "hf.co/org/old:Q4_K_M")


class Caches(HubTest):
    def test_a_gguf_lies_as_pythons_client_lays_it(self):
        self.hub.add("org/m", GGUF)
        self.assertEqual(self.pulled("hf.co/org/m:Q4_K_M"), "hf.co/org/m:Q4_K_M")
        theirs = self.folder / "theirs"
        self.python("org/m", ["mmproj-BF16.gguf", "m-Q4_K_M.gguf"], cache=theirs)
        self.assertEqual(tree(self.cache), tree(theirs))

    def test_a_folder_lies_as_pythons_client_lays_it(self):
        self.hub.add("org/f", FOLDER)
        offer = self.offered("hf.co/org/f")
        self.assertEqual(sorted(file["what"] for file in offer["files"]), FOLDER_TAKEN)
        self.assertEqual(offer["files"][-1]["what"], "config.json")
        self.assertIn("pytorch_model.bin: weights", offer["left_out"][0])
        self.assertIn("onnx/, original/: folders", offer["left_out"][1])
        self.assertEqual(self.pulled("hf.co/org/f"), "hf.co/org/f")
        theirs = self.folder / "theirs"
        self.python("org/f", FOLDER_TAKEN, cache=theirs)
        self.assertEqual(tree(self.cache), tree(theirs))

    def test_either_finds_what_the_other_fetched(self):
        self.hub.add("org/m", GGUF)
        self.pulled("hf.co/org/m:Q4_K_M")
        before = len(self.network_bytes())
        paths = self.python("org/m", ["m-Q4_K_M.gguf"])
        self.assertEqual(pathlib.Path(paths[0]).read_bytes(), MODEL)
        self.python("org/m", ["m-Q8_0.gguf"])
        there = len(self.network_bytes())
        self.assertGreater(there, before)
        self.assertEqual(self.pulled("hf.co/org/m:Q8_0"), "hf.co/org/m:Q8_0")
        self.assertEqual(len(self.network_bytes()), there)

    def test_a_revision_has_its_own_snapshot_and_name(self):
        first = self.hub.add("org/m", {"m-Q4_0.gguf": MODEL})
        self.hub.repositories["org/m"].refs["v1"] = first
        self.hub.add("org/m", {"m-Q4_0.gguf": MODEL + b"new"})
        self.assertEqual(self.pulled("hf.co/org/m"), "hf.co/org/m:Q4_0")
        self.assertEqual(self.pulled("hf:org/m@v1"), "hf.co/org/m@v1:Q4_0")
        theirs = self.folder / "theirs"
        self.python("org/m", ["m-Q4_0.gguf"], cache=theirs)
        self.python("org/m", ["m-Q4_0.gguf"], cache=theirs, revision="v1")
        self.assertEqual(tree(self.cache), tree(theirs))

    def test_a_new_commit_replaces_the_old_one_at_the_end(self):
        self.hub.add("org/m", {"m-Q4_0.gguf": MODEL})
        self.pulled("hf.co/org/m")
        main = self.cache / "models--org--m" / "refs" / "main"
        old = main.read_text()
        new = self.hub.add("org/m", {"m-Q4_0.gguf": MODEL + b"new"})
        self.hub.wrong_byte = True
        self.refused("hf.co/org/m")
        self.assertEqual(main.read_text(), old)
        self.hub.wrong_byte = False
        self.pulled("hf.co/org/m")
        self.assertEqual(main.read_text(), new)

    def test_files_of_xet_come_by_http(self):
        self.hub.add("org/m", {"m-Q4_0.gguf": File(MODEL, xet=True)})
        self.assertEqual(self.pulled("hf.co/org/m"), "hf.co/org/m:Q4_0")
        self.assertFalse([r for r in self.hub.requests if "xet" in r.path])

    def test_an_empty_file_and_a_split_model(self):
        self.hub.add("org/s", {"Q4_0/m-Q4_0-00001-of-00002.gguf": MODEL, "Q4_0/m-Q4_0-00002-of-00002.gguf": TOWER,
                               "mmproj-F16.gguf": TOWER + b"f"})
        self.assertEqual(self.pulled("hf.co/org/s"), "hf.co/org/s:Q4_0")
        self.hub.add("org/deep", {"gguf/x/y/m-Q4_0.gguf": MODEL})
        self.assertEqual(self.pulled("hf.co/org/deep"), "hf.co/org/deep:Q4_0")
        self.hub.add("org/s", {"m-Q4_0-00002-of-00002.gguf": TOWER, "m-Q4_0-00001-of-00002.gguf": MODEL})
        self.hub.add("org/lacks", {"m-Q4_0-00001-of-00002.gguf": MODEL})
        self.assertIn("lacks m-Q4_0-00002-of-00002.gguf", self.refused("hf.co/org/lacks"))
        self.hub.add("org/f", {**{path: FOLDER[path] for path in FOLDER_TAKEN}, "merges.txt": b""})
        self.assertEqual(self.pulled("hf.co/org/f"), "hf.co/org/f")
        self.assertEqual((self.blobs("org/f") / git_id(b"")).read_bytes(), b"")


class Interruptions(HubTest):
    # Python's client writes 10 MiB at a time.
    CUT = 12_000_000
    MODEL = MODEL * 3

    def setUp(self):
        super().setUp()
        self.hub.add("org/m", {"m-Q4_0.gguf": self.MODEL})
        self.etag = File(self.MODEL).etag

    def begun(self):
        return [path for path in self.blobs("org/m").glob("*.incomplete") if path.stat().st_size > 0]

    def interrupt(self, process):
        """Kills a client after it has written a part of the file."""
        self.wait_for(lambda: sum(path.stat().st_size for path in self.begun()) > 0, "nothing came")
        size = -1
        while size != (size := self.begun()[0].stat().st_size):  # all that comes has come
            time.sleep(0.3)
        process.send_signal(signal.SIGKILL)
        process.communicate()
        self.hub.stop_after = None
        self.hub.requests.clear()
        return size

    def ranges_from(self, size):
        """Every byte before `size` was left alone."""
        ranges = self.network_bytes()
        self.assertTrue(ranges)
        for text in ranges:
            self.assertGreaterEqual(int(text.removeprefix("bytes=").split("-")[0] or 0), size, ranges)

    def finished(self):
        self.assertEqual((self.blobs("org/m") / self.etag).read_bytes(), self.MODEL)
        self.assertEqual(self.begun(), [])

    def test_ours_goes_on_with_ours(self):
        self.hub.stop_after = self.CUT
        size = self.interrupt(self.start("hf.co/org/m"))
        self.assertFalse((self.cache / "models--org--m" / "refs" / "main").exists())
        self.assertEqual(self.offered("hf.co/org/m")["files"][0]["at_hand"], size)
        self.assertEqual(self.pulled("hf.co/org/m"), "hf.co/org/m:Q4_0")
        self.ranges_from(size)
        self.finished()

    def test_ours_goes_on_with_what_pythons_client_began(self):
        self.hub.stop_after = self.CUT
        size = self.interrupt(self.start_python("org/m", ["m-Q4_0.gguf"], version=RESUMING))
        self.assertEqual(self.pulled("hf.co/org/m"), "hf.co/org/m:Q4_0")
        self.ranges_from(size)
        self.finished()

    def test_pythons_client_goes_on_with_what_ours_began(self):
        self.hub.stop_after = self.CUT
        size = self.interrupt(self.start("hf.co/org/m"))
        self.python("org/m", ["m-Q4_0.gguf"], version=RESUMING)
        self.ranges_from(size)
        self.finished()

    def test_ours_goes_on_with_what_the_latest_client_began(self):
        self.hub.stop_after = self.CUT
        size = self.interrupt(self.start_python("org/m", ["m-Q4_0.gguf"]))
        [partial] = self.begun()
        self.assertRegex(partial.name, self.etag + r"\.[0-9a-f]{8}\.incomplete")
        os.utime(partial, (time.time() - 60,) * 2)  # nobody writes to it any more
        self.assertEqual(self.pulled("hf.co/org/m"), "hf.co/org/m:Q4_0")
        self.ranges_from(size)
        self.finished()

    def test_the_latest_client_begins_anew_beside_what_ours_began(self):
        self.hub.stop_after = self.CUT
        self.interrupt(self.start("hf.co/org/m"))
        self.python("org/m", ["m-Q4_0.gguf"])
        self.assertEqual((self.blobs("org/m") / self.etag).read_bytes(), self.MODEL)
        self.assertEqual(self.network_bytes(), [""])
        self.assertEqual(self.pulled("hf.co/org/m"), "hf.co/org/m:Q4_0")

    def test_a_damaged_beginning_is_found_and_the_file_fetched_anew(self):
        self.blobs("org/m").mkdir(parents=True)
        (self.blobs("org/m") / (self.etag + ".incomplete")).write_bytes(bytes(1_000_000))
        lines = self.pull("hf.co/org/m")
        self.assertEqual(lines[-1].get("name"), "hf.co/org/m:Q4_0")
        self.assertTrue([line for line in lines if "is fetched again from its beginning" in line.get("status", "")])
        self.finished()

    def test_small_files_are_gone_on_with_too(self):
        small = File(TOWER, large=False)
        self.hub.add("org/m", {"config.json": small, "model.safetensors": MODEL})
        for tag in (None, '"of-a-mirror"'):
            self.hub.small_tag = tag
            self.blobs("org/m").mkdir(parents=True, exist_ok=True)
            (self.blobs("org/m") / (small.etag + ".incomplete")).write_bytes(TOWER[:1_000_000])
            self.hub.requests.clear()
            self.assertEqual(self.pulled("hf.co/org/m"), "hf.co/org/m")
            ranges = [r.headers.get("Range", "") for r in self.hub.requests
                      if r.method == "GET" and r.path.endswith("config.json")]
            self.assertTrue(ranges[0].startswith("bytes=1000000"), ranges)
            self.assertEqual((self.blobs("org/m") / small.etag).read_bytes(), TOWER)
            (self.blobs("org/m") / small.etag).unlink()

    def test_two_clients_do_not_download_the_same_file_at_once(self):
        self.hub.stop_after = self.CUT
        python = self.start_python("org/m", ["m-Q4_0.gguf"])
        self.wait_for(self.begun, "nothing came")
        ours = self.start("hf.co/org/m")
        while "waiting for another process" not in (line := ours.stdout.readline()):
            self.assertTrue(line, "it did not wait")
        self.hub.stop_after = None
        lines = [json.loads(line) for line in ours.communicate(timeout=60)[0].splitlines()]
        python.communicate(timeout=60)
        self.assertEqual(lines[-1].get("name"), "hf.co/org/m:Q4_0")
        self.finished()

    def test_an_interrupt_ends_it_at_once_and_keeps_what_came(self):
        self.hub.stop_after = self.CUT
        ours = self.start("hf.co/org/m")
        self.wait_for(self.begun, "nothing came")
        ours.send_signal(signal.SIGINT)
        out, _ = ours.communicate(timeout=20)
        self.assertIn("error", json.loads(out.splitlines()[-1]))
        self.assertTrue(self.begun())


class Kills(HubTest):
    def test_no_moment_leaves_half_a_model(self):
        self.hub.add("org/f", FOLDER)
        n_kills = int(os.environ.get("HUB_KILLS", "8"))
        moments = random.Random(1)
        begin = time.monotonic()
        self.pulled("hf.co/org/f", cache=self.folder / "whole")
        seconds = time.monotonic() - begin
        whole = tree(self.folder / "whole")
        ref = self.cache / "models--org--f" / "refs" / "main"
        self.hub.requests.clear()
        for _ in range(n_kills):
            process = self.start("hf.co/org/f")
            time.sleep(moments.uniform(0, seconds))
            process.kill()
            process.communicate()
            # A revision is noted where all of it is there, and nowhere else.
            if ref.exists():
                self.assertEqual(tree(self.cache), whole)
                for path in sorted(self.cache.rglob("*"), reverse=True):
                    path.rmdir() if path.is_dir() and not path.is_symlink() else path.unlink()
        self.assertEqual(self.pulled("hf.co/org/f"), "hf.co/org/f")
        self.assertEqual(tree(self.cache), whole)


class Safety(HubTest):
    def test_the_token_goes_to_the_hub_alone(self):
        self.hub.add("org/gated", GGUF, gated=True)
        self.pulled("hf.co/org/gated:Q4_K_M", Hub.token + "\n")
        self.assertTrue([r for r in self.hub.requests if r.server == "network"])
        for request in self.hub.requests:
            wanted = "Bearer " + Hub.token if request.server == "hub" else None
            self.assertEqual(request.headers.get("Authorization"), wanted, request)

    def test_wrong_bytes_are_deleted_and_who_gave_them_is_named(self):
        self.hub.add("org/m", {"m-Q4_0.gguf": MODEL})
        self.hub.wrong_byte = True
        self.assertIn(self.hub.url("network").split("//")[1], self.refused("hf.co/org/m"))
        self.assertEqual(list(self.blobs("org/m").iterdir()), [])
        self.hub.add("org/f", {path: FOLDER[path] for path in FOLDER_TAKEN})
        self.hub.wrong_byte, self.hub.wrong_small = False, True
        self.assertIn("than it lists", self.refused("hf.co/org/f"))
        self.hub.add("org/one", {"config.json": CONFIG, "model.safetensors": MODEL})
        self.assertRegex(self.refused("hf.co/org/one"), r"config.json: .*gave bytes whose git id is [0-9a-f]{40}")
        self.assertFalse((self.cache / "models--org--one" / "refs" / "main").exists())

    def test_offline_nobody_is_asked(self):
        self.hub.add("org/m", GGUF)
        self.hub.add("org/f", FOLDER)
        self.pulled("hf.co/org/m:Q8_0")
        self.pulled("hf.co/org/f")
        self.hub.requests.clear()
        self.assertEqual(self.pulled("hf.co/org/m", "offline"), "hf.co/org/m:Q8_0")
        self.assertEqual(self.pulled("hf.co/org/f", "offline"), "hf.co/org/f")
        missing = self.refused("hf.co/org/m:Q4_K_M", "offline")
        self.assertIn("HF_HUB_OFFLINE is set", missing)
        self.assertIn("has no 'Q4_K_M'; there are: Q8_0", missing)
        self.assertIn("has no revision 'main'", self.refused("hf.co/org/none", "offline"))
        self.assertEqual(self.hub.requests, [])

    def test_a_cache_that_cannot_be_written_is_named(self):
        self.hub.add("org/m", GGUF)
        self.cache.write_text("a file")
        self.assertIn(str(self.cache), self.refused("hf.co/org/m"))


if __name__ == "__main__":
    unittest.main()
