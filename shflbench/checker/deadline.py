"""The time limit of one file: everything that takes long asks whether it is over."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from shflbench.errors import TimeLimitError

if TYPE_CHECKING:
    from collections.abc import Callable


@dataclass(frozen=True, slots=True)
class Deadline:
    """A number of seconds from now on, by a clock that returns seconds."""

    limit_s: float = math.inf
    clock: Callable[[], float] = time.monotonic
    share: float = 1.0  # of the limit, from now on
    passed: list[float] = field(default_factory=list, compare=False)  # ends of it and of its parts that stopped work
    end: float = field(init=False)

    def __post_init__(self) -> None:
        """Start the clock."""
        object.__setattr__(self, "end", self.clock() + self.limit_s * self.share)

    @property
    def is_over(self) -> bool:
        """Whether the time is up; with a limit of 0, always."""
        is_over = self.clock() >= self.end
        if is_over:
            self.passed.append(self.end)
        return is_over

    @property
    def was_over(self) -> bool:
        """Whether anything was left out because the time of this deadline, or of a part of it, was up."""
        return bool(self.passed)

    @property
    def sentence(self) -> str:
        """What happened when it is over, without a period."""
        part = f"a kernel's part of {self.limit_s * self.share:.0f} s of " if self.share < 1 else ""
        return f"{part}the time limit of {self.limit_s:g} s was reached"

    def seconds_left(self, most: float) -> float:
        """Return the seconds until the end, at most `most` and at least 0."""
        return max(0.0, min(most, self.end - self.clock()))

    def part_of(self, number: int) -> Deadline:
        """Return the deadline of the first of so many kernels: twice its share of the seconds that are left."""
        if number <= 2 or not 0 < self.limit_s < math.inf:  # noqa: PLR2004  (twice the share of two is all)
            return self
        return self._part(2 * self.seconds_left(self.limit_s) / number)

    @property
    def half(self) -> Deadline:
        """The deadline of what may be tried in another way when half of the seconds that are left are over."""
        if not 0 < self.limit_s < math.inf:
            return self
        return self._part(self.seconds_left(self.limit_s) / 2)

    def _part(self, seconds: float) -> Deadline:
        return Deadline(self.limit_s, self.clock, seconds / self.limit_s, self.passed)

    def check(self) -> None:
        """Raise TimeLimitError if the time is up."""
        if self.is_over:
            raise TimeLimitError(self.sentence, "Give more seconds with --time-limit.")


NEVER = Deadline()
