"""What an evaluation asks of a model: many texts scored, many prompts continued."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from typing import Any

from .model import Model
from .replies import Reply, Stream

Pair = tuple[Sequence[int], Sequence[int]]  # a context's tokens, and those of what follows it


def score_pairs(model: Model, pairs: Sequence[Pair]) -> Iterator[tuple[int, float, bool]]:
    """How likely continuations are.

    Args:
        model: that is asked.
        pairs: contexts of one token at least, and what follows; together not longer than the model's context.

    Yields:
        Of each pair once, as they are ready: its index, the sum of the natural logarithms of the probabilities of the
        continuation's tokens, and whether each of them was the likeliest. Equal pairs are computed once, and
        continuations of one token behind the same context together.
    """
    same: dict[tuple[tuple[int, ...], tuple[int, ...]], list[int]] = {}
    for index, (context, following) in enumerate(pairs):
        same.setdefault((tuple(context), tuple(following)), []).append(index)
    single: dict[tuple[int, ...], list[int]] = {}
    for context_key, following_key in same:
        if len(following_key) == 1:
            single.setdefault(context_key, []).append(following_key[0])

    for (context_key, following_key), indexes in same.items():
        if len(following_key) == 1:
            candidates = single.pop(context_key, None)
            if candidates is None:
                continue  # came with the first of them
            logprobs, likeliest = model.score_next(context_key, candidates)
            for token, logprob, is_likeliest in zip(candidates, logprobs.tolist(), likeliest.tolist(), strict=True):
                for index in same[context_key, (token,)]:
                    yield index, logprob, is_likeliest
            continue
        if following_key:
            logprobs, likeliest = model.score(context_key + following_key)
            first = len(context_key) - 1
            result = sum(logprobs[first:].tolist()), bool(likeliest[first:].all())
        else:
            result = 0.0, True
        for index in indexes:
            yield index, *result


def continue_all(
    model: Model, prompts: Sequence[tuple[Sequence[int], dict[str, Any]]], at_once: int
) -> Iterator[tuple[int, Reply]]:
    """Continues prompts, `at_once` of them together.

    Args:
        model: that is asked.
        prompts: tokens, and the options of Model.generate().
        at_once: answers that run at the same time, 1 or more; the model's own limit (`parallel`) holds too.

    Yields:
        Each prompt's index and reply, in their order.

    Raises: as Model.generate(). What still runs is ended then, and where nobody goes on asking.
    """
    running: deque[tuple[int, Stream]] = deque()
    try:
        for index, (tokens, options) in enumerate(prompts):
            running.append((index, model.generate(tokens, stream=True, **options)))
            if len(running) == at_once:
                first, stream = running[0]
                yield first, stream.reply()
                running.popleft()
        while running:
            first, stream = running[0]
            yield first, stream.reply()
            running.popleft()
    finally:
        for _, stream in running:
            stream.close()


__all__ = ["Pair", "continue_all", "score_pairs"]
