"""A model in this process."""

from __future__ import annotations

import atexit
import json
import math
import os
import pathlib
import sys
import weakref
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Literal, overload

import numpy as np
import numpy.typing as npt

from . import _native
from .errors import OutOfMemoryError, RequestError
from .replies import Reply, Stream

Messages = str | Sequence[Mapping[str, Any]]
Tokens = Sequence[int] | npt.NDArray[np.integer[Any]]

_PACKAGE = pathlib.Path(__file__).parent
# What becomes a process that reads media.
_HELPER = [sys.executable, "-I", "-S", str(_PACKAGE / "_helper.py")]
_open: weakref.WeakSet[Model] = weakref.WeakSet()


@atexit.register
def _close_all() -> None:
    _native.end_calls()  # of daemon threads, which Python would end amid them
    for model in list(_open):
        model.close()


def _token_list(tokens: Tokens, field: str = "tokens") -> list[int]:
    numbers = [int(token) for token in tokens]
    for number in numbers:
        if not -(2**31) <= number < 2**31:
            raise _request_error(field, f"there is no token {number}")
    return numbers


def _path_text(field: str, path: str | os.PathLike[str]) -> str:
    text = os.fsdecode(path)
    try:
        text.encode()
    except UnicodeEncodeError:
        raise _request_error(field, f"expected a path of UTF-8, found {os.fsencode(text)!r}") from None
    return text


def _check_room(n_rows: int, row_bytes: int) -> None:
    available = _native.available_memory()
    if n_rows * row_bytes > available:
        raise OutOfMemoryError(
            f"the logits of {n_rows:,} tokens take {n_rows * row_bytes / 1e9:.1f} GB and {available / 1e9:.1f} GB are available: "
            "ask for fewer tokens at a time, for those of the last one (last_only), or for score()"
        )


