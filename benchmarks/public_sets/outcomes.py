"""Compare what `check` says about a file with the truth."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from benchmarks.public_sets.truth import Kind

if TYPE_CHECKING:
    from collections.abc import Sequence

    from benchmarks.public_sets.job import JobResult, KernelResult
    from benchmarks.public_sets.truth import Truth


class Outcome(StrEnum):
    """What a verdict is worth."""

    RIGHT = "right"
    SOUND_BROKEN = "sound called broken"
    SOUND_DOUBTFUL = "sound called doubtful"
    BUG_CLEAN = "bug called clean"
    BUG_DOUBTFUL = "bug called doubtful"
    NEEDS_ARGUMENTS = "needs arguments"
    NOT_CHECKED = "not checked"

    @property
    def right(self) -> bool:
        """Whether the verdict is right."""
        return self is Outcome.RIGHT

    @property
    def taken(self) -> bool:
        """Whether the file was taken: compiled and run."""
        return self is not Outcome.NOT_CHECKED


# From the best to the worst: the verdict on a file is the worst of its kernels. One that was not checked says nothing
# about the file, unless another kernel is broken.
_ORDER = (
    "clean", "schedule-dependent", "doubtful", "needs arguments", "skipped", "not compiled", "not checked", "broken",
)  # fmt: skip
_OF_SOUND = {
    "clean": Outcome.RIGHT,
    "schedule-dependent": Outcome.RIGHT,
    "doubtful": Outcome.SOUND_DOUBTFUL,
    "broken": Outcome.SOUND_BROKEN,
}
_OF_BUG = {
    "clean": Outcome.BUG_CLEAN,
    "schedule-dependent": Outcome.BUG_CLEAN,
    "doubtful": Outcome.BUG_DOUBTFUL,
    "broken": Outcome.RIGHT,
}
_OF_MILD = {**_OF_BUG, "doubtful": Outcome.RIGHT}
# The findings that a bug of this kind shows; other kinds of bugs may show as any.
_SHOWN_BY = {
    Kind.RACE: {"RAW", "WAR", "WAW", "SAME_VALUE", "ATOMIC_RACE", "GUESS", "UNORDERED", "NOT_STARTED", "ENDED"},
    Kind.DIVERGENCE: {
        "DIVERGENT_WARP_BARRIER", "BARRIER_SKIPPED", "CONDITIONAL_BARRIER", "BARRIER_IMPOSSIBLE", "DEADLOCK",
        "NOT_IN_OWN_MASK",
        "MASKS_DIFFER", "EXITED", "INACTIVE_SOURCE", "ABSENT_VALUE",
    },
    Kind.OUT_OF_BOUNDS: {"OUT_OF_BOUNDS", "MISALIGNED"},
    Kind.ASSERT: {"ASSERT_FAILED", "TRAPPED"},
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class FileOutcome:
    """The outcome of one file."""

    path: str
    truth: Truth
    verdict: str
    outcome: Outcome
    reason: str  # of the verdict
    result: JobResult

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds of all findings."""
        return tuple(dict.fromkeys(kind for kernel in self.result.kernels for kind in kernel.kinds))

    @property
    def differs_in_kind(self) -> bool:
        """Whether a bug is called broken for findings that do not show its kind."""
        shown_by = _SHOWN_BY.get(self.truth.kind)
        return self.outcome.right and shown_by is not None and not shown_by & {*self.kinds}


def compare(path: str, truth: Truth, result: JobResult) -> FileOutcome:
    """Return the outcome of a file with this truth."""
    if result.error or not result.kernels:
        return FileOutcome(path, truth, "none", Outcome.NOT_CHECKED, result.error or "no kernel", result)
    worst = _worst(result.kernels)
    return FileOutcome(path, truth, worst.verdict, _outcome(truth, worst.verdict), _reason(worst), result)


def _worst(kernels: Sequence[KernelResult]) -> KernelResult:
    return max(kernels, key=lambda kernel: _ORDER.index(kernel.verdict))


def _reason(kernel: KernelResult) -> str:
    finding = f": {kernel.findings[0]}" if kernel.findings else ""
    return f"`{kernel.name}`: {kernel.sentence}{finding}"


def _outcome(truth: Truth, verdict: str) -> Outcome:
    if verdict == "needs arguments":
        return Outcome.NEEDS_ARGUMENTS
    outcomes = _OF_SOUND if truth.sound else _OF_MILD if truth.mild else _OF_BUG
    return outcomes.get(verdict, Outcome.NOT_CHECKED)
