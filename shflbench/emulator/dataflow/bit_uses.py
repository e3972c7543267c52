"""Parameters that are a mask, `x & (n - 1)`, the bits of a shift, `x >> n`, or a number of units, `n >> 20`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shflbench.emulator.dataflow.index_values import IndexValues, parameters_of, variable
from shflbench.emulator.opcodes.roles import OpcodeRole, has_role

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from shflbench.emulator.dataflow.polynomials import Polynomial
    from shflbench.emulator.dataflow.slices import Slicer

_BITS = {"b32", "b64"}  # of `and`, which also combines predicates
_SHIFTED = 2  # sources of a shift
MOST_UNIT_BITS = 22  # of a division: larger ones take signs, or bits of a hash, and need buffers that are too large


def masks(slicer: Slicer) -> frozenset[int]:
    """Return the first bytes of the parameters from which one is subtracted to get a mask: powers of two."""
    values = slicer.kept(IndexValues)
    ops = (
        op for op in slicer.ops if has_role(op.instruction, OpcodeRole.MASK) and _BITS & set(op.instruction.modifiers)
    )
    operands = (values.of(source) for op in ops for source in op.sources)
    return frozenset(_parameters(operand for operand in operands if operand[()] == -1))


def shifts(slicer: Slicer) -> frozenset[int]:
    """Return the first bytes of the parameters that are numbers of bits to shift by."""
    values = slicer.kept(IndexValues)
    ops = (op for op in slicer.ops if has_role(op.instruction, OpcodeRole.SHIFT) and len(op.sources) == _SHIFTED)
    return frozenset(_parameters(values.of(op.sources[1]) for op in ops))


def units(slicer: Slicer) -> dict[int, int]:
    """Return the power of two that a kernel divides a parameter by, by the first byte of the parameter."""
    values = slicer.kept(IndexValues)
    result: dict[int, int] = {}
    for op in slicer.ops:
        bits = op.sources[1] if len(op.sources) == _SHIFTED else None
        if has_role(op.instruction, OpcodeRole.RIGHT_SHIFT) and isinstance(bits, int) and bits <= MOST_UNIT_BITS:
            result.update(dict.fromkeys(_parameters([values.of(op.sources[0])]), 1 << bits))
    return result


def _parameters(operands: Iterable[Polynomial]) -> Iterator[int]:
    """Yield the parameters that are operands by themselves, apart from a constant."""
    for operand in operands:
        match list(variable(operand).items()):
            case [(term, 1)] if (parameters := parameters_of(term)) is not None and len(parameters) == 1:
                yield parameters[0]
