"""What NVBench and shflbench measured on the same kernels, held against the bars that shflbench sets itself."""

from __future__ import annotations

import json
from dataclasses import dataclass
from statistics import mean, median
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

LONG_US = 50.0  # from here on event pairs are exact to a few parts in 10,000
SHORT_US = 10.0  # below, the host's submission and the offset of the process decide: no bar
LONG_BAR = 0.005  # how far the medians of long kernels may be apart
SHORT_BAR = 0.015  # of short ones, or NVBench's own range over its processes, if that is larger
REPEAT_BAR = 0.003  # how far separate runs of shflbench may be apart, long kernels
SPEED_BAR = 10.0  # how many times less wall time a case shflbench takes

# Tags of NVBench's summaries: nvbench/detail/measure_cold.cu, `generate_summaries`. Both are in seconds.
MEDIAN_TAG = "nv/cold/time/gpu/median"
WALL_TAG = "nv/cold/walltime"


class ResultError(Exception):
    """A result that cannot be used; the message is a sentence."""


@dataclass(frozen=True, slots=True)
class NVBenchCase:
    """What one process of NVBench found for a case."""

    median_us: float
    wall_s: float  # for all its samples, by NVBench's own account: without set-up and warm-up


def read_nvbench(text: str) -> dict[str, NVBenchCase]:
    """Return what NVBench's JSON file says, by case; ResultError where a case has no result."""
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
    """One thing that is asked for, and whether it was reached."""

    sentence: str
    reached: bool


@dataclass(frozen=True, slots=True)
class Comparison:
    """One case: the medians in µs of each process of NVBench and of each run of shflbench; either may be empty."""

    case_id: str
    theirs: tuple[float, ...]
    ours: tuple[float, ...]

    @property
    def time_us(self) -> float:
        """The time by which the case counts as long or short."""
        return median(self.theirs or self.ours)

    @property
    def difference(self) -> float | None:
        """How far the median of the runs is from the median of the processes, with its sign; None if one is missing."""
        if not self.theirs or not self.ours:
            return None
        return median(self.ours) / median(self.theirs) - 1

    @property
    def allowed(self) -> float | None:
        """How far it may be; None where the case is too short to be judged."""
        if self.time_us < SHORT_US:
            return None
        return LONG_BAR if self.time_us >= LONG_US else max(SHORT_BAR, spread(self.theirs) or 0.0)

    @property
    def agrees(self) -> bool | None:
        """Whether both agree; None where that is not judged."""
        if self.difference is None or self.allowed is None:
            return None
        return abs(self.difference) <= self.allowed


@dataclass(frozen=True, slots=True)
class Report:
    """Everything that was measured; the seconds are wall time without start-up, of all cases of a run or process."""

    comparisons: tuple[Comparison, ...]
    their_seconds: tuple[float, ...]  # one number a process
    our_seconds: tuple[float, ...]  # one number a run

    def bars(self) -> Iterator[Bar]:
        """Yield every bar that can be judged from what was measured."""
        judged = [case for case in self.comparisons if case.agrees is not None]
        if judged:
            wrong = [case.case_id for case in judged if not case.agrees]
            yield Bar(
                f"{len(judged) - len(wrong)} of {len(judged)} kernels agree within {LONG_BAR:.1%} ({LONG_US:.0f} µs "
                f"and more), or {SHORT_BAR:.1%} or NVBench's own range ({SHORT_US:.0f} to {LONG_US:.0f} µs)",
                reached=not wrong,
            )
        repeats = [
            spread(case.ours) or 0.0 for case in self.comparisons if len(case.ours) > 1 and case.time_us >= LONG_US
        ]
        if repeats:
            sentence = (
                f"runs of shflbench differ by {max(repeats):.2%} at most for kernels of {LONG_US:.0f} µs and more; "
                f"{REPEAT_BAR:.1%} is allowed"
            )
            yield Bar(sentence, reached=max(repeats) <= REPEAT_BAR)
        if self.their_seconds and self.our_seconds:
            theirs, ours = (mean(seconds) / len(self.comparisons) for seconds in (self.their_seconds, self.our_seconds))
            yield Bar(
                f"NVBench takes {theirs:.2f} s a case and shflbench {ours:.3f} s, both without start-up: "
                f"{theirs / ours:.1f} times less; {SPEED_BAR:.0f} times is asked for",
                reached=theirs / ours >= SPEED_BAR,
            )

    def table(self) -> str:
        """Return a Markdown table with a line for each case."""
        head = "| kernel | NVBench, µs | its range | shflbench, µs | its range | difference | allowed | agree |"
        lines = [head, "|---|--:|--:|--:|--:|--:|--:|---|"]
        lines += [f"| {' | '.join(_cells(case))} |" for case in self.comparisons]
        return "\n".join(lines)

    def verdicts(self) -> str:
        """Return a line for each bar."""
        return "\n".join(f"- {'reached' if bar.reached else '**missed**'}: {bar.sentence}" for bar in self.bars())


def compare(
    order: Sequence[str], theirs: Sequence[Mapping[str, NVBenchCase]], ours: Sequence[Mapping[str, float]]
) -> tuple[Comparison, ...]:
    """Join what each process and each run found, by case in the `order` given; ResultError where one lacks a case."""
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
    """Return the distance from the smallest to the largest as a fraction of the median; None below two values."""
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
