"""The figures of each set: verdicts against the truth, time and memory, and published figures of other tools."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from benchmarks.common import pages
from benchmarks.public_sets.job import JobResult
from benchmarks.public_sets.selection import Exclusion
from benchmarks.public_sets.sets import Part, PublicSet, part_of
from benchmarks.public_sets.truth import FileOutcome, Kind, Outcome

TYPICAL_S = 5.0  # the time in which a typical file should get its verdict
_HEADS = (
    "set", "part", "compiler", "files", "taken", "right", "sound called broken", "bug called clean", "doubtful",
    "needs arguments", "not checked",
)  # fmt: skip
_COST_HEADS = ("set", "part", "compiler", "machine", "median", "longest", "files above 5 s", "largest memory")


@dataclass(frozen=True, slots=True)
class SetOutcomes:
    """All outcomes of one set with one compiler."""

    public: PublicSet
    compiler: str  # nvcc or NVRTC
    outcomes: Sequence[FileOutcome]
    excluded: Mapping[str, Exclusion]

    @property
    def complete(self) -> bool:
        """Whether both parts were checked."""
        return {Part.TUNING, Part.HELD_OUT} <= {part for part, _ in self.parts()}

    def parts(self) -> Iterator[tuple[Part, list[FileOutcome]]]:
        """Yield the outcomes of each part that was checked."""
        for part in Part:
            if chosen := [one for one in self.outcomes if part_of(one.path) is part]:
                yield part, chosen


def table(sets: Sequence[SetOutcomes]) -> str:
    """Return the table of verdicts: a row per set, part and compiler."""
    return pages.table(_HEADS, [(*row, *_counts(outcomes)) for row, outcomes in _rows(sets)], texts=3)


def _rows(sets: Sequence[SetOutcomes]) -> list[tuple[tuple[str, Part, str], list[FileOutcome]]]:
    """Return the outcomes by set, part and compiler, in this order."""
    names, parts = [one.public.name for one in sets], list(Part)
    rows = [((one.public.name, part, one.compiler), outcomes) for one in sets for part, outcomes in one.parts()]
    return sorted(rows, key=lambda row: (names.index(row[0][0]), parts.index(row[0][1])))


def _counts(outcomes: Sequence[FileOutcome]) -> tuple[object, ...]:
    counts, total = Counter(one.outcome for one in outcomes), len(outcomes)
    doubtful = counts[Outcome.SOUND_DOUBTFUL] + counts[Outcome.BUG_DOUBTFUL]
    shares = (_share(total - counts[Outcome.NOT_CHECKED], total), _share(counts[Outcome.RIGHT], total))
    undecided = (counts[Outcome.NEEDS_ARGUMENTS], counts[Outcome.NOT_CHECKED])
    return total, *shares, counts[Outcome.SOUND_BROKEN], counts[Outcome.BUG_CLEAN], doubtful, *undecided


def costs(sets: Sequence[SetOutcomes]) -> str:
    """Return the table of CPU time and memory per file, the compiler included: a row per set, part and machine."""
    rows = []
    for row, outcomes in _rows(sets):
        results = [outcome.result for outcome in outcomes if outcome.result.cpu_seconds]
        for machine in dict.fromkeys(result.machine for result in results):
            measured = [result for result in results if result.machine == machine]
            # nvcc leaves a few files to NVRTC; one version names the row.
            [(version, _)] = Counter(result.compiler for result in measured).most_common(1)
            rows.append((*row[:2], version or row[2], machine or "not recorded", *_cost(measured)))
    return pages.table(_COST_HEADS, rows, texts=4)


def _cost(results: Sequence[JobResult]) -> tuple[str, ...]:
    seconds = [result.cpu_seconds for result in results]
    above = _share(sum(second > TYPICAL_S for second in seconds), len(seconds))
    largest = max(result.megabytes for result in results)
    return f"{median(seconds):.1f} s", f"{max(seconds):.1f} s", above, f"{largest:.0f} MB"


def _share(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f}%"


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
