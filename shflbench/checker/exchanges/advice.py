"""Advise on the exchanges of a file's kernels: which could be shuffles, and which barriers could be weaker.

A suggestion on a barrier is proved: no value crosses it, or none between warps, for all sizes, grids and contents.
Where the proof fails, the kernel is checked without the barrier, and needs it if that has a fault; else the question
stays open. A launch that nobody specifies shows nothing.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from shflbench.checker.exchanges.barrier_advice import (
    BarrierAdvice,
    BarrierAdvisor,
    is_advised,
    line_beside,
    needed_barriers,
)
from shflbench.checker.exchanges.barrier_gaps import BarrierGap, barrier_gaps
from shflbench.checker.exchanges.collectives import collectives
from shflbench.checker.exchanges.counterexamples import CounterExamples
from shflbench.checker.exchanges.data_decide import DataDecide, by_data, data_decide
from shflbench.checker.exchanges.launch_words import launch_texts
from shflbench.checker.exchanges.proved_flows import FlowProofs
from shflbench.checker.exchanges.recorder import OF_ONE_VALUE, OUTSIDE_OF_THE_WARP, LaneRelation
from shflbench.checker.exchanges.same_memory import SpecifiedRuns
from shflbench.checker.exchanges.study import KernelStudy, study_launches
from shflbench.checker.file_check import check_kernels
from shflbench.checker.file_reading import read_file, with_given_numbers
from shflbench.checker.reporter import KernelReporter
from shflbench.core.words import join_words
from shflbench.emulator.opcodes.forms import Access

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from shflbench.checker.exchanges.collectives import CollectiveAdvice
    from shflbench.checker.exchanges.flows import Flow
    from shflbench.checker.exchanges.study import FlowKey
    from shflbench.checker.file_check import CheckStep
    from shflbench.checker.inputs.linked import LinkedKernel
    from shflbench.checker.options import FileOptions
    from shflbench.checker.report import FileReport, KernelReport
    from shflbench.checker.runs.evidence import KernelEvidence
    from shflbench.cuda_sources.kernel_file import KernelFile
    from shflbench.cuda_sources.source_lines import SourceLine
    from shflbench.emulator.link.program import Op


ALL_LAUNCHES = "in all launches with these blocks"
ANY_LANE = "__shfl_sync(mask, value, lane)"


@dataclass(frozen=True, slots=True)
class ExchangeAdvice:
    """One flow of values through shared memory, and what could replace it."""

    store: SourceLine
    load: SourceLine
    relations: tuple[tuple[LaneRelation, int], ...]  # with the executions by a warp
    distances: tuple[int, ...]
    offered: int  # the most values that a lane offers in one execution
    values: int
    instead: str  # a shuffle; empty where there is none
    element: str = ""  # NumPy's type of a value: `f4`, or `u4` where the code does not say more than its size
    reason: str = ""  # why it is unknown whether a shuffle could give the values
    is_combined: bool = False  # one operation, such as an addition, combines each value with the thread's own
    scope: str = ""  # for which values the suggestion holds, in a kernel where numbers decide
    is_proved: bool = False  # it holds in all launches with blocks of these shapes

    @property
    def is_replaceable(self) -> bool:
        """Whether one shuffle gives all values."""
        return bool(self.instead) and {relation for relation, _ in self.relations} <= OF_ONE_VALUE

    @property
    def is_of_thread(self) -> bool:
        """Whether each thread stored the values itself, so that a register could hold them."""
        return {relation for relation, _ in self.relations} == {LaneRelation.THREAD}


@dataclass(frozen=True, slots=True)
class KernelAdvice:
    """What a kernel exchanges through shared memory."""

    report: KernelReport
    launches: tuple[str, ...]  # that the advice rests on, as `--launch` takes them
    exchanges: tuple[ExchangeAdvice, ...] = ()
    barriers: tuple[BarrierAdvice, ...] = ()
    collectives: tuple[CollectiveAdvice, ...] = ()  # what does all steps of an exchange at once
    launch_texts: tuple[str, ...] = ()  # the launches in words
    missing: str = ""  # why there is no advice, and what to give
    gaps: tuple[BarrierGap, ...] = ()  # where barriers are missing, if that is why
    is_fixed: bool = False  # the exchanges are the same in all launches with blocks of these shapes
    only: tuple[str, ...] = ()  # values that decide on the exchanges, of which no others were tried: `w = 33`
    is_reached: bool = True  # a launch executed each line with accesses to shared memory
    runs: SpecifiedRuns | None = field(default=None, repr=False, compare=False)  # that it rests on
    others: tuple[SourceLine, ...] = field(default=(), repr=False)  # where kernels without a report begin


def advise_file(path: Path, options: FileOptions, watch: Callable[[CheckStep], None]) -> list[KernelAdvice]:
    """Check the kernels of a file and return the advice on each.

    Raises what `check_file` raises, and CompileError or KernelError if the file has no kernel that can be checked.
    """
    options = options.begun()
    file, options = with_given_numbers(read_file(path, options), options)
    further = options.budget.apart(options.limits.most_work)  # for the advice, as much as for the check
    studies: dict[str, KernelStudy] = {}

    def study(linked: LinkedKernel, evidence: KernelEvidence) -> None:
        line_of = KernelReporter(file, linked.kernel).line_of
        studies[linked.kernel.symbol] = study_launches(linked, evidence.launches, line_of, further)

    report = check_kernels(file, options, watch, study)
    again = replace(options, outputs=False, budget=further)
    others = _without_report(file, report)
    return [
        replace(_advice(kernel, studies.get(kernel.symbol, KernelStudy()), file, again), others=others)
        for kernel in report.kernels
    ]


def _without_report(file: KernelFile, report: FileReport) -> tuple[SourceLine, ...]:
    """Return where the kernels begin that were not checked: others are chosen, or other instances of a template."""
    symbols = {kernel.symbol for kernel in report.kernels}
    names = {kernel.name for kernel in report.kernels}
    compiled = [KernelReporter(file, kernel).place for kernel in file.kernels if kernel.symbol not in symbols]
    return (*compiled, *(kernel.place for kernel in file.rejected if kernel.name not in names))


def _advice(report: KernelReport, study: KernelStudy, file: KernelFile, options: FileOptions) -> KernelAdvice:
    if not is_advised(report):
        return _of_faulty(report, study)
    if not study.launches or study.slicer is None:
        return KernelAdvice(report, (), missing=study.request)
    examples = CounterExamples(report.symbol, study.slicer, study.specified, study.further, options.budget)
    exchanges = _exchanges(study, examples)
    barriers = tuple(BarrierAdvisor(report, study, file, examples).advice())
    shapes = tuple(dict.fromkeys(str(launch.shape) for launch in study.launches))
    exchanges.sort(key=_lines)
    runs = SpecifiedRuns(study.program, tuple(study.specified)) if study.program is not None else None
    steps = _collectives(study, exchanges)
    return KernelAdvice(
        report,
        shapes,
        tuple(exchanges),
        barriers,
        tuple(steps),
        launch_texts(study.launches),
        is_fixed=study.is_fixed or (bool(exchanges) and all(item.is_proved for item in exchanges)),
        only=study.single.numbers,
        is_reached=study.unreached is None,
        runs=runs,
    )


def _of_faulty(report: KernelReport, study: KernelStudy) -> KernelAdvice:
    """Return where barriers are missing in a kernel that is not right, and which of its barriers are needed."""
    return KernelAdvice(
        report,
        tuple(dict.fromkeys(str(launch.shape) for launch in study.launches)),
        missing=f"{report.verdict}: {report.sentence}",
        gaps=(gaps := barrier_gaps(report, study)),
        barriers=tuple(needed_barriers(study)) if gaps else (),
        launch_texts=launch_texts(study.launches),
    )


def _collectives(study: KernelStudy, exchanges: Sequence[ExchangeAdvice]) -> Iterator[CollectiveAdvice]:
    """Return what does all steps at once, of lines for whose exchanges there are shuffles."""
    others = {item.load for item in exchanges if not item.instead and not item.is_of_thread}
    flows = [flow for flow in study.flows.values() if flow.load not in others]
    return collectives(flow for flow in flows if _decided(flow, study) is DataDecide.NOTHING)


def _lines(exchange: ExchangeAdvice) -> tuple[str, int, str, int]:
    return str(exchange.load.file), exchange.load.line, str(exchange.store.file), exchange.store.line


def _decided(flow: Flow, study: KernelStudy) -> DataDecide:
    """Return what the contents of memory decide about the stores that a flow may come from."""
    return DataDecide.NOTHING if study.slicer is None else data_decide(study.slicer, _loads(flow, study))


def _loads(flow: Flow, study: KernelStudy) -> list[Op]:
    accesses = study.accesses.get(flow.load, [])
    return [op for op in accesses if isinstance(op.form, Access) and op.form.kind == "ld"]


def _holds_for_other_data(flow: Flow, decided: DataDecide) -> bool:
    """Whether a shuffle gives the values of a flow with other data, which may let other threads store."""
    from_one = flow.relations.keys() <= {LaneRelation.THREAD, LaneRelation.BROADCAST}
    return decided is DataDecide.NOTHING or (decided is DataDecide.LANE and from_one)


def _exchanges(study: KernelStudy, examples: CounterExamples) -> list[ExchangeAdvice]:
    """Return the advice on all flows: proved, or tried with other values."""
    advice = {key: _exchange(flow, study, is_proved=_is_proved(flow, study)) for key, flow in study.flows.items()}
    open_ = [item for item in advice.values() if item.instead and not item.is_proved]
    if open_ and study.single.numbers and study.program is not None and study.flows_of is not None:
        ops = [op for accesses in study.accesses.values() for op in accesses]
        others = examples.other_flows(ops, study.program, study.flows_of)
        advice |= {key: _tried(item, study, others) for key, item in advice.items() if item in open_}
    is_same = study.is_fixed or all(item.is_proved for item in advice.values())
    return [item if is_same else replace(item, scope=_scope_of(item, study)) for item in advice.values()]


def _scope_of(item: ExchangeAdvice, study: KernelStudy) -> str:
    """Return for which values a suggestion holds, in a kernel whose numbers decide on exchanges."""
    if not item.instead or not study.single.numbers:
        return ""
    return ALL_LAUNCHES if item.is_proved else f"for {join_words(study.single.numbers)}; not known for others"


def _is_proved(flow: Flow, study: KernelStudy) -> bool:
    """Whether the lanes of a flow are the same in all launches with blocks of these shapes."""
    if study.is_fixed or study.slicer is None or study.single.blocks:
        return study.is_fixed
    to_load = [other for other in study.flows.values() if other.load == flow.load]
    return FlowProofs(study.slicer, study.pairs, study.accesses).is_proved(flow, to_load)


def _tried(
    item: ExchangeAdvice, study: KernelStudy, others: Iterable[tuple[str, dict[FlowKey, Flow]]]
) -> ExchangeAdvice:
    """Return an exchange without its suggestion if other values show another one."""
    key = item.store, item.load
    flow = study.flows[key]
    for text, flows in others:
        further = (other for place, other in flows.items() if place[1] == item.load and place not in study.flows)
        new = next(
            (other for other in further if _instead(other, _distances_to(item.load, flows)) != item.instead), None
        )
        if new is not None:
            reason = f"{line_beside(new.store, item.load)} stores some of the values"
        elif (
            key in flows
            and _instead(
                replace(flow, executions=flow.executions + flows[key].executions),
                _distances_to(item.load, study.flows),
            )
            != item.instead
        ):
            reason = "the values come from other threads"
        else:
            continue
        return replace(item, instead="", reason=f"unknown: with {text}, {reason}")
    return item


def _exchange(flow: Flow, study: KernelStudy, *, is_proved: bool) -> ExchangeAdvice:
    relations = tuple(sorted(flow.relations.items(), key=lambda item: item[0].value))
    instead, reason = _instead(flow, _distances_to(flow.load, study.flows)), ""
    if instead and not is_proved:
        instead, reason = _for_other_data(flow, study, instead)
    return ExchangeAdvice(
        flow.store,
        flow.load,
        relations,
        flow.distances,
        flow.offered,
        flow.values,
        instead,
        flow.element,
        reason,
        is_combined=len(flow.combinations) == 1 and None not in flow.combinations,
        is_proved=is_proved,
    )


def _for_other_data(flow: Flow, study: KernelStudy, instead: str) -> tuple[str, str]:
    """Return a suggestion that holds for other data, too, or none and the reason."""
    decided = _decided(flow, study)
    if not _holds_for_other_data(flow, decided):
        return "", "unknown: the data decide which threads store"
    if decided is DataDecide.NOTHING and study.single.contents and _is_by_data(flow, study):
        return "", f"unknown: {_of_contents(study)}"
    is_of_any_lane = decided is DataDecide.LANE and LaneRelation.BROADCAST in flow.relations
    return ANY_LANE if is_of_any_lane else instead, ""


def _is_by_data(flow: Flow, study: KernelStudy) -> bool:
    """Whether the contents of memory decide where a flow is loaded from, or how often."""
    return study.slicer is not None and by_data(study.slicer, _loads(flow, study))


def _of_contents(study: KernelStudy) -> str:
    """Return that the exchanges of other contents are not known."""
    return f"it depends on the contents of {join_words(study.single.contents)}, which were tried with one value"


def _distances_to(load: SourceLine, flows: Mapping[FlowKey, Flow]) -> set[int]:
    """Return how far lanes are from those from which a line loads."""
    return {abs(distance) for flow in flows.values() if flow.load == load for distance in flow.distances}


def _instead(flow: Flow, steps: Collection[int]) -> str:
    """Return the shuffle that gives the same values, as CUDA C++; empty if there is none.

    Where some executions read from other warps, as in the first steps of a tree over a block, it is for the other ones.
    """
    relations = flow.relations.keys() - {LaneRelation.THREAD, *OUTSIDE_OF_THE_WARP}
    is_part = not OUTSIDE_OF_THE_WARP.isdisjoint(flow.relations)
    if not relations or (is_part and not _is_tree(flow, relations, steps)):
        return ""
    shuffle = _shuffle(flow, relations)
    return f"{shuffle} where it stays in a warp" if is_part else shuffle


def _is_tree(flow: Flow, relations: Collection[LaneRelation], steps: Collection[int]) -> bool:
    """Whether an exchange is one of `steps` whose distances double, of which the small ones stay in a warp."""
    is_uniform = relations == {LaneRelation.XOR} or (relations == {LaneRelation.SHIFT} and _is_one_way(flow))
    return is_uniform and len(steps) > 1 and all(step.bit_count() == 1 for step in steps)


def _is_one_way(flow: Flow) -> bool:
    """Whether all values come from lanes above, or all from lanes below."""
    return len({item > 0 for item in flow.distances}) == 1


def _shuffle(flow: Flow, relations: Collection[LaneRelation]) -> str:
    distances = [abs(item) for item in flow.distances]
    which = str(distances[0]) if len(distances) == 1 else f"{{{', '.join(map(str, distances))}}}"
    if LaneRelation.PARTS in relations:
        return f"{flow.offered} shuffles, one for each part of a value"
    if relations == {LaneRelation.BROADCAST}:
        return f"__shfl_sync(mask, value, {which})" if len(distances) == 1 else ANY_LANE
    if relations == {LaneRelation.XOR}:
        return f"__shfl_xor_sync(mask, value, {which})"
    if relations == {LaneRelation.SHIFT} and _is_one_way(flow):
        word = "down" if flow.distances[0] > 0 else "up"
        return f"__shfl_{word}_sync(mask, value, {which})"
    if LaneRelation.SEVERAL in relations:
        return f"{flow.offered} shuffles, or a transposition by shuffles"
    return ANY_LANE
