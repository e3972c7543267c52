"""Time the kernels of two versions of a file against each other, and require that they write the same bits."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from shflbench.checker import parse_argument_sets, read_candidates
from shflbench.core.grouping import group_by
from shflbench.core.model import Interval, MeasureRules
from shflbench.cuda.backends import gpus
from shflbench.errors import DeviceError
from shflbench.user_kernels.bench.api import BenchSubject, BenchTarget, measure
from shflbench.user_kernels.comparison import NEW, KernelChoice, LeftOut, choose_between
from shflbench.user_kernels.stored_pattern import Equality
from shflbench.user_kernels.suite import BenchSettings, suite_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from shflbench.checker import CandidateFile, FileOptions
    from shflbench.user_kernels.bench.result import BenchResult
    from shflbench.user_kernels.comparison import KernelComparison

PROCESSES = 5  # fewer leave an interval as wide as times of one process differ from those of another
ADVICE = "Leave --measure out; --patch prints what it would time."


@dataclass(frozen=True, slots=True)
class MeasuredKernel:
    """A kernel with the times of its two versions."""

    name: str
    symbols: frozenset[str]  # of the old version; none if the compiler rejects it
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
    options, sets = options.including(old.resolve().parent), parse_argument_sets(arguments)
    files = [read_candidates(path, options, None, sets) for path in (old, new)]
    choice = choose_between(files[0], files[1], (str(old), "the changed file"))
    target = BenchTarget(gpu, seed=options.given.seed)
    measured = [_measured(old, comparison, target) for comparison in choice.comparisons]
    return [*measured, *_left_out(choice, files[0], {symbol for item in measured for symbol in item.symbols})]


def _left_out(choice: KernelChoice, old: CandidateFile, measured: Collection[str]) -> Iterator[MeasuredKernel]:
    """Yield the kernels that are not timed, with the reason."""
    symbols = group_by(old.kernels, lambda kernel: kernel.name)
    for name, reason in {item.kernel: item.sentence for item in choice.left_out}.items():
        named = {symbol for kernel in symbols.get(name, ()) for symbol in kernel.symbols}
        result = BenchSubject((), KernelChoice((), (LeftOut(name, reason),))).without_run()
        yield MeasuredKernel(name, frozenset(named.difference(measured)), result)


def _measured(file: Path, comparison: KernelComparison, target: BenchTarget) -> MeasuredKernel:
    settings = BenchSettings(MeasureRules(processes=PROCESSES), Equality(0.0))
    with TemporaryDirectory(prefix="shflbench-") as folder:
        suite = suite_of(file, [comparison], settings, Path(folder))
        result = measure(suite, target, BenchSubject((file,), KernelChoice((comparison,), ())), Path(folder) / "run")
    kernel = comparison.kernels[0].candidate
    return MeasuredKernel(kernel.name, frozenset(kernel.symbols), result)
