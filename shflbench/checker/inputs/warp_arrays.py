"""The most threads of a block whose warps have an element each of an array in shared memory.

`part[threadIdx.x / 32]` with `__shared__ float part[8]` is within bounds in blocks of up to 256 threads.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from shflbench.core.model import WARP
from shflbench.emulator.dataflow.polynomials import number_of
from shflbench.emulator.dataflow.warps import LOG_WARP
from shflbench.emulator.link.program import Slot
from shflbench.emulator.opcodes.roles import OpcodeRole, has_role

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from shflbench.emulator.dataflow.polynomials import Polynomial
    from shflbench.emulator.dataflow.slices import Slicer
    from shflbench.emulator.link.program import Op, PlacedVariable

_THREAD: Mapping[tuple[str, ...], int] = {("%tid.x",): 1}
_BITS = 10  # of the number of a thread in a block


def most_threads_of_warps(
    slicer: Slicer, known: Mapping[int | None, Polynomial], addresses: Collection[tuple[Op, Polynomial]]
) -> int:
    """Return the threads for whose warps the smallest array that they index has elements, 0 if they index none."""
    steps = dict(_warp_numbers(slicer, known))
    rooms = [
        room
        for op, address in addresses
        if op.place is not None and op.place.space == "shared"
        for variable in slicer.program.shared_variables
        if (room := _room(variable, address, steps))
    ]
    return min(rooms, default=0) * WARP


def _warp_numbers(slicer: Slicer, known: Mapping[int | None, Polynomial]) -> Iterator[tuple[str, int]]:
    """Yield the registers, as symbols, that are multiples of the number of a warp: what each warp adds to it.

    Compilers write `threadIdx.x / 32 * 4` as `(threadIdx.x >> 3) & -4`.
    """
    shifted: dict[int, int] = {}  # register → by how many bits
    for op in slicer.ops:
        target = number_of(op.results[0]) if len(op.results) == 1 and op.guard is None else None
        if target is None or len(slicer.writers(target)) > 1 or len(op.sources) != 2:  # noqa: PLR2004  (both operands)
            continue
        source, constant = op.sources
        if not isinstance(source, Slot) or isinstance(constant, Slot):
            continue
        if has_role(op.instruction, OpcodeRole.RIGHT_SHIFT) and _is_thread(known.get(source.number)):
            shifted[target] = constant
            if constant == LOG_WARP:
                yield str(target), 1
        elif has_role(op.instruction, OpcodeRole.MASK) and source.number in shifted:
            dropped = LOG_WARP - shifted[source.number]
            kept = (1 << max(_BITS - shifted[source.number], 0)) - 1
            if dropped > 0 and constant & kept == kept >> dropped << dropped:
                yield str(target), 1 << dropped


def _is_thread(value: Polynomial | None) -> bool:
    return value is not None and {term: factor for term, factor in value.items() if factor} == _THREAD


def _room(variable: PlacedVariable, address: Polynomial, steps: Mapping[str, int]) -> int:
    """Return for how many warps there are elements from an address on; 0 if it is not one of a warp in the variable."""
    start = address[()]
    end = variable.start + variable.size
    of_warp = [steps[term[0]] * factor for term, factor in address.items() if len(term) == 1 and term[0] in steps]
    if len(of_warp) != 1 or of_warp[0] <= 0 or not variable.start <= start < end:
        return 0
    rows = (factor for term, factor in address.items() if term and not (len(term) == 1 and term[0] in steps))
    return min([end - start, *(row for row in rows if row > of_warp[0])]) // of_warp[0]
