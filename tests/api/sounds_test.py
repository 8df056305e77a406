"""Sounds, videos and documents through every API, sent by the clients that people run, unchanged.

The model is the smallest of tests/golden/media that hears and sees (random weights): its words mean nothing here. What
came is seen in the tokens of the prompt.
"""
import base64
import pathlib
import sys

import anthropic
import httpx
import ollama
import openai
import pytest
from conftest import Server

TESTS = pathlib.Path(__file__).resolve().parents[1]
MEDIA = TESTS / "golden" / "media"
sys.path.insert(0, str(TESTS / "seeing"))

import seeing_model  # noqa: E402
from sound_maker import memo  # noqa: E402

NAME = "tiny"
QUESTION = "What is this?"
PDF = (MEDIA / "documents" / "numbered.pdf").read_bytes()
VIDEO = (MEDIA / "videos" / "h264_with_sound.mp4").read_bytes()

MEMO = memo(2)


def in_base64(data):
    return base64.b64encode(data).decode()


@pytest.fixture(scope="module")
def hearing(tmp_path_factory):
    folder = tmp_path_factory.mktemp("hearing")
    seeing_model.write(folder / "models" / NAME, "12b")
    running = Server(folder, environment={"PLEIAD_MODEL_FOLDERS": str(folder / "models")}, preload=(NAME,))
    yield running
    assert running.stop() == 0, running.text()


@pytest.fixture
def client(hearing):
    return openai.OpenAI(base_url=hearing.url + "/v1", api_key="none", max_retries=0)


@pytest.fixture
def chat(client):
    """Tokens of the prompt with these parts before the question."""
    def ask(*parts):
        answer = client.chat.completions.create(model=NAME, max_tokens=4, temperature=0, messages=[
            {"role": "user", "content": [*parts, {"type": "text", "text": QUESTION}]}])
        return answer.usage.prompt_tokens
    return ask


def test_the_model_is_told_to_hear(hearing):
    shown = httpx.post(hearing.url + "/api/show", json={"model": NAME}).json()
    assert {"audio", "vision"} <= set(shown["capabilities"])


def test_openai_transcribes(client):
    heard = client.audio.transcriptions.create(model=NAME, file=("memo.wav", MEMO))
    assert isinstance(heard.text, str)
    assert heard.usage.type == "tokens"
    assert heard.usage.input_token_details.audio_tokens == 50
    assert heard.usage.total_tokens == heard.usage.input_tokens + heard.usage.output_tokens


def test_openai_transcribes_from_a_file_with_a_language_and_a_hint(client, tmp_path):
    path = tmp_path / "memo.wav"
    path.write_bytes(MEMO)
    with path.open("rb") as file:
        by_file = client.audio.transcriptions.create(model=NAME, file=file, language="en", prompt="A tone.", temperature=0)
    by_path = client.audio.transcriptions.create(model=NAME, file=path, language="en", prompt="A tone.", temperature=0)
    assert by_file.text == by_path.text
    assert by_file.usage.input_tokens > 50


@pytest.mark.parametrize("task", ["transcriptions", "translations"])
@pytest.mark.parametrize("form", ["text", "srt", "vtt"])
def test_openai_has_transcripts_as_text(client, task, form):
    heard = getattr(client.audio, task).create(model=NAME, file=("memo.wav", MEMO), response_format=form)
    assert isinstance(heard, str)
    assert heard.startswith("WEBVTT") == (form == "vtt")
    if form == "srt" and heard:
        assert heard.startswith("1\n00:00:00,000 --> 00:00:02,000\n")


def test_openai_has_the_segments_of_a_long_sound(client):
    heard = client.audio.transcriptions.create(model=NAME, file=("long.wav", memo(31, 8000)), response_format="verbose_json",
                                               timestamp_granularities=["segment"], language="pt")
    assert heard.duration == 31
    assert heard.language == "portuguese"
    assert [(segment.start, segment.end) for segment in heard.segments] == [(0, 30), (30, 31)]
    assert heard.text == " ".join(segment.text for segment in heard.segments if segment.text)


