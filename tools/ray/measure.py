#!/usr/bin/env python3
"""Replicas of pleiad.ray on this machine: speed by their number, a replica that is killed under load, scaling under
load, routing by beginnings beside round robin, and a dataset with a worker killed. Each experiment prints a line
of JSON, and ends with an error where an answer is wrong.

    pip install ".[ray]" && tools/ray/measure.py [replicas|kill|leave|scale|routing|data ...] [--model demo] [--at-once 16]

The model must give the same answer to the same question whatever runs beside it; that is checked.
"""

import argparse
import asyncio
import json
import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time

# On a machine with other work Ray's proxy takes longer to start than the 5 s that its controller waits.
os.environ.setdefault("RAY_SERVE_PROXY_READY_CHECK_TIMEOUT_S", "50")

import aiohttp
import load
import pyarrow as pa
import pyarrow.parquet as pq
import ray
from ray import serve

import pleiad
import pleiad.ray

PORT = 18431
URL = f"http://127.0.0.1:{PORT}"
ROUND_ROBIN = "ray.serve.experimental.round_robin_router.RoundRobinRouter"


def start(arguments, **options):
    options = {"threads": arguments.threads, "pin": arguments.pin, **options}
    serve.run(pleiad.ray.app(arguments.model, **options), name="pleiad", logging_config={"log_level": "WARNING"})


async def engines():
    """Replicas that run, by name: {"pid": ..., "metrics": ...}."""

    def ask():
        response = serve.get_deployment_handle("engine", "pleiad").broadcast("about")
        return response.results(timeout_s=60, return_exceptions=True)

    return {about["replica"]: about for about in await asyncio.to_thread(ask) if isinstance(about, dict)}


def question(arguments, number, document=""):
    text = f"Count from {number} to {number + arguments.numbers}"
    messages = [{"role": "system", "content": document}] if document else []
    return {
        "model": arguments.model,
        "messages": [*messages, {"role": "user", "content": text}],
        "temperature": 0,
        "max_tokens": arguments.tokens,
        "ignore_eos": True,
        "repetition_guard": False,
    }


def requests(arguments, n):
    return [(str(number % 40), question(arguments, number % 40)) for number in range(n)]


def expected(arguments):
    """Answers of the engine in this process, to compare with."""
    with pleiad.Model.load(arguments.model, threads=arguments.threads) as model:
        answers = {}
        for number in range(40):
            body = question(arguments, number)
            del body["model"]
            answers[str(number)] = model.chat(body.pop("messages"), **body).content
        return answers


def wrong(outcomes, answers):
    return sum(outcome.text != answers[outcome.key] for outcome in outcomes if not outcome.error)


def tell(name, **numbers):
    print(json.dumps({"experiment": name, **numbers}), flush=True)


def check(condition, text):
    if not condition:
        sys.exit(f"measure: {text}")


async def measure_direct(arguments, answers):
    with pleiad.Server(arguments.model, threads=arguments.threads, parallel=32, keep_alive=-1) as server:
        await load.run(server.url, requests(arguments, arguments.at_once * 2), arguments.at_once)
        outcomes, seconds = await load.run(server.url, requests(arguments, arguments.requests), arguments.at_once)
    check(not wrong(outcomes, answers), "an answer differs")
    tell("server without Ray", **load.summary(outcomes, seconds))


async def measure_replicas(arguments, answers):
    await measure_direct(arguments, answers)
    for n in (1, 2, 4):
        start(arguments, replicas=n)
        await load.run(URL, requests(arguments, arguments.at_once * 4), arguments.at_once)
        outcomes, seconds = await load.run(URL, requests(arguments, arguments.requests), arguments.at_once)
        check(not wrong(outcomes, answers), "an answer differs")
        tell("replicas", replicas=n, **load.summary(outcomes, seconds))


