"""Time the kernels of two versions of a file against each other, and require that they write the same bits."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from shflbench.backends import gpus
from shflbench.checker import parse_argument_sets, read_candidates
from shflbench.errors import DeviceError
from shflbench.kernel_bench.api import BenchTarget, measure
from shflbench.kernel_bench.result import BenchResult
from shflbench.model import Interval, MeasureRules
from shflbench.user_kernels.comparison import NEW, choose_between
from shflbench.user_kernels.folder import Equality
from shflbench.user_kernels.suite import BenchSettings, suite_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shflbench.checker import FileOptions
    from shflbench.user_kernels.comparison import KernelComparison

PROCESSES = 5  # fewer leave an interval as wide as times of one process differ from those of another
ADVICE = "Leave --measure out; --patch prints what it would time."


@dataclass(frozen=True, slots=True)
class MeasuredKernel:
    """A kernel with the times of its two versions."""

    name: str
    result: BenchResult

    @property
    def speedup(self) -> Interval | None:
        """The speed of the new version relative to the old one, with the interval that is shown; None if unknown."""
        known = self.result.ratios.get(NEW)
        return known.speedup if known else None


def require_gpu(name: str | None) -> int:
    """Return the number of the first GPU whose name contains a text; DeviceError if there is none."""
    try:
        listed = gpus.find()
    except DeviceError as error:
        raise DeviceError(f"--measure needs a GPU, and {error.message}", ADVICE) from error
    named = [gpu.index for gpu in listed if (name or "").lower() in gpu.name.lower()]
    if not named:
        has = f"no name of a GPU contains {name!r}" if listed else "the driver lists no GPU"
        raise DeviceError(f"--measure needs a GPU, and {has}", ADVICE)
    return named[0]


def bench_versions(
    old: Path, new: Path, options: FileOptions, arguments: Sequence[str], gpu: int
) -> list[MeasuredKernel]:
    """Time the kernels that the options name in both files, and return what was measured.

    Both get the same inputs at the launches of the host code, or of the options, and run in turn. Another result of the
    new file than that of the old one, in any bit, is no time. Raises what `read_candidates` raises.
    """
    options, sets = replace(options, include=(old.resolve().parent, *options.include)), parse_argument_sets(arguments)
    files = [read_candidates(path, options, None, sets) for path in (old, new)]
    choice = choose_between(files[0], files[1], (str(old), "the changed file"))
    reasons = {item.kernel: item.sentence for item in choice.left_out}
    left_out = [MeasuredKernel(name, BenchResult((), {name: reason}, (), None)) for name, reason in reasons.items()]
    target = BenchTarget(gpu, seed=options.seed)
    return [*(_measured(old, comparison, target) for comparison in choice.comparisons), *left_out]


def _measured(file: Path, comparison: KernelComparison, target: BenchTarget) -> MeasuredKernel:
    settings = BenchSettings(MeasureRules(processes=PROCESSES), Equality(0.0))
    with TemporaryDirectory(prefix="shflbench-") as folder:
        suite = suite_of(file, [comparison], settings, Path(folder))
        result = measure(suite, target, BenchResult((), {}, (), None), Path(folder) / "run")
    return MeasuredKernel(comparison.kernels[0].candidate.name, replace(result, folder=None))
