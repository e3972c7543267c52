"""Where a barrier is missing between two accesses to shared memory, and which one would be enough."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING

from shflbench.checker.exchanges.unordered_pairs import Crossing
from shflbench.emulator.races.hazards import RACES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from shflbench.checker.exchanges.study import KernelStudy
    from shflbench.checker.report import KernelReport
    from shflbench.cuda_sources.source_lines import SourceLine


@dataclass(frozen=True, slots=True)
class BarrierGap:
    """Two lines whose accesses to shared memory race, and the barrier that would be enough between them."""

    first: SourceLine  # in the text; equal to the last one where reading and writing in one line race
    last: SourceLine
    is_of_warp: bool  # all threads that meet there are in one warp

    @property
    def barrier(self) -> str:
        """The call that would be enough."""
        return "__syncwarp()" if self.is_of_warp else "__syncthreads()"


def barrier_gaps(report: KernelReport, study: KernelStudy) -> tuple[BarrierGap, ...]:
    """Return where barriers are missing in a kernel with races, by the lines of its findings.

    One around another one is left out, if the barrier of that one closes both.
    """
    gaps = sorted(set(_gaps(report, study)), key=_key)
    return tuple(gap for gap in gaps if not any(_closes(other, gap) for other in gaps))


def _key(gap: BarrierGap) -> tuple[str, int, int]:
    return str(gap.first.file), gap.first.line, gap.last.line


def _closes(one: BarrierGap, other: BarrierGap) -> bool:
    """Whether a barrier for one gap is one for another gap around it, too."""
    is_inside = one.first.file == other.first.file and other.first.line <= one.first.line < one.last.line
    return one != other and is_inside and one.last.line <= other.last.line and one.is_of_warp <= other.is_of_warp


def _gaps(report: KernelReport, study: KernelStudy) -> Iterator[BarrierGap]:
    for finding in report.findings:
        if finding.kind in RACES and finding.place is not None and finding.other is not None:
            crossing = _between(study, finding.other, finding.place)
            if crossing is not None:
                first, last = sorted((finding.other, finding.place), key=lambda line: (str(line.file), line.line))
                yield BarrierGap(first, last, is_of_warp=crossing is Crossing.LANES)


def _between(study: KernelStudy, before: SourceLine, after: SourceLine) -> Crossing | None:
    """Return between which threads values may cross between two lines; None if not through shared memory."""
    crossings = [
        case.between(one, other)
        for case in study.pairs
        for first, second in product(study.accesses.get(before, ()), study.accesses.get(after, ()))
        for one, other in product(case.touched(first), case.touched(second))
        if case.may_meet(one, other)
    ]
    widest = max((crossing for crossing in crossings if crossing is not Crossing.NONE), default=None)
    if widest is None or study.generic.isdisjoint({before, after}):
        return widest
    return Crossing.WARPS  # of an access whose address may be any, nothing is known