async def measure_kill(arguments, answers):
    """A replica is killed when a third of the requests are done."""
    for streams in (True, False):
        start(arguments, replicas=2)
        before = await engines()
        victim = min(before.values(), key=lambda about: about["pid"])
        asked = requests(arguments, arguments.requests)
        third = len(asked) // 3

        def killing():
            for number, pair in enumerate(asked):
                if number == third:
                    os.kill(victim["pid"], signal.SIGKILL)
                yield pair

        if streams:
            outcomes, seconds = await load.run(URL, killing(), arguments.at_once)
        else:
            outcomes, seconds = await whole_answers(URL, killing(), arguments.at_once)
        n_wrong = wrong(outcomes, answers)
        errors = sorted({outcome.error for outcome in outcomes if outcome.error})
        began = time.perf_counter()
        while len(running := await engines()) < 2 or victim["replica"] in running:
            check(time.perf_counter() - began < 300, "the replica was not replaced within 300 s")
            await asyncio.sleep(0.5)
        tell(
            "a replica killed",
            streams=streams,
            sent=len(outcomes),
            wrong=n_wrong,
            errors=errors,
            replaced_after_load_s=round(time.perf_counter() - began, 1),
            **load.summary(outcomes, seconds),
        )
        check(not n_wrong, "an answer differs")
        check(errors in ([], ["replica_gone"] if streams else []), f"unexpected errors: {errors}")


async def measure_leave(arguments, answers):
    """A client that leaves in the midst of a long stream: its replica stops."""
    # As `serve run` and configuration files start it: all is text.
    texts = {"models": arguments.model, "replicas": "1", "threads": str(arguments.threads), "pin": str(arguments.pin)}
    serve.run(pleiad.ray.application(texts), name="pleiad", logging_config={"log_level": "WARNING"})
    body = {**question(arguments, 1), "max_tokens": 3500, "stream": True}
    async with aiohttp.ClientSession() as session:
        answer = await session.post(URL + "/v1/chat/completions", json=body)
        await answer.content.readline()
        answer.close()
    began = time.perf_counter()

    async def counter(name):
        (about,) = (await engines()).values()
        lines = [line for line in about["metrics"].splitlines() if line.startswith("pleiad_") and name in line]
        return sum(float(line.split()[-1]) for line in lines)

    while await counter("pleiad_answers_running"):
        check(time.perf_counter() - began < 60, "the answer goes on")
    generated = await counter('kind="generated"')
    tell("a client leaves", stopped_s=round(time.perf_counter() - began, 2), generated=generated, asked=3500)
    check(0 < generated < 3400, "the answer went on")


async def whole_answers(url, asked, at_once):
    """As load.run(), of answers that are not streamed."""
    outcomes = []
    pending = iter(asked)
    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as session:

        async def client():
            for key, body in pending:
                outcome = load.Outcome(key, began=time.perf_counter())
                try:
                    async with session.post(url + "/v1/chat/completions", json=body) as answer:
                        value = await answer.json()
                        outcome.replica = answer.headers.get("X-Pleiad-Replica", "")
                        if answer.status == 200:
                            outcome.text = value["choices"][0]["message"]["content"]
                            outcome.tokens = value["usage"]["completion_tokens"]
                        else:
                            outcome.error = f"{answer.status}: {value}"[:200]
                except aiohttp.ClientError as error:
                    outcome.error = f"{type(error).__name__}: {error}"
                outcomes.append(outcome)

        began = time.perf_counter()
        await asyncio.gather(*(client() for _ in range(at_once)))
    return outcomes, time.perf_counter() - began


