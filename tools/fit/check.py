#!/usr/bin/env python3
"""Prints what `pleiad fit` predicts beside what `pleiad bench` measures, for models of random weights.

    tools/fit/check.py --pleiad build/pleiad e2b:q4_0 e2b:q8_0 e4b:q4_0

Prediction and measurement have the same limits of the machine: those that bench measured before and
after its tests. The machine should do nothing else meanwhile, and have the matrix unit (AMX): that is
what predictions for described machines assume. Memory: twice the weights, since the model lies in
memory as a file and packed.
"""
import argparse
import json
import subprocess
import sys

# What files are written as that comes closest to a synthetic model's matrices.
FILE_TYPES = {"q4_k": "q4_k_s"}
PROMPT, GENERATE = 512, 32


def output_of(*command):
    return json.loads(subprocess.run(list(map(str, command)), check=True, stdout=subprocess.PIPE).stdout)


def measured(pleiad, spec, repetitions):
    report = output_of(pleiad, "bench", "--synthetic", spec, "--prompt", PROMPT, "--generate", GENERATE,
                       "--repetitions", repetitions, "--json")
    rates = {test["kind"]: test["tok_s"] for test in report["tests"]}
    return report["machine"], rates["prompt"], rates["generation"]


def predicted(pleiad, spec, machine):
    model, stored = spec.split(":")
    report = output_of(pleiad, "fit", "--model", model, "--type", FILE_TYPES.get(stored, stored), "--ctx",
                       PROMPT, "--memory", 64, "--bandwidth", machine["read_gb_s"], "--compute",
                       machine["float_tflop_s"], "--json")
    return report["models"][0]["prefill"]["tok_s"], report["models"][0]["decode"]["tok_s"]


def cell(prediction, rate):
    return "%.3g | %.3g (%.3g to %.3g) | %+.0f %%" % (
        prediction, rate["median"], rate["min"], rate["max"], 100 * (prediction / rate["median"] - 1))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pleiad", default="build/pleiad")
    parser.add_argument("--repetitions", type=int, default=7)
    parser.add_argument("specs", nargs="+", metavar="MODEL:TYPE")
    flags = parser.parse_args()
    print("| model | limits | prompt predicted | measured | off by | decode predicted | measured | off by |")
    print("|---|---|---|---|---|---|---|---|", flush=True)
    for spec in flags.specs:
        machine, prompt, decode = measured(flags.pleiad, spec, flags.repetitions)
        prompt_prediction, decode_prediction = predicted(flags.pleiad, spec, machine)
        print("| %s | %.1f GB/s, %.2f TFLOP/s | %s | %s |" % (
            spec, machine["read_gb_s"], machine["float_tflop_s"], cell(prompt_prediction, prompt),
            cell(decode_prediction, decode)), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
