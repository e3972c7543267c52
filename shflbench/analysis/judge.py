"""Judge a case that both runs timed, by the intervals of its two medians."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shflbench.analysis.verdict import Outcome, Reason, Verdict
from shflbench.model import Interval
from shflbench.statistics import ratio

if TYPE_CHECKING:
    from shflbench.store import Row


def judge(base: Row, new: Row, threshold: float) -> Verdict:
    """Say whether `new` takes as long as `base`, both timed; `threshold` is the smallest change that matters.

    The band of no change reaches from 1 / (1 + threshold) to 1 + threshold, so that swapping the
    sides swaps faster and slower. The interval of the ratio is the widest that the two intervals
    allow. It speaks of the samples of these two processes: what differs between processes is not in it.
    """
    before, after = _time(base), _time(new)
    if before is None or after is None:
        side = "base" if before is None else "new"
        sentence = f"the {side} run gives no interval of its time"
        return Verdict(base.case_id, Outcome.INCONCLUSIVE, Reason.NO_INTERVAL, sentence)
    change = ratio(after, before)
    outcome, reason = _outcome(change, threshold)
    sentence = f"{before.value:.4g} µs, now {after.value:.4g} µs: {_words(change, outcome, threshold)}"
    return Verdict(base.case_id, outcome, reason, sentence, change)


def _time(row: Row) -> Interval | None:
    if row.time_us is None or row.time_low_us is None or row.time_high_us is None:
        return None
    return Interval(row.time_us, row.time_low_us, row.time_high_us)


def _outcome(change: Interval, threshold: float) -> tuple[Outcome, Reason]:
    upper = 1 + threshold
    lower = 1 / upper
    if change.low > 1 and change.value >= upper:
        return Outcome.SLOWER, Reason.BEYOND_THRESHOLD
    if change.high < 1 and change.value <= lower:
        return Outcome.FASTER, Reason.BEYOND_THRESHOLD
    if lower <= change.low and change.high <= upper:
        return Outcome.SAME, Reason.WITHIN_THRESHOLD
    return Outcome.INCONCLUSIVE, Reason.INTERVAL_TOO_WIDE


def _words(change: Interval, outcome: Outcome, threshold: float) -> str:
    span = f"{_percent(change.low)} to {_percent(change.high)} %"
    match outcome:
        case Outcome.SLOWER | Outcome.FASTER:
            return f"{_percent(change.value)} % ({span})"
        case Outcome.SAME:
            return f"no change beyond {100 * threshold:.3g} % ({span})"
        case _:
            return f"{_percent(change.value)} %, but it could be {span}"


def _percent(quotient: float) -> str:
    return f"{round(100 * (quotient - 1), 1) + 0.0:+.1f}"  # + 0.0: no minus before a rounded zero
