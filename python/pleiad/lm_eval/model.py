"""A model of lm-evaluation-harness's that asks the engine in this process."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from typing import Any

try:
    from lm_eval.api.instance import Instance
    from lm_eval.api.model import TemplateLM
    from lm_eval.api.registry import register_model
    from lm_eval.models.utils import normalize_gen_kwargs
    from lm_eval.utils import get_rolling_token_windows, make_disjoint_window
except ImportError as error:
    raise ImportError(f"pleiad.lm_eval needs lm-evaluation-harness: pip install pleiad[lm-eval] ({error})") from error
from tqdm import tqdm

from .. import __version__
from .._many import Repeats, continue_all, last_tokens, score_pairs, split_pair
from ..model import Model

_log = logging.getLogger("lm_eval.pleiad")
_Scored = tuple[float, bool]
_DEFAULT_DEVICE = "cuda:0"


@register_model("pleiad")
class PleiadLM(TemplateLM):  # type: ignore[misc]
    """The model `pleiad`. Texts become tokens by the model's own tokenizer, control tokens that they spell included,
    as the prompts of chat templates do.

    Attributes:
        model: the pleiad.Model.
        max_length: tokens of prompt and reply together, at most.
        counts: tokens since the beginning: "scored_tokens" (contexts included), "prompt_tokens" and
            "cached_tokens" of what was continued, "completion_tokens". They are in the results' `config` as well.
    """

    def __init__(
        self,
        pretrained: str | Model = "demo",
        *,
        batch_size: int | str | None = None,
        max_batch_size: int | None = None,
        device: str | None = None,
        max_length: int | None = None,
        max_gen_toks: int = 256,
        add_bos_token: bool = True,
        seed: int = 1234,
        **load: Any,
    ) -> None:
        """Loads the model.

        Args:
            pretrained: as Model.load() takes it; or a model that is loaded, which stays open.
            batch_size: answers that are generated together; None or "auto", and at most: as many as the model runs
                (`parallel`). What is scored is so one text after the other, by all threads. Results do not depend
                on it.
            max_batch_size: for "auto", the most.
            device: None or "cpu"; lm-eval's own default, "cuda:0", has no effect.
            max_length: less than the model's context.
            max_gen_toks: of a reply, where the task does not say.
            add_bos_token: texts begin with <bos>, as the models were trained.
            seed: of replies that are sampled, where the task gives none. What is asked for again, as tasks with
                `repeats` do, has seed + 1, seed + 2 and so on.
            **load: of Model.load(): threads, kv_type, parallel, online and so on.

        Raises:
            ValueError: an argument is wrong.
            pleiad.Error: as Model.load().
        """
        super().__init__()
        if device == _DEFAULT_DEVICE:
            _log.info("device: %s is what lm-eval asks every model for; this one computes on the processor", device)
        elif device not in (None, "cpu"):
            raise ValueError(f'device: expected "cpu" or nothing, found {device!r}')
        if max_length is not None:
            _check_number("max_length", max_length, 2)
        if max_batch_size is not None:
            _check_number("max_batch_size", max_batch_size, 1)
        _check_number("max_gen_toks", max_gen_toks, 1)
        _check_number("seed", seed, -(2**63))
        if isinstance(pretrained, Model):
            if load:
                raise ValueError(f"{', '.join(load)}: the model is loaded already; give them to Model.load()")
            self.model = pretrained
        else:
            if max_length is not None:
                load.setdefault("context_length", max_length)
            self.model = Model.load(pretrained, **load)
        if max_length is not None and max_length > self.model.context_length:
            raise ValueError(f"max_length: expected 2 to {self.model.context_length}, found {max_length}")
        self.max_length: int = max_length or self.model.context_length
        self.max_gen_toks = max_gen_toks
        self.add_bos_token = add_bos_token
        self.seed = seed
        self.counts = {"scored_tokens": 0, "prompt_tokens": 0, "cached_tokens": 0, "completion_tokens": 0}
        self._at_once = _at_once(batch_size, max_batch_size, self.model.parallel)
        self._bos: int = self.model.tokenize("", bos=True)[0]
        (self._end_of_turn,) = self.model.tokenize("<turn|>", control=True)

    # Tokens.

    @property
    def eot_token_id(self) -> int:
        """<turn|>, which ends a reply."""
        return self._end_of_turn

    @property
    def prefix_token_id(self) -> int:
        """<bos>, which what has no context is scored behind."""
        return self._bos

    def tok_encode(self, string: str, add_special_tokens: bool | None = None, **_: Any) -> list[int]:
        """The tokens of a text; <bos> before them where it is asked for, or by add_bos_token, once."""
        tokens = self.model.tokenize(string, control=True)
        wanted = self.add_bos_token if add_special_tokens is None else add_special_tokens
        return [self._bos, *tokens] if wanted and tokens[:1] != [self._bos] else tokens

    @property
    def tokenizer_name(self) -> str:
        """For lm-eval's cache of requests."""
        return self.model.name.replace("/", "__")

    def chat_template(self, chat_template: bool | str = False) -> str | None:
        """Nothing to show: the engine renders chats itself, by the model's own template."""
        if isinstance(chat_template, str):
            raise ValueError(f"chat_template: there is the model's own and no other, found {chat_template!r}")
        return ""

    def apply_chat_template(self, chat_history: Sequence[Mapping[str, str]], add_generation_prompt: bool = True) -> str:
        """A conversation as the prompt that Model.chat() would make of it; without a generation prompt its last
        message is the beginning of the reply."""
        return self.model.render(
            list(chat_history),
            add_generation_prompt=add_generation_prompt,
            continue_final_message=not add_generation_prompt,
        )

    # What lm-eval asks.

    def loglikelihood(self, requests: list[Instance], disable_tqdm: bool = False) -> list[_Scored]:
        """The sums of the logarithms of what continuations' tokens are likely behind their contexts (behind <bos>
        where a context is empty), and whether each token was the likeliest.

        Raises: ValueError where a continuation has no token: it would be certain, whatever the model is.
        """
        pairs = [request.args for request in requests]
        return self._loglikelihood_tokens(
            [((context, continuation), *self._encode_pair(context, continuation)) for context, continuation in pairs],
            disable_tqdm=disable_tqdm,
        )

    def _encode_pair(self, context: str, continuation: str) -> tuple[list[int], list[int]]:
        if context:
            before, following = split_pair(self.tok_encode, context, continuation)
        else:
            before, following = [], self.tok_encode(continuation, add_special_tokens=False)
            if following[:1] == [self._bos] and len(following) > 1:
                before, following = following[:1], following[1:]
        if not following:
            end = context[-60:]
            raise ValueError(f"a continuation without a token, {continuation!r}, behind a context that ends {end!r}")
        return before or [self._bos], following

    def _loglikelihood_tokens(
        self, requests: Sequence[tuple[Any, list[int], list[int]]], disable_tqdm: bool = False, **_: Any
    ) -> list[_Scored]:
        pairs = []
        n_shortened = 0
        for _key, context, continuation in requests:
            room = self.max_length - len(continuation)
            if room < 1:
                raise ValueError(
                    f"a continuation of {len(continuation)} tokens does not fit behind one token of its "
                    f"context: expected {self.max_length - 1} at most"
                )
            n_shortened += len(context) > room
            pairs.append((last_tokens(context, room, self._bos), continuation))
        if n_shortened:
            _log.warning("%d contexts did not fit %d tokens, and lost what came first", n_shortened, self.max_length)
        results: list[_Scored] = [(0.0, True)] * len(pairs)
        with tqdm(total=len(pairs), disable=disable_tqdm, desc="Scoring") as bar:
            for index, logprob, is_greedy in score_pairs(self.model, pairs):
                results[index] = logprob, is_greedy
                self.counts["scored_tokens"] += len(pairs[index][0]) + len(pairs[index][1])
                if requests[index][0] is not None:
                    self.cache_hook.add_partial("loglikelihood", requests[index][0], results[index])
                bar.update()
        return results

    def loglikelihood_rolling(self, requests: list[Instance], disable_tqdm: bool = False) -> list[float]:
        """The sums over whole texts, each behind <bos>. Those that are longer than max_length are scored in parts; what
        stands before a later part is, as with lm-eval's `hf`, the token before it without <bos>."""
        results = []
        for (text,) in tqdm([request.args for request in requests], disable=disable_tqdm, desc="Scoring texts"):
            windows = get_rolling_token_windows(
                token_list=self.tok_encode(text, add_special_tokens=False),
                prefix_token=self.prefix_token_id,
                max_seq_len=self.max_length - 1,  # what is predicted counts too
                context_len=1,
            )
            scored = self._loglikelihood_tokens(
                [(None, *make_disjoint_window(window)) for window in windows], disable_tqdm=True
            )
            results.append(sum((logprob for logprob, _ in scored), 0.0))
            self.cache_hook.add_partial("loglikelihood_rolling", (text,), results[-1])
        return results

    def generate_until(self, requests: list[Instance], disable_tqdm: bool = False) -> list[str]:
        """Replies, `batch_size` of them at a time. A prompt that leaves no room for its reply loses what comes first,
        but for <bos>; options that the engine does not know are an error, with their names."""
        prompts = []
        n_shortened = 0
        repeats = Repeats()
        for context, task_options in (request.args for request in requests):
            options = self._options(task_options)
            if options.get("temperature") != 0:
                first = options.get("seed", self.seed)  # what is no number, the engine refuses
                options["seed"] = repeats.seed(first, context, task_options) if isinstance(first, int) else first
            room = self.max_length - options["max_tokens"]
            if room < 1:
                raise ValueError(f"max_gen_toks: expected {self.max_length - 1} at most, found {options['max_tokens']}")
            tokens = self.tok_encode(context) or [self._bos]
            n_shortened += len(tokens) > room
            prompts.append((last_tokens(tokens, room, self._bos), options))
        if n_shortened:
            _log.warning("%d prompts left no room for their replies, and lost what came first", n_shortened)

        replies: list[str] = []
        ended: dict[str, int] = {}
        with tqdm(total=len(prompts), disable=disable_tqdm, desc="Generating") as bar:
            for index, reply in continue_all(self.model, prompts, self._at_once):
                replies.append(reply.content)
                for name in ("prompt_tokens", "cached_tokens", "completion_tokens"):
                    self.counts[name] += getattr(reply, name)
                ended[reply.ended_by or reply.finish_reason] = ended.get(reply.ended_by or reply.finish_reason, 0) + 1
                context, task_options = requests[index].args
                self.cache_hook.add_partial("generate_until", (context, task_options), reply.content)
                bar.update()
        _log.info("replies ended by: %s", ", ".join(f"{reason} {count}" for reason, count in sorted(ended.items())))
        return replies

    def _options(self, task_options: Mapping[str, Any]) -> dict[str, Any]:
        """What Model.generate() is asked for, of lm-eval's names."""
        options: dict[str, Any] = dict(normalize_gen_kwargs(dict(task_options), self.max_gen_toks))
        is_sampled = options.pop("do_sample") and options.get("temperature") != 0
        options["max_tokens"] = options.pop("max_gen_toks")
        stop = [string for string in options.pop("until") if string]
        if stop:
            options["stop"] = stop
        if not is_sampled:
            options["temperature"] = 0
        return options

    def get_model_info(self) -> dict[str, Any]:
        """For the results' `config`."""
        return {
            "pleiad_version": __version__,
            "pleiad_model": self.model.path,
            "pleiad_backend": self.model.backend,
            "max_length": self.max_length,
            "add_bos_token": self.add_bos_token,
            "token_counts": dict(self.counts),
        }


def _check_number(name: str, number: object, least: int) -> None:
    if not isinstance(number, int) or number < least:
        raise ValueError(f"{name}: expected a whole number, {least} at least, found {number!r}")


def _at_once(batch_size: int | str | None, most: int | None, parallel: int) -> int:
    if batch_size is None or str(batch_size).startswith("auto"):
        return min(parallel, most if most is not None else parallel)
    try:
        number = int(batch_size)
    except ValueError:
        number = 0
    if number < 1:
        raise ValueError(f'batch_size: expected "auto" or 1 at least, found {batch_size!r}')
    if number > parallel:
        _log.warning("batch_size: %d, the most that the model runs together (parallel), for %d", parallel, number)
    return min(number, parallel)


__all__ = ["PleiadLM"]
