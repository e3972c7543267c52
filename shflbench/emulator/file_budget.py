"""The budget of one file: instructions of the emulator, and at most so many seconds.

Work is counted, so that a file has the same verdict on every machine, whatever else runs there. The time limit is an
outer bound for what no count bounds, such as a compiler or a slow disk. Everything that takes long spends the budget of
its file, and asks it whether it is over.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from shflbench.core.bounds import MILLION
from shflbench.errors import BudgetError, TimeLimitError

if TYPE_CHECKING:
    from collections.abc import Callable

OPTIONS = ("--budget", "--time-limit")
COMPARISON = 16  # of an access with earlier ones: the instructions that take as long
BYTES = 1024  # of buffers that are filled or compared in the time of an instruction: 64 MiB take 0.2 s
HOST_SHARE = 4  # what one reading of the host code may take is this part of the budget
SHARES = 2  # of one kernel: kernels after it may need less
RESERVED = 0.5  # of the budget, for all kernels alike: one takes no more than leaves those after it their part of this
AGAIN_SHARE = 4  # likewise what shorter launches may take in place of those that the budget ended


@dataclass(slots=True)
class _Meter:
    """What has been spent, shared by all parts of a budget."""

    work: float = 0.0  # instructions, weighted by the time that they take for their threads
    has_timed_out: bool = False


@dataclass(frozen=True, slots=True)
class FileBudget:
    """A number of instructions, and seconds from now on by a clock."""

    most: float = math.inf  # instructions of the file
    limit_s: float = math.inf
    clock: Callable[[], float] = time.monotonic
    end: float = math.inf  # of this part: instructions that are spent then
    end_s: float = math.inf
    part: float = 0.0  # instructions of the part of one kernel; 0: the whole budget
    options: tuple[str, str] = OPTIONS  # which give more instructions, and more time
    _meter: _Meter = field(default_factory=_Meter, compare=False)

    @classmethod
    def of(
        cls,
        most: float = math.inf,
        limit_s: float = math.inf,
        clock: Callable[[], float] = time.monotonic,
        options: tuple[str, str] = OPTIONS,
    ) -> FileBudget:
        """Return the budget of a file that begins now."""
        return cls(most, limit_s, clock, most, clock() + limit_s, options=options)

    def spend(self, work: float) -> None:
        """Count so many instructions, or what takes as long as they do."""
        self._meter.work += work

    @property
    def remaining(self) -> float:
        """The instructions that may be spent yet."""
        return max(0.0, self.end - self._meter.work)

    @property
    def is_over(self) -> bool:
        """Whether nothing is left; of no instructions, or no seconds, from the beginning."""
        return self._meter.work >= self.end or self.is_out_of_time

    @property
    def is_out_of_time(self) -> bool:
        """Whether the seconds are over."""
        is_late = self.clock() >= self.end_s
        self._meter.has_timed_out |= is_late
        return is_late

    @property
    def has_timed_out(self) -> bool:
        """Whether anything was left out because the seconds of this budget, or of a part of it, were over."""
        return self._meter.has_timed_out

    @property
    def error(self) -> BudgetError:
        """What happened when it is over."""
        if self._meter.work < self.end:
            return TimeLimitError(self._late, self.options[1])
        part = f"a kernel's part of {_millions(self.part)} million instructions of " if self.part else ""
        whole = f"the budget of {_millions(self.most)} million instructions was reached"
        return BudgetError(f"{part}{whole}", self.options[0])

    @property
    def _late(self) -> str:
        return f"the time limit of {self.limit_s:g} s was reached"

    def check(self) -> None:
        """Raise BudgetError, or TimeLimitError, if nothing is left."""
        if self.is_over:
            raise self.error

    def check_time(self) -> None:
        """Raise TimeLimitError if the seconds are over."""
        if self.is_out_of_time:
            raise TimeLimitError(self._late, self.options[1])

    def seconds_left(self, most: float) -> float:
        """Return the seconds until the end, at most `most` and at least 0."""
        return max(0.0, min(most, self.end_s - self.clock()))

    def part_of(self, number: int, shares: int = SHARES, kernels: int = 0) -> FileBudget:
        """Return the budget of the first of a number of kernels that have not run, of so many `kernels` of the file.

        It is so many times its share of the instructions left, as far as the others keep what is reserved for them.
        """
        if number <= 1 or not 0 < self.most < math.inf:
            return self
        fair = self.remaining / number
        reserved = (number - 1) * RESERVED * self.most / max(kernels, number)
        part = max(fair, min(shares * fair, self.remaining - reserved))
        return replace(self, end=self._meter.work + part, part=part)

    @property
    def is_part_over(self) -> bool:
        """Whether the instructions of a part are over; not those of a whole budget, and not the seconds."""
        return self.part > 0 and self._meter.work >= self.end and not self.is_out_of_time

    def again(self) -> FileBudget:
        """Return what may be spent beyond a part that is over, on launches in place of those that it ended."""
        return replace(self, end=self._meter.work + (self.part or self.most) / AGAIN_SHARE)

    def apart(self, most: float) -> FileBudget:
        """Return a budget of its own with the same end in time: what it spends is not missing elsewhere."""
        return FileBudget(most, self.limit_s, self.clock, most, self.end_s, options=self.options)


def _millions(work: float) -> str:
    return f"{work / MILLION:.3g}"


NEVER = FileBudget()
