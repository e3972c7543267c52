"""Check what the measuring rules say together, and hand them on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shflbench.model import MeasureRules
from shflbench.suite.problems import Problem

if TYPE_CHECKING:
    from collections.abc import Iterator

    from shflbench.suite.schema import Measure


def rules_of(measure: Measure) -> MeasureRules:
    """Return the rules that the section `measure` stands for."""
    return MeasureRules(**measure.model_dump())


def check_rules(measure: Measure) -> Iterator[Problem]:
    """Yield what contradicts itself in the section `measure`, at a key that is written there.

    `max_seconds` may well be smaller than `min_seconds`: it limits the seconds in which the GPU runs a case, and
    `min_seconds` the span that its rounds are spread over, in which other cases are sampled, too.
    """
    if measure.min_samples <= measure.max_samples:
        return
    if "max_samples" in measure.model_fields_set:
        remedy = f"allowed: at least `min_samples`, which is {measure.min_samples}"
        yield Problem(("measure", "max_samples"), f"`{measure.max_samples}`", remedy)
    else:
        remedy = f"allowed: at most `max_samples`, which is {measure.max_samples}"
        yield Problem(("measure", "min_samples"), f"`{measure.min_samples}`", remedy)
