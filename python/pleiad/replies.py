"""What a model answers: whole, or part by part."""

from __future__ import annotations

import asyncio
import json
import math
from collections.abc import AsyncIterator, Generator, Iterator
from dataclasses import dataclass, field
from typing import Any, Literal

from . import _native
from .errors import ClosedError

Kind = Literal["content", "thinking", "tool_call", "broken_tool_call"]


@dataclass(frozen=True, slots=True)
class TokenLogprob:
    """A token, and the natural logarithm of the model's own probability for it.

    Attributes:
        id: its number.
        bytes: what it says; may be a part of a character.
        logprob: before temperature and filters.
    """

    id: int
    bytes: bytes
    logprob: float


@dataclass(frozen=True, slots=True)
class Logprob(TokenLogprob):
    """A token of a reply.

    Attributes:
        top: the likeliest tokens there, the likeliest first; as many as `top_logprobs` asked for.
    """

    top: tuple[TokenLogprob, ...] = ()


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A call that the model wrote.

    Attributes:
        id: "call_" and eight characters.
        name: of the function.
        arguments: as the model wrote them.
        text: the whole call, in the model's own form.
        problem: why it cannot be used; empty where it can.
    """

    id: str
    name: str
    arguments: dict[str, Any]
    text: str
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Delta:
    """A part of a reply.

    Attributes:
        kind: what it belongs to.
        text: to append to that; of a call all of it.
        tool_call: of the two last kinds.
        logprobs: of the tokens since the part before, where `logprobs` asked for them.
    """

    kind: Kind
    text: str
    tool_call: ToolCall | None = None
    logprobs: tuple[Logprob, ...] = ()

    def __str__(self) -> str:
        """The text of content, else nothing: `"".join(map(str, stream))` is the answer."""
        return self.text if self.kind == "content" else ""


@dataclass(slots=True)
class Reply:
    """A whole reply.

    Attributes:
        content: the answer.
        thinking: thoughts before it, where `think` was on.
        tool_calls: in their order, those that cannot be used too (see ToolCall.problem).
        logprobs: of every token, where `logprobs` asked for them.
        finish_reason: "stop" (the model ended its turn, or a stop string came), "length", "tool_calls".
        ended_by: "repetition" where the reply was ended because it repeated itself ("length"), else None.
        thinking_ended_by: "budget" or "repetition" where a thought was ended, else None.
        stop_string: which one it was.
        prompt_tokens, cached_tokens: of the prompt, and those of it that were not computed again.
        completion_tokens, thinking_tokens: that were generated, and those of them that were thoughts.
        forced_tokens, saved_steps: of those generated, the ones that nobody chose, because the form of the reply left
            nothing else or a thought was ended, and the steps that these saved.
        dropped_tokens: of calls that were sampled again, because their arguments were not valid; in no other number.
        seed: that was in use, also where none was given.
        prompt_seconds, generation_seconds, queue_seconds: what took how long.
        warnings: what there is to say about the request.
    """

    content: str = ""
    thinking: str = ""
    tool_calls: list[ToolCall] = field(default_factory=list)
    logprobs: list[Logprob] = field(default_factory=list)
    finish_reason: str = ""
    ended_by: str | None = None
    thinking_ended_by: str | None = None
    stop_string: str | None = None
    prompt_tokens: int = 0
    cached_tokens: int = 0
    completion_tokens: int = 0
    thinking_tokens: int | None = None
    forced_tokens: int = 0
    saved_steps: int = 0
    dropped_tokens: int = 0
    seed: int = 0
    prompt_seconds: float = 0.0
    generation_seconds: float = 0.0
    queue_seconds: float = 0.0
    dropped_messages: int = 0
    dropped_thinking_bytes: int = 0
    warnings: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        return self.content

    @property
    def message(self) -> dict[str, Any]:
        """The reply as the assistant's message of the conversation, to go on with."""
        message: dict[str, Any] = {"role": "assistant", "content": self.content}
        if self.thinking:
            message["reasoning_content"] = self.thinking
        calls = [call for call in self.tool_calls if not call.problem]
        if calls:
            message["tool_calls"] = [
                {
                    "id": call.id,
                    "type": "function",
                    "function": {"name": call.name, "arguments": json.dumps(call.arguments)},
                }
                for call in calls
            ]
        return message

    def add(self, delta: Delta) -> None:
        """Appends a part."""
        if delta.kind == "content":
            self.content += delta.text
        elif delta.kind == "thinking":
            self.thinking += delta.text
        elif delta.tool_call is not None:
            self.tool_calls.append(delta.tool_call)
        self.logprobs.extend(delta.logprobs)


