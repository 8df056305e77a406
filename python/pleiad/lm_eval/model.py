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
from .._many import continue_all, score_pairs
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
            batch_size: answers that are generated together; None or "auto": as many as the model runs (`parallel`).
                What is scored is so one text after the other, by all threads. Results do not depend on it.
            max_batch_size: for "auto", the most.
            device: None or "cpu"; lm-eval's own default, "cuda:0", has no effect.
            max_length: less than the model's context.
            max_gen_toks: of a reply, where the task does not say.
            add_bos_token: texts begin with <bos>, as the models were trained.
            seed: of replies that are sampled.
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
            load.setdefault("context_length", max_length)
        if isinstance(pretrained, Model):
            if set(load) - {"context_length"}:
                raise ValueError(f"{', '.join(load)}: the model is loaded already; give them to Model.load()")
            self.model = pretrained
        else:
            self.model = Model.load(pretrained, **load)
        if max_length is not None and not 2 <= max_length <= self.model.context_length:
            raise ValueError(f"max_length: expected 2 to {self.model.context_length}, found {max_length}")
        self.max_length: int = max_length or self.model.context_length
        self.max_gen_toks = int(max_gen_toks)
        self.add_bos_token = add_bos_token
        self.seed = int(seed)
        self.counts = {"scored_tokens": 0, "prompt_tokens": 0, "cached_tokens": 0, "completion_tokens": 0}
        self._at_once = _at_once(batch_size, max_batch_size, int(load.get("parallel", 32)))
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
            pairs.append((context[-room:], continuation))
        if n_shortened:
            _log.warning("%d contexts did not fit into %d tokens, and lost their beginnings", n_shortened, self.max_length)
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
        """The sums over whole texts, each behind <bos>, in windows of max_length where they are longer."""
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
            results.append(sum(logprob for logprob, _ in scored))
            self.cache_hook.add_partial("loglikelihood_rolling", (text,), results[-1])
        return results

    def generate_until(self, requests: list[Instance], disable_tqdm: bool = False) -> list[str]:
        """Replies, `batch_size` of them at a time. A prompt that leaves no room for its reply loses its beginning;
        options that the engine does not know are an error, with their names."""
        prompts = []
        n_shortened = 0
        for context, task_options in (request.args for request in requests):
            options = self._options(task_options)
            room = self.max_length - options["max_tokens"]
            if room < 1:
                raise ValueError(f"max_gen_toks: expected {self.max_length - 1} at most, found {options['max_tokens']}")
            tokens = self.tok_encode(context)
            n_shortened += len(tokens) > room
            prompts.append((tokens[-room:], options))
        if n_shortened:
            _log.warning("%d prompts left no room for their replies, and lost their beginnings", n_shortened)

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
        if is_sampled:
            options.setdefault("seed", self.seed)
        else:
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


def _at_once(batch_size: int | str | None, most: int | None, parallel: int) -> int:
    if batch_size is None or str(batch_size).startswith("auto"):
        return min(parallel, most or parallel)
    try:
        number = int(batch_size)
    except ValueError:
        number = 0
    if number < 1:
        raise ValueError(f'batch_size: expected "auto" or 1 at least, found {batch_size!r}')
    return number


__all__ = ["PleiadLM"]
