"""Execute collective instructions of the lanes of a warp."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from shflbench.core.model import WARP
from shflbench.emulator.link.program import Op, Slot
from shflbench.emulator.machine.state import State
from shflbench.emulator.machine.threads import ThreadSet, scatter
from shflbench.emulator.opcodes.forms import Collective, Values

_LANES = np.arange(WARP, dtype=np.uint32)


Place = tuple[Op, Values]  # an op, and the flags [warps, 32] of the lanes that execute it


@dataclass(slots=True, eq=False)
class CollectiveCall:
    """One collective instruction of some warps: the `WarpCall` that its function gets."""

    state: State
    op: Op
    warps: int
    numbers: Values  # thread numbers, shape [warps, 32]
    active: Values | None = None  # flags [warps, 32]; None: all lanes
    members: ThreadSet | None = None  # with which `remember` caches
    places: Sequence[Place] = ()  # of lanes that meet from several branches; otherwise all are at `op`

    @property
    def absent_fill(self) -> int:
        """The bits of a value that is read from a lane that does not execute the instruction."""
        return self.state.absent_fill

    def full(self, values: Values) -> Values:
        """Return `values` as an array of shape [warps, 32]."""
        return np.broadcast_to(values, (self.warps, WARP))

    def remember(self, name: str, compute: Callable[[], Any]) -> Any:  # noqa: ANN401  (each collective keeps its own)
        """Return `compute()`, or its last result if the operands after the first have not changed."""
        if self.members is None:
            return compute()
        key = (name, self.op.sources[1:])
        versions = self.state.versions
        stamp = sum([versions[source.number] for source in self.op.sources[1:] if isinstance(source, Slot)])
        kept = self.members.kept.get(key)
        if kept is None or kept[0] != stamp:
            kept = self.members.kept[key] = (stamp, compute())
        return kept[1]

    def report_values(self, values: Values) -> None:
        """Report the values [warps, 32] that the lanes compare."""
        for observer in self.state.observers:
            if not self.places:
                observer.compare_values(self.op, self.numbers, self.active, values)
            for op, lanes in self.places:
                rows = lanes.any(axis=1)
                observer.compare_values(op, self.numbers[rows], lanes[rows], values[rows])

    def report_missing(self, missing: Values, sources: Values) -> None:
        """Report the lanes [warps, 32] that read from lanes that do not execute the instruction, and their sources."""
        for observer in self.state.observers:
            for op, lanes in self.at_places(missing):
                observer.read_absent(op, self.numbers[lanes], self.numbers.reshape(-1)[sources[lanes]])

    def at_places(self, lanes: Values) -> Iterator[Place]:
        """Yield those of the lanes [warps, 32] that are at each op, if there are any."""
        for op, at_op in self.places or ((self.op, True),):
            if (lanes & at_op).any():
                yield op, lanes & at_op


def execute_collective(state: State, ops: Sequence[Op], threads: Values, places: Values | None = None) -> None:
    """Execute an instruction for the lanes `threads` of any warps, all at the same time: each lane the op at its place.

    Several ops are one instruction in several branches: they have the same qualifiers, and differ in their registers.
    """
    warps = np.unique(threads // WARP)
    active = _flags(warps, threads)
    numbers = state.thread_numbers[warps]
    meeting = [(ops[0], active)]
    if places is not None and len(ops) > 1:
        meeting = [(op, _flags(warps, threads[places == place])) for place, op in enumerate(ops)]
        meeting = [(op, lanes) for op, lanes in meeting if lanes.any()]
    op = max((op for op, _ in meeting), key=lambda op: len(op.results))  # a predicate may be left out
    form: Collective = op.form  # type: ignore[assignment]
    sources = _sources(state, meeting, form.operands, warps)
    call = CollectiveCall(state, op, warps.size, numbers, None if active.all() else active)
    if len(meeting) > 1:
        call.places = meeting
    if form.mask is not None:
        _check_membership(call, sources[form.mask])
    for observer in state.observers:
        observer.collective(op, threads.size)
    results = [np.empty((warps.size, WARP), type_) for type_ in form.results]
    form.apply(call, *sources, *results)
    for one, lanes in meeting:
        for slot, result in zip(one.results, results, strict=False):
            if slot is not None:
                state.put(slot, scatter(numbers[lanes]), result[lanes])
        state.wrote(one.results)


def _flags(warps: Values, threads: Values) -> Values:
    """Return the flags [warps, 32] of threads of these warps."""
    flags = np.zeros((warps.size, WARP), np.bool_)
    flags[np.searchsorted(warps, threads // WARP), threads % WARP] = True
    return flags


def _sources(state: State, meeting: Sequence[Place], types: Sequence[str], warps: Values) -> list[Values]:
    """Return the operands of the lanes, those of each lane from the registers that its op names."""
    first, *others = (
        [_source(state, source, type_, warps) for source, type_ in zip(op.sources, types, strict=True)]
        for op, _ in meeting
    )
    for (_, lanes), sources in zip(meeting[1:], others, strict=True):
        first = [np.where(lanes, source, earlier) for source, earlier in zip(sources, first, strict=True)]
    return first


def _source(state: State, source: Slot | int, type_: str, warps: Values) -> Values:
    if isinstance(source, Slot):
        values: Values = state.typed(source)[warps]
        return ~values if source.negated else values
    return constant(source, type_)


@cache
def constant(bits: int, type_: str) -> Values:
    """Return an immediate of a NumPy type, from its bits."""
    if type_ == "?":
        scalar: Values = np.bool_(bits)  # type: ignore[assignment]
        return scalar
    unsigned = np.array(bits % (1 << (8 * np.dtype(type_).itemsize)), f"u{np.dtype(type_).itemsize}")
    value: Values = unsigned.view(type_)[()]
    return value


def _check_membership(call: CollectiveCall, mask: Values) -> None:
    """Report lanes that execute the instruction with a mask that does not name them."""
    outside = call.full(mask) >> _LANES & np.uint32(1) == 0
    if call.active is not None:
        outside &= call.active
    for observer in call.state.observers:
        for op, lanes in call.at_places(outside):
            observer.stand_outside(op, call.numbers[lanes])
