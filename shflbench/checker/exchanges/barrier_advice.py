"""Advise on the barriers of a kernel: which could be weaker, for all values or for those of the launches alone."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING

from shflbench.checker.exchanges.barriers import WARP_BARRIER, replace_barriers
from shflbench.checker.exchanges.study import numbers_of_command_lines, pairs_of_command_lines
from shflbench.checker.exchanges.unordered_pairs import Crossing
from shflbench.checker.reporter import KernelReporter
from shflbench.checker.verdict import KernelVerdict, Level
from shflbench.core.words import join_words, one_or_many
from shflbench.emulator.races.hazards import HazardKind

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from shflbench.checker.exchanges.counterexamples import CounterExamples
    from shflbench.checker.exchanges.other_values import OtherValues
    from shflbench.checker.exchanges.study import BarrierSite, KernelStudy
    from shflbench.checker.exchanges.unordered_pairs import BarrierPairs, UnorderedPair
    from shflbench.checker.report import KernelReport
    from shflbench.cuda_sources.kernel_file import KernelFile
    from shflbench.cuda_sources.source_lines import SourceLine
    from shflbench.emulator.link.program import Op

OF_ENDED_LANES = frozenset({HazardKind.EXITED, HazardKind.BARRIER_SKIPPED})  # findings on lanes that have ended
ORDERS_WARPS = "it orders accesses of different warps"
ALL_VALUES = "for all values, grids and contents"


class BarrierNeed(StrEnum):
    """What a barrier of the block is needed for."""

    BLOCK = "needed"  # orders accesses of different warps
    WARP = "__syncwarp() is enough"
    NOTHING = "not needed"
    UNKNOWN = "not enough evidence"


@dataclass(frozen=True, slots=True)
class BarrierAlternative:
    """What a barrier is needed for, for all values, while other barriers stay as they are."""

    need: BarrierNeed
    stay: tuple[SourceLine, ...]  # barriers that advice on other lines weakens


@dataclass(frozen=True, slots=True)
class BarrierAdvice:
    """One barrier, and what it is needed for in the launches that were checked."""

    line: SourceLine
    need: BarrierNeed
    reason: str
    is_proved: bool = True  # for all sizes, grids and contents; else for the numbers of the launches
    alternative: BarrierAlternative | None = None  # of a barrier that is needed, if others are not weakened as advised

    @property
    def could_be_weaker(self) -> bool:
        """Whether a barrier of the warp, or none, is known to be enough."""
        return self.need in {BarrierNeed.WARP, BarrierNeed.NOTHING}


def is_advised(report: KernelReport) -> bool:
    """Whether a kernel is right, but for lanes that have ended where others wait: it exchanges what it means to."""
    if report.verdict is KernelVerdict.DOUBTFUL:
        return {item.kind for item in report.findings if item.level is Level.WARNING} <= OF_ENDED_LANES
    return report.verdict in {KernelVerdict.CLEAN, KernelVerdict.DEPENDENT}


def needed_barriers(study: KernelStudy) -> Iterator[BarrierAdvice]:
    """Yield the barriers that order accesses of different warps in the launches, which proves that they are needed."""
    for site in _in_order(study):
        if site.warps:
            yield BarrierAdvice(site.line, BarrierNeed.BLOCK, ORDERS_WARPS)


def _in_order(study: KernelStudy) -> list[BarrierSite]:
    return sorted(study.barriers.values(), key=lambda item: (str(item.line.file), item.line.line))


class BarrierAdvisor:
    """The barriers of one kernel, which are weakened one after the other.

    What is proved for all values comes first: a barrier that only the numbers of the launches do not need stays in
    place for it.
    """

    def __init__(
        self,
        report: KernelReport,
        study: KernelStudy,
        file: KernelFile,
        examples: CounterExamples,
    ) -> None:
        """Start with all barriers in place."""
        self._report, self._study, self._examples = report, study, examples
        self._original = file
        self._file = file  # with the barriers as advised so far
        self._removed: list[Op] = []
        self._weakened: list[Op] = []  # which still order the lanes of a warp

    def advice(self) -> list[BarrierAdvice]:
        """Return the advice on all barriers in the order of their lines."""
        sites = _in_order(self._study)
        known = {site.line: advice for site in sites if (advice := self._shown(site))}
        for advise in (self._proved, self._tried):
            known |= {site.line: advice for site in sites if site.line not in known and (advice := advise(site))}
        return [self._with_alternative(site, known) for site in sites]

    def _with_alternative(self, site: BarrierSite, known: Mapping[SourceLine, BarrierAdvice]) -> BarrierAdvice:
        """Return the advice on a barrier, with what it is needed for while those stay that are weakened instead."""
        advice = known[site.line]
        weaker = [other for other in _in_order(self._study) if known[other.line].could_be_weaker]
        if site.warps or advice.need is not BarrierNeed.BLOCK or not weaker:
            return advice
        pair = _crossing_without(self._study.pairs, site, [], [])
        if pair is None or pair.crossing is not Crossing.WARPS:
            need = BarrierNeed.NOTHING if pair is None else BarrierNeed.WARP
            stay = tuple(other.line for other in self._deciding(site, weaker))
            scope = f" for {self._study.single.blocks} only" if self._study.single.blocks else ""
            return replace(
                advice, reason=_instead_of(site, stay, f"{need}{scope}"), alternative=BarrierAlternative(need, stay)
            )
        if self._examples.in_launches(_without(site, self._original, "")):
            return advice
        stay = tuple(other.line for other in weaker)
        return replace(advice, reason=_instead_of(site, stay, "no launch needs it"))

    def _deciding(self, site: BarrierSite, weaker: Sequence[BarrierSite]) -> Sequence[BarrierSite]:
        """Return the weaker barriers due to which one is needed: those that alone are enough for that, or all.

        All, too, if it is needed because several others become weaker at once.
        """
        alone = [other for other in weaker if self._is_needed_without(site, [other])]
        return weaker if self._is_needed_without(site, [other for other in weaker if other not in alone]) else alone

    def _is_needed_without(self, site: BarrierSite, others: Sequence[BarrierSite]) -> bool:
        """Whether a barrier may order warps if some others become weaker as advised."""
        ops = {id(op) for other in others for op in other.ops}
        removed, weakened = ([op for op in known if id(op) in ops] for known in (self._removed, self._weakened))
        pair = _crossing_without(self._study.pairs, site, removed, weakened)
        return pair is not None and pair.crossing is Crossing.WARPS

    def _shown(self, site: BarrierSite) -> BarrierAdvice | None:
        """Return what the launches show of a barrier, without a change of it."""
        if site.warps:
            return BarrierAdvice(site.line, BarrierNeed.BLOCK, ORDERS_WARPS)
        if reason := _why_unknown(site, self._study):
            return BarrierAdvice(site.line, BarrierNeed.UNKNOWN, reason)
        if replace_barriers(self._file.ptx, site.ptx_lines, "") is None:
            return BarrierAdvice(site.line, BarrierNeed.UNKNOWN, "it is no plain barrier of the block")
        return None

    def _proved(self, site: BarrierSite) -> BarrierAdvice | None:
        """Return what is proved for all values, and change the file so; None if the proof fails.

        Where words of the command line give blocks of other sizes, it holds for those that are known.
        """
        pair = self._crossing(self._study.pairs, site)
        if pair is not None and pair.crossing is Crossing.WARPS:
            return None
        return self._weaker(site, pair, is_proved=not self._study.single.blocks, scope=self._study.single.blocks)

    def _tried(self, site: BarrierSite) -> BarrierAdvice:
        """Return what launches show for which a barrier has no proof."""
        pair = self._crossing(self._study.pairs, site)
        of_numbers = self._crossing(self._study.pairs_of_numbers, site) if self._study.single.numbers else pair
        is_enough = of_numbers is None or of_numbers.crossing is not Crossing.WARPS
        weaker = _without(site, self._file, "" if of_numbers is None else WARP_BARRIER)
        if not is_enough and self._examples.in_launches(weaker):
            return BarrierAdvice(site.line, BarrierNeed.BLOCK, "without it, a launch has a fault")
        if pair is not None and (refuted := self._refuted(site, pair, of_numbers)):
            return refuted
        if is_enough or pair is None:
            return self._weaker(site, of_numbers, is_proved=False, scope=join_words(self._study.single.numbers))
        return BarrierAdvice(site.line, BarrierNeed.UNKNOWN, self._open(pair, site))

    def _weaker(self, site: BarrierSite, pair: UnorderedPair | None, *, is_proved: bool, scope: str) -> BarrierAdvice:
        """Return that a barrier could be weaker, and let it be so for those that follow.

        `pair` are lanes of a warp that it alone orders; None if it orders nothing. Without a proof for all values, it
        holds for those of `scope`.
        """
        need = BarrierNeed.NOTHING if pair is None else BarrierNeed.WARP
        (self._removed if pair is None else self._weakened).extend(site.ops)
        self._file = _without(site, self._file, "" if pair is None else WARP_BARRIER)
        reason = f"for {scope} only" if scope else self._scope
        return BarrierAdvice(site.line, need, reason, is_proved=is_proved)

    def _crossing(self, cases: Iterable[BarrierPairs], site: BarrierSite) -> UnorderedPair | None:
        """Return the widest two accesses that only a barrier orders, with the others as advised so far."""
        return _crossing_without(cases, site, self._removed, self._weakened)

    def _refuted(
        self, site: BarrierSite, pair: UnorderedPair, of_numbers: UnorderedPair | None
    ) -> BarrierAdvice | None:
        """Return with which values a barrier is needed that the launches do not need; None if none are known.

        `pair` is what it may order for all numbers, and `of_numbers` for those of the launches.
        """
        by = "" if of_numbers is None else WARP_BARRIER
        both = pair.before, pair.after
        values = self._examples.fault(both, self._file, _without(site, self._file, by))
        if values is None:
            return None
        if (of_words := self._for_command_lines(site, values)) is not None:
            return of_words
        fault = f"without it, a launch with {values.text} has a fault"
        if not by and self._examples.fault(both, self._file, _without(site, self._file, WARP_BARRIER)) is None:
            return BarrierAdvice(site.line, BarrierNeed.UNKNOWN, f"open: {fault}, with __syncwarp() none is known to")
        if of_numbers is None or of_numbers.crossing is not Crossing.WARPS:
            enough = BarrierNeed.NOTHING if of_numbers is None else BarrierNeed.WARP
            fault = f"{fault}; {enough} for {join_words(self._study.single.numbers)}"
        return BarrierAdvice(site.line, BarrierNeed.BLOCK, fault)

    def _for_command_lines(self, site: BarrierSite, values: OtherValues) -> BarrierAdvice | None:
        """Return that a barrier could be weaker for all numbers that known command lines give.

        None if one of them needs it, or if they all give the same number; `values` are those of a launch that needs it.
        """
        tried = numbers_of_command_lines(self._study, values.number)
        if len(tried) == 1 or not tried:
            return None
        pair = self._crossing(pairs_of_command_lines(self._study), site)
        if pair is not None and pair.crossing is Crossing.WARPS:
            return None
        advice = self._weaker(site, pair, is_proved=False, scope="")
        numbers = join_words([str(number) for number in tried])
        given = f"for the command lines that were tried only, with {values.number} = {numbers}; others may need it"
        return replace(advice, reason=f"{given}: a launch with {values.text} has a fault")

    @property
    def _scope(self) -> str:
        """For which values proved advice holds, in a kernel whose exchanges are known for some values only."""
        if self._study.single.numbers:
            return ALL_VALUES
        return "the blocks have a single warp" if self._study.warps <= 1 else ""

    def _open(self, pair: UnorderedPair, site: BarrierSite) -> str:
        """Return what is not known of a barrier."""
        kernel = next(kernel for kernel in self._file.kernels if kernel.symbol == self._report.symbol)
        line_of = KernelReporter(self._file, kernel).line_of
        lines = dict.fromkeys(line_of(op.instruction) for op in (pair.before, pair.after))
        where = join_words([line_beside(line, site.line) for line in lines])
        return f"open: no launch needs it, but for other values the accesses in {where} may be to the same memory"


def _instead_of(site: BarrierSite, stay: Sequence[SourceLine], need: str) -> str:
    """Return that a barrier is needed because others become weaker, and what it is needed for without that."""
    lines = join_words([line_beside(line, site.line) for line in stay])
    verb = one_or_many(len(stay), "becomes", "become")
    changes = one_or_many(len(stay), "that change", "these changes")
    return f"as {lines} {verb} weaker; without {changes}, {need}"


def _crossing_without(
    cases: Iterable[BarrierPairs], site: BarrierSite, removed: Sequence[Op], weakened: Sequence[Op]
) -> UnorderedPair | None:
    """Return the widest two accesses that only a barrier orders: of different warps, rather than of lanes.

    Barriers that became ones of the warp order lanes, but no warps.
    """
    pair = _widest(cases := list(cases), site, [*removed, *weakened])
    is_of_lanes = pair is not None and pair.crossing is Crossing.LANES
    return None if is_of_lanes and _widest(cases, site, removed) is None else pair


def line_beside(line: SourceLine, other: SourceLine) -> str:
    """Return a line in words, with its file if that is another one than that of `other`."""
    return f"line {line.line}" if line.file == other.file else f"line {line.line} of {line.file.name}"


def _widest(cases: Iterable[BarrierPairs], site: BarrierSite, removed: Sequence[Op]) -> UnorderedPair | None:
    pairs = (case.crossing(site.ops, removed) for case in cases)
    return max(filter(None, pairs), key=lambda item: item.crossing, default=None)


def _why_unknown(site: BarrierSite, study: KernelStudy) -> str:
    """Return why the launches show nothing of a barrier; empty if they do."""
    reasons = (
        (study.cut is not None, "not all launches ended"),
        (len(site.places) > 1, "it is one of several barriers of an operation in this line, such as one of the grid"),
        (study.reads_clock, "the kernel reads a clock, and barriers decide when"),
    )
    return next((reason for holds, reason in reasons if holds), "")


def _without(site: BarrierSite, file: KernelFile, by: str) -> KernelFile:
    """Return a file in which `by` stands for a plain barrier of the block."""
    ptx = replace_barriers(file.ptx, site.ptx_lines, by)
    return file if ptx is None else replace(file, ptx=ptx, notes=(), unoptimized_ptx="")
