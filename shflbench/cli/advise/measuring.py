"""Time a file with the changes of a patch against the file as it is."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from shflbench.core.words import join_words

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from shflbench.checker import KernelAdvice, Patch
    from shflbench.cli.console import Console
    from shflbench.schemas.advise import MeasuredChange
    from shflbench.user_kernels.bench.versions import MeasuredKernel
    from shflbench.user_kernels.file_options import FileFlags


def required_gpu(name: str | None) -> int:
    """Return the number of the GPU to time on; DeviceError if there is none whose name contains a text."""
    from shflbench.user_kernels.bench.versions import require_gpu

    return require_gpu(name)


def no_change(advice: Sequence[KernelAdvice]) -> str:
    """Return that a patch is empty: perhaps nothing can be changed, or what can is no edit of the text."""
    suggesting = [kernel for kernel in advice if _suggests(kernel)]
    if single := next((kernel for kernel in suggesting if kernel.only), None):
        return f"No change is written: {single.report.name} was tried for {join_words(single.only)} only."
    if suggesting:
        return "There is no change that can be written into the file."
    return "No exchange and no barrier of the file can be changed."


def _suggests(advice: KernelAdvice) -> bool:
    """Whether advice on a kernel suggests a change."""
    exchanges, barriers = advice.exchanges, advice.barriers
    return any(item.instead for item in exchanges) or any(item.could_be_weaker for item in barriers)


def measure_patch(patch: Patch, flags: FileFlags, gpu: int, console: Console) -> list[MeasuredKernel]:
    """Time the kernels whose code a patch changes."""
    from shflbench.user_kernels.bench.versions import bench_versions

    options = replace(flags.timed(patch.kernels), cluster=None).options([patch.path])
    with console.progress(), patch.copy() as copy:
        return bench_versions(patch.path, copy, options, flags.arguments, gpu)


def print_measured(measured: Sequence[MeasuredKernel], write: Callable[[str], None]) -> None:
    """Print the times of both versions of each kernel, and their ratio with its interval."""
    for item in measured:
        write(f"{item.name}: the file as it is (old), and with the patch (new)")
        for line in item.result.text().splitlines():
            write(f"  {line}")


def record_of(item: MeasuredKernel) -> MeasuredChange:
    """Return what was measured of a kernel as a JSON object."""
    speedup = item.speedup
    return {
        "time_us": {row.variant: row.time_us for row in item.result.rows},
        "status": {row.variant: row.status.value for row in item.result.rows},
        "left_out": "; ".join(item.result.left_out.values()),
        "speedup": None if speedup is None else {"value": speedup.value, "low": speedup.low, "high": speedup.high},
    }