async def measure_scale(arguments, answers):
    """Load, and Ray's autoscaler: from one replica up, and down again while a little goes on."""
    scaling = {
        "min_replicas": 1,
        "max_replicas": 2,
        "target_ongoing_requests": 4,
        "upscale_delay_s": 2,
        "downscale_delay_s": 5,
        "look_back_period_s": 11,
    }
    start(arguments, autoscaling=scaling)
    stop = asyncio.Event()
    endless = (
        (str(number % 40), question(arguments, number % 40)) for number in iter(lambda: random.randrange(40), -1)
    )
    seen = []

    async def until(n):
        began = time.perf_counter()
        while True:
            running = len(await engines())
            seen.append(running)
            if running == n:
                return round(time.perf_counter() - began, 1)
            check(time.perf_counter() - began < 300, f"expected {n} replicas, found {running} after 300 s")
            await asyncio.sleep(0.5)

    heavy = asyncio.create_task(load.run(URL, endless, arguments.at_once, stop))
    up_s = await until(2)
    stop.set()
    outcomes, _ = await heavy
    stop = asyncio.Event()
    light = asyncio.create_task(load.run(URL, endless, 2, stop))
    down_s = await until(1)
    await asyncio.sleep(2)
    stop.set()
    rest, _ = await light
    outcomes += rest
    errors = sorted({outcome.error for outcome in outcomes if outcome.error})
    tell(
        "scaling",
        up_s=up_s,
        down_s=down_s,
        sent=len(outcomes),
        failed=sum(bool(outcome.error) for outcome in outcomes),
        wrong=wrong(outcomes, answers),
        errors=errors,
    )
    check(not errors and not wrong(outcomes, answers), "an answer failed or differs")


async def measure_routing(arguments, answers):
    """Conversations over documents: turns that go on, several documents, more than one cache keeps."""
    rng = random.Random(7)
    words = "the red circle and blue square count from one to ten then say what is in the picture".split()
    documents = [
        f"Document {number}. " + " ".join(rng.choice(words) for _ in range(arguments.words))
        for number in range(arguments.documents)
    ]
    order = [number for number in range(arguments.documents) for _ in range(arguments.turns)]
    rng.shuffle(order)
    asked = [
        (f"{document}-{turn}", {**question(arguments, turn % 40, documents[document]), "max_tokens": 16})
        for turn, document in enumerate(order)
    ]
    texts = {}
    settings = {"kv_memory": arguments.kv_memory} if arguments.kv_memory else {}
    for router in (ROUND_ROBIN, pleiad.ray.PREFIX_ROUTER, ROUND_ROBIN, pleiad.ray.PREFIX_ROUTER):
        start(arguments, replicas=arguments.routed, router=router, **settings)
        outcomes, seconds = await load.run(URL, asked, arguments.routed * 2)
        for outcome in outcomes:
            check(not outcome.error, outcome.error)
            check(texts.setdefault(outcome.key, outcome.text) == outcome.text, "an answer differs")
        tell("routing", router=router.rsplit(".", 1)[1], **load.summary(outcomes, seconds))
        serve.delete("pleiad")


def workers():
    """Processes of Ray Data's actors that answer."""
    found = []
    for folder in pathlib.Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                name = (folder / "cmdline").read_bytes()
            except OSError:
                continue
            if b"ray::MapWorker(MapBatches(Answers)" in name:
                found.append(int(folder.name))
    return sorted(found)


def answer_all(root, model, threads):
    ray.data.DataContext.get_current().enable_progress_bars = False
    dataset = ray.data.read_parquet(str(root / "in"))
    options = {"temperature": 0, "max_tokens": 80}
    return pleiad.ray.answer(dataset, root / "out", model, options=options, replicas=2, load={"threads": threads})


# A program of its own that answers, to be killed.
ANSWERING = """
import pathlib, sys
sys.path.insert(0, sys.argv[1])
import measure, ray
ray.init(address=sys.argv[2], logging_level="error")
measure.answer_all(pathlib.Path(sys.argv[3]), sys.argv[4], int(sys.argv[5]))
"""


def wait_for_half(root, n, runs):
    """Until checkpoints say that half of the conversations have been written. How many have."""
    while True:
        check(runs(), "the program that answers ended before half of the conversations were written")
        files = [file for file in (root / "out/checkpoint").glob("*.parquet") if ".pending." not in file.name]
        n_written = sum(pq.read_metadata(file).num_rows for file in files)
        if n_written >= n // 2:
            return n_written
        time.sleep(0.02)


def write_conversations(root, n):
    (root / "in").mkdir()
    rows = [
        {"id": number, "messages": [{"role": "user", "content": f"Count from {number % 40} to {number % 40 + 20}"}]}
        for number in range(n)
    ]
    for part in range(8):
        pq.write_table(pa.Table.from_pylist(rows[part::8]), root / "in" / f"{part}.parquet")


