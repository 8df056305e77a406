"""Folders of weights as a user makes, lists and checks them."""
import json
import shutil
import unittest

from harness import DEMO, MODELS, ProgramTest, run

TOKENS = "2,17,105,200,33"


class Show(ProgramTest):
    def test_lists_all_tensors_with_sums(self):
        status, out, _ = run("show", MODELS / "e2b", "--tensors")
        self.assertEqual(status, 0)
        self.assertIn("model.language_model.layers.0.self_attn.q_proj.weight", out)
        self.assertIn("layers.0.attention.q_proj", out)
        self.assertIn("vision", out)
        self.assertIn("by part", out)

    def test_lists_them_as_json_by_path_and_by_name(self):
        _, out, _ = run("show", MODELS / "e4b-nvfp4", "--tensors", "--json")
        listed = json.loads(out)
        gate = [t for t in listed["tensors"] if t["name"] == "layers.0.ffn.gate_proj"]
        self.assertEqual({(t["role"], t["type"]) for t in gate},
                         {("text", "nvfp4_packed"), ("scale", "F8_E4M3"), ("scale", "F32")})
        self.assertEqual(listed["bytes"], sum(t["bytes"] for t in listed["tensors"]))
        status, out, _ = run("show", "demo", "--tensors", "--json")
        self.assertEqual((status, json.loads(out)["format"]), (0, "gguf"))

    def test_json_needs_tensors(self):
        self.assertEqual(run("show", DEMO, "--json")[0], 2)


class Verify(ProgramTest):
    def test_a_good_model_is_good(self):
        status, out, _ = run("verify", DEMO)
        self.assertEqual(status, 0)
        self.assertIn("nothing wrong", out)

    def test_a_damaged_one_is_told_and_where(self):
        folder = self.folder / "model"
        shutil.copytree(MODELS / "31b", folder)
        file = folder / "model.safetensors"
        data = bytearray(file.read_bytes())
        start = 8 + int.from_bytes(data[:8], "little")
        header = json.loads(data[8:start])
        place = start + header["model.norm.weight"]["data_offsets"][0] + 4 * 3
        data[place:place + 4] = b"\x00\x00\xc0\x7f"
        file.write_bytes(data)
        status, out, _ = run("verify", folder)
        self.assertEqual(status, 1)
        self.assertRegex(out, r"wrong +model\.norm\.weight +1 of 64 values are NaN, at row 0, column 3")
        status, out, _ = run("verify", folder, "--json")
        self.assertEqual(status, 1)
        finding = json.loads(out)["findings"][0]
        self.assertEqual((finding["kind"], finding["name"], finding["column"]), ("nan", "final_norm", 3))

    def test_logits_are_compared_with_a_reference(self):
        logits = self.folder / "logits.npy"
        run("logits", MODELS / "e4b", "--tokens", TOKENS, "--out", logits)
        flags = ("--reference", logits, "--tokens", TOKENS)
        status, out, _ = run("verify", MODELS / "e4b", *flags, "--json")
        found = json.loads(out)["reference"]
        self.assertEqual((status, found["largest_difference"], found["same_best"]), (0, 0, 5))
        status, out, _ = run("verify", MODELS / "e4b-nvfp4", *flags)
        self.assertEqual(status, 1, "another model's logits")
        self.assertIn("beyond the limits", out)
        self.assertEqual(run("verify", MODELS / "e4b-nvfp4", *flags, "--max-kl", "10")[0], 0)
        self.assertEqual(run("verify", MODELS / "e4b", "--reference", logits)[0], 2, "no tokens")
        status, _, error = run("verify", MODELS / "e4b", "--reference", logits, "--tokens", "2")
        self.assertEqual(status, 1)
        self.assertIn("expected [1, 272]", error)


    def test_flags_of_computing_need_a_reference(self):
        for flags in (("--ctx", "64"), ("--kv-type", "f16"), ("--online", "q8_0")):
            status, _, error = run("verify", MODELS / "e4b", *flags)
            self.assertEqual(status, 2, flags)
            self.assertIn("--reference", error)


class Folders(ProgramTest):
    def test_what_we_write_is_not_even_suspicious(self):
        for kind in ("q8_0", "q4_k_m", "q4_0", "nvfp4", "nvfp4a16", "fp8", "fp8_dynamic"):
            out = self.folder / kind
            self.assertEqual(run("quantize", MODELS / "e4b", out, "--type", kind)[0], 0, kind)
            status, found, _ = run("verify", out, "--strict")
            self.assertEqual(status, 0, kind + "\n" + found)

    def test_a_quantized_folder_is_written_once_and_replaced_only_by_force(self):
        out = self.folder / "out"
        command = ("quantize", MODELS / "e4b", out, "--type", "nvfp4a16")
        self.assertEqual(run(*command)[0], 0)
        self.assertEqual(run("verify", out)[0], 0)
        status, _, error = run(*command)
        self.assertEqual(status, 1)
        self.assertIn("--force", error)
        self.assertEqual(run(*command[:-1], "fp8", "--force")[0], 0)
        config = json.loads((out / "config.json").read_text())
        self.assertEqual(config["quantization_config"]["format"], "float-quantized")
        self.assertEqual([p.name for p in self.folder.iterdir()], ["out"])

    def test_a_gguf_file_becomes_a_folder_that_talks_alike(self):
        out = self.folder / "demo"
        status, _, error = run("convert", DEMO, out)
        if status != 0:  # its weights have no form in a folder
            self.assertIn("--dequantize", error)
            self.assertEqual(run("convert", DEMO, out, "--dequantize")[0], 0)
        _, tokens, _ = run("tokenize", DEMO, "Count from 1 to 5, näïve 東京")
        self.assertEqual(run("tokenize", out, "Count from 1 to 5, näïve 東京")[1], tokens)
        self.assertEqual(run("run", out, "Count from 1 to 5", "--temperature", "0")[1],
                         "1, 2, 3, 4, 5\n")


if __name__ == "__main__":
    unittest.main()
