"""What the rows of one pattern say, in a sentence each: the titles of the charts (pure functions)."""

from __future__ import annotations

from collections import Counter
from math import log2
from statistics import mean
from typing import TYPE_CHECKING

from shflbench.analysis.settings import BLOCK, GRID
from shflbench.grouping import group_by
from shflbench.model import Mechanism
from shflbench.plot.quantity import gb_per_s, time_us

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from shflbench.plot.subject import ChartSubject
    from shflbench.store import Row

_TWO_DECIMALS_BELOW = 1.2  # there, one decimal hides the finding
_MOST_GROUPS = 3  # of which each is named; of more it is said how many there are
_LONGEST = 110  # characters of a sentence that names each group
_MOST_WINNERS = 3  # variants named in a sentence


def times(ratio: float) -> str:
    """Return a speed-up as read in a sentence: `4.7×`, `1.04×`."""
    return f"{ratio:.1f}×" if ratio >= _TWO_DECIMALS_BELOW else f"{ratio:.2f}×"


def fastest_safe(rows: Iterable[Row]) -> Row | None:
    """Return the fastest timed safe row; the baseline where its interval overlaps the fastest's.

    Library calls do not compete: they show what they compile to.
    """
    timed = [row for row in rows if row.safe and row.time_us is not None and row.mechanism != Mechanism.LIBRARY]
    fastest = min(timed, key=time_us, default=None)
    if fastest is None:
        return None
    limit = fastest.time_high_us or time_us(fastest)
    level = (row for row in timed if row.variant == row.baseline and (row.time_low_us or time_us(row)) <= limit)
    return next(level, fastest)


def best_variants(subject: ChartSubject) -> str:
    """Say which safe variant is the fastest in each group, and how much faster than the baseline."""
    named = "" if len(subject.groups) > _MOST_GROUPS else _named(subject)
    return named if 0 < len(named) <= _LONGEST else winners(subject)


def _named(subject: ChartSubject) -> str:
    """Say the same, group by group."""
    best = _best(subject)
    baseline = subject.baseline or "the baseline"
    if not best:
        return f"{subject.pattern}: no safe variant has a time"
    faster = [row for row in best if row.variant != row.baseline]
    level = [row for row in best if row.variant == row.baseline]
    if not faster:
        return f"{subject.pattern}: no safe variant is faster than {baseline} ({_places(subject, level)})"
    if any(row.speedup is None for row in faster):
        named = _by_text(subject, faster, lambda row: row.variant)
        return f"{subject.pattern}: the fastest safe variant is {_join(named)}; {baseline} has no time"
    nothing = f", nothing is faster than {baseline} ({_places(subject, level)})" if level else ""
    by_variant = group_by(faster, _variant)
    if len({(row.variant, _gain(row)) for row in faster}) == 1:
        winner, gain, places = faster[0].variant, _gain(faster[0]), _places(subject, faster)
        return f"{subject.pattern}: {winner} is {gain} as fast as {baseline} ({places}){nothing}"
    first, *others = (f"{variant} {_join(_by_text(subject, rows, _gain))}" for variant, rows in by_variant.items())
    said = ", ".join([first.replace(" ", " is ", 1), *others])
    return f"{subject.pattern}: {said} as fast as {baseline}{nothing}"


def next_mechanism(subject: ChartSubject) -> str:
    """Say how far the fastest safe variants lead over the best safe one of another mechanism; empty if none is."""
    leads: dict[str, dict[str, list[Row]]] = {}  # the variant left behind → how far → the leaders
    for rows in subject.groups:
        leader = fastest_safe(rows)
        if leader is None:
            continue
        second = fastest_safe(row for row in rows if row.mechanism != leader.mechanism)
        if second and second.variant != second.baseline:  # how far the baseline is behind, the title says
            lead = times(time_us(second) / time_us(leader))
            leads.setdefault(second.variant, {}).setdefault(lead, []).append(leader)
    against = {
        rival: _join([f"{lead} ({_places(subject, rows)})" for lead, rows in by_lead.items()])
        for rival, by_lead in leads.items()
    }
    named = sum(len(_place(subject, rows[0])) for rows in subject.groups)
    if len(subject.groups) > _MOST_GROUPS or named > _LONGEST // 2:
        leads_all = sorted(float(lead.rstrip("×")) for by_lead in leads.values() for lead in by_lead)
        if not leads_all:
            return ""
        low, high = times(leads_all[0]), times(leads_all[-1])
        lead = low if low == high else f"{low} to {high}"
        return f"The fastest is {lead} as fast as the best safe variant of another mechanism."
    if len(against) == 1:
        ((rival, gains),) = against.items()
        return f"Against {rival}, the best safe variant of another mechanism: {gains}."
    parts = "; ".join(f"{rival} {gains}" for rival, gains in against.items())
    return f"Against the best safe variant of another mechanism: {parts}." if parts else ""


