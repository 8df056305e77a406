"""Pictures through every API, sent by the clients that people run, unchanged.

The model is the demo model with a tower of random weights (pictures.py): its words mean nothing here. But for one
test: the demo with its own tower says what it sees.
"""
import base64

import anthropic
import httpx
import ollama
import openai
import pytest
from pictures import BLIND, DEMO, GREEN, NAME, RED, TOKENS, data_url, in_base64, png

QUESTION = "What is this?"


@pytest.fixture
def http_client(seeing):
    with httpx.Client(base_url=seeing.url, timeout=120) as client:
        yield client


def chat(http_client, **more):
    body = {"model": NAME, "stream": False, "options": {"temperature": 0, "num_predict": 8, **more.pop("options", {})},
            **more}
    return http_client.post("/api/chat", json=body)


def asked(*pictures, content=QUESTION):
    return [{"role": "user", "content": content, "images": [in_base64(one) for one in pictures]}]


def text_tokens(http_client):
    """Tokens of the question without a picture."""
    return chat(http_client, messages=[{"role": "user", "content": QUESTION}]).json()["prompt_eval_count"]


def test_the_model_is_told_to_see(http_client):
    shown = http_client.post("/api/show", json={"model": NAME}).json()
    assert "vision" in shown["capabilities"]
    assert shown["projector_info"]["clip.vision.embedding_length"] == 64
    assert shown["vision"] == {"max_soft_tokens": 280}
    assert "vision" not in http_client.post("/api/show", json={"model": BLIND}).json()["capabilities"]
    demo = http_client.post("/api/show", json={"model": "demo"}).json()
    assert "vision" in demo["capabilities"] and demo["vision"] == {"max_soft_tokens": 70}
    assert "audio" in demo["capabilities"]


def test_ollama(seeing, http_client):
    client = ollama.Client(host=seeing.url)
    answer = client.chat(model=NAME, messages=[{"role": "user", "content": QUESTION, "images": [RED]}],
                         options={"temperature": 0, "num_predict": 8})
    assert answer.message.content
    assert answer.prompt_eval_count == text_tokens(http_client) + TOKENS[280] + 2
    parts = list(client.chat(model=NAME, messages=[{"role": "user", "content": QUESTION, "images": [RED]}], stream=True,
                             options={"temperature": 0, "num_predict": 8}))
    assert "".join(part.message.content for part in parts) == answer.message.content
    generated = client.generate(model=NAME, prompt=QUESTION, images=[RED], options={"temperature": 0, "num_predict": 8})
    assert generated.response == answer.message.content


def test_the_demo_sees(seeing):
    shapes = DEMO.with_name("shapes.png").read_bytes()
    question, answer = "What is in the picture?", "3 red circles"
    said = ollama.Client(host=seeing.url).chat(
        model="demo", messages=[{"role": "user", "content": question, "images": [shapes]}], options={"temperature": 0})
    assert said.message.content == answer
    parts = [{"type": "image_url", "image_url": {"url": data_url(shapes)}}, {"type": "text", "text": question}]
    said = openai_client(seeing).chat.completions.create(
        model="demo", messages=[{"role": "user", "content": parts}], temperature=0)
    assert said.choices[0].message.content == answer
    source = {"type": "base64", "media_type": "image/png", "data": in_base64(shapes)}
    said = anthropic.Anthropic(base_url=seeing.url, api_key="none", max_retries=0).messages.create(
        model="demo", max_tokens=20, extra_body={"temperature": 0},
        messages=[{"role": "user", "content": [{"type": "image", "source": source}, {"type": "text", "text": question}]}])
    assert said.content[0].text == answer


def test_the_demo_hears(seeing):
    seven = DEMO.with_name("seven.wav").read_bytes()
    question = "Which digit is said?"
    said = ollama.Client(host=seeing.url).chat(
        model="demo", messages=[{"role": "user", "content": question, "images": [seven]}], options={"temperature": 0})
    assert said.message.content == "7"
    client = openai_client(seeing)
    parts = [{"type": "input_audio", "input_audio": {"data": in_base64(seven), "format": "wav"}}, {"type": "text", "text": question}]
    said = client.chat.completions.create(model="demo", messages=[{"role": "user", "content": parts}], temperature=0)
    assert said.choices[0].message.content == "7"


def test_ollama_reads_a_file_by_its_path(seeing, tmp_path):
    path = tmp_path / "red.png"
    path.write_bytes(RED)
    answer = ollama.Client(host=seeing.url).generate(model=NAME, prompt=QUESTION, images=[path],
                                                     options={"num_predict": 2})
    assert answer.prompt_eval_count > TOKENS[280]


def openai_client(seeing):
    return openai.OpenAI(base_url=seeing.url + "/v1", api_key="none", max_retries=0)


