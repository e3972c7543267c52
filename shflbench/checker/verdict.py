"""The verdicts on kernels, their severity, and the hazards that leave a doubt."""

from __future__ import annotations

from enum import StrEnum

from shflbench.emulator.races.hazards import HazardKind


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


# Hazards that say nothing as long as every schedule computes the same. Volatile or relaxed accesses in no fixed order
# (UNORDERED) are not among them: they are no race, and mean what CUDA says of them.
DOUBTS = {
    HazardKind.SAME_VALUE: "threads write equal values to one address in no fixed order",
    HazardKind.GUESS: "a plain read guesses what compare-and-swap checks",
    HazardKind.EXITED: "a mask includes lanes that have exited",
    HazardKind.BARRIER_SKIPPED: "threads exit before a barrier at which others wait",
    HazardKind.WEAK_ORDER: "memory is overwritten after a read by an order that the PTX ISA does not give",
    HazardKind.WEAK_END: "a block may end before a read of its shared memory by the PTX ISA",
    HazardKind.PROXY_ORDER: "a bulk copy overwrites what was read before without a proxy fence",
    HazardKind.UNINITIALIZED_UNUSED: "threads read memory that nothing has written",
}
