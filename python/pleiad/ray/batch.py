"""Many conversations answered, each once: a stage of Ray Data, and a run that goes on where it was interrupted."""

from __future__ import annotations

import json
import os
import pathlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow.dataset  # type: ignore[import-untyped]
import ray.data
from ray.data.checkpoint import CheckpointConfig

from ..errors import Error, RequestError
from ..model import Model


class Answers:
    """A stage of Ray Data: a batch of conversations becomes one with their answers.

        dataset.map_batches(pleiad.ray.Answers, fn_constructor_args=["gemma4:e2b"], batch_size=64,
                            concurrency=4, num_cpus=8)

    Columns that it adds, one value a row:
        answer: text; "" where there is none.
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
        """The batch, with the columns of answers. Its conversations are answered together.

        Raises:
            KeyError: there is no such column.
            pleiad.Error: what is no fault of one conversation's; Ray tries the batch again elsewhere.
        """
        streams = [self._begin(value) for value in batch[self._column]]
        rows = [self._end(stream) for stream in streams]
        columns = {name: [row[name] for row in rows] for name in _NO_ANSWER}
        kept = batch if self._keep is None else {name: batch[name] for name in self._keep}
        return {**kept, **{name: np.array(values) for name, values in columns.items()}}

    def _begin(self, value: Any) -> Any:
        try:
            return self._model.chat(conversation(value), stream=True, **self._options)
        except RequestError as error:
            return error

    @staticmethod
    def _end(stream: Any) -> dict[str, Any]:
        try:
            if isinstance(stream, RequestError):
                raise stream
            reply = stream.reply()
        except RequestError as error:
            return {**_NO_ANSWER, "error": str(error)}
        return {
            "answer": reply.content,
            "finish_reason": reply.finish_reason,
            "error": "",
            "prompt_tokens": reply.prompt_tokens,
            "completion_tokens": reply.completion_tokens,
        }


_NO_ANSWER: dict[str, Any] = {
    "answer": "",
    "finish_reason": "error",
    "error": "",
    "prompt_tokens": 0,
    "completion_tokens": 0,
}


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
            raise RequestError(f"messages: expected a JSON list or a question: {error}") from None
    return _plain(value)


def _plain(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items() if item is not None}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    return value.item() if isinstance(value, np.generic) else value


@dataclass(frozen=True)
class Report:
    """What answer() did.

    Attributes:
        conversations: in the dataset.
        answered: that have an answer.
        refused: that can have none; their `error` says why.
        found: of these, from an earlier run.
        folder: with the answers, Parquet files.
    """

    conversations: int
    answered: int
    refused: int
    found: int
    folder: pathlib.Path


def answer(
    dataset: ray.data.Dataset,
    target: str | os.PathLike[str],
    model: str,
    *,
    id_column: str = "id",
    messages: str = "messages",
    options: Mapping[str, Any] | None = None,
    load: Mapping[str, Any] | None = None,
    replicas: int = 1,
    num_cpus: int = 1,
    batch_size: int = 64,
    keep: Sequence[str] = (),
) -> Report:
    """Answers every conversation of a dataset once, and counts.

    The same call again goes on where the last one ended, whatever ended it: Ray's checkpoints of rows say
    which conversations have been written. A worker that ends is replaced, and its batch made again.

    Args:
        dataset: that begins with a file that is read (ray.data.read_parquet, read_json).
        target: a folder that all nodes see; answers go to `target`/answers, checkpoints to `target`/checkpoint.
        model: as of pleiad.Model.load.
        id_column: names of conversations, each its own.
        messages, options, load: as of Answers.
        replicas: engines that answer.
        num_cpus: of Ray's that each takes; its threads, unless `load` says other.
        batch_size: conversations that an engine answers together.
        keep: further columns that go to the answers.

    Raises:
        RequestError: a column is missing.
        Error: the answers are not one for each conversation; the text has the numbers, and an id.
    """
    columns = dataset.columns() or []
    for column in (id_column, messages, *keep):
        if column not in columns:
            error = RequestError(f"{column}: expected a column of the dataset, found {', '.join(columns)}")
            error.field = column
            raise error
    n_conversations = dataset.count()
    folder = pathlib.Path(target).absolute()
    answers = folder / "answers"
    found = len(_ids(answers, id_column))
    dataset.context.checkpoint_config = CheckpointConfig(
        id_column, str(folder / "checkpoint"), delete_checkpoint_on_success=False
    )
    # A batch is a block, so that it is also what is written, and what is made again where a worker ends.
    made = dataset.repartition(target_num_rows_per_block=batch_size, strict=True).map_batches(
        Answers,
        fn_constructor_args=[model],
        fn_constructor_kwargs={
            "messages": messages,
            "keep": [id_column, *keep],
            "options": dict(options or {}),
            "load": {"threads": num_cpus, **(load or {})},
        },
        batch_size=batch_size,
        compute=ray.data.ActorPoolStrategy(size=replicas),
        num_cpus=num_cpus,
    )
    made.write_parquet(str(answers))
    return _counted(answers, id_column, n_conversations, found)


def _ids(answers: pathlib.Path, column: str) -> list[Any]:
    if not answers.is_dir() or not any(answers.iterdir()):
        return []
    ids: list[Any] = pyarrow.dataset.dataset(answers).to_table(columns=[column])[column].to_pylist()
    return ids


def _counted(answers: pathlib.Path, id_column: str, n_conversations: int, found: int) -> Report:
    ids = _ids(answers, id_column)
    seen: set[Any] = set()
    twice = [name for name in ids if name in seen or seen.add(name)]  # type: ignore[func-returns-value]
    if len(ids) != n_conversations or twice:
        example = f", and {twice[0]!r} more than once: an id must be one conversation's" if twice else ""
        raise Error(f"{answers}: expected {n_conversations} answers, found {len(ids)} of {len(seen)} ids{example}")
    refused = 0
    if ids:
        refused = pyarrow.dataset.dataset(answers).count_rows(filter=pyarrow.dataset.field("finish_reason") == "error")
    return Report(n_conversations, len(ids) - refused, refused, found, answers)


__all__ = ["Answers", "Report", "answer", "conversation"]