def tell_dataset(name, root, report, **numbers):
    rows = pq.read_table(report.folder).to_pylist()
    by_question = {}
    for row in rows:
        by_question.setdefault(row["id"] % 40, set()).add(row["answer"])
    differing = sum(len(texts) > 1 for texts in by_question.values())
    ids = len({row["id"] for row in rows})
    tell(name, rows=len(rows), ids=ids, refused=report.refused, found=report.found, wrong=differing, **numbers)
    check(not differing, "an answer differs")
    check(len(rows) == ids == report.conversations, "not one answer for each conversation")


def measure_data(arguments):
    """A dataset of conversations, with a worker killed when half of them have been written; then with the
    program killed, and started again."""
    # Replicas of an experiment before would keep CPUs, which a run that goes on then waits for.
    if "pleiad" in serve.status().applications:
        serve.delete("pleiad")
    n = arguments.conversations
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        write_conversations(root, n)
        killed = []

        def kill():
            written = wait_for_half(root, n, lambda: True)
            os.kill(workers()[0], signal.SIGKILL)
            killed.append(written)

        threading.Thread(target=kill, daemon=True).start()
        began = time.perf_counter()
        report = answer_all(root, arguments.model, arguments.threads)
        check(killed, "no worker was killed")
        tell_dataset(
            "dataset, a worker killed",
            root,
            report,
            written_before=killed[0],
            seconds=round(time.perf_counter() - began, 1),
        )
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        write_conversations(root, n)
        address = ray.get_runtime_context().gcs_address
        here = str(pathlib.Path(__file__).parent)
        with subprocess.Popen(
            [sys.executable, "-c", ANSWERING, here, address, folder, arguments.model, str(arguments.threads)]
        ) as program:
            written = wait_for_half(root, n, lambda: program.poll() is None)
            program.kill()
        # Of what it was writing, a file may have come half.
        (root / "out/answers/torn-0.parquet").write_bytes(b"PAR1 and no more")
        pq.write_table(pa.table({"id": [0]}), root / "out/checkpoint/torn.pending.parquet")
        report = answer_all(root, arguments.model, arguments.threads)
        tell_dataset("dataset, the program killed", root, report, written_before=written)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    names = ["replicas", "kill", "leave", "scale", "routing", "data"]
    parser.add_argument("experiments", nargs="*", default=names)
    parser.add_argument("--model", default="demo")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--no-pin", dest="pin", action="store_false")
    parser.add_argument("--at-once", type=int, default=16)
    parser.add_argument("--requests", type=int, default=600)
    parser.add_argument("--tokens", type=int, default=64)
    parser.add_argument("--numbers", type=int, default=20)
    parser.add_argument("--documents", type=int, default=16)
    parser.add_argument("--turns", type=int, default=12)
    parser.add_argument("--words", type=int, default=700)
    parser.add_argument("--routed", type=int, default=2, help="replicas of the routing experiment")
    parser.add_argument(
        "--kv-memory", default="", help="of each replica there, 64M say: fewer documents than there are"
    )
    parser.add_argument("--conversations", type=int, default=10_000)
    arguments = parser.parse_args()
    for name in arguments.experiments:
        if name not in names:
            parser.error(f"{name}: expected one of {', '.join(names)}")
    # More CPUs than there are: what four replicas share is said beside the numbers.
    ray.init(num_cpus=max(4 * arguments.threads, os.cpu_count()), include_dashboard=False, logging_level="warning")
    try:
        answers = {}
        needed = set(arguments.experiments)
        if needed & {"replicas", "kill", "scale"}:
            answers = expected(arguments)
        if needed - {"data"}:
            serve.start(http_options={"port": PORT}, logging_config={"log_level": "WARNING"})
        for name in arguments.experiments:
            if name == "data":
                measure_data(arguments)
            else:
                asyncio.run(globals()[f"measure_{name}"](arguments, answers))
    finally:
        serve.shutdown()
        ray.shutdown()


if __name__ == "__main__":
    main()
