from collections.abc import Callable, Sequence
from typing import Literal, TypedDict

import numpy as np
import numpy.typing as npt

class Facts(TypedDict):
    name: str
    path: str
    context_length: int
    vocab_size: int
    embedding_length: int
    memory_bytes: int
    sees: bool
    hears: bool
    backend: str

Part = tuple[Literal["content", "thinking", "tool_call", "broken_tool_call"], str, str]

class Answer:
    def next(self) -> Part | None: ...
    def next_at_once(self) -> tuple[bool, Part | None]: ...
    def descriptor(self) -> int: ...
    def result(self) -> str: ...
    def cancel(self) -> None: ...

class LocalModel:
    def chat(self, body: str) -> Answer: ...
    def complete(self, body: str) -> Answer: ...
    def render(self, body: str) -> str: ...
    def embed(self, texts: Sequence[str], dimensions: int | None, truncate: bool) -> npt.NDArray[np.float32]: ...
    def logits(self, tokens: Sequence[int], last_only: bool) -> npt.NDArray[np.float32]: ...
    def score(self, tokens: Sequence[int]) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.bool_]]: ...
    def score_next(
        self, tokens: Sequence[int], candidates: Sequence[int]
    ) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.bool_]]: ...
    def tokenize(self, text: str, control: bool, bos: bool) -> list[int]: ...
    def detokenize(self, tokens: Sequence[int], control: bool) -> str: ...
    def facts(self) -> Facts: ...
    def stats(self) -> dict[str, int]: ...
    def close(self) -> None: ...

def load(
    *,
    model: str,
    projector: str,
    threads: int,
    context_length: int,
    kv_type: str,
    activations: str | None,
    online: str | None,
    parallel: int,
    kv_bytes: int,
    package: str,
    helper: Sequence[str],
    on_loading: Callable[[int, int], object] | None,
) -> LocalModel: ...

class LocalServer:
    def address(self) -> str: ...
    def stop(self, seconds: float) -> None: ...

def setting_names() -> list[str]: ...
def serve(*, settings: dict[str, str], models: Sequence[str], package: str, helper: Sequence[str]) -> LocalServer: ...
def fit(
    *,
    models: Sequence[str],
    types: Sequence[str],
    context_length: int,
    kv_type: str,
    threads: int,
    bandwidth: float | None,
    memory: float | None,
    compute: float | None,
) -> str: ...
def bench(
    *,
    model: str,
    synthetic: str,
    prompt: Sequence[int],
    generate: Sequence[int],
    depth: Sequence[int],
    batch: Sequence[int],
    kv_type: Sequence[str],
    threads: Sequence[int],
    online: str | None,
    activations: str | None,
    repetitions: int,
    seed: int,
    package: str,
) -> str: ...
def quantize(
    *,
    source: str,
    target: str,
    type: str,
    keep: Sequence[str],
    rounding: str,
    calibrate: str,
    from_quantized: bool,
    force: bool,
    threads: int,
    projector: str,
    target_projector: str,
    vision_type: str,
    audio_type: str,
    package: str,
    on_progress: Callable[[str, int, int], object] | None,
) -> str: ...
def available_memory() -> int: ...
def end_calls() -> None: ...
def run_as_helper(words: Sequence[str]) -> int | None: ...
def version() -> str: ...
