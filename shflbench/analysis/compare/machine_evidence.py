"""Evidence in place of sentinels in results of other tools: processes in turn, and the clock of the samples.

Without sentinels, a change of the machine looks like a change of every case. If the processes of both sides ran in turn
(base, new, base, new, …), a slow drift of the machine affects both sides alike; if the SM clock was the same on both
sides, the most frequent change of a machine is excluded.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from math import inf, isnan, nan
from statistics import fmean
from typing import TYPE_CHECKING

from shflbench.analysis.compare.comparison import Reason
from shflbench.analysis.compare.rule import Doubt
from shflbench.store.readers import BenchmarkTool

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from shflbench.analysis.compare.estimates import Process
    from shflbench.analysis.compare.rule import Contrast
    from shflbench.analysis.compare.sides import Side

    Clocks = Mapping[str, Mapping[Process, float]]  # by case and process, MHz

FEWEST_PROCESSES = 3  # per side: with fewer, one process that differs decides
# As the long sentinels: a machine that changed by less is not noticed either (`offset.MOVED`).
CLOCK = 0.002
CRUDE = 0.05  # without sentinels or samples, a change of the machine goes unnoticed
# They time programs of the CPU, and the noise that is assumed where one process does not show it is that of a GPU.
HOST_TOOLS = {BenchmarkTool.PYTEST_BENCHMARK, BenchmarkTool.HYPERFINE}


class ProcessOrder(StrEnum):
    """Whether the processes of the two sides ran in turn, and how that is known."""

    RECORDED = "recorded"  # by the start times in the files
    STATED = "stated"  # by the user; the files have no start times
    UNKNOWN = "unknown"
    ONE_AFTER_ANOTHER = "one-after-another"  # not in turn, by the start times in the files


@dataclass(frozen=True, slots=True)
class MachineEvidence:
    """The evidence that the machine was the same on both sides."""

    order: ProcessOrder
    stated: bool = False  # by the user, that the processes ran in turn
    on_host: bool = False  # by a tool that times programs of the CPU
    base_mhz: Clocks = field(default_factory=dict, repr=False)
    new_mhz: Clocks = field(default_factory=dict, repr=False)

    @classmethod
    def of(cls, base: Side, new: Side, *, stated: bool) -> MachineEvidence | None:
        """Return the evidence of two sides; None unless all runs were converted from files of another tool."""
        if any(run.info.converted is None for side in (base, new) for run in side.runs):
            return None
        tools = {run.info.converted.tool for side in (base, new) for run in side.runs if run.info.converted}
        on_host = not HOST_TOOLS.isdisjoint(tools)
        return cls(_order(base, new, stated=stated), stated, on_host, *map(_clocks_mhz, (base, new)))

    def doubts(self, contrast: Contrast) -> Iterator[Doubt]:
        """Yield why a small change of a case with samples is only suspected; nothing if it is certain."""
        if reason := self.reason(contrast):
            yield Doubt(reason, least=inf if self.on_host and reason is Reason.FEW_PROCESSES else CRUDE)

    def reason(self, contrast: Contrast) -> Reason | None:
        """Return what does not exclude a change of the machine; None if all is as it should be."""
        if min(map(len, (contrast.base, contrast.new))) < FEWEST_PROCESSES:
            return Reason.FEW_PROCESSES
        if self.order in {ProcessOrder.UNKNOWN, ProcessOrder.ONE_AFTER_ANOTHER}:
            return Reason.NOT_ALTERNATED
        # The means of the sides, as of the long sentinels: a single process with another clock shows in the spread.
        base_mhz, new_mhz = (
            fmean(clocks.get(contrast.case_id, {}).get(process, nan) for process in side.processes)
            for side, clocks in ((contrast.base, self.base_mhz), (contrast.new, self.new_mhz))
        )
        if isnan(base_mhz) or isnan(new_mhz):  # that of a process is unknown
            return Reason.CLOCKS_UNKNOWN
        return Reason.CLOCKS_DIFFER if max(base_mhz, new_mhz) > (1 + CLOCK) * min(base_mhz, new_mhz) else None

    def warnings(self, contrasts: Sequence[Contrast]) -> Iterator[str]:
        """Yield sentences on what is missing."""
        if self.stated and self.order is ProcessOrder.ONE_AFTER_ANOTHER:
            yield "--alternated contradicts the start times in the files, which count"
        reasons = {reason: None for contrast in contrasts if (reason := self.reason(contrast))}
        if reasons:
            why = "; ".join(WORDS[reason] for reason in reasons)
            below = "" if self.on_host and Reason.FEW_PROCESSES in reasons else f" below {100 * CRUDE:.0f}%"
            yield f"without sentinels, changes{below} are only suspected: {why}"

    def note(self) -> str:
        """Return how the order of the processes is known; empty if it is not."""
        match self.order:
            case ProcessOrder.RECORDED:
                return "the processes of both sides ran in turn, by the start times in the files"
            case ProcessOrder.STATED:
                return "the processes of both sides ran in turn, as stated by --alternated"
            case _:
                return ""


WORDS = {
    Reason.FEW_PROCESSES: f"a side has fewer than {FEWEST_PROCESSES} processes",
    Reason.NOT_ALTERNATED: (
        "the files do not show that the processes of both sides ran in turn; "
        "run them in turn (base, new, base, new, …), and state it by --alternated if the files have no start times"
    ),
    Reason.CLOCKS_UNKNOWN: "the SM clock was not recorded (with NVBench, use --jsonbin)",
    Reason.CLOCKS_DIFFER: f"the SM clocks of the sides differ by more than {100 * CLOCK:.1f}%; lock the clock",
}


def _order(base: Side, new: Side, *, stated: bool) -> ProcessOrder:
    starts = [_starts(side) for side in (base, new)]
    if None in (times for side in starts for times in side):
        return ProcessOrder.STATED if stated else ProcessOrder.UNKNOWN
    sides = sorted((str(start), place) for place, side in enumerate(starts) for start in side)
    return ProcessOrder.RECORDED if _in_turn(sides) else ProcessOrder.ONE_AFTER_ANOTHER


def _starts(side: Side) -> list[str | None]:
    """Return when the processes of a side started, in UTC and ISO 8601, so that texts sort as times."""
    return [process.started for run in side.runs if run.info.converted for process in run.info.converted.processes]


def _in_turn(started: Sequence[tuple[str, int]]) -> bool:
    """Return whether processes ran in turn: of the first two, the next two, … one is of each side.

    `started` has the start and the side of each process, sorted by start. What one side has more than the other may
    come at the end. Starts in the same second have no order.
    """
    moments = [moment for moment, _ in started]
    sides = [side for _, side in started]
    pairs = [sides[place : place + 2] for place in range(0, 2 * min(sides.count(0), sides.count(1)), 2)]
    return len(set(moments)) == len(moments) and all(set(pair) == {0, 1} for pair in pairs)


def _clocks_mhz(side: Side) -> dict[str, dict[Process, float]]:
    """Return the median SM clock of each case in each process."""
    clocks: dict[str, dict[Process, float]] = {}
    for place, run in enumerate(side.runs):
        for name, processes in run.clocks_mhz().items():
            clocks.setdefault(name, {}).update({(place, process): clock for process, clock in processes.items()})
    return clocks
