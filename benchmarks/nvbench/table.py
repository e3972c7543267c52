"""Compare the times of NVBench and shflbench for the same kernels, and check them against bars."""

from __future__ import annotations

import json
from dataclasses import dataclass
from statistics import mean, median
from typing import TYPE_CHECKING

from benchmarks.common.pages import table_row

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

# How far the medians of a kernel may differ: docs/explanation/why-nvbench-differs.md. In one process NVBench, which
# writes the L2 cache before a launch, is up to 0.2 µs above shflbench (earlier.md); the process of each tool
# adds 0.1 µs, two standard deviations of its offset. A slow state of the GPU adds up to 0.4%.
BAR_US = 0.4
BAR_SHARE = 0.004
LONG_US = 50.0  # kernels from here on must repeat
REPEAT_BAR = 0.003  # the largest range of separate runs of shflbench, for long kernels
SPEED_BAR = 10.0  # the smallest ratio of the wall times per case

# Tags of NVBench's summaries: nvbench/detail/measure_cold.cu, `generate_summaries`. Both are in seconds.
MEDIAN_TAG = "nv/cold/time/gpu/median"
WALL_TAG = "nv/cold/walltime"


class ResultError(Exception):
    """A result that cannot be used, as a sentence."""


@dataclass(frozen=True, slots=True)
class NVBenchCase:
    """The result of one process of NVBench for a case."""

    median_us: float
    wall_s: float  # of all its samples, as NVBench reports it: without set-up and warm-up


def read_nvbench(text: str) -> dict[str, NVBenchCase]:
    """Return the results in NVBench's JSON file, by case; ResultError if a case has none."""
    found = {}
    for bench in json.loads(text)["benchmarks"]:
        for state in bench["states"]:  # one: the benchmarks have no axes, and one device is used
            if state.get("is_skipped"):
                raise ResultError(f"NVBench skipped {bench['name']}: {state.get('skip_reason')}")
            values = {
                summary["tag"]: item["value"]
                for summary in state["summaries"] or ()
                for item in summary.get("data") or ()
                if item["name"] == "value"
            }
            if MEDIAN_TAG not in values:
                raise ResultError(f"NVBench took no sample of {bench['name']}")
            found[bench["name"]] = NVBenchCase(float(values[MEDIAN_TAG]) * 1e6, float(values[WALL_TAG]))
    return found


@dataclass(frozen=True, slots=True)
class Bar:
    """One bar, and whether it was reached."""

    sentence: str
    reached: bool


@dataclass(frozen=True, slots=True)
class Comparison:
    """One case: the medians of each process of NVBench and of each run of shflbench, in µs; either may be empty."""

    case_id: str
    theirs: tuple[float, ...]
    ours: tuple[float, ...]

    @property
    def time_us(self) -> float:
        """The time of the case, by NVBench if it was run."""
        return median(self.theirs or self.ours)

    @property
    def difference(self) -> float | None:
        """The relative difference between the medians of shflbench and NVBench; None if one is missing."""
        if not self.theirs or not self.ours:
            return None
        return median(self.ours) / median(self.theirs) - 1

    @property
    def allowed(self) -> float:
        """The largest relative difference of times that agree."""
        return BAR_US / self.time_us + BAR_SHARE

    @property
    def agrees(self) -> bool | None:
        """Whether both agree; None if one is missing."""
        return None if self.difference is None else abs(self.difference) <= self.allowed


@dataclass(frozen=True, slots=True)
class Report:
    """All results; the seconds are wall time without start-up, of all cases of a run or process."""

    comparisons: tuple[Comparison, ...]
    their_seconds: tuple[float, ...]  # one number per process
    our_seconds: tuple[float, ...]  # one number per run

    def bars(self) -> Iterator[Bar]:
        """Yield every bar for which there are results."""
        judged = [case for case in self.comparisons if case.agrees is not None]
        if judged:
            wrong = [case.case_id for case in judged if not case.agrees]
            yield Bar(
                f"{len(judged) - len(wrong)} of {len(judged)} kernels agree within {BAR_US} µs plus {BAR_SHARE:.1%}",
                reached=not wrong,
            )
        repeats = [
            spread(case.ours) or 0.0 for case in self.comparisons if len(case.ours) > 1 and case.time_us >= LONG_US
        ]
        if repeats:
            sentence = (
                f"runs of shflbench differ by {max(repeats):.2%} at most for kernels of {LONG_US:.0f} µs and more; "
                f"the bar is {REPEAT_BAR:.1%}"
            )
            yield Bar(sentence, reached=max(repeats) <= REPEAT_BAR)
        if self.their_seconds and self.our_seconds:
            theirs, ours = (mean(seconds) / len(self.comparisons) for seconds in (self.their_seconds, self.our_seconds))
            yield Bar(
                f"NVBench takes {theirs:.2f} s per case and shflbench {ours:.3f} s, both without start-up: a factor of "
                f"{theirs / ours:.1f}; the bar is {SPEED_BAR:.0f}",
                reached=theirs / ours >= SPEED_BAR,
            )

    def table(self) -> str:
        """Return a Markdown table with a line for each case."""
        head = "| kernel | NVBench, µs | its range | shflbench, µs | its range | difference | allowed | agree |"
        lines = [head, "|---|--:|--:|--:|--:|--:|--:|---|"]
        lines += [table_row(*_cells(case)) for case in self.comparisons]
        return "\n".join(lines)

    def verdicts(self) -> str:
        """Return a line for each bar."""
        return "\n".join(f"- {'reached' if bar.reached else '**missed**'}: {bar.sentence}" for bar in self.bars())


def compare(
    order: Sequence[str], theirs: Sequence[Mapping[str, NVBenchCase]], ours: Sequence[Mapping[str, float]]
) -> tuple[Comparison, ...]:
    """Join the results of all processes and runs, by case in this `order`; ResultError if one lacks a case."""
    for number, found in enumerate((*theirs, *ours), start=1):
        if missing := [name for name in order if name not in found]:
            who = (
                f"process {number} of NVBench" if number <= len(theirs) else f"run {number - len(theirs)} of shflbench"
            )
            raise ResultError(f"{who} has no time for {missing[0]}")
    return tuple(
        Comparison(name, tuple(found[name].median_us for found in theirs), tuple(found[name] for found in ours))
        for name in order
    )


def spread(times: Sequence[float]) -> float | None:
    """Return the range as a fraction of the median; None for fewer than two values."""
    return (max(times) - min(times)) / median(times) if len(times) > 1 else None


def _cells(case: Comparison) -> list[str]:
    sides = [
        cell
        for times in (case.theirs, case.ours)
        for cell in (f"{median(times):.3f}" if times else "–", _percent(spread(times)))
    ]
    agree = {True: "yes", False: "**no**", None: "–"}[case.agrees]
    difference = "–" if case.difference is None else f"{case.difference:+.2%}"
    return [f"`{case.case_id}`", *sides, difference, _percent(case.allowed), agree]


def _percent(fraction: float | None) -> str:
    return "–" if fraction is None else f"{fraction:.2%}"
