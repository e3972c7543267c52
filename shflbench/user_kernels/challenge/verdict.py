"""Judge a run of challengers beside the published variants: which it beats, by what factor, and why."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import TYPE_CHECKING

from shflbench.analysis.ranking import TIE
from shflbench.core.grouping import group_by
from shflbench.core.model import Interval, Status
from shflbench.core.statistics import ratio
from shflbench.store.limits_file import read_limits
from shflbench.user_kernels.challenge.mechanism import EXCHANGES

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from shflbench.store import Row, Run
    from shflbench.store.kernel_archive import KernelArchive
    from shflbench.store.limits_file import CaseLimit


BELOW_LIMIT = 0.03  # no row of the reference runs takes over 1% less time than its limit: benchmarks/limits.md


class ChallengeVerdict(StrEnum):
    """What a run shows of a challenger and a published variant."""

    BEATS = "beats"
    TIES = "ties"
    SLOWER = "slower"
    UNDECIDED = "undecided"
    DOUBTFUL = "doubtful"  # its times are not those of the work that its results show


@dataclass(frozen=True, slots=True)
class RivalComparison:
    """A challenger and the fastest published variant of one mechanism."""

    challenger: str
    published: str
    mechanism: str  # of the published variant
    factor: Interval  # time of the published variant divided by that of the challenger
    doubt: str = ""  # why the times of the challenger cannot be those of the pattern's work; empty if they can

    @property
    def verdict(self) -> ChallengeVerdict:
        """The verdict by the 95% interval of the factor and by what matters."""
        if self.doubt:
            return ChallengeVerdict.DOUBTFUL
        if self.factor.low > 1 + TIE:
            return ChallengeVerdict.BEATS
        if self.factor.high < 1 / (1 + TIE):
            return ChallengeVerdict.SLOWER
        is_even = self.factor.low >= 1 / (1 + TIE) and self.factor.high <= 1 + TIE
        return ChallengeVerdict.TIES if is_even else ChallengeVerdict.UNDECIDED

    @property
    def factor_text(self) -> str:
        """The factor with its interval: `1.10× [1.08, 1.12]`."""
        return f"{self.factor.value:.2f}× [{self.factor.low:.2f}, {self.factor.high:.2f}]"


@dataclass(frozen=True, slots=True)
class CodeFacts:
    """What explains the time of a variant: its instructions and its limit."""

    variant: str
    mechanism: str
    instructions: float | None  # per iteration of a warp; None without a timed loop
    moves: Mapping[str, float]  # instructions among them that move values or wait, by opcode
    limit: CaseLimit | None

    @property
    def sentence(self) -> str:
        """The facts in words: `21 instructions per iteration (STS 1, LDS 3); limit 92 cycles, by latency: 97%`."""
        parts = []
        if self.instructions is not None:
            moves = ", ".join(f"{opcode} {count:g}" for opcode, count in self.moves.items())
            parts.append(f"{self.instructions:.3g} instructions per iteration{f' ({moves})' if moves else ''}")
        if self.limit and self.limit.limit_us is not None:
            cycles = self.limit.limit_cycles
            least = f"{self.limit.limit_us:.3g} µs" if cycles is None else f"{cycles:.3g} cycles"
            share = f", {self.limit.limit_fraction:.0%} of the time" if self.limit.limit_fraction else ""
            parts.append(f"limit {self.limit.mark}{least}, by {self.limit.limit_by}{share}")
        elif self.limit and self.limit.limit_reason:
            parts.append(f"no limit: {self.limit.limit_reason}")
        return "; ".join(parts)


@dataclass(frozen=True, slots=True)
class SettingVerdict:
    """The verdicts on the challengers at one launch."""

    rows: tuple[Row, ...]  # of the group
    basis: str  # `iteration` or `launch`: what the compared times are of
    comparisons: tuple[RivalComparison, ...]  # by challenger, fastest published variant first
    facts: tuple[CodeFacts, ...]  # of the challengers and of the fastest published variant
    missing: tuple[str, ...] = ()  # published variants that failed here

    @property
    def launch(self) -> str:
        """The launch."""
        return self.rows[0].launch

    def beats_all(self, challenger: str) -> bool:
        """Whether a challenger beats the published best of each mechanism, of which none failed."""
        comparisons = [one for one in self.comparisons if one.challenger == challenger]
        return (
            bool(comparisons) and not self.missing and all(one.verdict is ChallengeVerdict.BEATS for one in comparisons)
        )


def verdicts_of(
    run: Run, challengers: Collection[str], known: Mapping[str, str] = MappingProxyType({})
) -> Iterator[SettingVerdict]:
    """Yield the verdicts on the timed challengers of each group in which a published variant was timed.

    `known` are doubts about challengers, by name, from before the run.
    """
    limits, archive = read_limits(run.folder), run.kernels()
    groups = group_by(run.rows, lambda row: (row.pattern, row.dtype, row.launch, row.iterations, row.options))
    for rows in groups.values():
        timed = [row for row in rows if row.status is Status.TIMED and row.safe and row.time_interval]
        mine = [row for row in timed if row.variant in challengers]
        published = [row for row in timed if row.variant not in challengers]
        if mine and published:
            doubts = {
                row.variant: known.get(row.variant) or _doubt(row, published, limits.get(row.case_id), archive)
                for row in mine
            }
            yield _setting(rows, mine, published, doubts, limits, archive)


def _setting(  # noqa: PLR0913, PLR0917  (what a verdict is of)
    rows: Sequence[Row],
    mine: Sequence[Row],
    published: Sequence[Row],
    doubts: Mapping[str, str],
    limits: Mapping[str, CaseLimit],
    archive: KernelArchive | None,
) -> SettingVerdict:
    has_slopes = all(row.slope_interval and row.slope_interval.low > 0 for row in (*mine, *published))
    times = {row.variant: _time(row, has_slopes=has_slopes) for row in (*mine, *published)}

    def fastest(rows: Sequence[Row]) -> list[Row]:
        return sorted(rows, key=lambda row: times[row.variant].value)

    best = fastest([fastest(alike)[0] for alike in group_by(published, lambda row: row.mechanism).values()])
    comparisons = tuple(
        RivalComparison(
            row.variant,
            other.variant,
            other.mechanism,
            ratio(times[other.variant], times[row.variant]),
            doubts[row.variant],
        )
        for row in fastest(mine)
        for other in best
    )
    failed = {Status.FAILED, Status.INCORRECT}
    names = {row.variant for row in mine}
    missing = tuple(row.variant for row in rows if row.status in failed and row.safe and row.variant not in names)
    facts = tuple(_facts(row, limits.get(row.case_id), archive) for row in (*fastest(mine), best[0]))
    return SettingVerdict(tuple(rows), "iteration" if has_slopes else "launch", comparisons, facts, missing)


def _doubt(row: Row, published: Sequence[Row], limit: CaseLimit | None, archive: KernelArchive | None) -> str:
    """Return why the time of a challenger cannot be that of the work that its results show; empty if it can."""
    fraction = limit.limit_fraction if limit else None
    if fraction and fraction > 1 + BELOW_LIMIT:
        return f"it takes less time than its machine code needs ({fraction:.0%} of the time)"
    slopes = [other.slope_interval for other in published if other.slope_interval]
    grows = row.slope_interval is not None and row.slope_interval.low > 0
    if slopes and all(slope.low > 0 for slope in slopes) and not grows:
        return "its time does not grow with the number of iterations"
    if _loop_exchanges(row, archive) is False and all(_loop_exchanges(other, archive) for other in published):
        return "its timed loop exchanges no values"
    return ""


def _loop_exchanges(row: Row, archive: KernelArchive | None) -> bool | None:
    """Whether values leave a thread in the timed loop of a row's kernel; None where no loop is known."""
    stored = archive.kernel_of(row.case_id) if archive else None
    return bool(EXCHANGES & stored.loop.instructions.keys()) if stored and stored.loop else None


def _time(row: Row, *, has_slopes: bool) -> Interval:
    """Return the time per iteration, without launch overhead, where all rows of a group have it; else of a launch."""
    interval = row.slope_interval if has_slopes else row.time_interval
    assert interval is not None  # noqa: S101  (the caller has looked)
    return interval


def _facts(row: Row, limit: CaseLimit | None, archive: KernelArchive | None) -> CodeFacts:
    stored = archive.kernel_of(row.case_id) if archive else None
    loop = stored.loop if stored else None
    instructions = sum(loop.instructions.values()) / loop.unroll if loop else None
    return CodeFacts(row.variant, row.mechanism, instructions, row.sass_per_iteration or {}, limit)
