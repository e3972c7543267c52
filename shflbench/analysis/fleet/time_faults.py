"""Faults of a device that its times show: slow over all cases or in a pattern, and noisy."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from shflbench.analysis.compare.noise import OFFSET_US
from shflbench.analysis.fleet.report import Outlier, OutlierKind
from shflbench.core.words import all_of, signed_percent_of_one

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from shflbench.core.model import Interval

# The smallest slowdown that is named, halfway to 3%. Five H200s differ by 0.03% over all cases and, where they wait for
# memory, by up to 1.7% (benchmarks/compare_power); the spread of the model's devices counts besides.
THRESHOLD = 0.015
# A device is noisy if its samples scatter this many times as far as those of the median device of its model: the five
# H200s of benchmarks/compare_power differ by 4%, a GPU that another process uses by more than 2×.
NOISY = 2.0
LISTED = 3  # patterns in a sentence
# Standard deviations between processes from which the offset of launches is worth a remark; it is subtracted.
UNUSUAL_LAUNCH = 5.0


def is_slower(slower: Interval | None, threshold: float) -> bool:
    """Whether a device is slower by the threshold or more, and more than its model's devices differ."""
    return slower is not None and slower.value >= threshold and slower.low > 0


def is_undecided(slower: Interval | None, threshold: float) -> bool:
    """Whether the interval of a device contains the threshold, so that it is neither slow nor sound."""
    return slower is not None and not is_slower(slower, threshold) and slower.high >= threshold


def slow(
    slower: Interval | None,
    patterns: Mapping[str, Interval],
    threshold: float,
    cases: tuple[tuple[str, ...], int],
    sentinels: float | None,
) -> Iterator[Outlier]:
    """Yield the finding on a device that is slower over all cases or in some patterns.

    `cases` are those in which it is slower, and the number of all; `sentinels` is by how much its sentinels are slower.
    """
    affected = {name: change for name, change in patterns.items() if is_slower(change, threshold)}
    overall = slower is not None and is_slower(slower, threshold)
    if not overall and not affected:
        return
    ids, count = cases
    where = f"slower in {len(ids)} of {count} cases"
    if overall and slower is not None:
        sentence = f"{words(slower)} over all cases; {where}; {_patterns(affected, patterns)}"
        size = slower.value
    else:
        sentence = f"{_patterns(affected, patterns)}; {where}"
        size = max(change.value for change in affected.values())
    yield Outlier(OutlierKind.SLOW, f"{sentence}; {_sentinels(sentinels, size)}", ids)


def _patterns(affected: Mapping[str, Interval], patterns: Mapping[str, Interval]) -> str:
    if not affected:
        return "certain in no single pattern"
    if len(affected) == len(patterns) > 1:
        return f"in {all_of(len(patterns), 'patterns')}"
    worst = sorted(affected.items(), key=lambda item: -item[1].value)
    listed = ", ".join(f"{name} {words(change)}" for name, change in worst[:LISTED])
    rest = len(worst) - LISTED
    return f"in {listed}" if rest <= 0 else f"in {listed} and {rest} more of {len(patterns)} patterns"


def _sentinels(change: float | None, slower: float) -> str:
    """Return what the sentinels say about the cause: they depend on the SM clock, not on memory."""
    if change is None:
        return "no sentinels show whether the SM clock is the cause"
    size = f"sentinels {signed_percent_of_one(change)}"
    return f"{size}: the whole device is slower" if change >= slower / 2 else f"{size}: not the SM clock"


def noisy(factor: float | None, spread: float, k: float) -> Iterator[Outlier]:
    """Yield the finding on a device whose samples scatter further than those of its model.

    `spread` is the standard deviation of the logarithm of the factor between devices; `k` counts how many of them are
    needed.
    """
    if factor is not None and factor >= NOISY and math.log(factor) > k * spread:
        yield Outlier(
            OutlierKind.NOISY, f"its samples scatter {factor:.1f}× as far as those of its model's median device"
        )


def of_launches(offset_us: float | None) -> Iterator[str]:
    """Yield a remark on a device whose launches take longer or less long than on the others."""
    if offset_us is not None and abs(offset_us) > UNUSUAL_LAUNCH * OFFSET_US:
        direction = "longer" if offset_us > 0 else "less"
        size = f"{abs(offset_us):.2f} µs {direction}"
        yield f"each launch takes {size} than on the median device, by the sentinels; subtracted"


def not_compared(patterns: Sequence[str]) -> Iterator[str]:
    """Yield a remark on patterns whose samples consist of another number of launches than on most devices.

    Their times cannot be compared. Short kernels have samples of several launches, so a device on which they take
    longer may be slower there.
    """
    if patterns:
        more = f" and {len(patterns) - LISTED} more patterns" if len(patterns) > LISTED else ""
        yield (
            f"not compared: {', '.join(patterns[:LISTED])}{more}, with other numbers of launches per sample than on "
            "most devices, which depend on how long a kernel takes"
        )


def slow_sentinels(change: float | None, spread: float, k: float, threshold: float) -> Iterator[Outlier]:
    """Yield the finding on a device of which nothing but the sentinels can be compared.

    `spread` is the standard deviation between devices; `k` counts how many of them are needed.
    """
    if change is not None and change >= threshold and change > k * spread:
        yield Outlier(
            OutlierKind.SLOW,
            f"sentinels {signed_percent_of_one(change)}; too few devices timed the same cases to compare these",
        )


def words(change: Interval) -> str:
    """Return a change with its interval: `+3.1% (2.8 to 3.4)`."""
    low, high = (round(100 * end, 1) + 0.0 for end in (change.low, change.high))
    return f"{signed_percent_of_one(change.value)} ({low:.1f} to {high:.1f})"
