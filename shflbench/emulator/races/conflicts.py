"""Mark the cells of memory that several threads access and at least one writes.

Only these can race, and they are few: a second run of the launch compares the accesses to them in the order of
their clocks. This run keeps a few bytes per cell.
"""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from shflbench.emulator.link.program import Op
from shflbench.emulator.machine.bulk_copy import BulkCopy
from shflbench.emulator.machine.memory import MemorySpace
from shflbench.emulator.machine.observer import Observer
from shflbench.emulator.machine.state import State
from shflbench.emulator.machine.threads import ThreadSet
from shflbench.emulator.opcodes.forms import Access, Values
from shflbench.emulator.races.cells import batch, granule_of

SHARED, READ, WRITE, ATOMIC = 1, 2, 4, 8  # the first one is a Boolean of NumPy
ODD = 16  # atomics of several sizes, or of a scope of one block
ACROSS = 32  # several blocks: only with SHARED


class Conflicts(Observer):
    """Records which threads access each cell, and how."""

    def __init__(self, state: State, spaces: Sequence[str]) -> None:
        """Watch some memory spaces."""
        self.granule = granule_of(state.program)
        sizes = {name: state.spaces[name].bytes.size // self.granule for name in spaces}
        self._shape = state.shape
        self._spaces = {name: state.spaces[name] for name in spaces}
        self._first = {name: np.zeros(size, np.int32) for name, size in sizes.items()}  # thread plus one
        self._flags = {name: np.zeros(size, np.uint8) for name, size in sizes.items()}
        self._marked: dict[tuple[int, int], Values] = {}  # by op and threads: the last index
        self._sizes = {name: np.zeros(size, np.uint8) for name, size in sizes.items()}  # of the last atomic
        self._with_shared: set[str] = set()  # the spaces that have cells which several threads accessed

    def access(self, op: Op, members: ThreadSet, space: MemorySpace, index: Values, _values: Sequence[Values]) -> None:
        """Mark the cells of an access."""
        flags = self._flags.get(space.name)
        if flags is None:
            return
        if members.view is not None and not op.form.atomic:  # type: ignore[union-attr]
            if self._marked.get((id(op), id(members))) is index:
                return
            self._marked[id(op), id(members)] = index
        part = batch(op, members, index, self.granule)
        cells, numbers, first = part.cells, part.threads + 1, self._first[space.name]
        known = first[cells]
        if not known.all():
            fresh = known == 0
            first[cells[fresh]] = numbers[fresh]
            known = first[cells]
        bits = self._bits(part.form)
        flags[cells] |= bits
        others = known != numbers
        if others.any():
            flags[cells[others]] |= SHARED
            self._with_shared.add(space.name)
            if self._shape.grid > 1:
                apart = self._shape.block_of(part.threads[others]) != self._shape.block_of(known[others] - 1)
                flags[cells[others][apart]] |= ACROSS
        if part.form.atomic:
            sizes, size = self._sizes[space.name], np.dtype(part.form.type).itemsize
            flags[cells[(sizes[cells] != 0) & (sizes[cells] != size)]] |= ODD
            sizes[cells] = size

    def start_copy(self, copy: BulkCopy) -> None:
        """Mark the bytes of a copy as accessed by no thread: those that it reads, and those that it writes."""
        for region, bits in ((copy.source, READ), (copy.target, WRITE | READ)):
            flags = self._flags.get(region.space) if region is not None else None
            if region is None or flags is None:
                continue
            self._with_shared.add(region.space)
            cells = slice(region.start // self.granule, -(-region.end // self.granule))
            first = self._first[region.space][cells]
            copier = self._shape.lanes + 1 + copy.thread // self._shape.lanes_per_block
            flags[cells] |= bits | np.where((first != 0) & (first != copier), SHARED, 0).astype(np.uint8)
            if region.space == "shared" and region is copy.target:
                flags[cells] |= SHARED
            first[first == 0] = copier

    def cells(self) -> Mapping[str, Values]:
        """Return the cells of each space that can race, without spaces that have none."""
        marked = {}
        for name, shared, flags in self._shared():
            # Atomics of one size do not race with one another.
            conflict = (flags & (WRITE | ATOMIC) != 0) & (flags & (READ | WRITE | ODD) != 0)
            if conflict.any():
                marked[name] = shared[conflict]
        return marked

    @property
    def blocks_apart(self) -> bool:
        """Whether no block accessed what another one wrote: then their order cannot matter."""
        return not any(
            ((flags & ACROSS != 0) & (flags & (WRITE | ATOMIC) != 0)).any() for _, _, flags in self._shared()
        )

    def _shared(self) -> Iterator[tuple[str, Values, Values]]:
        """Yield the cells of each space that several threads accessed, few of many, with their flags."""
        for name in [name for name in self._flags if name in self._with_shared]:  # others may have millions of cells
            every = self._flags[name]
            used = every[: -(-self._spaces[name].used_bytes // self.granule)]
            cells = np.flatnonzero((used & SHARED).view(np.bool_))
            yield name, cells, used[cells]

    def _bits(self, form: Access) -> int:
        if form.atomic:
            return ATOMIC | (ODD if self._shape.grid > 1 and not form.wide else 0)
        return READ if form.kind == "ld" else WRITE
