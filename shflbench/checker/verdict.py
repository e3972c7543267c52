"""Judge a kernel by its findings: a verdict and its sentence."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

from shflbench.checker.machine.policies import POLICIES
from shflbench.checker.races.hazards import HazardKind
from shflbench.words import count_noun

if TYPE_CHECKING:
    from collections.abc import Sequence

SCHEDULES = len(POLICIES)
WATCHED = "every access to memory"


class Level(StrEnum):
    """The severity of a verdict, by the names of GitHub's annotations."""

    ERROR = "error"
    WARNING = "warning"
    NOTICE = "notice"
    NONE = ""


class KernelVerdict(StrEnum):
    """The result of checking a kernel."""

    CLEAN = "clean"
    BROKEN = "broken"
    DOUBTFUL = "doubtful"
    DEPENDENT = "schedule-dependent"
    UNSAFE = "unsafe as declared"
    HARMLESS = "unsafe but nothing found"
    NEEDS_ARGUMENTS = "needs arguments"
    NOT_COMPILED = "not compiled"
    NOT_CHECKED = "not checked"
    SKIPPED = "skipped"

    @property
    def level(self) -> Level:
        """The severity."""
        return _LEVELS.get(self, Level.NONE)


_LEVELS = {
    KernelVerdict.BROKEN: Level.ERROR,
    KernelVerdict.NOT_COMPILED: Level.ERROR,
    KernelVerdict.NOT_CHECKED: Level.ERROR,
    KernelVerdict.DOUBTFUL: Level.WARNING,
    KernelVerdict.NEEDS_ARGUMENTS: Level.WARNING,
    KernelVerdict.HARMLESS: Level.WARNING,
    KernelVerdict.DEPENDENT: Level.NOTICE,
}


def judge(  # noqa: PLR0911, PLR0913  (all evidence by name; a return for each verdict)
    *,
    safe: bool,
    kinds: Sequence[HazardKind],
    wrong: Sequence[str],
    stopped: Sequence[str],
    endless: bool = False,
    right: str = "right",
    incomparable: str = "",
    violations: Sequence[str] = (),
) -> tuple[KernelVerdict, str]:
    """Return the verdict and its reason, a sentence without a period.

    `wrong` and `stopped` name the schedules under which the result was wrong, or an error ended the kernel; `endless`
    says that the last of these errors was that it did not end, after which no further schedule was tried; `right`
    says what a result is that is not wrong, and `incomparable` why results were not compared.
    """
    hazards = [kind for kind in kinds if kind.breaks]
    stop = "it does not terminate" if endless else f"stopped by an error under {_of_all(stopped)}"
    faults = [
        *([f"wrong under {_of_all(wrong)}"] if wrong else []),
        *([stop] if stopped else []),
        *([count_noun(len(hazards), "hazard")] if hazards else []),
    ]
    if violations:
        return KernelVerdict.BROKEN, "; ".join((*violations, *faults))
    if faults:
        what = ", ".join(faults)
        return (KernelVerdict.BROKEN, f"declared safe, but {what}") if safe else (KernelVerdict.UNSAFE, what)
    if incomparable:
        return KernelVerdict.NOT_CHECKED, incomparable
    if HazardKind.ACTIVEMASK in kinds:
        why = "it reads the mask of active lanes, which depends on the schedule"
        return KernelVerdict.DEPENDENT, f"{right} under all {SCHEDULES} schedules, but {why}"
    if not safe:
        why = f"declared unsafe, but nothing was found under all {SCHEDULES} schedules"
        return KernelVerdict.HARMLESS, why
    if doubts := dict.fromkeys(DOUBTS[kind] for kind in kinds if kind in DOUBTS):
        return KernelVerdict.DOUBTFUL, f"{right} under all {SCHEDULES} schedules, but {' and '.join(doubts)}"
    return KernelVerdict.CLEAN, f"{right} and free of hazards under all {SCHEDULES} schedules (checked: {WATCHED})"


# Hazards that say nothing as long as every schedule computes the same. Volatile or relaxed accesses in no fixed order
# (UNORDERED) are not among them: they are no race, and mean what CUDA says of them.
DOUBTS = {
    HazardKind.SAME_VALUE: "threads write equal values to one address in no fixed order",
    HazardKind.EXITED: "a mask includes lanes that have exited",
    HazardKind.BARRIER_SKIPPED: "threads exit before a barrier at which others wait",
    HazardKind.ABSENT_VALUE: "a value comes from a lane that has exited or was never started",
    HazardKind.UNINITIALIZED_UNUSED: "threads read memory that nothing has written",
}


def _of_all(schedules: Sequence[str]) -> str:
    return f"all {SCHEDULES} schedules" if len(schedules) == SCHEDULES else f"{len(schedules)} of {SCHEDULES} schedules"
