"""Many conversations answered, each once, by a run of Ray Data that goes on where it was interrupted."""

from __future__ import annotations

import logging
import os
import pathlib
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow.dataset  # type: ignore[import-untyped]
import pyarrow.parquet  # type: ignore[import-untyped]
import ray.data
from ray.data.checkpoint import CheckpointConfig

from ..errors import Error
from .answers import Answers, check_columns
from .options import at_least, request_error
from .run_file import begin_run

logger = logging.getLogger("ray.data")


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
    which conversations have been written. A worker that ends is replaced, and its batch made again. What made
    the answers stands in `target`/run.json, so that those of two models or options are never mixed.

    Args:
        dataset: that begins with a file that is read (ray.data.read_parquet, read_json).
        target: a folder that all nodes see; answers go to `target`/answers, checkpoints to `target`/checkpoint.
        model: as of pleiad.Model.load.
        id_column: names of conversations, each its own.
        messages, options, load: as of Answers.
        replicas: engines that answer.
        num_cpus: of Ray's that each takes; its threads, unless `load` says other. The cluster has two more free than
            all of them take.
        batch_size: conversations that an engine answers together.
        keep: further columns that go to the answers.

    Raises:
        RequestError: a column is missing, or has the name of one that is added; a number is out of range.
        ray.exceptions.RayTaskError: an engine failed: an option or `load` is wrong, say; its text has the error.
        Error: the answers of the target were made otherwise, or are not one for each conversation; the text
            says what differs, or has the numbers and an id.
    """
    at_least(1, replicas=replicas, num_cpus=num_cpus, batch_size=batch_size)
    columns = dataset.columns() or []
    for column in (id_column, messages, *keep):
        if column not in columns:
            raise request_error(column, f"expected a column of the dataset, found {', '.join(columns)}")
    check_columns([id_column, *keep])
    n_conversations = dataset.count()
    folder = pathlib.Path(target).absolute()
    answers = folder / "answers"
    found = _n_written(folder / "checkpoint")
    settings = {
        "model": os.fspath(model),
        "id_column": id_column,
        "messages": messages,
        "keep": list(keep),
        "options": dict(options or {}),
        "load": dict(load or {}),
    }
    begin_run(folder, settings, has_answers=found > 0)
    _warn_of_few_cpus(replicas, num_cpus)
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
    # The context is that of the caller's dataset too, whose other writes are no part of this run.
    context = dataset.context
    before, context.checkpoint_config = (
        context.checkpoint_config,
        CheckpointConfig(id_column, str(folder / "checkpoint"), delete_checkpoint_on_success=False),
    )
    try:
        made.write_parquet(str(answers))
    finally:
        context.checkpoint_config = before
    return _counted(answers, id_column, n_conversations, found)


def _warn_of_few_cpus(replicas: int, num_cpus: int) -> None:
    """Engines, and the filter by checkpoints, keep their CPUs: one more has to be left for what feeds them."""
    n_needed = replicas * num_cpus + 2
    n_cpus = ray.cluster_resources().get("CPU", 0)  # type: ignore[no-untyped-call]
    n_free = _free_cpus(min(n_needed, n_cpus))
    if n_free < n_needed:
        logger.warning(
            "pleiad: %d engines of %d CPUs need a cluster with %d free CPUs, two for reading and checkpoints, found %g "
            "free of %g: unless some are added or become free, the run may wait without an end",
            replicas,
            num_cpus,
            n_needed,
            n_free,
            n_cpus,
        )


def _free_cpus(n_wanted: float) -> float:
    """CPUs of the cluster that nothing has. What just ended is given a few seconds to hand its own back."""
    for _ in range(20):
        n_free: float = ray.available_resources().get("CPU", 0)  # type: ignore[no-untyped-call]
        if n_free >= n_wanted:
            break
        time.sleep(0.25)
    return n_free


def _n_written(checkpoint: pathlib.Path) -> int:
    """Answers that have a checkpoint. Those that were being written when a run ended have none, nor are their
    files whole: Ray removes them when the next one begins to write."""
    files = [file for file in checkpoint.glob("*.parquet") if not file.name.endswith(".pending.parquet")]
    return sum(pyarrow.parquet.read_metadata(file).num_rows for file in files)


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


__all__ = ["Report", "answer"]
