"""Published figures of other tools on the same kernels, beside those of `check`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from benchmarks.public_sets.outcomes import Outcome
from benchmarks.public_sets.truth import Kind

if TYPE_CHECKING:
    from collections.abc import Sequence

    from benchmarks.public_sets.outcomes import FileOutcome

GRAPH = "DAG_100n_200e"


@dataclass(frozen=True, slots=True)
class Figures:
    """How many of Indigo's races a tool reports."""

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


def comparison(outcomes: Sequence[FileOutcome]) -> str:
    """Return the table of Indigo's races: the published figures, and those of `check` from its outcomes.

    A file that `check` calls broken for another fault than its race counts as missed: the race is not in the report.
    """
    races = [one for one in outcomes if one.truth.kind is Kind.RACE]
    sound = [one for one in outcomes if one.truth.sound]
    found = sum(one.outcome.right and not one.differs_in_kind for one in races)
    other = sum(one.differs_in_kind for one in races)
    false_alarms = sum(one.outcome is Outcome.SOUND_BROKEN for one in sound)
    tool = f"`check`, without a GPU ({len(races)} racy and {len(sound)} sound files)"
    figures = [*PUBLISHED, Figures(tool, found, len(races) - found, str(false_alarms))]
    rows = [f"| {one.tool} | {one.found} | {one.missed} | {one.false_alarms} |" for one in figures]
    heads = ["| tool | races found | missed | sound files called racy |", "| --- | --: | --: | --: |"]
    note = f"Of the races that `check` missed, {other} are in files that it calls broken for accesses out of bounds."
    return "\n".join([*heads, *rows, "", note])
