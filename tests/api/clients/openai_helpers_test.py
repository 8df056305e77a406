"""What OpenAI's client builds on the Responses API: its streams and typed answers."""
from pydantic import BaseModel
from questions import COUNTED, PARAMETERS, WEATHER

MODEL = "demo"
TOOL = {"type": "function", "name": "get_weather", "description": "Get the weather of a city",
        "parameters": PARAMETERS, "strict": False}


class Sum(BaseModel):
    answer: int


def test_a_stream_with_its_final_response(openai_client):
    with openai_client.responses.stream(model=MODEL, input="Count from 1 to 10", temperature=0) as stream:
        text = "".join(event.delta for event in stream if event.type == "response.output_text.delta")
        final = stream.get_final_response()
    assert text == final.output_text == COUNTED
    assert final.usage.total_tokens == final.usage.input_tokens + final.usage.output_tokens


def test_a_streamed_call_is_put_together(openai_client):
    with openai_client.responses.stream(model=MODEL, input=WEATHER, tools=[TOOL], temperature=0) as stream:
        kinds = [event.type for event in stream]
        final = stream.get_final_response()
    assert "response.function_call_arguments.done" in kinds
    (call,) = [item for item in final.output if item.type == "function_call"]
    assert call.arguments and '"Paris"' in call.arguments


def test_typed_answers(openai_client):
    question = "What is 20 + 30? Answer in JSON."
    answer = openai_client.responses.parse(model=MODEL, input=question, text_format=Sum, temperature=0)
    assert answer.output_parsed == Sum(answer=50)
    with openai_client.responses.stream(model=MODEL, input=question, text_format=Sum, temperature=0) as stream:
        for _ in stream:
            pass
        assert stream.get_final_response().output_parsed == Sum(answer=50)
