"""pleiad logits --input: whole conversations with pictures in files, against the reference."""
import array
import json
import unittest

from harness import ROOT, ProgramTest, run

MEDIA = ROOT / "tests" / "golden" / "media"


def matrix(path):
    """Rows and columns of a float32 .npy file, and its values."""
    data = path.read_bytes()
    end = 10 + int.from_bytes(data[8:10], "little")
    shape = data[10:end].decode().split("(")[1].split(")")[0]
    values = array.array("f")
    values.frombytes(data[end:])
    return [int(n) for n in shape.split(",") if n.strip()], values


class LogitsOfConversations(ProgramTest):
    def logits(self, model, input, *flags, isa="scalar"):
        out = self.folder / "logits.npy"
        # Rows of f32 (the matrix unit would round them), as the reference's are.
        status, _, err = run("logits", model, "--input", input, "--out", out, *flags, env={"PLEIAD_ISA": isa})
        self.assertEqual(status, 0, err)
        return matrix(out)

    def refused(self, messages, *flags, model=MEDIA / "e2b" / "e2b.gguf"):
        path = self.folder / "prompt.json"
        path.write_text(messages if isinstance(messages, str) else json.dumps({"messages": messages}))
        status, out, err = run("logits", model, "--input", path, "--out", self.folder / "x.npy", *flags)
        self.assertEqual((status, out), (1, ""), err)
        self.assertFalse((self.folder / "x.npy").exists())
        return err

    def test_equal_the_reference(self):
        for family in ("e2b", "26b-a4b", "12b"):
            with self.subTest(family):
                model = MEDIA / family / f"{family}.gguf"
                expected_shape, expected = matrix(MEDIA / family / "logits-prompt.npy")
                shape, found = self.logits(model, MEDIA / family / "prompt.json")
                self.assertEqual(shape, expected_shape)
                worst = max(abs(a - b) for a, b in zip(found, expected))
                self.assertLess(worst, 5e-4)
                threads, again = self.logits(model, MEDIA / family / "prompt.json", "--threads", 2)
                self.assertEqual(again, found)

    def test_videos_of_frames_in_files_equal_the_reference(self):
        # Of the 12B with a sound among them too.
        for family, file in (("e2b", "video"), ("26b-a4b", "video"), ("12b", "video"), ("12b", "listen")):
            with self.subTest(family=family, file=file):
                expected_shape, expected = matrix(MEDIA / family / f"logits-{file}.npy")
                shape, found = self.logits(MEDIA / family / f"{family}.gguf", MEDIA / family / f"{file}.json")
                self.assertEqual(shape, expected_shape)
                self.assertLess(max(abs(a - b) for a, b in zip(found, expected)), 5e-4)

    def test_errors_name_the_part(self):
        def show(**part):
            return [{"role": "user", "content": [{"type": "text", "text": "a"}, {"type": "image", **part}]}]
        self.assertIn("prompt.json: messages[0].content[1].image: expected", self.refused(show()))
        self.assertIn("messages[0].content[1].budget: ", self.refused(show(image="a.png", budget=71)))
        self.assertIn("none.png", self.refused(show(image="none.png")))
        (self.folder / "text.png").write_text("no picture")
        self.assertIn("messages[0].content[1]: ", self.refused(show(image="text.png")))
        self.assertIn("has no vision tower",
                      self.refused(show(image=str(MEDIA / "pictures" / "tiny.png")),
                                   model=ROOT / "tests" / "golden" / "models" / "31b" / "31b.gguf"))
        self.assertIn("prompt.json", self.refused("{"))

        def watch(*files, **part):
            part = {"type": "video", "video": [str(MEDIA / "pictures" / name) for name in files], "fps": 1, **part}
            return [{"role": "user", "content": [part]}]
        self.assertIn("tall.png: expected 300 x 130 pixels, as the video's first frame has, found",
                      self.refused(watch("wide.png", "tall.png")))
        self.assertIn("has no vision tower",
                      self.refused(watch("tiny.png"),
                                   model=ROOT / "tests" / "golden" / "models" / "31b" / "31b.gguf"))


if __name__ == "__main__":
    unittest.main()
