"""Record the requests of a launch, by instruction."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from shflbench.core.model import WARP
from shflbench.emulator.link.expand import accesses_row
from shflbench.emulator.link.program import Op
from shflbench.emulator.machine.memory import MemorySpace
from shflbench.emulator.machine.observer import Observer
from shflbench.emulator.machine.state import State
from shflbench.emulator.machine.threads import ThreadSet
from shflbench.emulator.opcodes.forms import Access, Values
from shflbench.emulator.requests.banks import passes
from shflbench.emulator.requests.sectors import distinct, lines, local_sectors, sectors

SPACES = {"shared": "shared", "local": "local", "global": "global", "module": "global"}


@dataclass(frozen=True, slots=True)
class Sums:
    """Sums over the requests of one instruction."""

    lanes: int = 0  # active ones
    taken: int = 0  # passes through the banks of shared memory, sectors, or distinct values of a match
    least: int = 0  # passes or sectors likewise, without bank conflicts or gaps
    lines: int = 0  # of 128 bytes, in global or local memory
    same_address: int = 0  # of atomics: lanes at the most frequent address of each request

    def plus(self, other: "Sums", sign: int = 1) -> "Sums":
        """Return the sums of both; with a sign of -1, their difference."""
        return Sums(
            self.lanes + sign * other.lanes,
            self.taken + sign * other.taken,
            self.least + sign * other.least,
            self.lines + sign * other.lines,
            self.same_address + sign * other.same_address,
        )


@dataclass(slots=True)
class InstructionTotals:
    """The requests of one instruction in a launch."""

    op: Op
    space: str  # shared, global or local; empty for a match
    requests: Values  # of each warp
    sums: Sums = field(default_factory=Sums)

    def without(self, other: "InstructionTotals | None") -> "InstructionTotals":
        """Return the totals less those of another launch, None if it did not execute the instruction."""
        if other is None:
            return self
        return InstructionTotals(self.op, self.space, self.requests - other.requests, self.sums.plus(other.sums, -1))


@dataclass(slots=True)
class RequestRecorder(Observer):
    """Adds up the requests of all warps."""

    state: State
    totals: dict[tuple[int, str], InstructionTotals] = field(default_factory=dict)  # by the id of the op, and space
    # Loops repeat their addresses: what each execution asked for, by op, threads and elements.
    _known: dict[tuple[int, bytes, bytes], tuple[Values, Sums]] = field(default_factory=dict)

    def access(self, op: Op, members: ThreadSet, space: MemorySpace, index: Values, values: Sequence[Values]) -> None:
        """Add the requests of the warps of `members`."""
        del values
        form: Access = op.form  # type: ignore[assignment]
        name = SPACES.get(space.name)
        if name is None or form.space == "const":
            return
        key = (id(op), members.threads.tobytes(), index.tobytes())
        known = self._known.get(key)
        if known is None:
            known = self._known[key] = self._measure(op, name, members.threads, index)
        self._add(op, name, *known)

    def compare_values(self, op: Op, threads: Values, active: Values | None, values: Values) -> None:
        """Add a match of several warps."""
        flags = np.ones(values.shape, np.bool_) if active is None else active
        bits = values.view(f"i{values.itemsize}") if values.dtype.kind == "f" else values
        sums = Sums(int(flags.sum()), int(distinct(bits.astype(np.int64), flags).sum()))
        self._add(op, "", threads[:, 0] // WARP, sums)

    def _add(self, op: Op, space: str, warps: Values, sums: Sums) -> None:
        total = self.totals.get((id(op), space))
        if total is None:
            none = np.zeros(self.state.shape.warps, np.int64)
            total = self.totals[id(op), space] = InstructionTotals(op, space, none)
        total.requests[warps] += 1
        total.sums = total.sums.plus(sums)

    def _measure(self, op: Op, space: str, threads: Values, index: Values) -> tuple[Values, Sums]:
        """Return the warps that execute an access, and the sums over their requests."""
        form: Access = op.form  # type: ignore[assignment]
        size = np.dtype(form.type).itemsize
        offsets = index.astype(np.int64) * size  # of shared memory from the first block's: that shifts all lanes alike
        if space == "local":
            offsets = offsets - threads * self.state.spaces[space].stride
        warps, rows = np.unique(threads // WARP, return_inverse=True)
        addresses, active = np.zeros((warps.size, WARP), np.int64), np.zeros((warps.size, WARP), np.bool_)
        addresses[rows, threads % WARP], active[rows, threads % WARP] = offsets, True
        size *= form.vector
        touched = 0
        if space == "shared":
            taken, least = passes(
                addresses, active, size, joined=form.kind == "ld" and not accesses_row(op.instruction)
            )
        else:
            touched = int(lines(addresses, active, size, local=space == "local").sum())
            taken, least = (local_sectors if space == "local" else sectors)(addresses, active, size)
        same = _most_frequent(addresses, active) if form.update is not None else 0
        return warps, Sums(threads.size, int(taken.sum()), int(least.sum()), touched, same)


def _most_frequent(addresses: Values, active: Values) -> int:
    """Return the lanes at the most frequent address, summed over the requests."""
    equal = (addresses[:, :, None] == addresses[:, None, :]) & active[:, :, None] & active[:, None, :]
    return int(equal.sum(axis=2).max(axis=1).sum())
