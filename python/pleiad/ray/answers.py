"""Conversations of a table answered: a stage of Ray Data, which needs nothing of Ray itself."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from ..errors import ContextExceededError, RequestError
from ..model import Model
from ..replies import Reply, Stream
from .options import request_error

# The engine lets so many requests with pictures wait, and more without.
_MOST_AT_ONCE = 48
# Of a row's lists and objects; the server reads no deeper.
_MOST_DEPTH = 64

_NO_ANSWER: dict[str, Any] = {
    "answer": "",
    "thinking": "",
    "tool_calls": "",
    "finish_reason": "error",
    "error": "",
    "prompt_tokens": 0,
    "completion_tokens": 0,
}
ANSWER_COLUMNS = tuple(_NO_ANSWER)


class Answers:
    """A stage of Ray Data: a batch of conversations becomes one with their answers.

        dataset.map_batches(pleiad.ray.Answers, fn_constructor_args=["gemma4:e2b"], batch_size=64,
                            concurrency=4, num_cpus=8)

    Columns that it adds, one value a row:
        answer: text; "" where there is none.
        thinking: thoughts before it, where the options ask for them.
        tool_calls: a JSON list of {"id", "name", "arguments", "problem"}, `problem` being "" or why a call cannot
            be used; "" where there are none.
        finish_reason: "stop", "length", "tool_calls"; "error" where there is no answer.
        error: why there is none: what is wrong with this conversation; else "".
        prompt_tokens, completion_tokens: counts; 0 where there is no answer.
    """

    def __init__(
        self,
        model: str,
        *,
        messages: str = "messages",
        options: Mapping[str, Any] | None = None,
        load: Mapping[str, Any] | None = None,
        keep: Sequence[str] | None = None,
    ) -> None:
        """Loads the model.

        Args:
            model: as of pleiad.Model.load.
            messages: the column with conversations: lists of messages, or text: a JSON list of messages where it
                begins with "[", else a question.
            options: of every answer, as of pleiad.Model.chat: {"max_tokens": 200, "temperature": 0}.
            load: as of pleiad.Model.load: {"threads": 8}.
            keep: columns that stay beside the answers; None: all.
        """
        self._keep = keep
        self._column = messages
        self._options = dict(options or {})
        self._model = Model.load(model, **(load or {}))

    def __call__(self, batch: dict[str, Any]) -> dict[str, Any]:
        """The batch, with the columns of answers. Its conversations are answered together, 48 at once.

        Raises:
            KeyError: there is no such column.
            RequestError: an option is wrong, or a column that stays has the name of one that is added.
            pleiad.Error: what is no fault of one conversation's. Ray Data ends the run with it.
        """
        kept = batch if self._keep is None else {name: batch[name] for name in self._keep}
        check_columns(kept)
        rows = list(self._rows(batch[self._column]))
        columns: dict[str, Any] = {}
        for name, example in _NO_ANSWER.items():
            # Text as objects: NumPy's own text drops zeros at its end.
            columns[name] = np.array(
                [row[name] for row in rows], dtype=object if isinstance(example, str) else np.int64
            )
        return {**kept, **columns}

    def _rows(self, values: Iterable[Any]) -> Iterator[dict[str, Any]]:
        begun: deque[Stream | RequestError] = deque()
        try:
            for value in values:
                if len(begun) == _MOST_AT_ONCE:
                    yield self._end(begun[0])
                    begun.popleft()
                begun.append(self._begin(value))
            while begun:
                yield self._end(begun[0])
                begun.popleft()
        finally:
            for stream in begun:
                if isinstance(stream, Stream):
                    stream.close()

    def _begin(self, value: Any) -> Stream | RequestError:
        try:
            return self._model.chat(conversation(value), stream=True, **self._options)
        except RequestError as error:
            return self._of_the_row(error)

    def _end(self, stream: Stream | RequestError) -> dict[str, Any]:
        try:
            if isinstance(stream, Stream):
                return _row(stream.reply())
        except RequestError as error:
            stream = self._of_the_row(error)
        return {**_NO_ANSWER, "error": str(stream)}

    def _of_the_row(self, error: RequestError) -> RequestError:
        """Raises it where it is the fault of an option: then it is every row's, and no answer."""
        field = error.field.split("[")[0].split(".")[0]
        if field in self._options and not isinstance(error, ContextExceededError):
            raise error
        return error


def _row(reply: Reply) -> dict[str, Any]:
    calls = [
        {"id": call.id, "name": call.name, "arguments": call.arguments, "problem": call.problem}
        for call in reply.tool_calls
    ]
    return {
        "answer": reply.content,
        "thinking": reply.thinking,
        "tool_calls": json.dumps(calls, ensure_ascii=False) if calls else "",
        "finish_reason": reply.finish_reason,
        "error": "",
        "prompt_tokens": reply.prompt_tokens,
        "completion_tokens": reply.completion_tokens,
    }


def check_columns(kept: Iterable[str]) -> None:
    """Raises: RequestError where a column that stays would be written over by one that is added."""
    for name in kept:
        if name in _NO_ANSWER:
            raise request_error(name, "a column of answers has this name: rename the dataset's, or do not keep it")


def conversation(value: Any) -> Any:
    """What a row holds, as pleiad.Model.chat takes it. Fields that are null stand in a table where other rows
    have them: they are left out.

    Raises: RequestError where it is no conversation.
    """
    if isinstance(value, str):
        if not value.lstrip().startswith("["):
            return value
        try:
            value = json.loads(value)
        except ValueError as error:
            raise request_error("messages", f"expected a JSON list or a question: {error}") from None
        except RecursionError:
            raise _too_deep() from None
    value = _plain(value, 0)
    if not isinstance(value, list):
        raise request_error("messages", f"expected a list of messages or text, found {type(value).__name__}")
    return value


def _plain(value: Any, depth: int) -> Any:
    if depth > _MOST_DEPTH:
        raise _too_deep()
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, dict):
        for key in value:
            if not isinstance(key, str):
                raise request_error("messages", f"expected names of fields as text, found {type(key).__name__}")
        return {key: _plain(item, depth + 1) for key, item in value.items() if item is not None}
    if isinstance(value, (list, tuple)):
        return [_plain(item, depth + 1) for item in value]
    if value is None or isinstance(value, (str, bool, int, float)):
        return value
    raise request_error("messages", f"expected what JSON can say, found {type(value).__name__}")


def _too_deep() -> RequestError:
    return request_error("messages", f"expected {_MOST_DEPTH} lists and objects in each other at most, found more")


__all__ = ["ANSWER_COLUMNS", "Answers", "check_columns", "conversation"]
