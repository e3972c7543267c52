"""The flows of values from stores to loads, and the barriers, as the launches of a kernel show them."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from pathlib import PurePath
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from shflbench.checker.exchanges.combinations import RegisterUses, own_accesses
from shflbench.checker.exchanges.flows import Flow
from shflbench.checker.exchanges.recorder import ExchangeRecorder
from shflbench.checker.exchanges.specified import deciding, exchanges, first_request, is_of_command_line, request_for
from shflbench.checker.exchanges.tried_values import SingleValues, single_values
from shflbench.checker.exchanges.unordered_pairs import BarrierPairs
from shflbench.checker.runs.emulated import emulated_launch
from shflbench.core.model import WARP
from shflbench.emulator.dataflow.slices import parameter_byte
from shflbench.emulator.dataflow.thread_values import KnownParameter
from shflbench.emulator.machine.launch import Machine, execute
from shflbench.emulator.opcodes.forms import Access, Barrier, Service
from shflbench.errors import BudgetError, KernelError

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

    from shflbench.checker.inputs.argument import Span
    from shflbench.checker.inputs.default_launches import PlannedLaunch
    from shflbench.checker.inputs.linked import LinkedKernel
    from shflbench.checker.runs.evidence import LaunchEvidence
    from shflbench.cuda_sources.source_lines import SourceLine
    from shflbench.emulator.dataflow.slices import Slicer
    from shflbench.emulator.file_budget import FileBudget
    from shflbench.emulator.link.program import Op, Program
    from shflbench.emulator.machine.observer import Observer
    from shflbench.emulator.machine.state import State
    from shflbench.emulator.ptx.syntax import PtxInstruction


FlowKey: TypeAlias = "tuple[SourceLine, SourceLine]"  # of the store, and of the load


@dataclass(slots=True)
class BarrierSite:
    """A barrier of the block in a source line, which may be several instructions."""

    line: SourceLine
    ptx_lines: set[int] = field(default_factory=set)
    ops: list[Op] = field(default_factory=list)
    places: set[tuple[str, ...]] = field(default_factory=set)  # of its instructions, in what is inlined
    warps: bool = False  # it alone orders accesses to shared memory of different warps


@dataclass(slots=True)
class KernelStudy:
    """What the launches of one kernel show."""

    flows: dict[FlowKey, Flow] = field(default_factory=dict)
    flows_of: Callable[[LaunchEvidence], dict[FlowKey, Flow]] | None = None  # of one more launch
    barriers: dict[SourceLine, BarrierSite] = field(default_factory=dict)
    launches: list[PlannedLaunch] = field(default_factory=list)  # that were studied
    warps: int = 0  # of a block, the most
    cut: KernelError | None = None  # what ended a launch before its end
    program: Program | None = None
    slicer: Slicer | None = None  # of the program
    specified: list[LaunchEvidence] = field(default_factory=list)  # the launches that show something, with all contents
    further: list[LaunchEvidence] = field(default_factory=list)  # those for other words of the command line
    request: str = ""  # what to give, if no launch is one that somebody specifies
    unreached: SourceLine | None = None  # the first line with accesses to shared memory that no launch executed
    reads_clock: bool = False
    single: SingleValues = field(default_factory=SingleValues)
    is_fixed: bool = False  # the block alone decides which threads access what in shared memory, and when
    accesses: dict[SourceLine, list[Op]] = field(default_factory=dict)  # to shared memory, by lines
    generic: set[SourceLine] = field(default_factory=set)  # lines with accesses that may be to shared memory
    pairs: list[BarrierPairs] = field(default_factory=list)  # for each shape of the blocks, and all numbers
    pairs_of_numbers: list[BarrierPairs] = field(default_factory=list)  # for the numbers of the launches alone


def study_launches(
    linked: LinkedKernel,
    evidence: Iterable[LaunchEvidence],
    line_of: Callable[[PtxInstruction], SourceLine],
    budget: FileBudget,
) -> KernelStudy:
    """Run the launches of the host code and of the user once more, and return what they show of the exchanges."""
    study = KernelStudy(program=linked.program, slicer=linked.slicer)
    _find_ops(study, linked.program, line_of)
    if not study.barriers and not any(op.place and op.place.space == "shared" for op in linked.program.ops()):
        return study
    study.is_fixed = _is_fixed(linked)
    study.reads_clock = any(isinstance(op.form, Service) and op.form.name == "clock" for op in linked.program.ops())
    depends, uses = deciding(linked.slicer), RegisterUses(linked.program)
    seen: set[tuple[str, int]] = set()
    executed: set[int] = set()
    requests: list[str] = []
    for item in evidence:
        key = str(item.launch.shape), id(item.launch.host)
        if item.results[0].error is not None:
            continue
        if request := request_for(item, depends):
            requests.append(request)
            if is_of_command_line(item):
                study.further.append(item)
            continue
        study.specified.append(item)
        if key not in seen:
            seen.add(key)
            executed |= _add(study, item, uses, line_of, budget)
    study.unreached = _unreached(linked, executed, line_of)
    study.single = single_values(linked.slicer, study.specified, study.further)
    study.is_fixed = study.is_fixed and not study.single.blocks
    study.flows_of = partial(_flows_of, uses=uses, line_of=line_of, budget=budget)
    study.pairs = _pairs(linked.slicer, study.specified, study.further)
    if study.barriers:
        study.pairs_of_numbers = _pairs_of_numbers(linked.slicer, study.specified) if study.single.numbers else []
    if not study.launches:
        study.request = _smaller(study.cut) if study.cut and not requests else first_request(requests)
    return study


def _find_ops(study: KernelStudy, program: Program, line_of: Callable[[PtxInstruction], SourceLine]) -> None:
    """Add the barriers and the accesses to shared memory of a program by their lines."""
    for op in program.ops():
        if isinstance(op.form, Access) and op.form.space == "shared":
            study.accesses.setdefault(line_of(op.instruction), []).append(op)
        if isinstance(op.form, Access) and not op.form.space:
            study.generic.add(line_of(op.instruction))
        if isinstance(op.form, Barrier) and op.form.whole_block:
            site = _site(study, line_of(op.instruction))
            site.ptx_lines.add(op.instruction.line)
            site.ops.append(op)
            site.places.add(_place(op.instruction, site.line))


def _flows_of(
    item: LaunchEvidence, uses: RegisterUses, line_of: Callable[[PtxInstruction], SourceLine], budget: FileBudget
) -> dict[FlowKey, Flow]:
    """Return the flows of one launch."""
    study = KernelStudy()
    _add(study, item, uses, line_of, budget)
    return study.flows


def _pairs(
    slicer: Slicer, specified: Sequence[LaunchEvidence], further: Sequence[LaunchEvidence]
) -> list[BarrierPairs]:
    """Return the pairs of accesses on both sides of barriers, for each shape of the blocks of the launches."""
    every = (*specified, *further)
    buffers, begins = _buffers(slicer, every)
    blocks = dict.fromkeys(item.launch.shape.block for item in every)
    return [BarrierPairs(slicer, block, buffers, begins) for block in blocks]


def _pairs_of_numbers(slicer: Slicer, specified: Sequence[LaunchEvidence]) -> list[BarrierPairs]:
    """Return these pairs for each shape with the numbers that the launches pass."""
    buffers, begins = _buffers(slicer, specified)
    cases = dict.fromkeys((item.launch.shape.block, tuple(_numbers(slicer, item).items())) for item in specified)
    return [BarrierPairs(slicer, block, buffers, {**begins, **dict(numbers)}) for block, numbers in cases]


def pairs_of_command_lines(study: KernelStudy) -> list[BarrierPairs]:
    """Return these pairs with the numbers of all launches, also of those for other words of the command line."""
    return [] if study.slicer is None else _pairs_of_numbers(study.slicer, [*study.specified, *study.further])


def numbers_of_command_lines(study: KernelStudy, name: str) -> list[int]:
    """Return the integers that a parameter has in these launches, in order; none if no other words were tried."""
    if study.slicer is None or not study.further:
        return []
    spans = (span for item in (*study.specified, *study.further) for _, span in _spans(study.slicer, item))
    return sorted({span.value for span in spans if span.name == name and isinstance(span.value, int)})


def _buffers(
    slicer: Slicer, specified: Sequence[LaunchEvidence]
) -> tuple[dict[int, frozenset[str]], dict[int, KnownParameter]]:
    """Return the buffers that each pointer among the parameters points to, and where, if that is always the same."""
    buffers: dict[int, set[str]] = {}
    places: dict[int, set[KnownParameter]] = {}
    for item in specified:
        for byte, span in _spans(slicer, item):
            if (buffer := item.arguments.buffer(span.buffer)) is not None:
                buffers.setdefault(byte, set()).add(buffer.name)
                places.setdefault(byte, set()).add(KnownParameter(buffer.name, span.byte))
    begins = {byte: next(iter(known)) for byte, known in places.items() if len(known) == 1}
    return {byte: frozenset(names) for byte, names in buffers.items()}, begins


def _numbers(slicer: Slicer, item: LaunchEvidence) -> dict[int, KnownParameter]:
    """Return the integers among the parameters of a launch, by their first bytes."""
    spans = ((byte, span) for byte, span in _spans(slicer, item) if span.buffer is None)
    return {byte: KnownParameter(number=span.value) for byte, span in spans if isinstance(span.value, int)}


def _spans(slicer: Slicer, item: LaunchEvidence) -> Iterator[tuple[int, Span]]:
    """Yield the values of a launch that are loaded as a whole, by their first bytes."""
    for op in slicer.ops:
        start = parameter_byte(op)
        if start is not None and isinstance(op.form, Access) and op.form.vector == 1:
            size = np.dtype(op.form.type).itemsize
            yield from ((start, span) for span in item.arguments.spans([start]) if span.end - span.start == size)


def _smaller(cut: KernelError) -> str:
    """Return why no launch ended, and what to give."""
    more = f"more with {cut.option}, " if isinstance(cut, BudgetError) else ""
    return f"no launch ended: {cut.message}; give {more}smaller sizes, or --kernel for one of several kernels"


def _is_fixed(linked: LinkedKernel) -> bool:
    """Whether threads access the same places of shared memory in all launches with blocks of one shape.

    Then neither arguments nor memory nor the number of the block decide on an address, or on whether a thread reaches
    an access to shared memory or a barrier. Atomics may return what the order of threads decides.
    """
    ops = [op for op in linked.program.ops() if exchanges(op)]
    if any(isinstance(op.form, Access) and op.form.atomic for op in ops):
        return False
    depends = linked.slicer.of(ops)
    return not (depends.parameters or depends.contents or depends.textures or depends.unknown or depends.beyond_block)


def _place(instruction: PtxInstruction, line: SourceLine) -> tuple[str, ...]:
    """Return where a barrier stands in what is inlined at a line of the user."""
    calls: list[str] = []
    step = instruction.location
    while step is not None and (PurePath(step.file).name, step.line) != (line.file.name, line.line):
        calls.append(str(step))
        step = step.inlined_at
    return tuple(calls)


def _add(
    study: KernelStudy,
    item: LaunchEvidence,
    uses: RegisterUses,
    line_of: Callable[[PtxInstruction], SourceLine],
    budget: FileBudget,
) -> set[int]:
    """Add what one launch shows; return the ids of the ops that accessed shared memory."""
    recorders: list[ExchangeRecorder] = []

    def observe(state: State) -> Sequence[Observer]:
        recorders.append(ExchangeRecorder(state))
        return recorders

    launch = emulated_launch(uses.program, item.launch, item.arguments, Machine(budget=budget))
    try:
        execute(launch, observe=observe, seed=item.seed)
    except KernelError as error:
        study.cut = error
        return set()
    (recorder,) = recorders
    accesses = own_accesses(recorder.flows.values())
    study.launches.append(item.launch)
    study.warps = max(study.warps, -(-item.launch.shape.threads_per_block // WARP))
    for totals in recorder.flows.values():
        key = line_of(totals.store.instruction), line_of(totals.load.instruction)
        flow = study.flows.setdefault(key, Flow(*key))
        flow.executions += totals.executions
        flow.values += totals.values
        flow.element = getattr(totals.store.form, "type", "")
        if mine := accesses.get(id(totals.load)):
            flow.combinations.add(uses.combination(totals.load, mine))
        flow.stored_in |= {line_of(op.instruction) for op in uses.stores_of_sum(totals.load)}
    for number in recorder.barriers.values():
        _site(study, line_of(number.op.instruction)).warps |= number.warps
    return recorder.executed


def _unreached(
    linked: LinkedKernel, executed: Collection[int], line_of: Callable[[PtxInstruction], SourceLine]
) -> SourceLine | None:
    """Return the first line whose accesses to shared memory nothing executed; a line has one per copy of its loop."""
    ops = [op for op in linked.program.ops() if isinstance(op.form, Access) and op.place and op.place.space == "shared"]
    reached = {line_of(op.instruction) for op in ops if id(op) in executed}
    lines = {line_of(op.instruction) for op in ops} - reached
    return min(lines, key=lambda line: (str(line.file), line.line), default=None)


def _site(study: KernelStudy, line: SourceLine) -> BarrierSite:
    return study.barriers.setdefault(line, BarrierSite(line))
