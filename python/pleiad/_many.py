"""What an evaluation asks of a model: many texts scored, many prompts continued."""

from __future__ import annotations

import json
from collections import Counter, deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from .model import Model
from .replies import Reply, Stream

Pair = tuple[Sequence[int], Sequence[int]]  # a context's tokens, and those of what follows it


def split_pair(encode: Callable[[str], list[int]], context: str, continuation: str) -> tuple[list[int], list[int]]:
    """The tokens of a context and of what follows it, found in those of both together: white space at the end of the
    context belongs to what follows, since a word's token begins with it.

    Args:
        encode: the tokens of a text.
        context, continuation: texts.

    Returns:
        The context's tokens, and those of both together behind as many, as lm-eval's `hf` has them. Where none
        is left since the last of the context has become one with what follows ("foo" and "bar" are the token
        "foobar"): the tokens that both lists begin with, and the rest of those of both together.
    """
    before, whole = encode(context.rstrip()), encode(context + continuation)
    if len(whole) > len(before) or whole == before:
        return before, whole[len(before) :]
    n_same = next((i for i, token in enumerate(whole) if token != before[i]), len(whole))
    return whole[:n_same], whole[n_same:]


def last_tokens(tokens: Sequence[int], room: int, bos: int) -> list[int]:
    """The last `room` (1 or more) of some tokens. Where the first of all is <bos>, it stays the first."""
    if len(tokens) <= room:
        return list(tokens)
    if tokens[0] != bos:
        return list(tokens[-room:])
    return [bos, *tokens[len(tokens) - room + 1 :]]


class Repeats:
    """Seeds for prompts that are asked for more than once: the given one the first time, then the next numbers."""

    def __init__(self) -> None:
        self._seen: Counter[str] = Counter()

    def seed(self, first: int, prompt: str, options: Mapping[str, Any]) -> int:
        """The seed of this prompt with these options."""
        key = json.dumps([prompt, options], sort_keys=True, default=repr)
        self._seen[key] += 1
        return first + self._seen[key] - 1


def score_pairs(model: Model, pairs: Sequence[Pair]) -> Iterator[tuple[int, float, bool]]:
    """How likely continuations are.

    Args:
        model: that is asked.
        pairs: contexts of one token at least, and what follows; together not longer than the model's context.

    Yields:
        Of each pair once, as they are ready: its index, the sum of the natural logarithms of the probabilities of the
        continuation's tokens, and whether each of them was the likeliest. Equal pairs are computed once, and
        continuations of one token behind the same context together, by score_next(); by score(), as longer ones are,
        where the context has longer ones too: what is compared is rounded alike.

    Raises: ValueError (a context without a token), and as Model.score().
    """
    same: dict[tuple[tuple[int, ...], tuple[int, ...]], list[int]] = {}
    for index, (context, following) in enumerate(pairs):
        if len(context) == 0:
            raise ValueError(f"pair {index}: expected a context of one token at least, found none")
        same.setdefault((tuple(context), tuple(following)), []).append(index)
    with_longer = {context_key for context_key, following_key in same if len(following_key) > 1}
    single: dict[tuple[int, ...], list[int]] = {}
    for context_key, following_key in same:
        if len(following_key) == 1 and context_key not in with_longer:
            single.setdefault(context_key, []).append(following_key[0])

    for (context_key, following_key), indexes in same.items():
        if len(following_key) == 1 and context_key not in with_longer:
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
        at_once: answers that run at the same time, 1 or more; the model's `parallel` at most, since the engine refuses
            what waits beyond some hundreds.

    Yields:
        Each prompt's index and reply, in their order.

    Raises: as Model.generate(). What still runs is ended then, and where nobody goes on asking.
    """
    at_once = min(at_once, model.parallel)
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


__all__ = ["Pair", "Repeats", "continue_all", "last_tokens", "score_pairs", "split_pair"]
