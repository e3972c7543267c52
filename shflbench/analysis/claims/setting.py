"""Judge a claim in one setting."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from shflbench.analysis.claims.evaluate import Unknown, evaluate, truth
from shflbench.analysis.claims.margin import margin
from shflbench.analysis.claims.measured import measured_quantity
from shflbench.analysis.claims.quantities import Quantities, needs_times
from shflbench.analysis.claims.quantity_words import truth_word
from shflbench.analysis.claims.reasons import why
from shflbench.analysis.claims.verdict import SettingOutcome, SettingStatus
from shflbench.analysis.settings import BLOCK, GRID, factors, words
from shflbench.core.model import Interval

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from shflbench.analysis.claims.evaluate import Lookup, Truth, Value
    from shflbench.analysis.claims.resolve import ClaimSetting
    from shflbench.core.claims.claim import Claim
    from shflbench.core.claims.expression import Expression


@dataclass(frozen=True, slots=True)
class JudgedSetting:
    """The outcome in one setting, and what sentences need of it."""

    outcome: SettingOutcome
    factors: Mapping[str, str]  # what sets it apart: `pattern`, `dtype`, `grid`, …
    margin: float | None  # by which fraction the claim holds


def judge_setting(claim: Claim, setting: ClaimSetting, family: int) -> JudgedSetting:
    """Judge a claim with a condition in one setting; its intervals hold jointly for `family` values."""
    subject, run = setting.subject, setting.subject.source.run
    quantity, free = measured_quantity(claim), _free(setting)
    with np.errstate(all="ignore"):  # values of damaged files overflow; then they are unknown
        sources = _sources(setting, family)
        outcome, unknown = _combine([_truth(claim, setting, source) for source in sources])
        measured = _hull([_evaluate(quantity.expression, setting, source) for source in sources]) if quantity else None
        clear = None if setting.absent or claim.holds is None else margin(claim.holds, _lookup(setting, sources[0]))
    parts = {key: value for key, value in factors(setting.group.first).items() if key not in free}
    return JudgedSetting(
        SettingOutcome(
            outcome=outcome,
            run=str(run.folder),
            suite=run.info.suite.name,
            pattern=setting.group.first.pattern,
            setting=words(parts),
            case_ids=setting.case_ids,
            measured=measured,
            reason=unknown.reason if unknown else "",
            is_missing=unknown.is_missing if unknown else False,
            why=why(setting, subject.source.limits if needs_times(claim) else {}),
        ),
        {"pattern": setting.group.first.pattern, **parts},
        clear,
    )


def _sources(setting: ClaimSetting, family: int) -> list[Quantities]:
    """Return the values of the run: as measured, and with the largest offset that all its launches may share.

    An offset of all launches moves times together, so it is not part of each interval. Ratios and differences of times
    are monotonic in it: what is true at both ends is true between.
    """
    subject = setting.subject
    largest = subject.times.offset_us(family) if setting.measured and not setting.absent else 0.0
    offsets = (0.0, largest, -largest) if largest else (0.0,)
    return [Quantities(subject.source, subject.times, subject.code, family, offset) for offset in offsets]


def _lookup(setting: ClaimSetting, source: Quantities) -> Lookup:
    return lambda call: source.value(call, setting.rows[call])


def _truth(claim: Claim, setting: ClaimSetting, source: Quantities) -> Truth:
    if setting.absent or claim.holds is None:
        return Unknown("; ".join(setting.absent), is_missing=True)
    return truth(claim.holds, _lookup(setting, source))


def _evaluate(expression: Expression, setting: ClaimSetting, source: Quantities) -> Value:
    return Unknown("", is_missing=True) if setting.absent else evaluate(expression, _lookup(setting, source))


def _combine(results: Sequence[Truth]) -> tuple[SettingStatus, Unknown | None]:
    """Return the outcome if all results agree, else why it is undecided."""
    unknown = [result for result in results if isinstance(result, Unknown)]
    if unknown:
        return SettingStatus.UNDECIDED, unknown[0]
    if len(set(results)) > 1:
        return SettingStatus.UNDECIDED, Unknown("it depends on the time that a process adds to each launch")
    return (SettingStatus.HOLDS if results[0] else SettingStatus.FAILS), None


def _hull(values: Sequence[Value]) -> Interval | str | None:
    """Return the interval that contains all of some intervals, around the first value; or a text that all are."""
    intervals = [value for value in values if isinstance(value, Interval)]
    if len(intervals) == len(values):
        low, high = min(item.low for item in intervals), max(item.high for item in intervals)
        return Interval(intervals[0].value, low, high)
    first = values[0]
    if isinstance(first, bool):
        return truth_word(first)
    return first if isinstance(first, str) else None


def _free(setting: ClaimSetting) -> set[str]:
    """Return the factors that every call replaces, so that the setting does not have them."""
    replaced = [{key for key, _ in call.settings} for call in setting.rows if setting.rows[call]]
    free = set.intersection(*replaced) if replaced else set()
    return free | {GRID, BLOCK} if "launch" in free else free
