"""Tell whether a program waits for all blocks of its grid, as `grid.sync()` of cooperative groups does."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shflbench.emulator.link.program import Slot
from shflbench.emulator.opcodes.forms import Access

if TYPE_CHECKING:
    from shflbench.emulator.dataflow.slices import Slicer

# The driver gives a cooperative launch the address of the memory of grid barriers in these two, and other launches
# zero (cooperative_groups/details/helpers.h, `get_grid_workspace`, CUDA 13).
_WORKSPACE = ("%envreg1", "%envreg2")


def has_grid_barrier(slicer: Slicer) -> bool:
    """Return whether an atomic has an address in the memory of grid barriers."""
    special = slicer.program.special
    workspace = {special[name] for name in _WORKSPACE if name in special}
    atomics = (op for op in slicer.ops if isinstance(op.form, Access) and op.form.atomic) if workspace else ()
    bases = {op.place.base.number for op in atomics if op.place is not None and op.place.base is not None}
    return not workspace.isdisjoint(_sources(slicer, bases))


def _sources(slicer: Slicer, registers: set[int]) -> set[int]:
    """Return the registers from which values are computed, these themselves included."""
    seen: set[int] = set()
    waiting = list(registers)
    while waiting:
        register = waiting.pop()
        if register not in seen:
            seen.add(register)
            sources = (source for op in slicer.writers(register) for source in op.sources)
            waiting += [source.number for source in sources if isinstance(source, Slot)]
    return seen
