#!/usr/bin/env python3
"""lm-evaluation-harness on the demo model: the tasks of this folder by the model `pleiad` in this process, and by
lm-eval's own `local-completions` at the program's server, which is asked with echo and logprobs. Both are compared
sample by sample. Prints a table.

    pip install '.[lm-eval]' --requirement tools/lm_eval/requirements.txt
    tools/lm_eval/compare.py --program build/pleiad

Exit status: 1 where a log-likelihood, an answer or a metric differs.
"""

import argparse
import json
import logging
import os
import pathlib
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
# The tasks' data are files here: nothing is looked for at a hub, and nothing left in its folders.
scratch = tempfile.TemporaryDirectory()
os.environ.update(HF_HOME=scratch.name, HF_HUB_OFFLINE="1", HF_DATASETS_OFFLINE="1", HF_HUB_DISABLE_TELEMETRY="1")
sys.path.insert(0, str(HERE.parent / "load"))

import lm_eval
import lm_eval.models.openai_completions  # noqa: F401  (registers local-completions)
import process
from lm_eval.api.registry import get_model
from lm_eval.tasks import TaskManager

import pleiad.lm_eval

TASKS = ["pleiad_choice", "pleiad_text", "pleiad_count"]
# Shorter than one of the texts, which is scored in parts.
MAX_LENGTH = 256


class OverHttp(get_model("local-completions")):
    """As it is, but for the tokenizer: that of `ours`, where it would fetch one."""

    def __init__(self, url, ours):
        super().__init__(
            base_url=url + "/v1/completions",
            model="demo",
            tokenizer_backend=None,
            max_length=MAX_LENGTH + 1,  # one is always its reply's
            batch_size=4,
            eos_string="<turn|>",
            custom_prefix_token_id=ours.prefix_token_id,
        )
        self.ours = ours
        self.tokenizer_backend, self.tokenizer, self.tokenized_requests = "remote", ours, True

    def tok_encode(self, string, left_truncate_len=None, **_):
        if not isinstance(string, str):
            return [self.tok_encode(each, left_truncate_len) for each in string]
        return self.ours.tok_encode(string)[-(left_truncate_len or 0) :]


def evaluate(lm):
    begun = time.monotonic()
    results = lm_eval.simple_evaluate(
        model=lm,
        tasks=TASKS,
        task_manager=TaskManager(include_path=str(HERE / "tasks"), include_defaults=False),
        bootstrap_iters=0,
    )
    metrics = {
        f"{task} {name.split(',')[0]}": value
        for task, found in results["results"].items()
        for name, value in found.items()
        if isinstance(value, float) and "stderr" not in name
    }
    # As JSON has them: tuples are lists.
    samples = {
        f"{task}[{sample['doc_id']}]": json.loads(json.dumps(sample["resps"]))
        for task, found in results["samples"].items()
        for sample in found
    }
    return metrics, samples, time.monotonic() - begun


def is_same(here, there, tolerance):
    if isinstance(here, list) and isinstance(there, list) and len(here) == len(there):
        return all(is_same(one, other, tolerance) for one, other in zip(here, there, strict=True))
    if isinstance(here, float) and isinstance(there, float):
        return abs(here - there) <= tolerance
    return here == there


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", required=True, type=pathlib.Path, help="build/pleiad")
    program = parser.parse_args().program.resolve()
    os.chdir(HERE)  # the tasks name their data from here
    logging.getLogger("lm_eval").setLevel(logging.WARNING)
    # local-completions puts no <bos> before prompts; the tasks spell it.
    ours = pleiad.lm_eval.PleiadLM("demo", threads=1, max_length=MAX_LENGTH, add_bos_token=False)
    metrics, samples, seconds = evaluate(ours)
    server = process.Server(program, pathlib.Path(scratch.name) / "server", ["--threads", "1"])
    try:
        metrics_over_http, samples_over_http, seconds_over_http = evaluate(OverHttp(server.url, ours))
    finally:
        server.stop()

    # On the matrix unit a choice of one token is computed as a generated one here, as a prompt's there.
    tolerance = 0.01 if "amx" in ours.model.backend else 0
    print(f"{'':32} in process   over HTTP")
    for name in sorted(metrics | metrics_over_http):
        print(f"{name:32} {metrics.get(name, float('nan')):10.6f}  {metrics_over_http.get(name, float('nan')):10.6f}")
    print(f"{'seconds':32} {seconds:10.1f}  {seconds_over_http:10.1f}")
    names = sorted(samples | samples_over_http)
    different = [name for name in names if not is_same(samples.get(name), samples_over_http.get(name), tolerance)]
    n_equal = sum(samples.get(name) == samples_over_http.get(name) for name in names)
    print(f"{n_equal} of {len(names)} samples are equal to the last bit ({ours.model.backend})")
    for name in different:
        print(f"{name}: {samples.get(name)} in process, {samples_over_http.get(name)} over HTTP", file=sys.stderr)
    same_metrics = metrics.keys() == metrics_over_http.keys() and all(
        is_same(metrics[name], metrics_over_http[name], tolerance) for name in metrics
    )
    return int(bool(different) or not same_metrics or not names)


if __name__ == "__main__":
    sys.exit(main())
