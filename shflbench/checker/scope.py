"""Find kernels outside the scope of `check`: its launches have one dimension and say nothing about the other two.

The linear number of a thread, (z * height + y) * width + x, is the same in blocks of every shape: a kernel that uses y
and z for nothing else, as cooperative groups do, is in scope. To recognize this number, integers are followed as
polynomials of the special registers.
"""

from __future__ import annotations

from collections import Counter
from itertools import chain, product
from typing import TYPE_CHECKING

from shflbench.backends.emulator.link.program import Slot

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from shflbench.backends.emulator.frontend.ptx import PtxInstruction
    from shflbench.backends.emulator.link.program import Op, Program, Source

    Polynomial = Counter[tuple[str, ...]]  # coefficients of the products of registers, by the sorted names

# CUDA's names of the indexes, by the prefix of their special registers.
INDEXES = {"tid": "threadIdx", "ctaid": "blockIdx"}
MOST_TERMS = 64  # of a polynomial; address computations have a handful


def other_dimension(program: Program) -> tuple[str, PtxInstruction] | None:
    """Return the first use of an index in the second or third dimension, e.g. `threadIdx.y`, and its instruction."""
    ops = [op for start in sorted(program.blocks) for op in _ops(program, start)]
    known = _polynomials(program, ops)
    for op in ops:
        if len(op.results) != 1 or _number(op.results[0]) not in known:
            for number in _reads(op):
                if index := _other_index(known.get(number, Counter())):
                    return index, op.instruction
    return None


def _ops(program: Program, start: int) -> Iterator[Op]:
    block = program.blocks[start]
    yield from block.ops
    if block.last is not None:
        yield block.last


def _other_index(value: Polynomial) -> str:
    """Return the index that `value` depends on otherwise than by a linear number, empty if there is none."""
    for prefix, name in INDEXES.items():
        rest = Counter(value)
        for term, factor in value.items():
            if f"%{prefix}.x" in term:
                others = [symbol for symbol in term if symbol != f"%{prefix}.x"]
                rest[_sorted(*others, f"%n{prefix}.x", f"%{prefix}.y")] -= factor
                rest[_sorted(*others, f"%n{prefix}.x", f"%n{prefix}.y", f"%{prefix}.z")] -= factor
        used = [axis for axis in "yz" if _contains(value, f"%{prefix}.{axis}")]
        if used and any(_contains(rest, f"%{prefix}.{axis}") for axis in "yz"):
            return f"{name}.{used[0]}"
    return ""


def _contains(value: Polynomial, symbol: str) -> bool:
    return any(factor and symbol in term for term, factor in value.items())


def _polynomials(program: Program, ops: Sequence[Op]) -> dict[int | None, Polynomial]:
    """Return the values of the special registers, and of those that are computed from them by sums and products."""
    known: dict[int | None, Polynomial] = {number: Counter({(name,): 1}) for name, number in program.special.items()}
    writes = Counter(_number(slot) for op in ops for slot in op.results)
    for op in ops:
        target = _number(op.results[0]) if len(op.results) == 1 and op.guard is None else None
        if target is not None and writes[target] == 1:
            value = _value(op, [_operand(source, known) for source in op.sources])
            if value is not None and len(value) <= MOST_TERMS:
                known[target] = value
    return known


def _operand(source: Source, known: dict[int | None, Polynomial]) -> Polynomial:
    """Return a constant, the known value of a register, or an unknown named by the register's number."""
    if not isinstance(source, Slot):
        return Counter({(): source})
    return known.get(source.number, Counter({(str(source.number),): 1}))


def _value(op: Op, operands: Sequence[Polynomial]) -> Polynomial | None:
    """Return the value of an instruction's result, None if it is not a sum or product."""
    match (op.instruction.opcode, *op.instruction.modifiers), operands:
        case ("mov", _), [a]:
            return a
        case ("add", "s32" | "u32"), [a, b]:
            return _sum(a, b)
        case ("mul", "lo", "s32" | "u32"), [a, b]:
            return _product(a, b)
        case ("mad", "lo", "s32" | "u32"), [a, b, c]:
            return _sum(_product(a, b), c)
    return None


def _sum(a: Polynomial, b: Polynomial) -> Polynomial:
    total = Counter(a)
    total.update(b)
    return total


def _product(a: Polynomial, b: Polynomial) -> Polynomial:
    total: Polynomial = Counter()
    for (one, first), (other, second) in product(a.items(), b.items()):
        total[_sorted(*one, *other)] += first * second
    return total


def _sorted(*symbols: str) -> tuple[str, ...]:
    return tuple(sorted(symbols))


def _reads(op: Op) -> Iterator[int | None]:
    base = op.place.base if op.place is not None else None
    return map(_number, chain(op.sources, (op.guard, base)))


def _number(slot: object) -> int | None:
    return slot.number if isinstance(slot, Slot) else None
