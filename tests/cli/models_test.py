"""The models at hand, as a user sees them: list, show, create, cp and rm."""
import hashlib
import json
import pathlib
import shutil
import unittest

from harness import DEMO, ROOT, ProgramTest, bare_home, run


class Models(ProgramTest):
    def setUp(self):
        super().setUp()
        self.env = bare_home(self.folder)

    def pleiad(self, *arguments, stdin=""):
        status, out, err = run(*arguments, stdin=stdin, env=self.env)
        self.assertEqual(status, 0, err)
        return out

    def refused(self, *arguments, stdin="", status=1):
        found, out, err = run(*arguments, stdin=stdin, env=self.env)
        self.assertEqual((found, out), (status, ""), err)
        return err

    def add_ollama(self, name, recipe=None):
        """A model in Ollama's store: the demo model under a name."""
        layers = [("model", None)] + list((recipe or {}).items())
        listed = []
        for kind, text in layers:
            data = (text or "the demo model").encode()
            digest = hashlib.sha256(data).hexdigest()
            blob = self.folder / "ollama" / "blobs" / f"sha256-{digest}"
            blob.parent.mkdir(parents=True, exist_ok=True)
            if text is not None:
                blob.write_bytes(data)
            elif not blob.exists():
                blob.symlink_to(DEMO)
            listed.append({"mediaType": f"application/vnd.ollama.image.{kind}",
                           "digest": f"sha256:{digest}", "size": len(data)})
        model, tag = name.split(":")
        manifest = self.folder / "ollama/manifests/registry.ollama.ai/library" / model / tag
        manifest.parent.mkdir(parents=True, exist_ok=True)
        manifest.write_text(json.dumps({"layers": listed}))
        return manifest

    def rows(self, *flags):
        """name -> [id, size, modified, source]"""
        lines = self.pleiad("list", *flags).split("\n\n")[0].splitlines()
        self.assertEqual(lines[0].split(), ["NAME", "ID", "SIZE", "MODIFIED", "SOURCE"])
        table = [[cell for cell in line.split("    ") if cell] for line in lines[1:]]
        return {row[0].strip(): [cell.strip() for cell in row[1:]] for row in table}

    def test_lists_what_is_at_hand_and_says_what_cannot_be_used(self):
        manifest = self.add_ollama("gemma4:e2b")
        broken = self.add_ollama("broken:latest")
        broken.write_text("{")
        rows = self.rows()
        self.assertEqual(rows["gemma4:e2b"][0],
                         hashlib.sha256(manifest.read_bytes()).hexdigest()[:12])
        self.assertEqual(rows["gemma4:e2b"][3], "ollama")
        self.assertEqual(rows["demo:latest"][1], "10.5 MB")  # with its towers
        self.assertNotIn("broken:latest", rows)
        self.assertIn("1 more cannot be used", self.pleiad("list"))
        self.assertIn("broken:latest (ollama): ", self.pleiad("ls", "--all"))

    def test_models_are_run_by_name(self):
        self.add_ollama("gemma4:e2b")
        out = self.pleiad("run", "gemma4:e2b", "Count from 1 to 5", "--temperature", "0")
        self.assertEqual(out, "1, 2, 3, 4, 5\n")
        tokens = self.pleiad("tokenize", "gemma4:e2b", "Hello")
        self.assertEqual(tokens, self.pleiad("tokenize", DEMO, "Hello"))

    def test_a_model_that_is_not_there_names_those_that_are(self):
        self.add_ollama("gemma4:e2b")
        self.assertIn("did you mean gemma4:e2b?", self.refused("run", "gema4:e2b", "hi"))
        self.assertIn(str(self.folder / "ollama"), self.refused("show", "llama"))
        self.assertIn("no such file", self.refused("run", "nothing.gguf", "hi"))

    def test_what_is_damaged_is_shown_and_is_an_error(self):
        damaged = self.folder / "damaged.gguf"
        damaged.write_bytes(pathlib.Path(DEMO).read_bytes()[:100_000])
        for flags in ((), ("--parameters",), ("--system",), ("--modelfile",)):
            status, out, err = run("show", damaged, *flags, env=self.env)
            self.assertEqual(status, 1, flags)
            self.assertIn("damaged.gguf: tensor data ends at byte", err)
        self.assertIn("damaged.gguf", run("show", damaged, env=self.env)[1])

    def test_a_server_without_the_model_it_was_asked_for_does_not_start(self):
        err = self.refused("serve", "--host", "127.0.0.1:0", "nope")
        self.assertIn("nope", err)
        self.assertNotIn("listening", err)
        damaged = self.folder / "damaged.gguf"
        damaged.write_bytes(b"GGUF but no more")
        self.assertIn("damaged.gguf", self.refused("serve", "--host", "127.0.0.1:0", damaged))
        # What is only found as its weights are read.
        short = self.folder / "short.gguf"
        short.write_bytes(pathlib.Path(DEMO).read_bytes()[:-100_000])
        self.assertIn("short.gguf", self.refused("serve", "--host", "127.0.0.1:0", short))

    def test_a_model_brings_its_projector_to_what_compares_it(self):
        media = ROOT / "tests" / "golden" / "media" / "e2b"
        alone = self.folder / "alone" / "e2b.gguf"
        alone.parent.mkdir()
        shutil.copy(media / "e2b.gguf", alone)  # no projector beside it
        self.pleiad("create", "sees", "-f", "-", stdin=f"FROM {alone}\nFROM {media / 'mmproj-e2b.gguf'}\n")
        made = [["embed-media", "MODEL", "--image", media.parent / "pictures" / "tall.png", "--threads", 1],
                ["logits", "MODEL", "--input", media / "prompt.json", "--threads", 1]]
        for command in made:
            with self.subTest(command[0]):
                def result(model, *flags):
                    out = self.folder / "out.npy"
                    self.pleiad(command[0], model, *command[2:], "--out", out, *flags)
                    return out.read_bytes()
                self.assertEqual(result("sees"), result(alone, "--mmproj", media / "mmproj-e2b.gguf"))
                # What is named goes before what comes with the model.
                self.assertIn("none.gguf", self.refused(command[0], "sees", *command[2:], "--out",
                                                        self.folder / "x.npy", "--mmproj", self.folder / "none.gguf"))

    def test_a_modelfile_makes_a_model_that_runs_as_it_says(self):
        self.add_ollama("gemma4:e2b", {"system": "Old.", "license": "Apache"})
        modelfile = self.folder / "Modelfile"
        modelfile.write_text('FROM gemma4:e2b\nPARAMETER temperature 0\nPARAMETER stop ", 4"\n')
        self.assertIn("sober:latest", self.pleiad("create", "sober", "-f", modelfile))
        self.assertEqual(self.rows()["sober:latest"][3], "pleiad")
        self.assertEqual(self.pleiad("show", "sober", "--system"), "Old.\n")
        self.assertEqual(self.pleiad("show", "sober", "--license"), "Apache\n")
        self.assertIn("temperature        0\n", self.pleiad("show", "sober", "--parameters"))
        self.pleiad("create", "plain", "-f", "-",
                    stdin='FROM demo\nPARAMETER temperature 0\nPARAMETER stop ", 4"\n')
        self.assertEqual(self.pleiad("run", "plain", "Count from 1 to 5"), "1, 2, 3\n")
        self.assertEqual(self.pleiad("run", "plain", "Count from 1 to 5", "--stop", ", 3"),
                         "1, 2\n")

    def test_show_prints_the_details_and_a_modelfile_that_makes_it_again(self):
        text = self.pleiad("show", "demo")
        for part in ("gemma4", "context length", "quantization", "10.5 MB", "pleiad-demo.gguf"):
            self.assertIn(part, text)
        self.pleiad("create", "first", "-f", "-",
                    stdin='FROM demo\nSYSTEM """Be\n"brief"."""\nMESSAGE user Hi\nPARAMETER seed 7\n')
        modelfile = self.pleiad("show", "first", "--modelfile")
        self.pleiad("create", "second", "-f", "-", stdin=modelfile)
        self.assertEqual(self.pleiad("show", "second", "--modelfile").replace("second:latest", "first:latest"),
                         modelfile)
        status, _, err = run("show", "demo", "--system", "--license", env=self.env)
        self.assertEqual(status, 2)
        self.assertIn("--license", err)

    def test_a_bad_modelfile_is_refused_with_its_line(self):
        for text, part in (("FROM demo\nTEMPLATE x\n", "line 2: TEMPLATE"),
                           ("FROM demo\nPARAMETER top_p 7\n", "line 2: PARAMETER top_p"),
                           ("FROM nothing-like-it\n", "not found"), ("SYSTEM x\n", "no FROM")):
            self.assertIn(part, self.refused("create", "x", "-f", "-", stdin=text))
        self.assertIn("-f", self.refused("create", "x", "-f", self.folder / "nowhere"))
        self.assertNotIn("x:latest", self.rows())

    def test_copies_and_removes_its_own_alone(self):
        manifest = self.add_ollama("gemma4:e2b")
        self.pleiad("cp", "gemma4:e2b", "mine")
        self.pleiad("cp", "mine", "yours:v1")
        self.pleiad("rm", "mine", "yours:v1")
        self.assertEqual(set(self.rows()), {"gemma4:e2b", "demo:latest"})
        self.assertIn("belongs to Ollama", self.refused("rm", "gemma4:e2b"))
        self.assertTrue(manifest.exists())
        self.assertIn("not found", self.refused("rm", "mine"))
        self.assertIn("not a model's name", self.refused("cp", "demo", "../evil"))

    def test_folders_of_the_environment_are_looked_through(self):
        (self.folder / "models" / "deep").mkdir(parents=True)
        (self.folder / "models" / "deep" / "mine.gguf").symlink_to(DEMO)
        self.env["PLEIAD_MODEL_FOLDERS"] = f"/nowhere:{self.folder / 'models'}"
        self.assertEqual(self.rows()["mine:latest"][3], "folder")
        self.assertIn("mine.gguf", self.pleiad("show", "mine"))

    def test_without_any_home_models_can_be_listed_and_not_made(self):
        for name in ("HOME", "XDG_DATA_HOME"):
            self.env[name] = ""
        self.assertIn("demo:latest", self.rows())
        self.assertIn("PLEIAD_MODELS", self.refused("cp", "demo", "mine"))


if __name__ == "__main__":
    unittest.main()