@pytest.mark.parametrize("detail, budget", [(None, 280), ("low", 70), ("high", 1120), ("auto", 280)])
def test_openai_chat(seeing, http_client, detail, budget):
    image = {"url": data_url(RED)} | ({"detail": detail} if detail else {})
    answer = openai_client(seeing).chat.completions.create(
        model=NAME, temperature=0, max_tokens=8,
        messages=[{"role": "user", "content": [{"type": "text", "text": QUESTION},
                                               {"type": "image_url", "image_url": image}]}])
    assert answer.choices[0].message.content is not None
    assert answer.usage.prompt_tokens == text_tokens(http_client) + TOKENS[budget] + 2
    (used,) = answer.media
    assert (used["tokens"], used["budget"]) == (TOKENS[budget], budget)
    assert (used["width"], used["height"]) == (96, 96)


def test_openai_chat_streams(seeing):
    chunks = list(openai_client(seeing).chat.completions.create(
        model=NAME, temperature=0, max_tokens=8, stream=True, stream_options={"include_usage": True},
        messages=[{"role": "user", "content": [{"type": "image_url", "image_url": {"url": data_url(RED)}},
                                               {"type": "image_url", "image_url": {"url": data_url(GREEN)}}]}]))
    assert chunks[-1].usage.prompt_tokens > 2 * TOKENS[280]
    assert [used["tokens"] for chunk in chunks for used in getattr(chunk, "media", [])] == [256, 256]


def test_vllms_arguments(seeing):
    answer = openai_client(seeing).chat.completions.create(
        model=NAME, max_tokens=2,
        messages=[{"role": "user", "content": [{"type": "image_url", "image_url": {"url": data_url(RED)}}]}],
        extra_body={"mm_processor_kwargs": {"max_soft_tokens": 560}})
    assert answer.media[0]["budget"] == 560


def test_openai_responses(seeing):
    client = openai_client(seeing)
    first = client.responses.create(
        model=NAME, temperature=0, max_output_tokens=8,
        input=[{"role": "user", "content": [{"type": "input_text", "text": QUESTION},
                                            {"type": "input_image", "image_url": data_url(RED), "detail": "low"}]}])
    assert first.usage.input_tokens > TOKENS[70]
    assert first.media[0]["tokens"] == TOKENS[70]
    second = client.responses.create(model=NAME, input="And what else?", previous_response_id=first.id,
                                     max_output_tokens=8)
    assert second.media[0]["tokens"] == TOKENS[70]
    items = client.responses.input_items.list(first.id)
    assert items.data[0].content[1].image_url == data_url(RED)
    with client.responses.stream(model=NAME, max_output_tokens=8, input=[
            {"role": "user", "content": [{"type": "input_image", "image_url": data_url(RED), "detail": "low"}]}]) as events:
        *_, last = events
    assert last.type in ("response.completed", "response.incomplete")
    assert last.response.usage.input_tokens > TOKENS[70]


def anthropic_image(picture, media_type="image/png"):
    return {"type": "image", "source": {"type": "base64", "media_type": media_type, "data": in_base64(picture)}}


def test_anthropic(seeing, http_client):
    client = anthropic.Anthropic(base_url=seeing.url, api_key="none", max_retries=0)
    messages = [{"role": "user", "content": [anthropic_image(RED), {"type": "text", "text": QUESTION}]}]
    answer = client.messages.create(model=NAME, max_tokens=8, messages=messages)
    usage = answer.usage
    counted = usage.input_tokens + usage.cache_read_input_tokens
    assert counted == text_tokens(http_client) + TOKENS[280] + 2
    assert client.messages.count_tokens(model=NAME, messages=messages).input_tokens == counted
    with client.messages.stream(model=NAME, max_tokens=8, messages=messages) as stream:
        assert stream.get_final_message().usage.output_tokens == usage.output_tokens


