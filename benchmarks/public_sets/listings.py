"""The files that need a word: excluded, judged wrongly, or judged right for another kind of bug.

Each bug that is called clean needs a limit of `check` in `limits.tsv`, as the documentation states it.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.common.records import read_table
from benchmarks.public_sets.outcomes import Outcome
from benchmarks.public_sets.sets import Part, part_of

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

    from benchmarks.public_sets.outcomes import FileOutcome
    from benchmarks.public_sets.tables import SetOutcomes

LIMITS = Path(__file__).with_name("limits.tsv")
WRONG = tuple(outcome for outcome in Outcome if not outcome.right)


def excluded(sets: Sequence[SetOutcomes]) -> Iterator[str]:
    """Yield a line per set: its commit, how many files each rule excludes, and where the truth comes from."""
    for one in {one.public.name: one for one in sets}.values():
        rules = Counter(exclusion.rule for exclusion in one.excluded.values())
        listed = ", ".join(f"{rule} {count}" for rule, count in sorted(rules.items())) or "none"
        yield f"- {one.public.title} ({one.public.repository} at {one.public.commit[:7]}): {listed}."


def sources(sets: Sequence[SetOutcomes]) -> Iterator[str]:
    """Yield a line per set: where its truth comes from."""
    for one in {one.public.name: one for one in sets}.values():
        yield f"- {one.public.title}: {one.public.source}."


def wrong(sets: Sequence[SetOutcomes], table: Path = LIMITS, outcomes: Collection[Outcome] = WRONG) -> Iterator[str]:
    """Yield a line per file with one of these outcomes, with the truth, the reason of the verdict and the limit."""
    limits = read_limits(table)

    def line(name: str, one: FileOutcome, compilers: str) -> str:
        limit = f" Limit: {limits.get((name, one.path), 'not stated.')}" if one.outcome is Outcome.BUG_CLEAN else ""
        part = "" if (part := part_of(one.path)) is Part.TUNING else f", {part}"
        return (
            f"- **{one.outcome}** {name}/{one.path} ({compilers}{part}). {_truth(one)} "
            f"Report: {_sentence(one.reason)}{limit}"
        )

    yield from _listed(sets, lambda one: one.outcome in outcomes, line)


def differing_kinds(sets: Sequence[SetOutcomes]) -> Iterator[str]:
    """Yield a line per bug that is called broken for findings of another kind than its truth."""

    def line(name: str, one: FileOutcome, compilers: str) -> str:
        kinds = ", ".join(one.kinds).lower().replace("_", " ")
        return f"- {name}/{one.path} ({compilers}). {_truth(one)} Findings: {kinds}."

    yield from _listed(sets, lambda one: one.differs_in_kind, line)


def _truth(one: FileOutcome) -> str:
    return f"Truth: {one.truth.kind}: {_sentence(one.truth.reason)}"


def _sentence(text: str) -> str:
    return f"{text.rstrip('.')}."


def _listed(
    sets: Sequence[SetOutcomes],
    chosen: Callable[[FileOutcome], bool],
    line: Callable[[str, FileOutcome, str], str],
) -> Iterator[str]:
    """Yield the lines of the files that are chosen, one line for both compilers where the outcome is the same."""
    kept: dict[tuple[str, Outcome, str], tuple[FileOutcome, list[str]]] = {}
    for one in sets:
        for outcome in one.outcomes:
            if chosen(outcome):
                key = (one.public.name, outcome.outcome, outcome.path)
                kept.setdefault(key, (outcome, []))[1].append(one.compiler)
    for (name, _, _), (outcome, compilers) in sorted(kept.items(), key=lambda item: item[0]):
        yield line(name, outcome, " and ".join(compilers))
    if not kept:
        yield "None."


def read_limits(table: Path = LIMITS) -> Mapping[tuple[str, str], str]:
    """Return the limit of `check` that lets a bug pass, by set and path."""
    if not table.exists():
        return {}
    return {(row["set"], row["path"]): row["limit"] for row in read_table(table)}
