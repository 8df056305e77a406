"""pleiad quantize and pleiad convert, as a user calls them."""
import json
import os
import resource
import select
import shutil
import signal
import subprocess
import time
import unittest

from harness import DEMO, MODELS, PROGRAM, ProgramTest, run

# A tiny model with vision, audio and dead projections; its rows have 32 columns.
FOLDER = MODELS / "e2b"


class Quantize(ProgramTest):
    def quantize(self, source, *flags, out="out.gguf"):
        return run("quantize", source, self.folder / out, *flags)

    def test_writes_a_smaller_file_that_runs_and_tells_what_it_cost(self):
        status, out, err = self.quantize(DEMO, "--type", "q4_0")
        self.assertEqual(status, 0, err)
        self.assertRegex(out, r"q4_0, .*MB \(.*MB before\), \d+\.\d\d bits per weight")
        self.assertRegex(out, r"ffn +q4_0 +\d+ .* %")
        self.assertIn("Rounded twice", err)
        self.assertLess(os.path.getsize(self.folder / "out.gguf"), os.path.getsize(DEMO))
        status, out, err = run("run", self.folder / "out.gguf", "Count from 1 to 5",
                               "--temperature", "0")
        self.assertEqual((status, out), (0, "1, 2, 3, 4, 5\n"), err)

    def test_what_it_writes_is_as_open_as_other_files(self):
        self.folder.chmod(0o700)  # which says nothing of what lies in it
        old = os.umask(0o022)
        try:
            for command, flags in ((("quantize", FOLDER), ("--type", "fp8")), (("convert", FOLDER), ())):
                for mask, folder_mode, file_mode in ((0o022, 0o755, 0o644), (0o027, 0o750, 0o640)):
                    os.umask(mask)
                    out = self.folder / f"{command[0]}-{mask:o}"
                    status, _, err = run(*command, out, *flags)
                    self.assertEqual(status, 0, err)
                    self.assertEqual(out.stat().st_mode & 0o777, folder_mode)
                    for file in out.iterdir():
                        self.assertEqual(file.stat().st_mode & 0o777, file_mode, file)
        finally:
            os.umask(old)

    def test_a_folder_does_not_get_the_name_of_a_gguf_file(self):
        status, out, err = self.quantize(FOLDER, "--type", "fp8")
        self.assertEqual((status, out), (2, ""))
        self.assertIn("out.gguf: --type fp8 makes a Hugging Face folder, not a GGUF file", err)
        self.assertFalse((self.folder / "out.gguf").exists())

    def test_says_why_it_cannot_write(self):
        self.assertIn("No such file or directory",
                      self.quantize(FOLDER, "--type", "q8_0", out="none/out.gguf")[2])
        # Too long with what is added while it is being written.
        name = "x" * 245 + ".gguf"
        status, _, err = self.quantize(FOLDER, "--type", "q8_0", out=name)
        self.assertEqual(status, 1)
        self.assertIn("File name too long", err)

    def test_the_bytes_do_not_depend_on_the_number_of_threads(self):
        for kind in ("q4_k_m", "nvfp4"):
            files = []
            for threads in (1, 2, 5):
                out = f"{threads}.gguf"
                status, _, err = self.quantize(DEMO, "--type", kind, "--threads", str(threads),
                                               "--rounding", "nearest", out=out)
                self.assertEqual(status, 0, err)
                written = [self.folder / out, self.folder / f"mmproj-{out}"]  # the demo's tower is copied
                files.append([path.read_bytes() for path in written])
                for path in written:
                    path.unlink()
            self.assertTrue(files[0] == files[1] == files[2], kind)

    def test_json_has_types_and_errors_by_class(self):
        status, out, err = self.quantize(FOLDER, "--type", "q8_0", "--keep", "ple=q5_0", "--json")
        self.assertEqual(status, 0, err)
        report = json.loads(out)
        self.assertEqual(report["type"], "q8_0")
        self.assertEqual(report["bytes"], os.path.getsize(self.folder / "out.gguf"))
        classes = {entry["class"]: entry for entry in report["classes"]}
        self.assertEqual([t["type"] for t in classes["ffn"]["types"]], ["q8_0"])
        self.assertEqual([t["type"] for t in classes["ple"]["types"]], ["q5_0"])
        self.assertEqual([t["type"] for t in classes["ple_proj"]["types"]], ["bf16"])
        self.assertEqual([t["type"] for t in classes["norm"]["types"]], ["f32"])
        self.assertLess(0, classes["ffn"]["error"]["relative"])
        self.assertLess(classes["ffn"]["error"]["relative"], 0.02)
        self.assertLessEqual(report["error"]["relative"], report["error"]["relative_nearest"])
        self.assertEqual(report["left_out"]["vision"], 0)
        self.assertEqual(report["left_out"]["audio"], 0)
        projector = self.folder / "mmproj-out.gguf"
        self.assertEqual(report["projector"]["file"], str(projector))
        self.assertEqual(report["projector"]["bytes"], os.path.getsize(projector))
        for tower in ("vision", "audio"):  # each its own share
            self.assertEqual(report[tower]["file"], str(projector))
            self.assertGreater(report[tower]["bytes"], 0)
            self.assertLess(report[tower]["bytes"], report["projector"]["bytes"])

    def test_says_what_is_not_in_the_file_and_what_is_stored_otherwise(self):
        status, out, err = self.quantize(FOLDER, "--type", "q4_k_m")
        self.assertEqual(status, 0, err)
        self.assertIn("Vision tower: ", out)
        self.assertRegex(out, r"Audio tower: 70 tensors, .*mmproj-out.gguf")
        self.assertIn("tensors of 32 columns, no multiple of q4_k's 256, are stored as q5_0", out)
        self.assertIn("There is no tokenizer", out)

    def test_each_tower_has_a_flag_of_its_own(self):
        status, out, err = self.quantize(FOLDER, "--type", "bf16", "--audio-type", "f16", "--vision-type", "none",
                                         "--json")
        self.assertEqual(status, 0, err)
        report = json.loads(out)
        self.assertIsNone(report["vision"])
        self.assertGreater(report["left_out"]["vision"], 0)
        self.assertIn("f16", [share["type"] for share in report["audio"]["types"]])
        status, out, err = self.quantize(FOLDER, "--type", "bf16", "--audio-type", "none", out="deaf.gguf")
        self.assertEqual(status, 0, err)
        self.assertIn("The audio part (70 tensors) was left out: the new model hears nothing.", out)
        for flag in ("--audio-type", "--vision-type"):
            status, _, err = self.quantize(FOLDER, "--type", "bf16", flag, "q3_k", out="x.gguf")
            self.assertEqual(status, 2)
            self.assertIn(f"{flag}: expected none or one of f32, bf16, ", err)
        status, _, err = self.quantize(MODELS / "e4b", "--type", "bf16", "--audio-type", "q8_0", out="x.gguf")
        self.assertEqual(status, 1)
        self.assertIn("has no audio tower: config.json has no audio_config", err)

    def test_an_older_projector_file_that_stays_is_told_of(self):
        status, _, err = self.quantize(FOLDER, "--type", "bf16")
        self.assertEqual(status, 0, err)
        self.assertNotIn("lies beside", err)
        older = self.folder / "mmproj-out.gguf"
        before = older.read_bytes()
        neither = ("--vision-type", "none", "--audio-type", "none")
        status, _, err = self.quantize(FOLDER, "--type", "bf16", "--force", *neither)
        self.assertEqual(status, 0, err)
        self.assertIn(f"{older} lies beside the new model and was not written now", err)
        self.assertEqual(older.read_bytes(), before)

    def test_a_place_for_towers_is_refused_where_none_is_written(self):
        status, _, err = self.quantize(FOLDER, "--type", "bf16", "--vision-type", "none", "--audio-type", "none",
                                       "--mmproj-out", str(self.folder / "towers.gguf"))
        self.assertEqual(status, 2, err)
        self.assertIn("--mmproj-out: expected a tower to be written", err)
        self.assertFalse((self.folder / "out.gguf").exists())

    def test_a_tower_that_cannot_be_used_is_not_lost_in_silence(self):
        source = self.folder / "source"
        shutil.copytree(FOLDER, source)
        config = json.loads((source / "config.json").read_text())
        config["audio_config"]["attention_context_right"] = 1
        (source / "config.json").write_text(json.dumps(config))
        status, _, err = self.quantize(source, "--type", "bf16")
        self.assertEqual(status, 1)
        self.assertRegex(err, r"has no audio tower that can be used: .*attention_context_right")
        self.assertIn("--audio-type none writes a model without it", err)
        self.assertFalse((self.folder / "out.gguf").exists())
        status, out, err = self.quantize(source, "--type", "bf16", "--audio-type", "none")
        self.assertEqual(status, 0, err)
        self.assertIn("The audio part (70 tensors) was left out", out)

    def test_a_sample_text_makes_columns_count(self):
        text = self.folder / "sample.txt"
        text.write_text("Count from 1 to 5\n1, 2, 3, 4, 5\n" * 60)
        status, out, err = self.quantize(DEMO, "--type", "q4_0", "--calibrate", text, "--json")
        self.assertEqual(status, 0, err)
        report = json.loads(out)
        self.assertTrue(report["calibrated"])
        self.assertLess(report["error"]["weighted"],
                        report["error"]["weighted_without_importance"])

    def test_refuses_what_would_lose_something(self):
        status, _, err = self.quantize(FOLDER, "--type", "q4_0")
        self.assertEqual(status, 0, err)
        before = (self.folder / "out.gguf").read_bytes()
        status, _, err = self.quantize(FOLDER, "--type", "q8_0")
        self.assertEqual(status, 1)
        self.assertIn("is there already; --force replaces it", err)
        status, _, err = run("quantize", self.folder / "out.gguf", self.folder / "again.gguf",
                             "--type", "q4_0")
        self.assertEqual(status, 1)
        self.assertIn("does not come back", err)
        status, _, err = run("quantize", self.folder / "out.gguf", self.folder / "again.gguf",
                             "--type", "q4_0", "--from-quantized")
        self.assertEqual(status, 0, err)
        status, _, err = run("quantize", self.folder / "out.gguf", self.folder / "out.gguf",
                             "--type", "q8_0", "--force", "--from-quantized")
        self.assertEqual(status, 1)
        self.assertIn("is the model that is read", err)
        self.assertEqual((self.folder / "out.gguf").read_bytes(), before)

    def test_wrong_flags_say_what_is_right(self):
        for flags, words in ((("--type", "q4_k"), "expected one of bf16, f16, q8_0"),
                             (("--type", "q4_0", "--keep", "ple"), "CLASS=TYPE"),
                             (("--type", "q4_0", "--keep", "norm=q8_0"), "expected attention"),
                             (("--type", "q4_0", "--keep", "head=nvfp4"), "only attention")):
            status, _, err = self.quantize(FOLDER, *flags)
            self.assertEqual(status, 2)
            self.assertIn(words, err)
        self.assertEqual(self.quantize(FOLDER)[0], 2)
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_a_full_disk_leaves_no_file(self):
        status, _, err = run("quantize", FOLDER, "/dev/full", "--type", "q8_0")
        self.assertEqual(status, 1)
        self.assertIn("No space left", err)
        for kind in ("q8_0", "fp8"):
            command = [PROGRAM, "quantize", FOLDER, self.folder / "out", "--type", kind]
            limit = (30_000, resource.getrlimit(resource.RLIMIT_FSIZE)[1])
            done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False,
                                  preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, limit))
            self.assertEqual(done.returncode, 1, done.stderr)
            self.assertIn("cannot write", done.stderr)
            self.assertEqual(list(self.folder.iterdir()), [])

    def test_signals_that_end_it_leave_no_file(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            child = subprocess.Popen([PROGRAM, "quantize", DEMO, self.folder / "out.gguf", "--type",
                                      "q4_k_m", "--threads", "1", "--from-quantized"],
                                     stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                                     # What nohup ignores stays ignored otherwise.
                                     preexec_fn=lambda number=number: signal.signal(number, signal.SIG_DFL))
            while child.poll() is None and not list(self.folder.iterdir()):
                time.sleep(0.001)
            child.send_signal(number)
            _, err = child.communicate(timeout=120)
            self.assertEqual(child.returncode, 128 + number)
            self.assertIn("was not written", err)
            self.assertEqual(list(self.folder.iterdir()), [])

    def test_a_sample_text_that_is_of_no_use_is_refused(self):
        text = self.folder / "sample.txt"
        text.write_text("Count from 1 to 5\n")
        for expected, flags, words in ((1, ("q4_0",), "a calibration needs 512"),
                                       (2, ("q4_0", "--rounding", "nearest"), "no use"),
                                       (2, ("fp8",), "no use"), (2, ("bf16",), "no use")):
            status, _, err = self.quantize(DEMO, "--type", *flags, "--calibrate", text)
            self.assertEqual(status, expected, flags)
            self.assertIn(words, err)
        before = text.read_bytes()
        status, _, err = self.quantize(DEMO, "--type", "q4_0", "--calibrate", text, "--force",
                                       out="sample.txt")
        self.assertEqual((status, text.read_bytes()), (1, before))
        self.assertIn("is the text that is read", err)

    def test_ctrl_c_ends_the_work(self):
        pipe = self.folder / "pipe"  # whose reader waits, so that the work cannot be done before
        os.mkfifo(pipe)
        reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
        self.addCleanup(os.close, reader)
        child = subprocess.Popen([PROGRAM, "quantize", DEMO, pipe, "--type", "bf16"],
                                 stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        select.select([reader], [], [], 60)
        child.send_signal(signal.SIGINT)
        while child.poll() is None:
            if select.select([reader], [], [], 0.01)[0]:
                os.read(reader, 1 << 16)
        _, err = child.communicate()
        self.assertEqual(child.returncode, 130)
        self.assertIn("was not written", err)


class Convert(ProgramTest):
    def test_a_folder_becomes_a_gguf_file_with_the_same_logits(self):
        target = self.folder / "model.gguf"
        status, out, err = run("convert", FOLDER, target)
        self.assertEqual(status, 0, err)
        self.assertIn("as it is", out)
        tokens = "2,5,9,17,33"
        logits = []
        for model in (FOLDER, target):
            file = self.folder / "logits.npy"
            status, _, err = run("logits", model, "--tokens", tokens, "--out", file)
            self.assertEqual(status, 0, err)
            logits.append(file.read_bytes())
        self.assertEqual(logits[0], logits[1])

    def test_the_ending_tells_the_kind_in_any_case(self):
        target = self.folder / "model.GGUF"
        self.assertEqual(run("convert", FOLDER, target)[0], 0)
        self.assertTrue(target.is_file())

    def test_what_gguf_does_not_have_is_refused(self):
        status, _, err = run("convert", MODELS / "e4b-fp8", self.folder / "model.gguf")
        self.assertEqual(status, 1)
        self.assertIn("FP8", err)
        self.assertEqual(list(self.folder.iterdir()), [])


if __name__ == "__main__":
    unittest.main()
