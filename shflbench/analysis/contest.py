"""Which variant of a group is fastest, and which ones tie with it (pure functions)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from shflbench.model import Mechanism, Status

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from shflbench.store import Row

_THREE_DECIMALS_WITHIN = 0.005  # of 1, which two decimals would round it to
_TWO_DECIMALS_BELOW = 1.2  # there, one decimal hides the difference
_NO_DECIMAL_FROM = 100.0  # from here on, a decimal says nothing


@dataclass(frozen=True, slots=True)
class Contest:
    """The competing rows of one group, which has at least two: fastest first."""

    leaders: tuple[Row, ...]  # the fastest row, then those whose intervals overlap its own
    others: tuple[Row, ...]

    @property
    def fastest(self) -> Row:
        """The row with the shortest time; it wins only where it is the only leader."""
        return self.leaders[0]

    @property
    def is_tie(self) -> bool:
        """Whether the intervals do not tell which row is fastest."""
        return len(self.leaders) > 1

    @property
    def variants(self) -> tuple[str, ...]:
        """The leading variants; in alphabetical order, because the times of a tie give none."""
        return tuple(sorted(row.variant for row in self.leaders))


def contest_of(rows: Iterable[Row]) -> Contest | None:
    """Return the contest between the rows of one group; None where fewer than two compete."""
    ranked = sorted(filter(competes, rows), key=time_us)
    if len(ranked) < 2:  # noqa: PLR2004  (a contest takes two)
        return None
    leaders = tuple(row for row in ranked if overlap(row, ranked[0]))
    return Contest(leaders, tuple(row for row in ranked if row not in leaders))


def competes(row: Row) -> bool:
    """Return whether the row can win: timed, safe, and no library call, which shows what it compiles to.

    A row without a mechanism, of another tool, is a task of its own and no variant.
    """
    is_rival = row.mechanism not in {"", Mechanism.LIBRARY}
    return row.status is Status.TIMED and bool(row.time_us) and row.safe and is_rival


def overlap(one: Row, other: Row) -> bool:
    """Return whether the intervals of two timed rows overlap; a time without an interval is a point."""
    (low, high), (other_low, other_high) = _interval(one), _interval(other)
    return low <= other_high and other_low <= high


def time_us(row: Row) -> float:
    """Return the row's time in µs; infinite where there is none, so that it sorts last."""
    return row.time_us if row.time_us is not None else float("inf")


def times(ratio: float) -> str:
    """Return a ratio of speeds for a reader: `271×`, `4.7×`, `1.04×`, `1.004×`."""
    if abs(ratio - 1) < _THREE_DECIMALS_WITHIN:
        return f"{ratio:.3f}×"
    decimals = 2 if ratio < _TWO_DECIMALS_BELOW else 1 if ratio < _NO_DECIMAL_FROM else 0
    return f"{ratio:.{decimals}f}×"


def times_range(ratios: Sequence[float]) -> str:
    """Return the least and the largest of some ratios: `1.8× to 4.7×`, or the one that they are."""
    low, high = times(min(ratios)), times(max(ratios))
    return low if low == high else f"{low} to {high}"


def _interval(row: Row) -> tuple[float, float]:
    low = time_us(row) if row.time_low_us is None else row.time_low_us
    high = time_us(row) if row.time_high_us is None else row.time_high_us
    return low, high
