"""The warnings on disturbances in the samples of a run: a sentence for each kind."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shflbench.core.model import Disturbance
from shflbench.core.words import percent_of_one

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from shflbench.core.model import Trouble

# The warning where several cases have a disturbance: their number, and the largest size.
MANY = {
    Disturbance.DRIFT: "the times of {cases} cases drifted by up to {size}",
    Disturbance.SLOW_EPISODES: "some rounds of {cases} cases were up to {size} slower than the others",
    Disturbance.TWO_LEVELS: "the times of {cases} cases have two levels, up to {size} apart",
    Disturbance.THROTTLED: "up to {size} of the samples of {cases} cases were dropped (throttled, or host-bound)",
    Disturbance.NONLINEAR: "the times of {cases} cases are not linear in the number of iterations: up to {size} off",
    Disturbance.PROCESSES: "the times of {cases} cases differ between processes by up to {size}",
}


def disturbance_sentences(troubles: Mapping[str, Sequence[Trouble]], precision: float) -> Iterator[str]:
    """Yield a sentence with advice for each kind of trouble that any case has.

    `troubles` are by case. Troubles smaller than the `precision` of the suite are only in the results.
    """
    notable = [(case_id, one) for case_id, of_case in troubles.items() for one in of_case if one.size >= precision]
    for kind in Disturbance:
        affected = {case_id: one for case_id, one in notable if one.kind is kind}
        if not affected:
            continue
        worst = max(affected, key=lambda case_id: affected[case_id].size)
        advice = affected[worst].advice
        if len(affected) == 1:
            yield f"{worst}: {affected[worst].sentence}; {advice}"
        else:
            many = MANY[kind].format(cases=len(affected), size=percent_of_one(affected[worst].size))
            yield f"{many}, worst in {worst}; {advice}"
