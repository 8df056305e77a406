#!/usr/bin/env python3
"""Nothing leaves a kernel object but its add_<isa>, or add_peak_<isa>, or <isa>_kernels of a room
with kernels of its own: a weak symbol of one (an inline function of a header, say) could replace its
twin that was compiled for every machine.

    kernel_symbols_test.py ISA OBJECT [ISA OBJECT ...]
"""
import os
import subprocess
import sys

ROOMS = ("media", "quantize", "sampling")


def main():
    pairs = list(zip(sys.argv[1::2], sys.argv[2::2]))
    problems = []
    for isa, path in pairs:
        symbols = subprocess.run(["nm", "--defined-only", "--extern-only", "--demangle", path],
                                 capture_output=True, text=True, check=True).stdout.splitlines()
        names = [line.split(" ", 2)[2] for line in symbols]
        wanted = f"pleiad::kernels::add_{isa}(pleiad::kernels::Kernels&)"
        if os.path.basename(path).startswith("peak."):
            wanted = f"pleiad::kernels::add_peak_{isa}(pleiad::kernels::PeakKernels&)"
        if os.path.basename(path).startswith(isa + "."):
            room = next(room for room in ROOMS if f"/pleiad_{room}_{isa}.dir/" in path)
            wanted = f"pleiad::{room}::{isa}_kernels()"
        if names != [wanted]:
            problems.append(f"{isa}: expected only {wanted}, found {names}")
    print("\n".join(problems) or f"{len(pairs)} kernel objects export their table and nothing else")
    return 1 if problems or not pairs else 0


sys.exit(main())
