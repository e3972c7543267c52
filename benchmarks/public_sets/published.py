"""Published figures of other tools on the same kernels, beside those of `check`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from benchmarks.common import pages
from benchmarks.public_sets.outcomes import Outcome
from benchmarks.public_sets.truth import Kind

if TYPE_CHECKING:
    from collections.abc import Sequence

    from benchmarks.public_sets.outcomes import FileOutcome
    from benchmarks.public_sets.tables import SetOutcomes


@dataclass(frozen=True, slots=True)
class Figures:
    """How many of Indigo's races a tool reports, one per racy file."""

    tool: str
    found: int
    missed: int
    false_alarms: str = "not stated"  # sound files called racy


# Jacobson, Burtscher and Gopalakrishnan, HiRace, SC24, Table I, the row of the graph that ours is cut from
# (results/paper_figures/table1.png of the artifact): 580 tests, 346 with a race. The abstract says that HiRace finds
# them without false alarms; the table has no such column.
PUBLISHED = (
    Figures("HiRace", 346, 0, "0"),
    Figures("iGUARD", 298, 48),
    Figures("racecheck (compute-sanitizer)", 92, 254),
    Figures("comparison with the sequential result", 301, 45),
)


def comparison(sets: Sequence[SetOutcomes]) -> str:
    """Return the table of Indigo's races: the published figures, and those of `check` by compiler and part.

    A file that `check` calls broken for another fault than its race counts as missed: the race is not in the report.
    """
    indigo = [one for one in sets if one.public.name == "indigo"]
    figures = [*PUBLISHED, *(_figures(one.compiler, "all files", one.outcomes) for one in indigo if one.complete)]
    for one in indigo:
        figures += [_figures(one.compiler, f"{part} part", outcomes) for part, outcomes in one.parts()]
    return pages.table(
        ("tool", "racy files", "races found", "missed", "sound files called racy"),
        [(one.tool, one.found + one.missed, one.found, one.missed, one.false_alarms) for one in figures],
    )


def hidden_races(outcomes: Sequence[FileOutcome]) -> int:
    """Return the number of racy files that `check` calls broken for other faults only."""
    return sum(one.truth.kind is Kind.RACE and one.differs_in_kind for one in outcomes)


def _figures(compiler: str, part: str, outcomes: Sequence[FileOutcome]) -> Figures:
    races = [one for one in outcomes if one.truth.kind is Kind.RACE]
    found = sum(one.outcome.right and not one.differs_in_kind for one in races)
    sound = [one for one in outcomes if one.truth.sound]
    false_alarms = sum(one.outcome is Outcome.SOUND_BROKEN for one in sound)
    tool = f"`check` with {compiler}, without a GPU, {part}"
    return Figures(tool, found, len(races) - found, f"{false_alarms} of {len(sound)}")
