"""Compare patches of `advise` with the talk's own shuffles: `python -m benchmarks.talk_advice PAGE`, with a GPU.

`advise --patch` changes the `smem` kernels of the talk's patterns, each given as a file. Original and patched kernel
are timed as `--measure` does, at the launch of the stored runs; PAGE gets the ratios beside the stored ones of `shfl`.
"""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from pandas import Series, concat

import shflbench
from shflbench.backends import gpus
from shflbench.checker import advise_file, make_patch
from shflbench.kernel_bench.versions import MeasuredKernel, bench_versions
from shflbench.patterns.discover import builtin
from tests.checker.exchanges.test_talk_patterns import KERNELS, options_of

RUNS = [Path("results") / suite / "nvidia-h200" for suite in ("gtc2013", "quick", "warp-collectives")]
WHOLE = ("neighbor", "broadcast-work", "reduce", "reduce-ops")  # the patch leaves no shared memory
BOUND = 0.05
HEAD = """# Patches of `advise` beside the talk's shuffles

Written by `python -m benchmarks.talk_advice`; do not edit.

`advise FILE --patch` changed the `smem` kernels of these patterns as it changes any file: it saw launch 2x64. Speed of
the patched kernel relative to `smem`, as `--measure` times both, beside the speed of `shfl` relative to `smem` in the
stored runs, at their launch and with their iterations.

"""


def main() -> None:
    """Time every patch, and write the page; the exit code is 1 if a ratio differs by more than 5%."""
    rows = concat(shflbench.load(run) for run in RUNS)
    stored = rows[rows.variant == "shfl"]
    (gpu, *_) = gpus.find()
    shfl = f"speed of `shfl` on {stored.device.iloc[0]}"
    lines = [line("pattern", "options", "launch", "iterations", f"speed by the patch on {gpu.name}", shfl, "")]
    lines.append(line("---", "---", "---", "--:", "--:", "--:", "--:"))
    worst = 0.0
    for pattern, option in [(pattern, option) for pattern, option, _ in KERNELS if pattern in WHOLE]:
        dtype = "i32" if pattern == "reduce-ops" else "f32"
        row = stored[(stored.pattern == pattern) & (stored.dtype == dtype) & (stored.options == option)].iloc[0]
        measured = measure(pattern, option, row, gpu.index)
        if (speedup := measured.speedup) is None:
            sys.exit(f"{pattern} {option}: {measured.result.text()}")
        off = speedup.value / row.speedup - 1
        worst = max(worst, abs(off))
        interval = f"{speedup.value:.3f} ({speedup.low:.3f} to {speedup.high:.3f})"
        launch, speed = f"{row.grid}x{row.block}", f"{row.speedup:.3f}"
        lines.append(line(pattern, option, launch, row.iterations, interval, speed, f"{off:+.1%}"))
        print(lines[-1], flush=True)
    Path(sys.argv[1]).write_text(HEAD + "\n".join(lines) + "\n", encoding="utf-8")
    sys.exit(bool(worst > BOUND))


def line(*cells: object) -> str:
    """Return a line of the table."""
    return f"| {' | '.join(map(str, cells))} |"


def measure(pattern: str, option: str, row: Series[Any], gpu: int) -> MeasuredKernel:
    """Patch the `smem` kernel of a pattern, and time it against the original at the launch of a row."""
    file = builtin()[pattern] / "kernels.cu"
    with TemporaryDirectory() as cache:
        options = options_of(pattern, option, Path(cache))
        patch = make_patch(file, advise_file(file, options, lambda _: None), options)
        timed = options_of(pattern, option, Path(cache), int(row.grid), int(row.block))
        given = replace(timed, kernels=patch.kernels, given=replace(timed.given, arguments=()))
        elements = f"{row['dtype']}[{row.grid * row.block}]"
        arguments = [f"values={elements}", f"result={elements}", f"iterations={row.iterations}"]
        with patch.copy() as copy:
            (measured,) = bench_versions(file, copy, given, arguments, gpu)
    return measured


if __name__ == "__main__":
    main()
