"""Compare the registers of each kernel: exact numbers, which need no GPU, and of which any more counts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shflbench.analysis.compare.comparison import Comparison, Metric, Outcome, Reason, Verdict
from shflbench.analysis.compare.verdicts import LOST, kernel_changes, unequal, verdict_on_failure, verdict_without_times
from shflbench.model import Interval

if TYPE_CHECKING:
    from shflbench.analysis.compare.sides import Side
    from shflbench.store import Row


def compare(base: Side, new: Side) -> Comparison:
    """Say of each case whether its kernel takes more registers than before."""
    ids = dict.fromkeys([*base.rows, *new.rows])
    verdicts = tuple(_verdict(base.rows.get(case_id), new.rows.get(case_id), new) for case_id in ids)
    return Comparison(base=base.info(), new=new.info(), metric=Metric.REGISTERS, verdicts=verdicts, noise=None)


def _verdict(base: Row | None, new: Row | None, side: Side) -> Verdict:
    if new and new.status in LOST and not (base and base.status in LOST):
        return verdict_on_failure(new)
    if base is None or new is None or base.registers is None or new.registers is None:
        either = verdict_without_times(base, new, side)
        if either:
            return either
        assert new is not None  # noqa: S101  (unmeasured has said so)
        return unequal(new, Reason.NO_VALUE, "a side does not know its registers")
    before, after = base.registers, new.registers
    more, same = after > before, after == before
    return Verdict(
        case_id=new.case_id,
        outcome=Outcome.SAME if same else Outcome.SLOWER if more else Outcome.FASTER,
        reason=Reason.WITHIN_THRESHOLD if same else Reason.BEYOND_THRESHOLD,
        sentence=f"{before} registers" if same else f"{before} registers, now {after}",
        base=before,
        new=after,
        ratio=Interval(after / before, after / before, after / before) if before else None,
        why=kernel_changes(base, new),
    )
