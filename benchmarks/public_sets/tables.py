"""The figures of each set: verdicts against the truth, and time and memory."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING

from benchmarks.public_sets.outcomes import Outcome
from benchmarks.public_sets.sets import Part, part_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from benchmarks.public_sets.outcomes import FileOutcome
    from benchmarks.public_sets.selection import Exclusion
    from benchmarks.public_sets.sets import PublicSet

SHORT_S = 5.0  # the time in which a typical file should get its verdict
_HEADS = (
    "set", "part", "compiler", "files", "taken", "right", "sound called broken", "bug called clean", "doubtful",
    "needs arguments", "not checked",
)  # fmt: skip
_COST_HEADS = ("set", "compiler", "median", "longest", "files below 5 s", "largest memory")


@dataclass(frozen=True, slots=True)
class SetOutcomes:
    """All outcomes of one set with one compiler."""

    public: PublicSet
    compiler: str  # nvcc or NVRTC
    outcomes: Sequence[FileOutcome]
    excluded: Mapping[str, Exclusion]

    def parts(self) -> Iterator[tuple[Part, list[FileOutcome]]]:
        """Yield the outcomes of each part that was checked."""
        for part in Part:
            if chosen := [one for one in self.outcomes if part_of(one.path) is part]:
                yield part, chosen


def table(sets: Sequence[SetOutcomes]) -> str:
    """Return the table of verdicts: a row per set, part and compiler."""
    rows = [(one.public.name, part, one.compiler, *_counts(outcomes)) for one in sets for part, outcomes in one.parts()]
    return _markdown(_HEADS, 3, sorted(rows, key=lambda row: [item.public.name for item in sets].index(row[0])))


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
    """Return the table of CPU time and memory of the processes, the compiler included: a row per set and compiler."""
    rows = []
    for one in sets:
        results = [outcome.result for outcome in one.outcomes if outcome.result.cpu_seconds]
        if results:
            seconds = [result.cpu_seconds for result in results]
            short = _share(sum(second < SHORT_S for second in seconds), len(seconds))
            largest = max(result.megabytes for result in results)
            figures = (f"{median(seconds):.1f} s", f"{max(seconds):.1f} s", short, f"{largest:.0f} MB")
            rows.append((one.public.name, one.compiler, *figures))
    return _markdown(_COST_HEADS, 2, rows)


def _markdown(heads: Sequence[str], texts: int, rows: Sequence[Sequence[str]]) -> str:
    """Return a table whose first columns are texts and whose others are figures."""
    rule = ["---"] * texts + ["--:"] * (len(heads) - texts)
    return "\n".join(f"| {' | '.join(line)} |" for line in (heads, rule, *rows))


def _share(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f}%"
