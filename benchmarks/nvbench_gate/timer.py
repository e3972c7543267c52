"""Time the kernels of `nvbench_gate` with NVBench in this process; `python -m benchmarks.nvbench_gate` starts it.

    python -m benchmarks.nvbench_gate.timer unchanged FILE.json GPU
    python -m benchmarks.nvbench_gate.timer slower FILE.json GPU

Writes NVBench's JSON with its binary samples beside it. A slower copy has the name of the unchanged kernel.
"""

from __future__ import annotations

import argparse
import tempfile
from contextlib import chdir
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.nvbench_agreement_timer import benchmark, prepared
from benchmarks.nvbench_gate.cases import SIDES, UNCHANGED, slower_ids, suite_text
from shflbench.compile.build import Builder
from shflbench.compile.toolchain import find
from shflbench.environment import cache_folder
from shflbench.patterns.discover import load as load_pattern
from shflbench.suite import load

if TYPE_CHECKING:
    from collections.abc import Mapping

    from shflbench.model import Case, Suite

# NVBench's defaults otherwise. For its default of 0.5 s of GPU time, a kernel of 5 µs needs 100,000 samples, which take
# 7 s.
SETTINGS = ("--timeout", "1")


def main() -> None:
    """Register every kernel with NVBench and run them all."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("side", choices=SIDES)
    parser.add_argument("json", type=Path)
    parser.add_argument("gpu", type=int)
    wanted = parser.parse_args()
    nvbench, cupy = import_module("cuda.bench"), import_module("cupy")
    cupy.cuda.Device(wanted.gpu).use()
    builder = Builder(find(), "sm_" + cupy.cuda.Device(wanted.gpu).compute_capability, cache_folder())
    suite, cases = chosen(wanted.side)
    for name, case in cases.items():
        pattern = load_pattern(suite.pattern_folders[case.pattern])
        nvbench.register(benchmark(cupy, *prepared(builder, pattern, case), case.iterations)).set_name(name)
    words = ("--devices", str(wanted.gpu), *SETTINGS, "--jsonbin", wanted.json.name)
    with chdir(wanted.json.resolve().parent):  # the file contains the arguments: no path of this machine
        nvbench.run_all_benchmarks(["nvbench", *words])


def chosen(side: str) -> tuple[Suite, Mapping[str, Case]]:
    """Return the suite of a side, and its cases by the ids of the unchanged ones, in the order of those."""
    with tempfile.TemporaryDirectory() as folder:
        suites = {}
        for one in (UNCHANGED, side):
            path = Path(folder) / f"{one}.yaml"
            path.write_text(suite_text(one), encoding="utf-8")
            suites[one] = load(path)
    cases = {case.id: case for case in suites[side].cases}
    if side == UNCHANGED:
        return suites[side], cases
    return suites[side], {name: cases[slower] for name, slower in slower_ids(suites[UNCHANGED]).items()}


if __name__ == "__main__":
    main()
