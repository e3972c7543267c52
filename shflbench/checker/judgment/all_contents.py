"""Hazards that need no particular contents of buffers: the code limits an index, whatever memory holds.

`bins[x & 255]` exceeds 200 bins for some x that the code admits, and of 64 threads that write `bins[x % 8]` two must
write one bin (pigeonhole principle).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from shflbench.cuda_sources.origin import Origin
from shflbench.emulator.dataflow.index_values import LOOP, PARAMETER, IndexValues, normalize
from shflbench.emulator.dataflow.polynomials import difference
from shflbench.emulator.dataflow.value_ranges import ValueRanges
from shflbench.emulator.machine.faults import FaultKind
from shflbench.emulator.opcodes.roles import OpcodeRole, has_role

if TYPE_CHECKING:
    from collections.abc import Iterator

    from shflbench.checker.inputs.argument import Arguments
    from shflbench.checker.judgment.observations import Observation
    from shflbench.checker.runs.evidence import LaunchEvidence
    from shflbench.emulator.dataflow.slices import Slicer
    from shflbench.emulator.link.program import Op

# The number of a thread in its block or, without the terms of the block, in a grid of one dimension.
_OF_BLOCK: dict[tuple[str, ...], int] = {("%tid.x",): 1}
_OF_GRID: dict[tuple[str, ...], int] = {("%ctaid.x", "%ntid.x"): 1, **_OF_BLOCK}


def exceeds_for_some_contents(observation: Observation, slicer: Slicer) -> bool:
    """Whether an index that the code itself limits goes beyond the end of memory whose size is not chosen.

    The type of the loaded values limits it enough for a buffer whose size the user gives.
    """
    hazard, fault, arguments = observation.hazard, observation.fault, observation.launches[0].arguments
    if fault is None or fault.kind is not FaultKind.OUT_OF_BOUNDS or fault.low < 0:
        return False
    buffer = arguments.buffer(fault.buffer)
    if buffer is None and (hazard.space != "shared" or arguments.shared_bytes):
        return False
    size = Origin.HOST if buffer is None else buffer.size
    ranges = [ValueRanges(slicer).address(op) for op in slicer.ops_of(hazard.instruction)]
    limited = [item for item in ranges if item is not None and (size is Origin.GIVEN or not item.offset.by_type)]
    if size is Origin.CHOSEN or not ranges or len(limited) < len(ranges):
        return False
    return all(_runs_in_any_launch(op, slicer) for op in slicer.ops_of(hazard.instruction))


def _runs_in_any_launch(op: Op, slicer: Slicer) -> bool:
    """Whether some thread executes an op whatever the numbers and contents are: only numbers of threads decide."""
    if op.guard is not None:
        return False
    for branch in slicer.all_conditions(op):
        depends = slicer.of([branch], address_only=True)
        if depends.contents or depends.unknown or depends.textures or (depends.parameters and not depends.launch):
            return False
    return True


def must_collide(observation: Observation, slicer: Slicer) -> bool:
    """Whether more threads than the values of an index access memory by it, once each and with nothing between."""
    instructions = (observation.hazard.instruction, observation.hazard.other or observation.hazard.instruction)
    ops = [op for instruction in instructions for op in slicer.ops_of(instruction)]
    places = {op.place for op in ops}
    if len(ops) != len(instructions) or len(places) != 1 or any(op.guard or not _begins(op, slicer) for op in ops):
        return False
    limit = ValueRanges(slicer).address(ops[0])
    if limit is None:
        return False
    return any(
        min(_executing(op, slicer, item, observation.hazard.space) for op in ops) > limit.offset.count
        for item in observation.launches
    )


def _begins(op: Op, slicer: Slicer) -> bool:
    """Whether threads execute an op once with no barrier before it that others have not: first, if it is in a loop."""
    return not slicer.in_loop(op) or slicer.loop_blocks(op) == {slicer.block_of(op)}


def _conditions(op: Op, slicer: Slicer) -> list[Op]:
    """Return the branches that decide whether a thread executes an op, not those that decide how often."""
    block = slicer.block_of(op)
    return [branch for branch in slicer.all_conditions(op) if slicer.block_of(branch) != block]


def _executing(op: Op, slicer: Slicer, item: LaunchEvidence, space: str) -> int:
    """Return how many threads that share the memory execute an op, at least: all, or those below a size."""
    shape = item.launch.shape
    running = len(shape.sample) or shape.blocks
    threads = shape.threads_per_block * (1 if space == "shared" else running)
    for branch in _conditions(op, slicer):
        threads = min(threads, next(_sizes(branch, slicer, item.arguments, one_block=shape.blocks == 1), 0))
    return threads


def _sizes(branch: Op, slicer: Slicer, arguments: Arguments, *, one_block: bool) -> Iterator[int]:
    """Yield the value of the parameter, or the constant, with which a branch compares the number of a thread.

    Iterations of loops behind the branch do not count.
    """
    indexes = slicer.kept(IndexValues)
    for compare in slicer.writers(branch.guard.number) if branch.guard is not None else ():
        if not has_role(compare.instruction, OpcodeRole.COMPARISON) or len(compare.sources) < 2:  # noqa: PLR2004  (what it compares)
            continue
        whole = normalize(difference(indexes.of(compare.sources[0]), indexes.of(compare.sources[1])))
        value = {term: factor for term, factor in whole.items() if not _is_behind(term, branch, slicer)}
        numbers = {term: factor for term, factor in value.items() if not term[:1] or term[0].startswith(PARAMETER)}
        index = {term: factor for term, factor in value.items() if term not in numbers}
        (size, factor), *others = numbers.items() or [((), 0)]
        is_thread = index in (_OF_GRID, _negative(_OF_GRID)) or (
            one_block and index in (_OF_BLOCK, _negative(_OF_BLOCK))
        )
        skips_last = bool({"gt", "ge"} & set(compare.instruction.modifiers))  # with a constant: `if (t < 64)`
        if not size and not others and skips_last and index in (_OF_BLOCK, _OF_GRID):
            yield abs(factor)
        if is_thread and not others and abs(factor) == 1 and len(size) == 1:
            yield _number(int(size[0].removeprefix(PARAMETER)), arguments)


def _is_behind(term: tuple[str, ...], branch: Op, slicer: Slicer) -> bool:
    """Whether a term counts the iterations of a loop that no thread enters before a branch."""
    loops = [int(symbol.removeprefix(LOOP)) for symbol in term if symbol.startswith(LOOP)]
    return any(not slicer.leads_to(loop, branch) for loop in loops)


def _negative(value: dict[tuple[str, ...], int]) -> dict[tuple[str, ...], int]:
    return {term: -factor for term, factor in value.items()}


def _number(byte: int, arguments: Arguments) -> int:
    """Return the integer that begins at a byte of the parameters; 0 if it is none."""
    for start, value in zip(arguments.offsets, arguments.parameters, strict=True):
        for span in value.spans:
            if start + span.start == byte and span.buffer is None:
                return int.from_bytes(value.data[span.start : span.end], "little", signed=True)
    return 0
