"""Streams of chat completions at an address, many at once, and what became of each."""

import asyncio
import dataclasses
import json
import statistics
import time

import aiohttp


@dataclasses.dataclass
class Outcome:
    """One request. Times in seconds since its start; `error` is empty where the answer came whole."""

    key: str
    text: str = ""
    error: str = ""
    began: float = 0
    first: float = 0
    total: float = 0
    prompt_tokens: int = 0
    cached_tokens: int = 0
    tokens: int = 0
    replica: str = ""


async def ask(session, url, body, key=""):
    """Streams one completion; never raises for what the other side did."""
    outcome = Outcome(key, began=time.perf_counter())
    finished = False
    try:
        request = {**body, "stream": True, "stream_options": {"include_usage": True}}
        async with session.post(url + "/v1/chat/completions", json=request) as answer:
            outcome.replica = answer.headers.get("X-Pleiad-Replica", "")
            if answer.status != 200:
                outcome.error = f"{answer.status}: {(await answer.text())[:200]}"
                return outcome
            async for line in answer.content:
                if not line.startswith(b"data: "):
                    continue
                if line.strip() == b"data: [DONE]":
                    finished = True
                    break
                event = json.loads(line[6:])
                if "error" in event:
                    outcome.error = event["error"]["code"] or "error"
                    return outcome
                usage = event.get("usage")
                if usage:
                    outcome.prompt_tokens, outcome.tokens = usage["prompt_tokens"], usage["completion_tokens"]
                    outcome.cached_tokens = usage["prompt_tokens_details"]["cached_tokens"]
                for choice in event["choices"]:
                    text = choice["delta"].get("content") or ""
                    if text and not outcome.first:
                        outcome.first = time.perf_counter() - outcome.began
                    outcome.text += text
    except (aiohttp.ClientError, asyncio.TimeoutError) as error:
        outcome.error = f"{type(error).__name__}: {error}"
    outcome.total = time.perf_counter() - outcome.began
    if not finished and not outcome.error:
        outcome.error = "ended early"
    return outcome


async def run(url, requests, at_once, stop=None):
    """Sends (key, body) pairs, so many at once, until there are no more or `stop` is set. Returns Outcomes and
    the seconds that all took."""
    outcomes = []
    pending = iter(requests)
    connector = aiohttp.TCPConnector(limit=0)
    async with aiohttp.ClientSession(connector=connector, timeout=aiohttp.ClientTimeout(total=600)) as session:

        async def client():
            for key, body in pending:
                if stop is not None and stop.is_set():
                    return
                outcomes.append(await ask(session, url, body, key))

        began = time.perf_counter()
        await asyncio.gather(*(client() for _ in range(at_once)))
    return outcomes, time.perf_counter() - began


def percentile(values, share):
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))] if ordered else float("nan")


def summary(outcomes, seconds):
    """Numbers of a run, of the answers that came whole."""
    whole = [outcome for outcome in outcomes if not outcome.error]
    firsts = [outcome.first * 1000 for outcome in whole if outcome.first]
    prompt = sum(outcome.prompt_tokens for outcome in whole)
    return {
        "answers": len(whole),
        "failed": len(outcomes) - len(whole),
        "seconds": round(seconds, 2),
        "answers_per_s": round(len(whole) / seconds, 1),
        "tokens_per_s": round(sum(outcome.tokens for outcome in whole) / seconds),
        "first_p50_ms": round(statistics.median(firsts), 1) if firsts else None,
        "first_p99_ms": round(percentile(firsts, 0.99), 1) if firsts else None,
        "cached_share": round(sum(outcome.cached_tokens for outcome in whole) / prompt, 3) if prompt else None,
        "by_replica": sorted(
            (sum(outcome.replica == name for outcome in whole) for name in {outcome.replica for outcome in whole}),
            reverse=True,
        ),
    }
