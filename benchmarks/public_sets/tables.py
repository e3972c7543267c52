"""The figures of each set: verdicts against the truth, and time and memory."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING

from benchmarks.common import pages
from benchmarks.public_sets.outcomes import Outcome
from benchmarks.public_sets.sets import Part, part_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from benchmarks.public_sets.job import JobResult
    from benchmarks.public_sets.outcomes import FileOutcome
    from benchmarks.public_sets.selection import Exclusion
    from benchmarks.public_sets.sets import PublicSet

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


def _counts(outcomes: Sequence[FileOutcome]) -> tuple[str, ...]:
    counts = Counter(one.outcome for one in outcomes)
    total = len(outcomes)
    taken = sum(one.outcome.taken for one in outcomes)
    doubtful = counts[Outcome.SOUND_DOUBTFUL] + counts[Outcome.BUG_DOUBTFUL]
    wrong = (counts[Outcome.SOUND_BROKEN], counts[Outcome.BUG_CLEAN], doubtful)
    undecided = (counts[Outcome.NEEDS_ARGUMENTS], counts[Outcome.NOT_CHECKED])
    shares = (_share(taken, total), _share(counts[Outcome.RIGHT], total))
    return str(total), *shares, *map(str, (*wrong, *undecided))


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
