"""The launches that are timed, and those of them that the check ran, whole or with fewer blocks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from shflbench.checker import KernelReport
    from shflbench.user_kernels.comparison import KernelComparison


@dataclass(frozen=True, slots=True)
class CheckCoverage:
    """The launches of one kernel that are timed: those that the check ran, and the others, as texts."""

    report: KernelReport
    ran: tuple[str, ...]
    others: tuple[str, ...]

    @property
    def sentence(self) -> str:
        """What was checked instead of the other launches; empty if there are none."""
        if not self.others:
            return ""
        others = f"{', '.join(self.others)} {'is' if len(self.others) == 1 else 'are'} timed, and not checked"
        shapes = ", ".join(dict.fromkeys(launch.shape for launch in self.report.launches))
        return f"{others}; the check ran {', '.join(self.ran) or shapes or 'no launch'}"


@dataclass(slots=True)
class _TimedLaunch:
    """One launch that is timed: of the host code, perhaps of two files, or one that the user gives."""

    programs: set[str]
    is_first: bool  # of the size that is checked

    def is_covered(self, report: KernelReport) -> bool:
        """Whether the check ran it, whole or with fewer blocks."""
        known = self.programs - {""}
        return any(item.program in known for item in report.launches) if known else self.is_first


def coverage_of(comparisons: Sequence[KernelComparison], reports: Sequence[KernelReport]) -> Iterator[CheckCoverage]:
    """Yield the coverage of each kernel that is compared and has a report."""
    timed = _timed_launches(comparisons)
    for report in reports:
        if launches := timed.get(report.symbol):
            ran = tuple(text for text, launch in launches.items() if launch.is_covered(report))
            yield CheckCoverage(report, ran, tuple(text for text in launches if text not in ran))


def _timed_launches(comparisons: Sequence[KernelComparison]) -> dict[str, dict[str, _TimedLaunch]]:
    """Return the launches that are timed by the symbol of their kernel, each with a text that names it."""
    timed: dict[str, dict[str, _TimedLaunch]] = {}
    for kernel in (kernel for comparison in comparisons for kernel in comparison.kernels):
        first = kernel.candidate.launches[0].size
        for launch in kernel.launches:
            size = f" ({launch.size[0]} = {launch.size[1]})" if launch.size is not None else ""
            for symbol, step, shape in zip(kernel.candidate.symbols, launch.steps, launch.shapes, strict=True):
                item = timed.setdefault(symbol, {}).setdefault(
                    f"{shape}{size}", _TimedLaunch(set(), launch.size == first)
                )
                item.programs.add("" if launch.is_given else step.program)
    return timed
