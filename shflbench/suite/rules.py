"""Check what the rules of measuring and comparing say together, and hand those of measuring on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shflbench.model import MeasureRules
from shflbench.suite.problems import Problem, unknown
from shflbench.suite.quotes import quoted

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from shflbench.model import Case
    from shflbench.suite.compare import Compare
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


def check_compare(compare: Compare, cases: Sequence[Case]) -> Iterator[Problem]:
    """Yield the words of the section `compare` by which an entry matches none of the suite's cases."""
    ids = [case.id for case in cases]
    patterns = dict.fromkeys(case.pattern for case in cases)
    for index, entry in enumerate(compare.thresholds.some):
        at = ("compare", "cases", index)
        variants = dict.fromkeys(case.variant for case in cases if entry.pattern in {"", case.pattern})
        if entry.pattern and entry.pattern not in patterns:
            yield unknown((*at, "pattern"), "pattern", entry.pattern, patterns)
        elif entry.variant and entry.variant not in variants:
            yield unknown((*at, "variant"), "variant", entry.variant, variants)
        elif not any(map(entry.holds_for, ids)):
            needed = f"needed: ids of this suite, such as {quoted(ids[0])}, where `*` stands for anything"
            nearest = tuple(f"{pattern}/*" for pattern in patterns)
            found = f"{quoted(entry.case)}, which matches no case"
            yield Problem((*at, "case"), found, needed, word=entry.case, known=nearest)
