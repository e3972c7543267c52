"""The longest time that a case may take, for all cases or for some (standard library only)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

MICROSECONDS = {"ns": 1e-3, "us": 1.0, "ms": 1e3, "s": 1e6}
LEAST_US, MOST_US = 1e-3, 1e10  # no launch takes less than 1 ns or more than 2.8 hours

ALLOWED = "a time such as `500us`, from 1ns to 10000s, in ns, us, ms or s; for some cases `scan/*=2ms`"

# Both of Unicode's letters for micro. The two forms of a number exclude each other, so that matching is linear.
_AMOUNT = re.compile("([0-9]+(?:[.][0-9]+)?|[.][0-9]+) ?(ns|us|\u00b5s|\u03bcs|ms|s)")


@dataclass(frozen=True, slots=True)
class LongestTime:
    """The longest time of the cases that match `case`; an empty text matches every case."""

    time_us: float
    case: str = ""  # a glob on the case's id

    def __str__(self) -> str:
        """Return it as an option has it."""
        return f"{self.case}{'=' if self.case else ''}{self.time_us:.10g}us"

    def holds_for(self, case_id: str) -> bool:
        """Return whether the limit applies to a case: by its id, which may contain brackets, or by the glob."""
        return not self.case or case_id == self.case or fnmatchcase(case_id, self.case)


@dataclass(frozen=True, slots=True)
class TimeLimits:
    """The longest times, of which the last one that applies to a case holds; limits of some cases come last."""

    limits: tuple[LongestTime, ...] = ()

    @classmethod
    def parse(cls, texts: Iterable[str]) -> TimeLimits:
        """Read values of `--limit`: `500us` or `GLOB=2ms`; ValueError with the allowed forms for others."""
        limits = []
        for text in texts:
            glob, equals, amount = text.rpartition("=")  # the last one: ids may contain others, `mode=up`
            match = _AMOUNT.fullmatch(amount.strip())
            if match is None or (equals and not glob.strip()):
                raise ValueError(ALLOWED)
            time_us = float(match[1]) * MICROSECONDS[match[2] if match[2] in MICROSECONDS else "us"]
            if not LEAST_US <= time_us <= MOST_US:
                raise ValueError(ALLOWED)
            limits.append(LongestTime(time_us, glob.strip()))
        return cls(tuple(sorted(limits, key=lambda limit: bool(limit.case))))

    def of(self, case_id: str) -> float | None:
        """Return the longest time of one case, µs; None without one."""
        return next((limit.time_us for limit in reversed(self.limits) if limit.holds_for(case_id)), None)