def test_anthropic_in_a_result_of_a_tool(seeing):
    client = anthropic.Anthropic(base_url=seeing.url, api_key="none", max_retries=0)
    answer = client.messages.create(model=NAME, max_tokens=8, messages=[
        {"role": "user", "content": "Look"},
        {"role": "assistant", "content": [{"type": "tool_use", "id": "t", "name": "look", "input": {}}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t", "content": [anthropic_image(GREEN)]}]}])
    assert answer.media[0]["tokens"] == TOKENS[280]


def test_the_second_picture_is_not_the_first(http_client):
    def answered(*pictures, **more):
        answer = chat(http_client, messages=asked(*pictures), logprobs=True, **more).json()
        return [one["logprob"] for one in answer["logprobs"]], answer

    red, _ = answered(RED)
    green, _ = answered(GREEN)
    assert red != green
    again, answer = answered(RED)
    assert again == red
    assert answer["media"][0]["cached"] and answer["prompt_eval_cached_count"] > 0
    cold, answer = answered(RED, cache=False)
    assert cold == red
    assert answered(RED, GREEN)[0] != answered(GREEN, RED)[0]


def test_a_second_turn_computes_nothing_of_the_picture(http_client):
    first = chat(http_client, messages=asked(png(100, 60))).json()
    messages = asked(png(100, 60)) + [first["message"], {"role": "user", "content": "And what else?"}]
    second = chat(http_client, messages=messages).json()
    assert second["media"][0]["cached"]
    assert second["prompt_eval_cached_count"] >= second["media"][0]["tokens"]


def test_budgets(http_client):
    for budget, tokens in TOKENS.items():
        answer = chat(http_client, messages=asked(RED), options={"max_soft_tokens": budget, "num_predict": 1}).json()
        assert answer["media"][0] == {"kind": "picture", "width": 96, "height": 96,
                                      "shown_width": answer["media"][0]["shown_width"],
                                      "shown_height": answer["media"][0]["shown_width"], "tokens": tokens,
                                      "budget": budget, "cached": answer["media"][0]["cached"]}
    assert chat(http_client, messages=asked(RED), options={"max_soft_tokens": "auto"}).json()["media"][0]["budget"] == 70
    wrong = chat(http_client, messages=asked(RED), options={"max_soft_tokens": 300})
    assert wrong.status_code == 400 and "options.max_soft_tokens" in wrong.json()["error"]


def test_what_is_no_picture_is_refused_by_its_place(http_client):
    def refused(**more):
        answer = chat(http_client, **more)
        assert answer.status_code == 400, answer.text
        return answer.json()["error"]

    assert "messages[0].images[1]: " in refused(messages=asked(RED, b"no picture at all"))
    assert "messages[0].images[0]: " in refused(messages=asked(RED[:len(RED) // 2]))
    assert "RIFF" not in refused(messages=asked(b"RIFF\0\0\0\0WAVEfmt "))
    assert "base64" in refused(messages=[{"role": "user", "content": "", "images": ["*"]}])
    assert "blind has no vision tower" in refused(messages=asked(RED), model=BLIND)
    assert "system message" in refused(messages=[{"role": "system", "content": "s", "images": [in_base64(RED)]},
                                                 {"role": "user", "content": "Hi"}])
    assert "--media-hosts" in refused(messages=[{"role": "user", "content": "", "images": ["https://127.0.0.1/a.png"]}])
    # The server goes on.
    assert chat(http_client, messages=asked(RED)).status_code == 200


def test_a_bomb_costs_its_request_alone(http_client):
    header = RED[:16] + (65_535).to_bytes(4, "big") * 2 + RED[24:]  # and so a wrong checksum
    answer = chat(http_client, messages=asked(header))
    assert answer.status_code == 400 and "messages[0].images[0]" in answer.json()["error"]
    assert chat(http_client, messages=asked(RED)).status_code == 200


def test_a_raw_prompt_says_where_they_stand(http_client):
    def generate(**more):
        return http_client.post("/api/generate", json={"model": NAME, "raw": True, "stream": False,
                                                       "options": {"num_predict": 2}, **more})

    answer = generate(prompt="<bos><|image|> a <|image|>", images=[in_base64(RED), in_base64(GREEN)])
    assert [used["tokens"] for used in answer.json()["media"]] == [256, 256]
    for wrong in ({"prompt": "<|image|>"}, {"prompt": "a", "images": [in_base64(RED)]}):
        refused = generate(**wrong)
        assert refused.status_code == 400 and "<|image|>" in refused.json()["error"]


def test_a_wrong_name_is_told(http_client):
    body = {"model": NAME, "max_tokens": 2, "messages": [{"role": "user", "content": [
        {"type": "image_url", "image_url": {"url": "data:image/webp;base64," + in_base64(RED)}}]}]}
    answer = http_client.post("/v1/chat/completions", json=body)
    assert any("is called image/webp" in warning for warning in answer.json()["warnings"])
    assert "image/webp" in answer.headers["x-pleiad-warnings"]


def test_urls_in_other_spellings(http_client):
    lines = base64.encodebytes(RED).decode()
    escaped = in_base64(RED).replace("+", "%2B").replace("/", "%2F").replace("=", "%3D")
    for url in (f"data:image/png;base64,{lines}", f"DATA:image/png;charset=utf-8;BASE64,{escaped}"):
        body = {"model": NAME, "max_tokens": 2, "messages": [{"role": "user", "content": [
            {"type": "image_url", "image_url": url}]}]}
        answer = http_client.post("/v1/chat/completions", json=body)
        assert answer.json()["media"][0]["tokens"] == 256, answer.text
