"""The commands as a user calls them, and what a clumsy user gets."""
import array
import json
import os
import pathlib
import re
import shutil
import struct
import subprocess
import unittest

from harness import DEMO, MODELS, PROGRAM, ProgramTest, run


class Version(ProgramTest):
    def test_names_commit_and_instruction_set(self):
        status, out, _ = run("--version")
        self.assertEqual(status, 0)
        self.assertRegex(out, r"^pleiad \d+\.\d+\.\d+ \(commit \S+\), instruction set \w+\n$")
        status, out, _ = run("--version", env={"PLEIAD_ISA": "scalar"})
        self.assertIn("instruction set scalar (forced by PLEIAD_ISA)", out)

    def test_every_command_refuses_an_instruction_set_that_is_none(self):
        out = self.folder / "out.gguf"
        for command in (("run", DEMO, "Hi"), ("quantize", DEMO, out, "--type", "q4_0"),
                        ("convert", DEMO, out), ("list",), ("show", DEMO), ("verify", DEMO),
                        ("tokenize", DEMO, "Hi"), ("fit", "--published"), ("ps",),
                        ("eval", "--list-checks"), ("render", DEMO), ("synth", "e2b", "q4_0", out)):
            status, printed, err = run(*command, env={"PLEIAD_ISA": "nonsense"})
            self.assertEqual((status, printed), (1, ""), command)
            self.assertIn("'nonsense'", err)
            self.assertFalse(out.exists())

    def test_fractions_are_numbers(self):
        for flags in (("verify", DEMO, "--reference", "x", "--tokens", "1", "--max-kl"),
                      ("verify", DEMO, "--reference", "x", "--tokens", "1", "--max-difference"),
                      ("eval", DEMO, "--text", "x", "--save-logits", "y", "--save-tail"),
                      ("bench", "--server", "http://127.0.0.1:1", "--timeout")):
            for number in ("nan", "-nan", "inf", "-1", "1x"):
                status, out, err = run(*flags, number)
                self.assertEqual((status, out), (2, ""), flags)
                self.assertIn("expected a number", err)
                self.assertIn(number, err)

    def test_every_command_has_help_with_an_example(self):
        for command in ("run", "render", "logits", "bench", "eval", "tokenize", "synth", "list", "show",
                        "create", "cp", "rm", "quantize", "convert", "verify", "embed-media"):
            status, out, _ = run(command, "--help")
            self.assertEqual(status, 0)
            self.assertIn("Example", out, command)
        self.assertIn("pleiad run demo", run("--help")[1])


class Install(ProgramTest):
    def test_the_installed_program_finds_the_demo_model_anywhere(self):
        build = pathlib.Path(PROGRAM).parent
        subprocess.run(["cmake", "--install", build, "--prefix", self.folder / "first"],
                       check=True, capture_output=True)
        (self.folder / "first").rename(self.folder / "moved")
        done = subprocess.run(
            [self.folder / "moved" / "bin" / "pleiad", "run", "demo", "Count from 1 to 5",
             "--temperature", "0"],
            check=True, capture_output=True, text=True, stdin=subprocess.DEVNULL)
        self.assertEqual(done.stdout, "1, 2, 3, 4, 5\n")
        share = self.folder / "moved" / "share"
        for name in ("man/man1/pleiad.1", "man/man1/pleiad-run.1", "bash-completion/completions/pleiad",
                     "zsh/site-functions/_pleiad", "fish/vendor_completions.d/pleiad.fish"):
            self.assertGreater((share / name).stat().st_size, 500, name)


