"""One streamed answer of `pleiad serve` to a prompt of tokens, with an answer that is known before.

The answer is one token again and again (logit_bias), so that the next turn's prompt holds exactly what was generated.
"""
import asyncio
import json
import pathlib
import random
import sys
import time
import urllib.parse

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "load"))
from http11 import Connection  # noqa: E402

REPLY_TOKENS = range(1000, 1100)  # candidates for the token of answers: one that is text of its own


class ServerError(Exception):
    pass


def prompt_tokens(text, vocabulary, reply_token, replies):
    """Numbers for a text's segments; those in `replies` are answers."""
    tokens = []
    for segment, n_tokens in text.segments:
        if segment in replies:
            tokens += [reply_token] * n_tokens
        else:
            rng = random.Random(segment)
            tokens += [rng.randrange(2000, vocabulary) for _ in range(n_tokens)]
    return tokens


class Answer:
    def __init__(self):
        self.sent = time.monotonic()
        self.times = []  # of the tokens
        self.cached_tokens = 0
        self.prompt_tokens = 0
        self.generated_tokens = 0


async def _events(response, connection):
    """The data of server-sent events."""
    rest = b""
    async for piece in connection.pieces(response):
        *lines, rest = (rest + piece).split(b"\n")
        for line in lines:
            if line.startswith(b"data: ") and line != b"data: [DONE]":
                yield json.loads(line[6:])


async def complete(url, model, tokens, n_reply, reply_token, seconds=600):
    """Raises ServerError for all that is no whole answer within so many seconds."""
    connection = Connection(url)
    try:
        answer = await asyncio.wait_for(_complete(connection, url, model, tokens, n_reply, reply_token), seconds)
    except (OSError, EOFError, asyncio.TimeoutError, ValueError, KeyError) as error:
        where = urllib.parse.urlsplit(url).netloc
        raise ServerError(f"{where}: expected an answer of {n_reply} tokens: {error!r}") from error
    finally:
        await connection.close()
    if answer.generated_tokens != n_reply or not answer.times:
        raise ServerError(f"{url}: {answer.generated_tokens} tokens came of {n_reply}, {len(answer.times)} of them as "
                          "text")
    return answer


async def _complete(connection, url, model, tokens, n_reply, reply_token):
    answer = Answer()
    body = {"model": model, "prompt": tokens, "max_tokens": n_reply, "temperature": 0, "stream": True,
            "stream_options": {"include_usage": True}, "ignore_eos": True, "repetition_guard": False,
            "logit_bias": {str(reply_token): 100}}
    await connection.send("POST", "/v1/completions", body, keep=False)
    response = await connection.read_head()
    if response.status != 200:
        found = b"".join([piece async for piece in connection.pieces(response)])
        raise ServerError(f"{url}: status {response.status}: {found[:300].decode(errors='replace')}")
    async for event in _events(response, connection):
        if "error" in event:
            raise ServerError(f"{url}: {event['error']}")
        if any(choice.get("text") for choice in event.get("choices", ())):
            answer.times.append(time.monotonic())
        if event.get("usage"):
            answer.prompt_tokens = event["usage"]["prompt_tokens"]
            answer.generated_tokens = event["usage"]["completion_tokens"]
            answer.cached_tokens = event["usage"]["prompt_tokens_details"]["cached_tokens"]
    return answer


async def find_reply_token(url, model):
    """A token that is shown as soon as it is generated."""
    for token in REPLY_TOKENS:
        answer = await complete(url, model, [2, 2000, 2001], 8, token)
        if len(answer.times) == 8:
            return token
    raise ServerError(f"{url}: no token from {REPLY_TOKENS[0]} to {REPLY_TOKENS[-1]} is text of its own")
