"""Count the requests of one iteration of a kernel's loop, or of a launch of a kernel without one."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from math import prod

import numpy as np

from shflbench.core.grouping import group_by
from shflbench.core.model import AccessKind, AccessRequests, AccessSpace, KernelRequests, LaunchCounts, MatchRequests
from shflbench.emulator.machine.launch import EmulatedLaunch, execute
from shflbench.emulator.machine.observer import Observer
from shflbench.emulator.machine.scheduler import STEP_LIMIT
from shflbench.emulator.machine.state import State
from shflbench.emulator.opcodes.forms import Access, Values
from shflbench.emulator.ptx.syntax import Location
from shflbench.emulator.requests.footprint import FootprintRecorder
from shflbench.emulator.requests.operations import AtomicRecorder, OperationRecorder
from shflbench.emulator.requests.recorder import InstructionTotals, RequestRecorder, Sums

Locate = Callable[[Location | None], tuple[str, int]]  # the file and line to name for an instruction

KINDS = {"ld": AccessKind.LOAD, "st": AccessKind.STORE, "atom": AccessKind.ATOMIC, "red": AccessKind.ATOMIC}
Key = tuple[str, int, str, str, int]  # file, line, memory space, kind, bits per lane


@dataclass(frozen=True, slots=True)
class Divisor:
    """What totals are divided by."""

    blocks: int
    iterations: int


def count_requests(launches: Sequence[EmulatedLaunch], locate: Locate) -> KernelRequests:
    """Run launches of one kernel in lockstep, and return what it requests; EmulatorError if one fails.

    Of two launches that differ in their iterations, the difference counts, divided by that of the iterations. One
    launch gives the requests of the whole kernel.
    """
    first, *others = launches
    before = _recorded(first)[0].totals
    totals, divisor = list(before.values()), Divisor(first.shape.grid, 1)
    for other in others:
        totals = [total.without(before.get(key)) for key, total in _recorded(other)[0].totals.items()]
        divisor = Divisor(first.shape.grid, other.iterations - first.iterations)
    return replace(_requests(totals, divisor, first, locate), per_iteration=bool(others))


def _requests(
    totals: Sequence[InstructionTotals], divisor: Divisor, launch: EmulatedLaunch, locate: Locate
) -> KernelRequests:
    """Return the requests by source line, those of the whole kernel."""
    groups = group_by((total for total in totals if total.requests.any()), lambda total: _key(total, locate))
    lines = [(key, groups[key]) for key in sorted(groups)]
    return KernelRequests(
        accesses=tuple(_access(key, group, divisor) for key, group in lines if key[2]),
        matches=tuple(_match(key, group, divisor) for key, group in lines if not key[2]),
        warps=launch.shape.warps_per_block,
        per_iteration=False,
    )


def count_launch(launch: EmulatedLaunch, locate: Locate, step_limit: int = STEP_LIMIT) -> LaunchCounts:
    """Run a launch, or the sample of its blocks, in lockstep, and return what it does; EmulatorError if it fails."""
    return count_with_outputs(launch, locate, step_limit)[0]


def count_with_outputs(
    launch: EmulatedLaunch, locate: Locate, step_limit: int = STEP_LIMIT
) -> tuple[LaunchCounts, list[Values]]:
    """Count a launch as `count_launch`, and return the contents of its outputs after it, too."""
    others: list[tuple[FootprintRecorder, OperationRecorder, AtomicRecorder]] = []

    def observe(state: State) -> Sequence[Observer]:
        others.append((FootprintRecorder(state), OperationRecorder(state, locate), AtomicRecorder(state, locate)))
        return others[0]

    recorder, outputs = _recorded(launch, observe, step_limit)
    totals, shape = recorder.totals, launch.shape
    ((footprint, operations, atomics),) = others
    grid = prod(shape.grid_dims)
    requests = _requests(list(totals.values()), Divisor(shape.grid, 1), launch, locate)
    counts = LaunchCounts(
        blocks=shape.grid,
        grid=grid,
        requests=replace(requests, operations=operations.requests()),
        footprint=footprint.footprint(grid),
        atomics=tuple(atomics.atomics(grid)),
    )
    return counts, outputs


def _no_observers(_: State) -> Sequence[Observer]:
    return ()


def _recorded(
    launch: EmulatedLaunch,
    others: Callable[[State], Sequence[Observer]] = _no_observers,
    step_limit: int = STEP_LIMIT,
) -> tuple[RequestRecorder, list[Values]]:
    recorders: list[RequestRecorder] = []

    def observe(state: State) -> Sequence[Observer]:
        recorders.append(RequestRecorder(state))
        return [*recorders, *others(state)]

    outputs = execute(launch, observe=observe, step_limit=step_limit)
    return recorders[0], outputs


def _key(total: InstructionTotals, locate: Locate) -> Key:
    form, place = total.op.form, locate(total.op.instruction.location)
    if not isinstance(form, Access):
        return (*place, "", "", 0)
    return (*place, total.space, KINDS[form.kind], 8 * np.dtype(form.type).itemsize * form.vector)


def _access(key: Key, totals: Sequence[InstructionTotals], divisor: Divisor) -> AccessRequests:
    """Return the requests of the instructions of one source line."""
    file, line, space, kind, bits = key
    requests, sums = _summed(totals)
    taken, least = sums.taken / requests, sums.least / requests
    is_shared = space == AccessSpace.SHARED
    return AccessRequests(
        file=file,
        line=line,
        space=AccessSpace(space),
        kind=AccessKind(kind),
        bits=bits,
        requests=requests / divisor.blocks / divisor.iterations,
        most_requests=sum(int(total.requests.max()) for total in totals) / divisor.iterations,
        lanes=sums.lanes / requests,
        passes=taken if is_shared else None,
        fewest_passes=min(one.sums.taken / int(one.requests.sum()) for one in totals) if is_shared else None,
        conflict_free_passes=least if is_shared else None,
        sectors=None if is_shared else taken,
        least_sectors=None if is_shared else least,
        lines=None if is_shared else sums.lines / requests,
        same_address=sums.same_address / requests if kind == AccessKind.ATOMIC else None,
    )


def _match(key: Key, totals: Sequence[InstructionTotals], divisor: Divisor) -> MatchRequests:
    requests, sums = _summed(totals)
    per_block = requests / divisor.blocks / divisor.iterations
    return MatchRequests(key[0], key[1], per_block, sums.lanes / requests, sums.taken / requests)


def _summed(totals: Sequence[InstructionTotals]) -> tuple[int, Sums]:
    """Return the number of requests, and the sums over them."""
    return sum(int(total.requests.sum()) for total in totals), reduce(Sums.plus, (total.sums for total in totals))