class OneShot(ProgramTest):
    def test_answers_and_leaves(self):
        status, out, _ = run("run", DEMO, "Count from 1 to 5", "--temperature", "0")
        self.assertEqual((status, out), (0, "1, 2, 3, 4, 5\n"))

    def test_takes_the_prompt_from_a_pipe(self):
        _, out, _ = run("run", DEMO, "--temperature", "0", stdin="Count from 1 to 5\n")
        self.assertEqual(out, "1, 2, 3, 4, 5\n")

    def test_the_same_seed_gives_the_same_text(self):
        flags = ("run", DEMO, "Tell me something", "--temperature", "2", "--top-p", "1", "--top-k",
                 "0", "-n", "30")
        first = run(*flags, "--seed", "7")[1]
        self.assertEqual(first, run(*flags, "--seed", "7", "--threads", "1")[1])
        self.assertNotEqual(first, run(*flags, "--seed", "8")[1])

    def test_every_instruction_set_answers(self):
        for isa in ("scalar", "avx2", "avx512"):
            status, out, err = run("run", DEMO, "Count from 1 to 5", "--temperature", "0",
                                   env={"PLEIAD_ISA": isa})
            if "this machine cannot run" in err:
                continue
            self.assertEqual((status, out), (0, "1, 2, 3, 4, 5\n"), isa)

    def test_says_when_a_reply_is_cut_off(self):
        _, out, err = run("run", DEMO, "Count from 1 to 5", "--temperature", "0", "-n", "3")
        self.assertLess(len(out), len("1, 2, 3, 4, 5"))
        self.assertIn("cut off after 3 tokens", err)

    def test_verbose_tells_evaluated_from_cached(self):
        _, _, err = run("run", DEMO, "Hello", "--verbose")
        for word in ("load", "evaluated", "0 cached", "tokens/s", "seed", "context"):
            self.assertIn(word, err)
        self.assertRegex(err, r"weights +.*[KM]B.* pages")

    def test_thoughts_do_not_mix_with_a_piped_reply(self):
        _, out, err = run("run", DEMO, "What is 3 plus 4?", "--think", "--temperature", "0")
        self.assertNotIn("Thinking", out)
        self.assertIn("Thinking: ", err)
        _, hidden_out, hidden_err = run("run", DEMO, "What is 3 plus 4?", "--think",
                                        "--temperature", "0", "--hide-thinking")
        self.assertEqual(hidden_out, out)
        self.assertNotIn("Thinking", hidden_err)

    def test_a_stop_string_ends_the_reply(self):
        _, out, _ = run("run", DEMO, "Count from 1 to 5", "--temperature", "0", "--stop", ", 4")
        self.assertEqual(out, "1, 2, 3\n")

    def test_raw_continues_a_text(self):
        _, out, _ = run("run", DEMO, "<|turn>user\nCount from 1 to 5<turn|>\n<|turn>model\n",
                        "--raw", "--temperature", "0")
        self.assertEqual(out, "1, 2, 3, 4, 5\n")