def winners(subject: ChartSubject) -> str:
    """Say at how many settings which safe variant is the fastest, and how much faster than the baseline."""
    best = _best(subject)
    if not best:
        return f"{subject.pattern}: no safe variant has a time"
    (first, count), *others = Counter(row.variant for row in best).most_common()
    named = [f"{variant} at {times}" for variant, times in others[: _MOST_WINNERS - 1]]
    if len(others) > len(named):
        named.append(f"others at {sum(times for _, times in others[len(named) :])}")
    rest = "".join(f", {words}" for words in named)
    unit = "settings" if any(subject.distinct_factors(row, {GRID, BLOCK}) for row in subject.rows) else "launch shapes"
    lead = f"{first} is the fastest safe variant at {count} of {len(best)} {unit}{rest}"
    return f"{subject.pattern}: {lead}{_span(subject, first)}"


def _span(subject: ChartSubject, variant: str) -> str:
    """Say between what the variant's speed-ups lie; empty for the baseline."""
    gains = sorted((row for row in subject.timed if row.variant == variant and row.speedup), key=_log)
    if not gains or variant == subject.baseline:
        return ""
    low, high = _gain(gains[0]), _gain(gains[-1])
    return f"; {variant} is {low if low == high else f'{low} to {high}'} as fast as {subject.baseline}"


def highest_bandwidth(subject: ChartSubject) -> str:
    """Say which safe variant moves the most bytes a second anywhere, and how near the best shuffle comes."""
    safe = [row for row in subject.timed if row.safe and row.mechanism != Mechanism.LIBRARY]
    if not safe:
        return f"{subject.pattern}: no safe variant has a time"
    best = max(safe, key=gb_per_s)
    lead = f"{subject.pattern}: {best.variant} reaches {gb_per_s(best):.0f} GB/s"
    shuffle = max((row for row in safe if row.mechanism == Mechanism.SHFL), key=gb_per_s, default=None)
    if shuffle is not None and shuffle.variant != best.variant:
        return f"{lead}, {shuffle.variant} {gb_per_s(shuffle):.0f} GB/s, {_per_cent(shuffle, best)} of it"
    baseline = max((row for row in safe if row.variant == subject.baseline), key=gb_per_s, default=best)
    if baseline is best:
        return f"{lead}, and no other safe variant more"
    return f"{lead}, {baseline.variant} {gb_per_s(baseline):.0f} GB/s, {_per_cent(baseline, best)} of it"


def _per_cent(row: Row, best: Row) -> str:
    return f"{100 * gb_per_s(row) / gb_per_s(best):.0f} %"


def speedup_range(subject: ChartSubject) -> str:
    """Say between which launch shapes the speed-up of the best safe variant lies."""
    rows = [row for row in subject.timed if row.speedup and row.variant != row.baseline]
    competing = (row for row in rows if row.safe and row.mechanism != Mechanism.LIBRARY)
    by_variant = group_by(competing, _variant)
    if not by_variant:
        return f"{subject.pattern}: no safe variant has a speed-up"
    best = max(by_variant, key=lambda variant: mean(_log(row) for row in by_variant[variant]))
    least, most = (choose(by_variant[best], key=_log) for choose in (min, max))
    low, high = _gain(least), _gain(most)
    span = f"{low} (at {_place(subject, least)}) to {high} (at {_place(subject, most)})" if low != high else low
    return f"{subject.pattern}: {best} is {span} as fast as {subject.baseline}"


def _variant(row: Row) -> str:
    return row.variant


def _best(subject: ChartSubject) -> list[Row]:
    return [row for rows in subject.groups if (row := fastest_safe(rows)) is not None]


def _by_text(subject: ChartSubject, rows: Iterable[Row], text: Callable[[Row], str]) -> list[str]:
    """Return each text once with the places where it holds: `4.7× (f32, i32)`."""
    return [f"{words} ({_places(subject, where)})" for words, where in group_by(rows, text).items()]


def _places(subject: ChartSubject, rows: Sequence[Row]) -> str:
    return ", ".join(_place(subject, row) for row in rows)


def _place(subject: ChartSubject, row: Row) -> str:
    return subject.distinct_setting(row) or row.dtype


def _join(parts: Sequence[str]) -> str:
    return " and ".join([", ".join(parts[:-1]), parts[-1]] if len(parts) > 1 else parts)


def _gain(row: Row) -> str:
    return times(row.speedup or 0.0)


def _log(row: Row) -> float:
    return log2(row.speedup or 1.0)
