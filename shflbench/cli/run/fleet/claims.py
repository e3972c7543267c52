"""The verdicts of several devices on the claims of a suite: a line per claim, or per verdict where they differ."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shflbench.analysis.claims.quantity_words import measured_words
from shflbench.cli.claims.output import STYLES
from shflbench.cli.claims.required import NAMED, failure_of
from shflbench.cli.layout import Line, Table
from shflbench.core.grouping import group_by
from shflbench.core.words import count_noun, flat, one_or_many
from shflbench.errors import FINDING_EXIT

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from shflbench.analysis.claims.verdict import ClaimVerdict
    from shflbench.cli.claims.required import RequiredFailure
    from shflbench.cli.console import Console
    from shflbench.session.fleet.conclusion import Conclusion


def print_claims(conclusions: Sequence[Conclusion], fleet: Path, console: Console) -> int:
    """Print the verdicts and what is wrong with required claims, and return the exit code: 1 if one fails."""
    table = claims_table(conclusions)
    left_out = max((one.judged.left_out for one in conclusions), default=0)
    if table.body or left_out:
        console.say()
    if table.body:
        console.table(table)
        console.say(f"Reasons for these verdicts: shflbench claims {fleet}")
    if left_out:
        needs = one_or_many(left_out, "needs", "need")
        console.say(f"{count_noun(left_out, 'claim')} {needs} cases that this run leaves out.")
    return _conclude(conclusions, console)


def claims_table(conclusions: Iterable[Conclusion]) -> Table:
    """Return the table of the claims that a device has cases for, and of those that the suite requires."""
    verdicts = [
        (conclusion.label, one)
        for conclusion in conclusions
        for one in conclusion.judged.verdicts
        if one.settings or one.claim.required
    ]
    by_claim = group_by(verdicts, lambda item: item[1].claim.id)
    body = [line for of_claim in by_claim.values() for line in _lines(of_claim)]
    return Table("", ("claim", "verdict", "GPUs", "measured"), tuple(body), key=2)


def _lines(verdicts: Sequence[tuple[str, ClaimVerdict]]) -> Iterator[Line]:
    """Yield a line per verdict on one claim, the most frequent first."""
    by_verdict = group_by(verdicts, lambda item: item[1].verdict)
    for verdict, same in sorted(by_verdict.items(), key=lambda item: -len(item[1])):
        claim = same[0][1].claim
        measured = measured_words(claim, [setting.measured for _, one in same for setting in one.settings])
        devices = _devices([label for label, _ in same], len(verdicts))
        yield Line((flat(claim.id), str(verdict), devices, flat(measured)), STYLES[verdict])


def _devices(labels: Sequence[str], total: int) -> str:
    """Return which devices have a verdict: all, a few by their names, or how many."""
    if len(labels) == total:
        return "all" if total > 1 else labels[0]
    return ", ".join(labels) if len(labels) <= NAMED else f"{len(labels)} of {total}"


def _conclude(conclusions: Sequence[Conclusion], console: Console) -> int:
    """Print the first failure of required claims, with the devices that have one; one that is inconclusive warns."""
    failures = [(one.label, failure) for one in conclusions if (failure := failure_of(one.judged.verdicts))]
    failing = [item for item in failures if item[1].code == FINDING_EXIT]
    undecided = [item for item in failures if item[1].code != FINDING_EXIT]
    unjudged = [one for one in conclusions if one.judged.problem]
    for one in unjudged[:NAMED]:
        console.warn(f"{one.label}: {one.judged.problem}")
    if undecided:
        console.warn(f"{_sentence(undecided)}; {undecided[0][1].advice}")
    if failing:
        console.error(_sentence(failing), failing[0][1].advice)
    return FINDING_EXIT if failing or any(one.judged.is_required for one in unjudged) else 0


def _sentence(failures: Sequence[tuple[str, RequiredFailure]]) -> str:
    (label, first), *others = failures
    named = ", ".join(name for name, _ in others[:NAMED])
    more = f" and {len(others) - NAMED} more" if len(others) > NAMED else ""
    return f"{label}: {first.sentence}" + (f"; required claims fail on {named}{more}, too" if others else "")