def test_openai_translates(client):
    heard = client.audio.translations.create(model=NAME, file=("memo.wav", MEMO))
    assert isinstance(heard.text, str)
    told = client.audio.translations.create(model=NAME, file=("memo.wav", MEMO), response_format="verbose_json")
    assert (told.language, told.duration) == ("english", 2)


def test_openai_is_told_what_is_not_done(client):
    for wishes in ({"stream": True}, {"response_format": "verbose_json", "timestamp_granularities": ["word"]}, {"language": "xx"}):
        with pytest.raises(openai.BadRequestError):
            client.audio.transcriptions.create(model=NAME, file=("memo.wav", MEMO), **wishes)
    with pytest.raises(openai.BadRequestError, match="file: is"):
        client.audio.transcriptions.create(model=NAME, file=("memo.wav", MEMO[:3000]))


def test_openai_chats_about_sounds_videos_and_documents(client, chat):
    alone = chat()
    sound = {"type": "input_audio", "input_audio": {"data": in_base64(MEMO), "format": "wav"}}
    assert chat(sound) == alone + 50 + 2
    assert chat({"type": "video_url", "video_url": {"url": "data:video/mp4;base64," + in_base64(VIDEO)}}) > alone + 20 * 48
    document = {"type": "file", "file": {"file_data": "data:application/pdf;base64," + in_base64(PDF), "filename": "numbered.pdf"}}
    assert chat(document) > alone + 100


def test_openai_responds_to_documents(client):
    def tokens(*parts):
        return client.responses.create(model=NAME, max_output_tokens=20, input=[
            {"role": "user", "content": [*parts, {"type": "input_text", "text": QUESTION}]}]).usage.input_tokens
    document = {"type": "input_file", "file_data": "data:application/pdf;base64," + in_base64(PDF), "filename": "numbered.pdf"}
    assert tokens(document) > tokens() + 100


def test_ollama_has_them_among_the_images(hearing):
    client = ollama.Client(host=hearing.url)

    def tokens(**more):
        message = {"role": "user", "content": QUESTION, **more}
        return client.chat(model=NAME, messages=[message], options={"num_predict": 4}).prompt_eval_count
    alone = tokens()
    assert tokens(images=[MEMO]) == alone + 50 + 2
    assert tokens(images=[VIDEO]) > alone + 20 * 48


def test_documents_beside_the_images_of_ollama(hearing):
    body = {"model": NAME, "stream": False, "options": {"num_predict": 4}, "messages": [
        {"role": "user", "content": QUESTION, "images": [in_base64(MEMO)], "documents": [{"name": "numbered.pdf", "data": in_base64(PDF)}]}]}
    answer = httpx.post(hearing.url + "/api/chat", json=body, timeout=120).json()
    document, sound = answer["media"]
    assert (document["kind"], sound["kind"], sound["tokens"]) == ("document", "sound", 50)
    assert document["total_pages"] == document["pages"] > 1
    counted = httpx.post(hearing.url + "/api/chat", json={**body, "_debug_render_only": True}, timeout=120).json()
    assert counted["_debug_info"]["prompt_tokens"] == answer["prompt_eval_count"]
    assert [one["tokens"] for one in counted["media"]] == [document["tokens"], 50]


def test_anthropic_reads_documents(hearing):
    client = anthropic.Anthropic(base_url=hearing.url, api_key="none", max_retries=0)
    document = {"type": "document", "title": "numbered.pdf",
                "source": {"type": "base64", "media_type": "application/pdf", "data": in_base64(PDF)}}

    def ask(*blocks):
        return [{"role": "user", "content": [*blocks, {"type": "text", "text": QUESTION}]}]
    answer = client.messages.create(model=NAME, max_tokens=4, messages=ask(document))
    counted = client.messages.count_tokens(model=NAME, messages=ask(document))
    assert answer.usage.input_tokens + answer.usage.cache_read_input_tokens == counted.input_tokens
    assert counted.input_tokens > client.messages.count_tokens(model=NAME, messages=ask()).input_tokens + 100
