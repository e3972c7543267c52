"""Execute collective instructions of the lanes of a warp."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from shflbench.checker.link.program import Op, Slot
from shflbench.checker.machine.state import State
from shflbench.checker.machine.threads import ThreadSet, scatter
from shflbench.checker.opcodes.forms import Collective, Values
from shflbench.model import WARP

_LANES = np.arange(WARP, dtype=np.uint32)


@dataclass(slots=True, eq=False)
class CollectiveCall:
    """One collective instruction of some warps: the `WarpCall` that its function gets."""

    state: State
    op: Op
    warps: int
    numbers: Values  # thread numbers, shape [warps, 32]
    active: Values | None = None  # flags [warps, 32]; None: all lanes
    members: ThreadSet | None = None  # with which `remember` caches

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
            observer.compare_values(self.op, self.numbers, self.active, values)

    def report_missing(self, missing: Values) -> None:
        """Report the lanes [warps, 32] that read from lanes that do not execute the instruction."""
        for observer in self.state.observers if missing.any() else ():
            observer.read_absent(self.op, self.numbers[missing])


def execute_collective(state: State, op: Op, threads: Values) -> None:
    """Execute `op` for the lanes `threads` of any warps, all at the same time."""
    form: Collective = op.form  # type: ignore[assignment]
    warps = np.unique(threads // WARP)
    flat_rows = np.searchsorted(warps, threads // WARP)
    active = np.zeros((warps.size, WARP), np.bool_)
    active[flat_rows, threads % WARP] = True
    whole = bool(active.all())
    numbers = state.thread_numbers[warps]
    sources = [_source(state, source, type_, warps) for source, type_ in zip(op.sources, form.operands, strict=True)]
    call = CollectiveCall(state, op, warps.size, numbers, None if whole else active)
    if form.mask is not None:
        _check_membership(call, sources[form.mask])
    results = [np.empty((warps.size, WARP), type_) for type_ in form.results]
    form.apply(call, *sources, *results)
    for slot, result in zip(op.results, results, strict=True):
        if slot is not None:
            state.put(slot, scatter(threads), result[active])
    state.wrote(op.results)


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
    for observer in call.state.observers if outside.any() else ():
        observer.stand_outside(call.op, call.numbers[outside])
