"""Warn of what is wrong with the samples of a run's cases: a sentence for each kind, however many cases have it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shflbench.measure.diagnose import percent
from shflbench.model import Disturbance

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from shflbench.model import Trouble

# What many cases have: how many of them, and the largest size.
MANY = {
    Disturbance.DRIFT: "the times of {cases} cases drifted by up to {size}",
    Disturbance.SLOW_EPISODES: "some rounds of {cases} cases were up to {size} slower than the others",
    Disturbance.TWO_LEVELS: "the times of {cases} cases gather around two values, up to {size} apart",
    Disturbance.THROTTLED: "up to {size} of the samples of {cases} cases were dropped (throttled, or too late)",
    Disturbance.BENT: "the times of {cases} cases are off the line over their iterations by up to {size}",
    Disturbance.PROCESSES: "the times of {cases} cases differ between processes by up to {size}",
}


def warnings(troubles: Mapping[str, Sequence[Trouble]], precision: float) -> Iterator[str]:
    """Yield a sentence with advice for each kind of trouble that some of the cases have.

    `troubles` are by case; those smaller than the `precision` that was asked for are in the results alone.
    """
    notable = [(case_id, one) for case_id, own in troubles.items() for one in own if one.size >= precision]
    for kind in Disturbance:
        found = {case_id: one for case_id, one in notable if one.kind is kind}
        if not found:
            continue
        worst = max(found, key=lambda case_id: found[case_id].size)
        advice = found[worst].advice
        if len(found) == 1:
            yield f"{worst}: {found[worst].sentence}; {advice}"
        else:
            many = MANY[kind].format(cases=len(found), size=percent(found[worst].size))
            yield f"{many}, most of all {worst}; {advice}"
