"""Transcriptions at the edge of what is a sound, through the server: a model of random weights hears, so that what
it writes means nothing, and the tests are about what is taken, refused and told."""
import pathlib
import shutil
import sys

import httpx
import pytest
from conftest import Server
from pictures import RED

TESTS = pathlib.Path(__file__).resolve().parents[1]
GOLDEN = TESTS / "golden"
sys.path.insert(0, str(TESTS / "seeing"))

from sound_maker import wav  # noqa: E402

# Frames of 40 ms, the last one filled up; and a tower, to which less than 161 samples are nothing.
EMBEDDER, TOWER = "12b", "e2b"

SECOND = wav(bytes(32_000))


@pytest.fixture(scope="module")
def hearing(tmp_path_factory):
    folder = tmp_path_factory.mktemp("hearing")
    models = folder / "models"
    for name, source in ((EMBEDDER, GOLDEN / "media/12b"), (TOWER, GOLDEN / "audio/e2b")):
        (models / name).mkdir(parents=True)
        for file in (f"{name}.gguf", f"mmproj-{name}.gguf"):
            shutil.copy(source / file, models / name / file)
    folders = ":".join(str(models / name) for name in (EMBEDDER, TOWER))
    running = Server(folder, environment={"PLEIAD_MODEL_FOLDERS": folders}, preload=())
    yield running
    assert running.stop() == 0, running.text()


@pytest.fixture
def client(hearing):
    with httpx.Client(base_url=hearing.url, timeout=300) as one:
        yield one


def send(client, *files, model=EMBEDDER, name="a.wav", media_type="audio/wav", **fields):
    return client.post("/v1/audio/transcriptions", data={"model": model} | fields,
                       files=[("file", (name, file, media_type)) for file in files])


def refusal(answered):
    assert answered.status_code == 400, answered.text
    error = answered.json()["error"]
    assert error["param"] == "file", error
    return error["message"]


def test_what_is_no_sound_is_refused(client):
    assert "holds no samples" in refusal(send(client, wav(b"")))
    assert "found no bytes" in refusal(send(client, b""))
    assert "is not a sound" in refusal(send(client, RED))
    assert "ends early" in refusal(send(client, SECOND[:20_000]))
    assert "given twice" in refusal(send(client, SECOND, SECOND))
    assert "missing" in refusal(client.post("/v1/audio/transcriptions", data={"model": EMBEDDER}, files={"b": b"x"}))
    assert "no sound" in refusal(send(client, (GOLDEN / "media/videos/h264_b_frames.mp4").read_bytes()))


def test_a_sample_is_a_sound_to_whom_it_gives_a_token(client):
    heard = send(client, wav(b"\0\1"), response_format="verbose_json")
    assert heard.status_code == 200, heard.text
    assert heard.json()["duration"] == 1 / 16_000
    assert len(heard.json()["segments"]) == 1
    assert "it has 160 samples at 16 kHz, and 161 give a token" in refusal(send(client, wav(bytes(320)), model=TOWER))


# Who hears nothing and says one word for all has one of twenty right.
def test_the_demo_writes_what_voices_say_that_its_training_did_not_hear(http):
    def said(path):
        answered = send(http, path.read_bytes(), model="demo", response_format="text")
        assert answered.status_code == 200, answered.text
        return answered.text.strip()

    assert said(TESTS.parent / "models/demo/seven.wav") == "7"
    digits = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
    wrong = {}
    for path in sorted((TESTS / "hearing").glob("*.flac")):
        word = path.name.split(".")[0]
        heard = said(path)
        if heard != (str(digits.index(word)) if word in digits else word):
            wrong[path.name] = heard
    assert len(wrong) <= 4, wrong


def test_a_model_whose_vocabulary_has_no_turns_is_refused_by_name(client):
    asked = {"model": TOWER, "messages": [{"role": "user", "content": "Hi"}]}
    for answered in (send(client, SECOND, model=TOWER), client.post("/v1/chat/completions", json=asked)):
        assert answered.status_code == 400, answered.text
        error = answered.json()["error"]
        assert error["param"] == "model"
        assert "e2b cannot chat: its vocabulary has no <|turn>" in error["message"]


def test_content_counts_and_not_names(client):
    plain = send(client, SECOND)
    assert plain.status_code == 200, plain.text
    for name, media_type in (("photo.png", "image/png"), ("a.mp3", "audio/mpeg"), ("../a", "application/octet-stream")):
        assert send(client, SECOND, name=name, media_type=media_type).json() == plain.json()
    flac = (GOLDEN / "media/sounds/s16_44100_stereo.flac").read_bytes()
    assert send(client, flac, name="a.wav").status_code == 200
    assert send(client, (GOLDEN / "media/videos/h264_with_sound.mp4").read_bytes()).status_code == 200


def test_silence_is_heard_whole(client):
    # 8 bits at 8 kHz; the server makes 16 kHz of it.
    heard = send(client, wav(b"\x80" * 8_000 * 95, rate=8_000, bits=8), response_format="verbose_json")
    assert heard.status_code == 200, heard.text
    assert heard.json()["duration"] == 95
    segments = heard.json()["segments"]
    assert [(one["start"], one["end"]) for one in segments] == [(0, 30), (30, 60), (60, 90), (90, 95)]
    # A clip of silence is like another.
    assert len({one["text"] for one in segments[:3]}) == 1


def test_more_than_an_hour_is_refused(client):
    assert "lasts more than 60 min 0 s" in refusal(send(client, wav(b"\x80" * 8_000 * 3_601, rate=8_000, bits=8)))
