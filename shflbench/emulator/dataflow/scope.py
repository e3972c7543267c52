"""Find kernels outside the scope of `check`: its launches have one dimension and say nothing about the other two.

The linear number of a thread, (z * height + y) * width + x, is the same in blocks of every shape: a kernel that uses y
and z for nothing else, as cooperative groups do, is in scope. So does the sum x + y + z that is compared with zero, by
which compilers find the first thread. To recognize these numbers, integers are followed as polynomials of the special
registers.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from shflbench.emulator.dataflow.index_values import IndexValues
from shflbench.emulator.dataflow.polynomials import find_compared, number_of, reads, sorted_term, value_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from shflbench.emulator.dataflow.polynomials import Polynomial
    from shflbench.emulator.dataflow.slices import Slicer
    from shflbench.emulator.link.program import Op
    from shflbench.emulator.ptx.syntax import PtxInstruction

# CUDA's names of the indexes, by the prefix of their special registers.
INDEXES = {"tid": "threadIdx", "ctaid": "blockIdx"}


def other_dimension(slicer: Slicer) -> tuple[str, PtxInstruction] | None:
    """Return the first use of an index in the second or third dimension, e.g. `threadIdx.y`, and its instruction."""
    return next(_other_uses(slicer), None)


def used_indexes(slicer: Slicer) -> frozenset[str]:
    """Return the indexes that a kernel uses, such as `threadIdx.x`; y and z only where linear numbers do not do."""
    numbers = {number for op in slicer.ops for number in reads(op)}
    special = slicer.program.special
    along_x = (name for prefix, name in INDEXES.items() if special.get(f"%{prefix}.x", -1) in numbers)
    used = {f"{name}.x" for name in along_x}
    others = {index for index, _ in _other_uses(slicer)}
    return frozenset(used | others)


def _other_uses(slicer: Slicer) -> Iterator[tuple[str, PtxInstruction]]:
    known = slicer.kept(IndexValues.before_loops).known
    for op in slicer.ops:
        if len(op.results) != 1 or number_of(op.results[0]) not in known:
            for value in _used(op, known):
                for index in _other_indexes(value):
                    yield index, op.instruction


def _used(op: Op, known: Mapping[int | None, Polynomial]) -> Iterator[Polynomial]:
    """Yield the values that `op` uses: what it compares or computes as a whole, else what it reads."""
    difference = find_compared(op, known)
    if difference is not None:
        yield from () if _is_first(difference) else (difference,)
        return
    value = value_of(op, known)  # into a register that has another value elsewhere, as in a loop
    if value is not None:
        yield value
        yield known.get(number_of(op.guard), Counter())
        return
    for number in reads(op):
        yield known.get(number, Counter())


def _is_first(value: Polynomial) -> bool:
    """Whether `value` is zero in the first thread of a block, or the first block, only: x + y + z."""
    terms = {term: factor for term, factor in value.items() if factor}
    sums = [{(f"%{prefix}.{axis}",) for axis in "xyz"} for prefix in INDEXES]
    return set(terms) in sums and len(set(terms.values())) == 1


def _other_indexes(value: Polynomial) -> Iterator[str]:
    """Yield the indexes along y and z that `value` depends on otherwise than by a linear number."""
    for prefix, name in INDEXES.items():
        rest = Counter(value)
        for term, factor in value.items():
            if f"%{prefix}.x" in term:
                others = [symbol for symbol in term if symbol != f"%{prefix}.x"]
                rest[sorted_term(*others, f"%n{prefix}.x", f"%{prefix}.y")] -= factor
                rest[sorted_term(*others, f"%n{prefix}.x", f"%n{prefix}.y", f"%{prefix}.z")] -= factor
        used = [axis for axis in "yz" if _contains(value, f"%{prefix}.{axis}")]
        if used and any(_contains(rest, f"%{prefix}.{axis}") for axis in "yz"):
            yield from (f"{name}.{axis}" for axis in used)


def _contains(value: Polynomial, symbol: str) -> bool:
    return any(factor and symbol in term for term, factor in value.items())
