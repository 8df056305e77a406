"""pleiad embed-media, as a user calls it, against what the reference made of the same files."""
import array
import json
import shutil
import struct
import unittest

from harness import MODELS, ROOT, ProgramTest, run

MEDIA = ROOT / "tests" / "golden" / "media"
AUDIO = ROOT / "tests" / "golden" / "audio" / "e2b"


def read_npy(path):
    """(rows, columns, values) of a float32 matrix."""
    data = path.read_bytes()
    (length,) = struct.unpack("<H", data[8:10])
    shape = data[10:10 + length].decode().split("(")[1].split(")")[0].split(",")
    values = array.array("f", data[10 + length:])
    rows, columns = (int(part) for part in shape if part.strip())
    assert len(values) == rows * columns
    return rows, columns, values


class EmbedMedia(ProgramTest):
    def embed(self, model, picture, *flags):
        return run("embed-media", model, "--image", picture, "--out", self.folder / "out.npy", "--threads", "1", *flags)

    def embed_sound(self, model, sound, *flags):
        return run("embed-media", model, "--audio", sound, "--out", self.folder / "out.npy", "--threads", "1", *flags)

    def assert_reference(self, file, err, bound=1e-4):
        rows, columns, found = read_npy(self.folder / "out.npy")
        expected_rows, expected_columns, expected = read_npy(file)
        self.assertEqual((rows, columns), (expected_rows, expected_columns))
        largest = max(map(abs, expected))
        worst = max(abs(a - b) for a, b in zip(found, expected))
        # The matrix unit rounds activations to bf16 before they meet bf16 weights.
        self.assertLessEqual(worst, (3e-2 if "(amx" in err else bound) * largest)

    def test_gives_the_references_soft_tokens_of_a_file_at_a_budget(self):
        for family in ("e2b", "12b", "26b-a4b"):
            said = json.loads((MEDIA / family / "media.json").read_text())
            for case in said["files"]:
                for model in (MEDIA / family, MEDIA / family / f"{family}.gguf"):
                    with self.subTest(case=case["name"], model=model):
                        status, out, err = self.embed(model, MEDIA / family / case["picture"],
                                                      "--tokens-budget", case["budget"])
                        self.assertEqual((status, out), (0, ""), err)
                        self.assertIn(f"as {case['width']}x{case['height']}", err)
                        self.assert_reference(MEDIA / family / case["file"], err, 5e-4 if case["lossy"] else 1e-4)

    def test_gives_the_references_soft_tokens_of_a_sound(self):
        for folder, said, key, gguf in (
            (AUDIO, "sounds.json", "files", "e2b.gguf"),
            (MEDIA / "12b", "media.json", "sound_files", "12b.gguf"),
        ):
            for case in json.loads((folder / said).read_text())[key]:
                # Its samples at 16 kHz go in as they are; others are resampled.
                bound = 1e-4 if "s16_16000" in case["sound"] else 5e-4
                for model in (folder, folder / gguf):
                    with self.subTest(sound=case["sound"], model=model):
                        status, out, err = self.embed_sound(model, folder / case["sound"])
                        self.assertEqual((status, out), (0, ""), err)
                        self.assertIn("in 1 clip", err)
                        self.assert_reference(folder / case["file"], err, bound)

    def test_gives_the_references_soft_tokens_of_a_videos_frames(self):
        for family in ("e2b", "12b", "26b-a4b"):
            for case in json.loads((MEDIA / family / "media.json").read_text())["video_files"]:
                for model in (MEDIA / family, MEDIA / family / f"{family}.gguf"):
                    with self.subTest(budget=case["budget"], model=model):
                        # All of its frames, where more are asked for; 70 tokens are a video's own.
                        flags = ["--frames", 8] + ([] if case["budget"] == 70 else ["--tokens-budget", case["budget"]])
                        status, out, err = run("embed-media", model, "--video", MEDIA / family / case["video"], "--out",
                                               self.folder / "out.npy", "--threads", "1", *flags)
                        self.assertEqual((status, out), (0, ""), err)
                        self.assertIn(f"of {case['frames']} of {case['frames']} frames", err)
                        self.assert_reference(MEDIA / family / case["file"], err)

    def test_hears_what_is_longer_than_a_clip_in_clips(self):
        def wav(samples):
            data = samples.tobytes()
            head = struct.pack("<4sI4s4sIHHIIHH4sI", b"RIFF", 36 + len(data), b"WAVE", b"fmt ", 16, 1, 1, 16000,
                               32000, 2, 16, b"data", len(data))
            return head + data
        samples = array.array("h", ((i * i // 50) % 9000 - 4500 for i in range(480_000 + 1_000)))
        rows = []
        for name, part in (("whole", samples), ("first", samples[:480_000]), ("rest", samples[480_000:])):
            path = self.folder / f"{name}.wav"
            path.write_bytes(wav(part))
            status, _, err = self.embed_sound(AUDIO, path)
            self.assertEqual(status, 0, err)
            rows.append(read_npy(self.folder / "out.npy"))
        whole, first, rest = rows
        self.assertEqual((whole[0], first[0], rest[0]), (752, 750, 2))
        self.assertEqual(whole[2], first[2] + rest[2])

    def test_takes_one_medium(self):
        picture = MEDIA / "pictures" / "wide.png"
        status, out, err = self.embed_sound(AUDIO, MEDIA / "sounds" / "s16_16000_mono.wav", "--image", picture)
        self.assertEqual((status, out), (2, ""))
        self.assertIn("--image excludes --audio", err)
        self.assertFalse((self.folder / "out.npy").exists())

    def test_says_why_a_sound_cannot_be_heard(self):
        sound = MEDIA / "sounds" / "s16_16000_mono.wav"
        text = self.folder / "note.txt"
        text.write_text("no sound")
        for model, file, flags, words in (
            (MEDIA / "26b-a4b", sound, (), "has no audio tower: config.json has no audio_config"),
            (AUDIO, text, (), "note.txt: "),
            (AUDIO, sound, ("--tokens-budget", "70"), "25 soft tokens a second"),
        ):
            with self.subTest(words=words):
                status, out, err = self.embed_sound(model, file, *flags)
                self.assertEqual((status, out), (1, ""))
                self.assertIn(words, err)
                self.assertFalse((self.folder / "out.npy").exists())

    def test_without_a_budget_takes_the_models_own(self):
        picture = MEDIA / "pictures" / "wide.png"
        for family, budget in (("e2b", 140), ("26b-a4b", 280)):
            status, _, err = self.embed(MEDIA / family, picture)
            self.assertEqual(status, 0, err)
            self.assertIn(f"at most {budget} tokens", err)
            self.assert_reference(MEDIA / family / f"embeddings-wide-{budget}.npy", err)
        self.assertIn("at most 70 tokens", self.embed(MEDIA / "e2b", picture, "--tokens-budget", "auto")[2])

    def test_takes_the_projector_that_is_named(self):
        model = shutil.copy(MEDIA / "e2b" / "e2b.gguf", self.folder / "model.gguf")
        picture = MEDIA / "pictures" / "tall.png"
        status, _, err = self.embed(model, picture)
        self.assertEqual(status, 1)
        self.assertIn("has no vision tower", err)
        self.assertIn("--mmproj", err)
        status, _, err = self.embed(model, picture, "--mmproj", MEDIA / "e2b" / "mmproj-e2b.gguf", "--tokens-budget", "70")
        self.assertEqual(status, 0, err)
        self.assert_reference(MEDIA / "e2b" / "embeddings-tall-70.npy", err)

    def test_says_what_is_wrong_and_writes_nothing(self):
        note = self.folder / "note.txt"
        note.write_text("no picture")
        picture = MEDIA / "pictures" / "wide.png"
        for model, image, flags, status, words in (
            (MODELS / "e4b", picture, (), 1, "has no vision tower: config.json has no vision_config"),
            (MEDIA / "e2b", note, (), 1, "note.txt: "),
            (MEDIA / "e2b", self.folder / "none.png", (), 1, "none.png"),
            (MEDIA / "e2b", picture, ("--tokens-budget", "100"), 1, "expected 70|140|280|560|1120|auto, found '100'"),
            (MEDIA / "e2b", picture, ("--mmproj", note), 1, "note.txt"),
        ):
            with self.subTest(words=words):
                found, out, err = self.embed(model, image, *flags)
                self.assertEqual((found, out), (status, ""), err)
                self.assertIn(words, err)
                self.assertFalse((self.folder / "out.npy").exists())


if __name__ == "__main__":
    unittest.main()
