"""The bytes of global memory that the blocks of a launch read and write."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from shflbench.core.model import MemoryFootprint
from shflbench.emulator.link.program import Op
from shflbench.emulator.machine.bulk_copy import BulkCopy
from shflbench.emulator.machine.memory import MemorySpace
from shflbench.emulator.machine.observer import Observer
from shflbench.emulator.machine.state import State
from shflbench.emulator.machine.threads import ThreadSet
from shflbench.emulator.opcodes.forms import Access, Values
from shflbench.emulator.requests.sectors import SECTOR

NEIGHBORS = 2  # of which the blocks that stand for a launch consist, by `inputs.sampled.counted_blocks`
MOST_SHARED = 0.25  # of what neighbors use, in both
COPY_UNIT = 16  # bytes of which a bulk copy has a multiple, and to which its addresses are aligned
BLOCK_BITS = 40  # of a key, below the number of the block: a terabyte of buffers


def _once(values: Values) -> Values:
    """Return the different values in ascending order.

    `np.unique` hashes, a hundred times slower for such keys. Most are in order already, or consist of parts that are,
    which a stable sort merges in a tenth of the time.
    """
    ordered = np.sort(values, axis=None, kind="stable")
    return ordered[np.append(True, ordered[1:] != ordered[:-1])] if ordered.size else ordered


@dataclass(slots=True)
class FootprintRecorder(Observer):
    """Collects where each block accesses the buffers of a launch."""

    state: State
    # Block and byte of each access, by whether it writes and its width in bytes.
    _touched: dict[tuple[bool, int], list[Values]] = field(default_factory=dict)

    def access(self, op: Op, members: ThreadSet, space: MemorySpace, index: Values, values: Sequence[Values]) -> None:
        """Add the bytes that the threads access."""
        del values
        form = op.form
        if space.name != "global" or not isinstance(form, Access):
            return
        size = np.dtype(form.type).itemsize
        blocks = members.threads.astype(np.int64) // self.state.shape.lanes_per_block
        keys = _once(blocks << BLOCK_BITS | index.astype(np.int64) * size)
        if form.kind != "st":
            self._touched.setdefault((False, size * form.vector), []).append(keys)
        if form.writes:
            self._touched.setdefault((True, size * form.vector), []).append(keys)

    def start_copy(self, copy: BulkCopy) -> None:
        """Add the bytes that a bulk copy accesses."""
        block = copy.thread // self.state.shape.lanes_per_block
        for region, writes in ((copy.source, False), (copy.target, True)):
            if region is not None and region.space == "global":
                keys = block << BLOCK_BITS | np.arange(region.start, region.end, COPY_UNIT, dtype=np.int64)
                self._touched.setdefault((writes, COPY_UNIT), []).append(keys)

    def footprint(self, grid: int) -> MemoryFootprint:
        """Return the bytes of a launch of `grid` blocks, of which those of this launch stand for the others."""
        loaded, stored = (self._keys(writes=writes) for writes in (False, True))
        scale = grid / self.state.shape.grid
        return MemoryFootprint(
            *(self._bytes(keys, scale) for keys in (loaded, stored, _once(np.concatenate([loaded, stored]))))
        )

    def _granule(self) -> int:
        return min((width for _, width in self._touched), default=SECTOR)

    def _keys(self, *, writes: bool) -> Values:
        """Return block and granule of each access, once."""
        granule = self._granule()
        parts = [
            _once(np.concatenate(keys)) + step
            for (is_write, width), keys in self._touched.items()
            if is_write is writes
            for step in range(0, width, granule)
        ]
        return _once(np.concatenate(parts)) if parts else np.zeros(0, np.int64)

    def _bytes(self, keys: Values, scale: float) -> float:
        return sum(max(self._of_buffer(keys, span, scale)) for span in self.state.buffers)

    def _of_buffer(self, keys: Values, span: tuple[int, int], scale: float) -> Iterator[float]:
        """Yield the bytes of one buffer, in the narrowest units of the accesses and in sectors.

        Two neighbors may share what lies between them, as all neighbors do. Where they share more, or blocks further
        apart use one unit, nobody knows how many others do: then only what was seen counts.
        """
        start, end = span
        place = keys & (1 << BLOCK_BITS) - 1
        inside = keys[(start <= place) & (place < end)]
        for unit in (self._granule(), SECTOR):
            units = (1 << BLOCK_BITS) // unit  # of a block, which begins at a multiple of each
            used = _once(inside // unit)
            of_pairs = _once(used // (NEIGHBORS * units) * units | used % units)
            distinct = _once(of_pairs % units).size
            shared = used.size - of_pairs.size
            grows = distinct == of_pairs.size and shared <= MOST_SHARED * used.size
            grown = distinct * scale if grows else distinct
            yield min(grown * unit, end - start)