class Model:
    """A model that is loaded, and the engine that runs it. Made by Model.load().

    Any number of threads and tasks may use it: their answers are generated together, as those of a
    server's clients are, and what prompts have in common is computed once. The GIL is released
    wherever the engine computes or is waited for. A process that is forked has no use of it (ClosedError); one that is
    started by "spawn" loads its own, from the same pages of memory where tables stay in the file.

    `with Model.load(...) as model:` closes it at the end; so does the end of the program.
    """

    def __init__(self, native: _native.LocalModel, parallel: int) -> None:
        self._native = native
        self._parallel = parallel
        self._facts = native.facts()
        _open.add(self)

    @classmethod
    def load(
        cls,
        model: str | os.PathLike[str],
        *,
        projector: str | os.PathLike[str] | None = None,
        threads: int = 0,
        context_length: int = 0,
        kv_type: Literal["f32", "f16", "bf16", "q8_0", "q4_0"] = "bf16",
        activations: Literal[8, 16] | None = None,
        online: Literal["fp8", "q8_0", "q4_0"] | None = None,
        parallel: int = 32,
        kv_bytes: int = 0,
        on_progress: Callable[[int, int], object] | None = None,
    ) -> Model:
        """Loads a model. Ctrl-C ends it, and so does what on_progress raises.

        Args:
            model: a GGUF file, a Hugging Face folder, "demo", or the name of a model at hand, as `pleiad
                list` shows them. The variables PLEIAD_MODELS, OLLAMA_MODELS, HF_HOME and PLEIAD_ISA
                count as they do for the program.
            projector: the file with its towers; else its own, or the mmproj file beside it.
            threads: to compute with; 0: one for each physical core.
            context_length: tokens of prompt and reply together at most; 0: what the model supports.
            kv_type: how keys and values are cached.
            activations: bits of what quantized weights are multiplied with.
            online: quantizes the weights of a BF16, F16 or F32 model while it loads.
            parallel: answers that are generated together; more wait. Each takes a row of logits.
            kv_bytes: memory for keys and values, cached ones included; 0: a share of what is available.
            on_progress: called with the bytes that are loaded and all of them, some times a second and at the end.

        Raises:
            ModelNotFoundError: there is none; the text says where it was looked for.
            LoadError: the file cannot be used.
            OutOfMemoryError: it does not fit.
            RequestError: an argument is out of range.
        """
        return cls(
            _native.load(
                model=_path_text("model", model),
                projector=_path_text("projector", projector) if projector is not None else "",
                threads=threads,
                context_length=context_length,
                kv_type=kv_type,
                activations=str(activations) if activations is not None else None,
                online=online,
                parallel=parallel,
                kv_bytes=kv_bytes,
                package=str(_PACKAGE),
                helper=_HELPER,
                on_loading=on_progress,
            ),
            parallel,
        )

    # What it is.

    @property
    def name(self) -> str:
        """As it was found: "gemma4:e2b", or its path."""
        return self._facts["name"]

    @property
    def path(self) -> str:
        """Its file or folder."""
        return self._facts["path"]

    @property
    def context_length(self) -> int:
        """Tokens of prompt and reply together, at most."""
        return self._facts["context_length"]

    @property
    def vocab_size(self) -> int:
        """Columns of logits()."""
        return self._facts["vocab_size"]

    @property
    def embedding_length(self) -> int:
        """Columns of embed()."""
        return self._facts["embedding_length"]

    @property
    def parallel(self) -> int:
        """Answers that are generated together, at most."""
        return self._parallel

    @property
    def sees(self) -> bool:
        """Messages may have pictures, videos and pages of documents."""
        return self._facts["sees"]

    @property
    def hears(self) -> bool:
        """Messages may have sounds."""
        return self._facts["hears"]

    @property
    def memory_bytes(self) -> int:
        """Of the weights, and of keys and values, when it was loaded."""
        return self._facts["memory_bytes"]

    @property
    def backend(self) -> str:
        """What computes: instruction set, threads."""
        return self._facts["backend"]

    def stats(self) -> dict[str, int]:
        """What the engine did and holds: answers that run and wait, bytes of keys and values, tokens that
        were computed ("tokens_evaluated"), found in the cache and generated, all since it was loaded."""
        return self._native.stats()

    # Answers.

    @overload
    def chat(self, messages: Messages, *, stream: Literal[False] = False, **options: Any) -> Reply: ...
    @overload
    def chat(self, messages: Messages, *, stream: Literal[True], **options: Any) -> Stream: ...
    def chat(self, messages: Messages, *, stream: bool = False, **options: Any) -> Reply | Stream:
        """Answers a conversation, through the model's own template.

        Args:
            messages: a question, or a list of messages in OpenAI's form: {"role", "content"}, pictures,
                sounds and documents among the parts of a content (pleiad.media()), tools' results as
                role "tool".
            stream: False: the whole reply. True: a Stream, for `for`, `async for` and `await`.
            **options: the fields of a chat completion, as `pleiad serve` takes them. Those in use most:
                tools, tool_choice; format ("json", or a JSON schema as a dict); think (bool, or "low", "medium", "high"),
                thinking_budget (tokens);
                max_tokens; temperature, top_p, top_k, min_p, seed; stop (a string or several);
                logprobs (bool), top_logprobs (0 to 20); repeat_penalty, presence_penalty,
                frequency_penalty, logit_bias.

        Raises:
            RequestError: an option or a message is wrong, or there is no such option; `field` says which.
            ContextExceededError: the prompt is too long, with both numbers.
            UnsupportedError: a picture for a model that sees none.
            OutOfMemoryError, BusyError, ClosedError, FileChangedError, InternalError.
        """
        return self._answer(self._native.chat(self._chat_body(messages, options)), stream)

    @overload
    def generate(self, prompt: str | Tokens, *, stream: Literal[False] = False, **options: Any) -> Reply: ...
    @overload
    def generate(self, prompt: str | Tokens, *, stream: Literal[True], **options: Any) -> Stream: ...
    def generate(self, prompt: str | Tokens, *, stream: bool = False, **options: Any) -> Reply | Stream:
        """Continues a text, or tokens, without a template.

        Args:
            prompt: a text, whose control tokens count ("<|turn>user\\n..."), or numbers of tokens, taken
                as they are.
            stream: as of chat().
            **options: as of chat(), but tools, think and top_logprobs; logprobs is the number of
                alternatives, 0 to 20.

        Raises: as chat().
        """
        tokens = prompt if isinstance(prompt, str) else _token_list(prompt, "prompt")
        if not tokens:
            raise _request_error("prompt", "expected a text or tokens, found none")
        return self._answer(self._native.complete(_json({"prompt": tokens, **options})), stream)

    def render(self, messages: Messages, **options: Any) -> str:
        """The prompt that chat() would give the model, as text: <bos> and control tokens spelled out.

        Raises: as chat().
        """
        return self._native.render(self._chat_body(messages, options))

    def _answer(self, answer: _native.Answer, stream: bool) -> Reply | Stream:
        result = Stream(answer, self)
        return result if stream else result.reply()

    @staticmethod
    def _chat_body(messages: Messages, options: dict[str, Any]) -> str:
        if isinstance(messages, str):
            messages = [{"role": "user", "content": messages}]
        if not isinstance(messages, Iterable):
            raise TypeError(f"messages: expected a text or a list of messages, found {type(messages).__name__}")
        return _json({"messages": list(messages), **options})

    # Numbers.

    def embed(
        self, texts: str | Sequence[str], *, dimensions: int | None = None, truncate: bool = False
    ) -> npt.NDArray[np.float32]:
        """Texts as vectors of length one: the mean of the last layer's hidden states.

        Args:
            texts: one, or several.
            dimensions: the first so many values, at length one again; None: all.
            truncate: cuts what is longer than the context; else that is an error.

        Returns:
            float32, [embedding_length] of one text, [n_texts, embedding_length] of a list.

        Raises: RequestError, ContextExceededError, and as chat().
        """
        if isinstance(texts, str):
            one: npt.NDArray[np.float32] = self._native.embed([texts], dimensions, truncate)[0]
            return one
        if not texts:
            n_values = self.embedding_length if dimensions is None else dimensions
            if not 1 <= n_values <= self.embedding_length:
                raise _request_error("dimensions", f"expected 1 to {self.embedding_length}, found {dimensions}")
            return np.empty((0, n_values), np.float32)
        return self._native.embed(list(texts), dimensions, truncate)

    def logits(self, tokens: str | Tokens, *, last_only: bool = False) -> npt.NDArray[np.float32]:
        """Logits after each token, after the softcap, computed between the answers' steps and with
        nothing from their cache.

        Args:
            tokens: numbers of tokens; of a text, those of tokenize(text, bos=True).
            last_only: of the last token alone, computed as those of a token that is to be generated.

        Returns:
            float32, [n_tokens, vocab_size], or [1, vocab_size]; the memory that the engine wrote, not
            a copy. A row takes vocab_size * 4 bytes: 1 MB of a released model; see score().

        Raises: RequestError (no such token), ContextExceededError, FileChangedError; OutOfMemoryError, before anything
            is computed, where the rows take more memory than is available, or keys and values more than kv_bytes.
        """
        numbers = self._tokens(tokens)
        if not last_only and len(numbers) <= self.context_length:  # a longer text is refused for that
            _check_room(len(numbers), 4 * self.vocab_size)
        return self._native.logits(numbers, last_only)

    def score(self, tokens: str | Tokens) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.bool_]]:
        """How likely a text is. Of its logits a few rows are there at a time, however long it is.

        Args:
            tokens: as of logits().

        Returns:
            The natural logarithms of the probabilities of each token but the first behind those before
            it, float64 [n_tokens - 1], and whether it was the likeliest, bool [n_tokens - 1].

        Raises: as logits().
        """
        return self._native.score(self._tokens(tokens))

    def score_next(
        self, tokens: str | Tokens, candidates: Tokens
    ) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.bool_]]:
        """How likely each of some tokens is to come next: what score() says of the last token of `tokens` and a
        candidate, of all of them in the time of one. The last token is computed as one that is to be generated, as by
        logits(last_only=True), which may round otherwise than the tokens of a prompt: about 1e-3 lie between.

        Args:
            tokens: as of logits().
            candidates: numbers of tokens.

        Returns:
            The natural logarithms of their probabilities behind `tokens`, float64 [n_candidates], and whether it is the
            likeliest of all, bool [n_candidates].

        Raises: as logits().
        """
        return self._native.score_next(self._tokens(tokens), _token_list(candidates, "candidates"))

    def _tokens(self, tokens: str | Tokens) -> list[int]:
        found = self.tokenize(tokens, bos=True) if isinstance(tokens, str) else _token_list(tokens)
        if not found:
            raise _request_error("tokens", "expected one at least, found none")
        return found

    # Text.

    def tokenize(self, text: str, *, bos: bool = False, control: bool = False) -> list[int]:
        """The tokens of a text.

        Args:
            text: what a user wrote.
            bos: <bos> comes first.
            control: control tokens that it spells ("<|turn>") become these, instead of characters.

        Raises: LoadError where bos is asked for and the tokenizer has none.
        """
        return self._native.tokenize(text, control, bos)

    def detokenize(self, tokens: Tokens, *, control: bool = False) -> str:
        """The text of tokens; U+FFFD for each byte that is not UTF-8.

        Args:
            tokens: their numbers.
            control: control tokens are spelled out; else they are left out.

        Raises: RequestError where there is no such token.
        """
        return self._native.detokenize(_token_list(tokens), control)

    # Its end.

    def close(self) -> None:
        """Gives the memory back. Streams under way end with ClosedError, and so does all that is asked
        later. May be called again."""
        _open.discard(self)
        self._native.close()

    def __enter__(self) -> Model:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<pleiad.Model {self.name}: {self.backend}>"


def _request_error(field: str, problem: str) -> RequestError:
    error = RequestError(f"{field}: {problem}")
    error.field = field
    return error


def _json(body: dict[str, Any]) -> str:
    try:
        text = json.dumps(body, allow_nan=False, ensure_ascii=False)
        text.encode()
        return text
    except UnicodeEncodeError as error:
        raise RequestError(
            f"expected text that UTF-8 can say, found half a character, {error.object[error.start]!r}"
        ) from None
    except (TypeError, ValueError, RecursionError):
        raise _unsayable(body) from None


def _unsayable(body: dict[str, Any]) -> Exception:
    """What JSON has no form for, with the field that it is in: a TypeError where it is the type."""
    for field, value in body.items():
        if isinstance(value, float) and not math.isfinite(value):
            return _request_error(field, f"expected a finite number, found {value}")
        try:
            json.dumps(value, allow_nan=False)
        except RecursionError:
            return _request_error(field, "is nested too deeply")
        except TypeError as error:
            return TypeError(f"{field}: expected what JSON can say: {error}")
        except ValueError as error:
            return _request_error(field, f"expected what JSON can say: {error}")
    return RequestError("the request is nested too deeply")


__all__ = ["Model"]
