"""The verdicts on kernels, and their severity."""

from __future__ import annotations

from enum import StrEnum


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