class Refusals(ProgramTest):
    def refused(self, *arguments, stdin="", env=None, status=1):
        found, out, err = run(*arguments, stdin=stdin, env=env)
        self.assertEqual(found, status, err)
        self.assertEqual(out, "")
        self.assertNotIn("internal error", err)
        return err

    def test_paths_that_hold_no_model(self):
        here = self.folder
        (here / "empty.gguf").touch()
        (here / "folder").mkdir()
        (here / "loop").symlink_to("loop")
        (here / "text.gguf").write_text("hello, this is no model")
        os.mkfifo(here / "pipe.gguf")
        self.assertIn("no such file", self.refused("run", here / "nowhere.gguf", "hi"))
        self.assertIn("empty", self.refused("run", here / "empty.gguf", "hi"))
        self.assertIn("config.json", self.refused("run", here / "folder", "hi"))
        self.assertIn("symbolic links", self.refused("run", here / "loop", "hi"))
        self.assertIn("GGUF", self.refused("run", here / "text.gguf", "hi"))
        self.assertIn("regular file", self.refused("run", here / "pipe.gguf", "hi"))

    def test_a_cut_download_says_how_much_is_missing(self):
        data = pathlib.Path(DEMO).read_bytes()
        (self.folder / "cut.gguf").write_bytes(data[: len(data) // 2])
        err = self.refused("run", self.folder / "cut.gguf", "hi")
        self.assertIn("bytes are missing", err)
        shutil.copytree(MODELS / "e4b", self.folder / "e4b")
        shard = self.folder / "e4b" / "model-00001-of-00002.safetensors"
        shard.write_bytes(shard.read_bytes()[:100000])
        err = self.refused("run", self.folder / "e4b", "hi")
        self.assertIn("model-00001-of-00002.safetensors", err)
        self.assertIn("bytes are missing", err)

    def test_another_architecture_is_named(self):
        (self.folder / "config.json").write_text(json.dumps(
            {"architectures": ["LlamaForCausalLM"], "model_type": "llama"}))
        err = self.refused("run", self.folder, "hi")
        self.assertIn("LlamaForCausalLM", err)
        self.assertIn("Gemma 4", err)

    def test_wrong_shapes_come_all_at_once(self):
        shutil.copytree(MODELS / "31b", self.folder / "m")
        config = json.loads((self.folder / "m" / "config.json").read_text())
        config.get("text_config", config)["intermediate_size"] = 96
        (self.folder / "m" / "config.json").write_text(json.dumps(config))
        err = self.refused("run", self.folder / "m", "hi")
        self.assertIn("15 problems", err)
        self.assertIn("expected [96, 64], found F32 [64, 64]", err)

    def test_unreadable_file(self):
        locked = self.folder / "locked.gguf"
        shutil.copy(DEMO, locked)
        locked.chmod(0)
        if os.geteuid() == 0:
            self.skipTest("root may read everything")
        self.assertIn("Permission denied", self.refused("run", locked, "hi"))

    def test_a_prompt_that_does_not_fit_names_both_numbers(self):
        err = self.refused("run", DEMO, "hello " * 200, "--ctx", "50")
        self.assertRegex(err, r"the prompt has \d+ tokens and the context holds 50")

    def test_flags_out_of_range(self):
        self.assertIn("--top-p: expected", self.refused("run", DEMO, "hi", "--top-p", "3", status=2))
        self.assertIn("temperature", self.refused("run", DEMO, "hi", "--temperature", "hot", status=2))
        self.assertIn("seed", self.refused("run", DEMO, "hi", "--seed", "-1", status=2))
        self.assertIn("ID=VALUE", self.refused("run", DEMO, "hi", "--logit-bias", "x", status=2))
        self.assertIn("avx9", self.refused("run", DEMO, "hi", env={"PLEIAD_ISA": "avx9"}))
        self.refused("run", DEMO, "hi", "--kv-type", "q1", status=2)
        self.refused("run", DEMO, "hi", "--online", "q6_k", status=2)
        self.assertIn("expected weights in BF16, F16 or F32, found q8_0",
                      self.refused("run", DEMO, "hi", "--online", "q4_0"))
        self.refused("run", status=2)
        self.refused("nonsense", status=2)

    def test_more_threads_than_the_system_gives(self):
        done = subprocess.run(
            ["bash", "-c", f"ulimit -v 700000; exec {PROGRAM} run {DEMO} hi --threads 1000"],
            stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn("threads", done.stderr)

    def test_a_small_per_layer_table_is_refused(self):
        shutil.copytree(MODELS / "e2b", self.folder / "m")
        config = json.loads((self.folder / "m" / "config.json").read_text())
        config["text_config"]["vocab_size_per_layer_input"] = 8
        (self.folder / "m" / "config.json").write_text(json.dumps(config))
        err = self.refused("logits", self.folder / "m", "--tokens", "2,271", "--out",
                           self.folder / "x.npy")
        self.assertIn("per-layer vocabulary has 8 pieces", err)

    def test_an_empty_prompt(self):
        self.assertIn("empty", self.refused("run", DEMO, stdin=""))


class Render(ProgramTest):
    def test_prints_the_prompt_and_nothing_else(self):
        chat = json.dumps({"messages": [{"role": "user", "content": "Hi"}]})
        self.assertEqual(run("render", "e2b", "--input", "-", stdin=chat)[1],
                         "<bos><|turn>user\nHi<turn|>\n<|turn>model\n")
        self.assertEqual(run("render", "26b", stdin=chat)[1],
                         "<bos><|turn>user\nHi<turn|>\n<|turn>model\n"
                         "<|channel>thought\n<channel|>")
        self.assertEqual(run("render", DEMO, stdin=chat)[1], run("render", "e4b", stdin=chat)[1])

    def test_names_what_is_wrong(self):
        for text, word in (("", "not JSON"), ("{}", "messages"),
                           ('{"messages":[{"role":"user","content":3}]}', "content")):
            status, out, err = run("render", "e2b", stdin=text)
            self.assertEqual((status, out), (1, ""))
            self.assertIn(word, err)


class Tokens(ProgramTest):
    def test_tokenize_and_logits_agree_with_the_file_format(self):
        _, out, _ = run("tokenize", DEMO, "<bos>Hello\n", "--control")
        ids = [int(x) for x in out.split(",")]
        self.assertEqual(ids[0], 2)
        self.assertEqual(ids[-1], 107)
        path = self.folder / "logits.npy"
        status, _, err = run("logits", DEMO, "--tokens", out.strip(), "--out", path)
        self.assertEqual(status, 0, err)
        data = path.read_bytes()
        self.assertEqual(data[:8], b"\x93NUMPY\x01\x00")
        header_length = struct.unpack("<H", data[8:10])[0]
        header = data[10 : 10 + header_length].decode()
        self.assertIn(f"'shape': ({len(ids)}, ", header)
        self.assertEqual((10 + header_length) % 64, 0)
        self.assertEqual(sorted(p.name for p in self.folder.iterdir()), ["logits.npy"])

    def logits(self, model, *flags):
        """(shape, float32 values) of what logits writes."""
        status, _, err = run("logits", model, "--out", self.folder / "out.npy", *flags)
        self.assertEqual(status, 0, err)
        return self.matrix("out.npy")

    def matrix(self, name):
        data = (self.folder / name).read_bytes()
        length = struct.unpack("<H", data[8:10])[0]
        shape = re.search(rb"'shape': \((\d+), (\d+)\)", data[10 : 10 + length])
        values = array.array("f", data[10 + length :])
        return tuple(map(int, shape.groups())), values

    def test_logits_are_those_of_the_activations_that_were_asked_for(self):
        tokens = "2,105,1364,107"
        found = {}
        for bits in ("8", "16"):
            flags = ["--activations", bits, "--tokens", tokens]
            shape, read = self.logits(DEMO, *flags)
            same_shape, generated = self.logits(DEMO, *flags, "--generated")
            self.assertEqual(shape, same_shape)
            self.assertTrue(read == generated, "a token has the same bits, generated or read")
            _, first = self.logits(DEMO, "--activations", bits, "--tokens", "2,105", "--generated")
            self.assertTrue(first == generated[: len(first)])
            found[bits] = generated
        self.assertTrue(found["8"] != found["16"])
        self.assertLess(max(abs(a - b) for a, b in zip(found["8"], found["16"])), 1.0)
        _, automatic = self.logits(DEMO, "--tokens", tokens, "--generated")
        self.assertIn(automatic.tobytes(), [values.tobytes() for values in found.values()])

    def test_logits_tell_what_the_routers_say(self):
        router = self.folder / "router.npy"
        n_layers, n_experts = 5, 6
        values = []
        for flags in ((), ("--generated",)):
            self.logits(MODELS / "26b-a4b", "--tokens", ",".join(["2", "9", "8"] * 20),
                        "--router-out", router, *flags)
            shape, of_phase = self.matrix("router.npy")
            self.assertEqual(shape, (60, n_layers * n_experts))
            self.assertGreater(len(set(of_phase)), 60 * n_layers)
            values.append(of_phase)
        self.assertLess(max(abs(a - b) for a, b in zip(*values)), 0.5)
        router.unlink()
        (self.folder / "out.npy").unlink()
        status, _, err = run("logits", DEMO, "--tokens", "2", "--out", self.folder / "x",
                             "--router-out", router)
        self.assertEqual(status, 1)
        self.assertIn("--router-out", err)
        self.assertIn("no experts", err)
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_control_tokens_in_text_stay_text(self):
        _, plain, _ = run("tokenize", DEMO, "<turn|>")
        _, control, _ = run("tokenize", DEMO, "<turn|>", "--control")
        self.assertEqual(control, "106\n")
        self.assertNotIn("106", plain.strip().split(","))

    def test_synth_names_what_it_can_write(self):
        file = self.folder / "random.gguf"
        for expected, arguments, words in (
            (2, ("e3b", "q4_0", file), "expected one of e2b, e4b, 12b, 26b-a4b, 31b, found 'e3b'"),
            (2, ("e2b", "q3_k", file), "nvfp4, found 'q3_k'"),
            (2, ("e2b", "q4_0", file, "--head", "f32"), "--head: expected one of bf16"),
            (2, ("31b", "q4_0", file, "--audio", "bf16"), "--audio: Gemma 4 31B has no audio tower"),
            (2, ("e2b", "q4_0", file, "--mmproj", file), "--mmproj: give --vision or --audio too"),
            (1, ("e2b", "q4_0", self.folder / "absent" / "a"), "No such file or directory"),
        ):
            status, out, err = run("synth", *arguments)
            self.assertEqual((status, out), (expected, ""))
            self.assertIn(words, err)
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_a_failed_write_leaves_nothing(self):
        status, _, err = run("logits", DEMO, "--tokens", "2", "--out", "/dev/full")
        self.assertEqual(status, 1)
        self.assertIn("No space left on device", err)
        self.assertTrue(pathlib.Path("/dev/full").is_char_device())
        status, _, err = run("logits", DEMO, "--tokens", "2,999999", "--out", self.folder / "x")
        self.assertEqual(status, 1)
        self.assertIn("999999", err)
        self.assertEqual(list(self.folder.iterdir()), [])


if __name__ == "__main__":
    unittest.main()
