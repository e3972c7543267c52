"""Compare what NVBench recorded: unchanged processes with each other, and with slower ones."""

from __future__ import annotations

import tempfile
from collections import Counter
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.compare_power import nvbench
from benchmarks.compare_power.files_rule import compared_files
from benchmarks.nvbench_gate.cases import SLOWER, UNCHANGED

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from benchmarks.nvbench_gate.recording import NVBenchProcess, NVBenchRecording

    Processes = Sequence[NVBenchProcess]
    Pair = tuple[Processes, Processes]  # of base, and of new
    Verdicts = Mapping[str, str]  # by case
    Compare = Callable[[Path, Path], Verdicts]

ALARMS = frozenset({"slower", "faster"})
PER_SIDE = 3


@dataclass(frozen=True, slots=True)
class GateRule:
    """A rule: how many processes it takes per side, and the verdicts on two folders."""

    name: str
    per_side: int
    compare: Compare


def gate_rules() -> Iterator[GateRule]:
    """Yield `compare` and NVBench's scripts; ResultsError if these are not installed."""
    yield GateRule("**`compare`**", PER_SIDE, lambda base, new: dict(compared_files(base, new)))
    for kind, script in nvbench.SCRIPTS.items():
        nvbench.script(kind)
        yield GateRule(f"`{script}`", 1, _script(kind))


def _script(kind: str) -> Compare:
    """Return a rule that compares the only file of each folder; the devices' sections are those of one GPU."""

    def compare(base: Path, new: Path) -> Verdicts:
        (before,), (after,) = (list(folder.glob("*.json")) for folder in (base, new))
        return nvbench.run_script(kind, before, after)

    return compare


def unchanged_pairs(processes: Processes, per_side: int) -> Iterator[Pair]:
    """Yield each way to take two sides of `per_side` from the unchanged processes, the earliest process in the base.

    Of six processes these are all ten splits into three and three, and all fifteen pairs.
    """
    for chosen in combinations(processes, 2 * per_side):
        for others in combinations(chosen[1:], per_side - 1):
            base = (chosen[0], *others)
            yield base, [process for process in chosen if process not in base]


def slowed_pairs(base: Processes, new: Processes, per_side: int) -> Iterator[Pair]:
    """Yield pairs of unchanged and slower processes, where each process takes part in as many.

    The base is every combination of unchanged processes, the new side the slower ones with the same numbers, and those
    with the other numbers where there are as many of them.
    """
    for chosen in combinations(range(len(base)), per_side):
        others = [place for place in range(len(new)) if place not in chosen][:per_side]
        for places in (chosen, others):
            yield [base[place] for place in chosen], [new[place] for place in places]


@dataclass(frozen=True, slots=True)
class GateResult:
    """How often a rule called each case so."""

    rule: GateRule
    unchanged: Sequence[Verdicts]  # of each comparison
    slowed: Sequence[Verdicts]

    @property
    def alarmed(self) -> int:
        """The number of unchanged comparisons with a case called slower or faster."""
        return sum(not ALARMS.isdisjoint(verdicts.values()) for verdicts in self.unchanged)

    def counts(self, case: str, *, slowed: bool) -> Counter[str]:
        """Return how often a case got each verdict."""
        return Counter(verdicts.get(case, "missing") for verdicts in (self.slowed if slowed else self.unchanged))


def apply(rule: GateRule, recording: NVBenchRecording) -> GateResult:
    """Apply a rule to all pairs of a recording; ResultsError if it fails."""
    base, new = recording.side(UNCHANGED), recording.side(SLOWER)
    return GateResult(
        rule,
        [compare_processes(rule, *pair) for pair in unchanged_pairs(base, rule.per_side)],
        [compare_processes(rule, *pair) for pair in slowed_pairs(base, new, rule.per_side)],
    )


def compare_processes(rule: GateRule, base: Processes, new: Processes) -> Verdicts:
    """Write the files of both sides as NVBench did, and compare the folders."""
    with tempfile.TemporaryDirectory() as folder:
        for name, processes in (("base", base), ("new", new)):
            for process in processes:
                process.write_into(Path(folder) / name)
        return rule.compare(Path(folder) / "base", Path(folder) / "new")
