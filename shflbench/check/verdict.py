"""From what was found to a verdict and its sentence."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

from shflbench.backends.emulator.machine.policies import POLICIES
from shflbench.backends.emulator.races.hazards import HazardKind

if TYPE_CHECKING:
    from collections.abc import Sequence

SCHEDULES = len(POLICIES)
WATCHED = "shared memory; global memory by results only"


class Level(StrEnum):
    """How much a verdict matters, in the words of GitHub's annotations."""

    ERROR = "error"
    WARNING = "warning"
    NOTICE = "notice"
    NONE = ""


class KernelVerdict(StrEnum):
    """What is to be thought of a kernel."""

    CLEAN = "clean"
    BROKEN = "broken"
    DOUBTFUL = "doubtful"
    DEPENDENT = "schedule-dependent"
    UNSAFE = "unsafe as declared"
    HARMLESS = "unsafe but nothing found"
    NOT_COMPILED = "not compiled"
    NOT_CHECKED = "not checked"
    SKIPPED = "skipped"

    @property
    def level(self) -> Level:
        """How much it matters."""
        return _LEVELS.get(self, Level.NONE)


_LEVELS = {
    KernelVerdict.BROKEN: Level.ERROR,
    KernelVerdict.NOT_COMPILED: Level.ERROR,
    KernelVerdict.NOT_CHECKED: Level.ERROR,
    KernelVerdict.DOUBTFUL: Level.WARNING,
    KernelVerdict.HARMLESS: Level.WARNING,
    KernelVerdict.DEPENDENT: Level.NOTICE,
}


def judge(  # noqa: PLR0911, PLR0913  (all that a verdict rests on, by name; a return for each verdict)
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
    """Return the verdict and why, in one sentence without its full stop.

    `wrong` and `stopped` name the schedules under which the result was wrong, or an error ended the kernel; `endless`
    says that the last of these errors was that it did not end, after which no further schedule was tried; `right`
    says what a result is that is not wrong, and `incomparable` why results were not compared.
    """
    hazards = [kind for kind in kinds if kind.breaks]
    stop = "it does not end" if endless else f"stopped by an error under {_of_all(stopped)}"
    against = [
        *([f"wrong under {_of_all(wrong)}"] if wrong else []),
        *([stop] if stopped else []),
        *([_count(len(hazards), "hazard")] if hazards else []),
    ]
    if violations:
        return KernelVerdict.BROKEN, "; ".join((*violations, *against))
    if against:
        what = ", ".join(against)
        return (KernelVerdict.BROKEN, f"declared safe, but {what}") if safe else (KernelVerdict.UNSAFE, what)
    if incomparable:
        return KernelVerdict.NOT_CHECKED, incomparable
    if HazardKind.ACTIVEMASK in kinds:
        why = "what it does depends on which lanes happen to run together"
        return KernelVerdict.DEPENDENT, f"{right} under all {SCHEDULES} schedules, but {why}"
    if not safe:
        why = f"declared unsafe, but all {SCHEDULES} schedules found nothing: is it safe after all?"
        return KernelVerdict.HARMLESS, why
    if kinds:
        doubts = " and ".join(_DOUBTS[kind] for kind in dict.fromkeys(kinds))
        return KernelVerdict.DOUBTFUL, f"{right} under all {SCHEDULES} schedules, but {doubts}"
    return KernelVerdict.CLEAN, f"{right} and free of hazards under all {SCHEDULES} schedules (watched: {WATCHED})"


_DOUBTS = {
    HazardKind.SAME_VALUE: "threads write equal values to one place with no barrier between",
    HazardKind.ENDED: "a mask names lanes that have ended",
}


def _of_all(schedules: Sequence[str]) -> str:
    return f"all {SCHEDULES} schedules" if len(schedules) == SCHEDULES else f"{len(schedules)} of {SCHEDULES} schedules"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
