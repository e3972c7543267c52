"""Measure the time of compiling: `python benchmarks/compile_cache.py`. The goal with a warm cache is below 0.5 s."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from time import perf_counter

from shflbench.compile.toolchain import find
from shflbench.session import Plan
from shflbench.session.kernels import compile_all
from shflbench.suite import load, locate

ARCH = "sm_90"


def seconds(plan: Plan) -> float:
    """Return the wall time of building every kernel of the plan once."""
    start = perf_counter()
    for _ in compile_all(plan, plan.suite.cases):
        pass
    return perf_counter() - start


if __name__ == "__main__":
    toolchain = find()
    with tempfile.TemporaryDirectory() as folder:
        plan = Plan(load(locate("gtc2013")), toolchain, ARCH, None, Path(folder), None)
        print(
            f"{len(plan.suite.cases)} kernels of gtc2013 for {ARCH}, NVRTC {toolchain.version}, {os.cpu_count()} cores"
        )
        for label in ("cold cache", "warm cache"):
            print(f"{label}: {seconds(plan):.2f} s")
