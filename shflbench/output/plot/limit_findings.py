"""Findings in the limits and predictions of a run, in a sentence each: the titles of their charts (pure functions)."""

from __future__ import annotations

import re
from collections import Counter
from statistics import median
from typing import TYPE_CHECKING

from shflbench.analysis.ranking import competes, time_us
from shflbench.analysis.settings import one_pass
from shflbench.core.words import count_noun
from shflbench.output.plot.limiters import limiter_of

if TYPE_CHECKING:
    from shflbench.output.plot.subject import ChartSubject
    from shflbench.store import Row

TOLERANCE = 1.01  # of the limit: a time that beats it by more shows a fault of the limit
MOST_CEILING = 1.05  # of the measured time: the end of the room for marks of ceilings
_MOST_LIMITERS = 3  # named in a sentence
_MOST_NAMED = 3  # cases, or things that are not counted, named in a note


def share(subject: ChartSubject, row: Row) -> float | None:
    """Return the limit of a timed row divided by its time; None where it has none."""
    limit = subject.limits.get(row.case_id)
    return None if limit is None or row.time_us is None else limit.limit_fraction


def share_words(share: float) -> str:
    """Return a share for a reader: `87%`, `<1%`."""
    return f"{share:.0%}" if share >= 0.01 or share == 0 else "<1%"  # noqa: PLR2004  (one percent)


def ceiling_share(subject: ChartSubject, row: Row) -> float | None:
    """Return the time at the rates of the calibrated GPU divided by the measured time; None where it is unknown."""
    limit = subject.limits.get(row.case_id)
    return limit.ceiling_us / row.time_us if limit and limit.ceiling_us is not None and row.time_us else None


def limited_variants(subject: ChartSubject) -> str:
    """Say what limits the fastest safe variant of how many patterns, and what share of their limits they reach."""
    fastest = [row for group in subject.groups if (row := _fastest(group)) is not None]
    limits = [limit for row in fastest if (limit := subject.limits.get(row.case_id)) and limit.limit_fraction]
    if not limits:
        return f"{subject.pattern}: no limit is known for the fastest safe variant{'s' if len(fastest) > 1 else ''}"
    by = Counter(limiter_of(limit.limit_by).words for limit in limits)
    typical = share_words(median(limit.limit_fraction or 0.0 for limit in limits))
    (first, count), *others = by.most_common()
    if len(fastest) == 1 and subject.is_of_kernels and one_pass(fastest[0]) and limits[0].is_far:
        closest = f"{limits[0].mark}{typical} of its time, for {first}"
        return f"{subject.pattern}: {fastest[0].variant} reaches no throughput limit (the closest takes {closest})"
    if len(fastest) == 1:
        return f"{subject.pattern}: {first} limits {fastest[0].variant}, which reaches {typical} of the limit"
    parts = [f"{first} limits the fastest safe variant of {count} of {len(fastest)} patterns"]
    most = _MOST_LIMITERS - 1 if len(by) > _MOST_LIMITERS + 1 else _MOST_LIMITERS  # `others` are at least two
    parts += [f"{name} of {number}" for name, number in others[:most]]
    if rest := sum(number for _, number in others[most:]):
        parts.append(f"others of {rest}")
    if unknown := len(fastest) - len(limits):
        parts.append(f"no limit for {unknown}")
    return f"{subject.pattern}: {', '.join(parts)}; median {typical} of the limit"


def _fastest(group: tuple[Row, ...]) -> Row | None:
    return min(filter(competes, group), key=time_us, default=None)


def find_beaten(subject: ChartSubject) -> list[str]:
    """Return a note on the cases that are faster than their limit, which is a fault of the limit."""
    faster = [row for row in subject.timed if (share(subject, row) or 0.0) > TOLERANCE]
    if not faster:
        return []
    faster.sort(key=lambda row: share(subject, row) or 0.0, reverse=True)
    worst = ", ".join(f"{subject.name_of(row)} ({share(subject, row):.1%})" for row in faster[:_MOST_NAMED])
    more = f", and {len(faster) - _MOST_NAMED} more" if len(faster) > _MOST_NAMED else ""
    return [f"Faster than their limit, so that the limit is wrong: {worst}{more}."]


def beyond(subject: ChartSubject) -> list[str]:
    """Return a note on the cases whose ceiling lies too far beyond 100% to be marked."""
    shares = [(value, subject.name_of(row)) for row in subject.timed if (value := ceiling_share(subject, row))]
    far = [item for item in shares if item[0] > MOST_CEILING]
    if not far:
        return []
    most, name = max(far)
    beyond = count_noun(len(far), "case")
    return [f"Beyond the axis: {beyond} at the rates that `calibrate` measured, at most {most:.0%} ({name})."]


def omissions(subject: ChartSubject) -> list[str]:
    """Return a note on what the limits leave out, because no rate of it is known."""
    limits = [subject.limits[row.case_id] for row in subject.timed if share(subject, row) is not None]
    counts = Counter(name for limit in limits for name in re.split("[;,] ?", limit.omitted or "") if name)
    if not counts:
        return []
    named = ", ".join(f"{name} ({count_noun(count, 'case')})" for name, count in counts.most_common(_MOST_NAMED))
    more = ", and more (limits.csv)" if len(counts) > _MOST_NAMED else ""
    return [f"Not counted, because no rate is known: {named}{more}."]
