"""The smallest change that matters, for all cases or for some (standard library only)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Iterable

LEAST = 0.001  # percent or µs: far below any measurable difference between launches
MOST = {"%": 100.0, "us": 1_000_000.0}  # twice the time, or one second more: larger thresholds have no use

ALLOWED = "a percentage such as `1%`, from 0.001% to 100%, or a time such as `0.2us`, from 1 ns to 1 s"
CASES_ALLOWED = f"{ALLOWED}; for some cases `neighbor/*=2%`, where `*` matches any text in a case id"

# Both of Unicode's letters for micro. The two forms of a number exclude each other, so that matching is linear.
AMOUNT = "([0-9]+(?:[.][0-9]+)?|[.][0-9]+) ?(%|us|\u00b5s|\u03bcs)"


@dataclass(frozen=True, slots=True)
class Threshold:
    """The smallest change that matters: a fraction of the time, or µs."""

    amount: float
    unit: Literal["fraction", "us"] = "fraction"

    @classmethod
    def parse(cls, text: str) -> Threshold:
        """Read `1%` or `0.2us`; ValueError with the allowed forms for other text."""
        match = re.fullmatch(AMOUNT, text.strip())
        if match is None:
            raise ValueError(ALLOWED)
        number, unit = float(match[1]), "%" if match[2] == "%" else "us"
        if not LEAST <= number <= MOST[unit]:
            raise ValueError(ALLOWED)
        return cls(number / 100) if unit == "%" else cls(number, "us")

    def fraction_of(self, time_us: float) -> float:
        """Return it as a fraction of `time_us`, which is above 0."""
        return self.amount if self.unit == "fraction" else self.amount / time_us

    def __str__(self) -> str:
        """Return it as a user writes it, `1%` or `0.2us`."""
        return f"{100 * self.amount:.10g}%" if self.unit == "fraction" else f"{self.amount:.10g}us"


@dataclass(frozen=True, slots=True)
class Special:
    """A threshold for the cases that match `case`, `pattern` and `variant`; an empty text matches every case."""

    threshold: Threshold
    case: str = ""  # a glob on the case's id
    pattern: str = ""
    variant: str = ""

    def holds_for(self, case_id: str) -> bool:
        """Return whether the threshold applies to a case, whose id begins with pattern and variant."""
        pattern, variant, *_ = f"{case_id}/".split("/")
        return (
            self.pattern in {"", pattern}
            and self.variant in {"", variant}
            and (not self.case or case_id == self.case or fnmatchcase(case_id, self.case))
        )


@dataclass(frozen=True, slots=True)
class Thresholds:
    """A threshold for all cases, None for the default of the comparison, and others for some cases."""

    all: Threshold | None = None
    some: tuple[Special, ...] = ()

    @classmethod
    def parse(cls, texts: Iterable[str]) -> Thresholds:
        """Read values of `--threshold`: `1%`, `0.2us` or `GLOB=1%`; ValueError with the allowed forms for others."""
        whole: Threshold | None = None
        some = []
        for text in texts:
            glob, equals, amount = text.rpartition("=")  # the last one: ids may contain others, `mode=up`
            try:
                threshold = Threshold.parse(amount)
            except ValueError:
                raise ValueError(CASES_ALLOWED) from None
            if not equals:
                whole = threshold
            elif glob.strip():
                some.append(Special(threshold, case=glob.strip()))
            else:
                raise ValueError(CASES_ALLOWED)
        return cls(whole, tuple(some))

    def of(self, case_id: str) -> Threshold | None:
        """Return the threshold of one case: the last given one that applies to it."""
        return next((special.threshold for special in reversed(self.some) if special.holds_for(case_id)), self.all)

    def values(self) -> tuple[Threshold, ...]:
        """Return all thresholds."""
        whole = () if self.all is None else (self.all,)
        return (*whole, *(special.threshold for special in self.some))

    def overridden_by(self, stronger: Thresholds) -> Thresholds:
        """Return these thresholds, overridden by `stronger`: its threshold for all cases overrides all of these."""
        if stronger.all is not None:
            return stronger
        return Thresholds(self.all, (*self.some, *stronger.some))