def _number(value: float | None) -> float:
    return -math.inf if value is None else value  # JSON has no infinity


def _token(entry: dict[str, Any]) -> TokenLogprob:
    return TokenLogprob(entry["id"], bytes(entry["bytes"]), _number(entry["logprob"]))


def _logprobs(entries: list[dict[str, Any]]) -> tuple[Logprob, ...]:
    return tuple(
        Logprob(entry["id"], bytes(entry["bytes"]), _number(entry["logprob"]), tuple(map(_token, entry["top"])))
        for entry in entries
    )


def _delta(kind: Kind, text: str, details: str) -> Delta:
    if not details:
        return Delta(kind, text)
    more = json.loads(details)
    call = None
    if kind in ("tool_call", "broken_tool_call"):
        call = ToolCall(
            more.get("id", ""), more.get("name", ""), more.get("arguments", {}), text, more.get("problem", "")
        )
    return Delta(kind, text, call, _logprobs(more.get("logprobs", [])))


class Stream:
    """A reply while it is generated: an iterator of Delta, for `for` and for `async for`.

    Who stops listening cancels it: `close()`, the end of a `with`, or nobody holding it any more. The GIL
    is released while it waits; an event loop is woken by a file descriptor, without a thread. One
    thread, or one task, takes its parts.

    `reply()` and `await stream` give the whole: what was taken already, and the rest.

    Raises (from iteration, reply() and await): RequestError, ContextExceededError, OutOfMemoryError,
    BusyError, DeadlineError, ClosedError, FileChangedError, InternalError.
    """

    def __init__(self, answer: _native.Answer, model: object) -> None:
        self._answer = answer
        self._model = model  # stays while somebody listens
        self._reply = Reply()
        self._ended = False

    def __iter__(self) -> Iterator[Delta]:
        return self

    def __next__(self) -> Delta:
        if self._ended:
            raise StopIteration
        try:
            part = self._answer.next()
        except BaseException:
            self.close()
            raise
        delta = self._take(part)
        if delta is None:
            raise StopIteration
        return delta

    def __aiter__(self) -> AsyncIterator[Delta]:
        return self

    async def __anext__(self) -> Delta:
        if self._ended:
            raise StopAsyncIteration
        try:
            while True:
                waits, part = self._answer.next_at_once()
                if not waits:
                    break
                await self._readable()
        except BaseException:
            self.close()
            raise
        delta = self._take(part)
        if delta is None:
            raise StopAsyncIteration
        return delta

    async def _readable(self) -> None:
        loop = asyncio.get_running_loop()
        descriptor = self._answer.descriptor()
        readable: asyncio.Future[None] = loop.create_future()

        def wake() -> None:
            if not readable.done():
                readable.set_result(None)

        loop.add_reader(descriptor, wake)
        try:
            await readable
        finally:
            loop.remove_reader(descriptor)

    def _take(self, part: tuple[Kind, str, str] | None) -> Delta | None:
        if part is not None:
            delta = _delta(*part)
            self._reply.add(delta)
            return delta
        self._ended = True
        result = json.loads(self._answer.result())
        if result["finish_reason"] == "cancelled":  # and not by close(), which takes nothing any more
            raise ClosedError("the model was closed before the reply had ended")
        self._reply.logprobs.extend(_logprobs(result.pop("logprobs", [])))
        for name, value in result.items():
            setattr(self._reply, name, value)
        return None

    def reply(self) -> Reply:
        """The whole reply, waiting for its end."""
        for _ in self:
            pass
        return self._reply

    async def _whole(self) -> Reply:
        async for _ in self:
            pass
        return self._reply

    def __await__(self) -> Generator[Any, None, Reply]:
        """The whole reply: `reply = await model.chat(messages, stream=True)`."""
        return self._whole().__await__()

    @property
    def so_far(self) -> Reply:
        """What was taken until now; its counts and reason are known at the end."""
        return self._reply

    def close(self) -> None:
        """Ends the generation within a token. Parts that nobody took are gone."""
        self._ended = True
        self._answer.cancel()

    def __enter__(self) -> Stream:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    async def __aenter__(self) -> Stream:
        return self

    async def __aexit__(self, *_: object) -> None:
        self.close()


__all__ = ["Delta", "Logprob", "Reply", "Stream", "TokenLogprob", "ToolCall"]
