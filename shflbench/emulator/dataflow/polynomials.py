"""Sums and products of registers as polynomials, and the instructions that compute them."""

from __future__ import annotations

from collections import Counter
from itertools import chain, product
from typing import TYPE_CHECKING, TypeAlias

from shflbench.emulator.link.program import Slot
from shflbench.emulator.opcodes.roles import OpcodeRole, has_role

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from shflbench.emulator.link.program import Op, Source

Polynomial: TypeAlias = "Counter[tuple[str, ...]]"  # coefficients of the products of registers, by the sorted names

MOST_TERMS = 64  # of a polynomial; address computations have a handful


def value_of(op: Op, known: Mapping[int | None, Polynomial]) -> Polynomial | None:
    """Return what `op` computes from `known` values, None if it is not a sum or product."""
    value = _value(op, [_operand(source, known) for source in op.sources])
    return value if value is not None and len(value) <= MOST_TERMS else None


def find_compared(op: Op, known: Mapping[int | None, Polynomial]) -> Polynomial | None:
    """Return the difference that `op` compares with zero, None if it does not test whether two integers are equal."""
    match (op.instruction.opcode, *op.instruction.modifiers), op.sources:
        case ("setp", "eq" | "ne", "s32" | "u32" | "b32" | "s64" | "u64" | "b64"), [first, second]:
            return sum_of(_operand(first, known), _negative(_operand(second, known)))
    return None


def _operand(source: Source, known: Mapping[int | None, Polynomial]) -> Polynomial:
    """Return a constant, the known value of a register, or an unknown named by the register's number."""
    if not isinstance(source, Slot):
        return Counter({(): source})
    return known.get(source.number, Counter({(str(source.number),): 1}))


def _value(  # noqa: PLR0911  (a return for each kind of instruction)
    op: Op, operands: Sequence[Polynomial]
) -> Polynomial | None:
    """Return the value of an instruction's result, None if it is not a sum or product."""
    if not has_role(op.instruction, OpcodeRole.POLYNOMIAL):
        return None
    match (op.instruction.opcode, *op.instruction.modifiers), operands:
        case ((("mov", _) | ("cvta", *_) | ("cvt", "s64" | "u64" | "s32" | "u32", "s32" | "u32" | "s64" | "u64")), [a]):
            return a
        case ("neg", "s32" | "s64"), [a]:
            return _negative(a)
        case ("not", "b32" | "b64"), [a]:
            return sum_of(_negative(a), Counter({(): -1}))
        case ("sub", "s32" | "u32" | "s64" | "u64"), [a, b]:
            return sum_of(a, _negative(b))
        case ("add", "s32" | "u32" | "s64" | "u64"), [a, b]:
            return sum_of(a, b)
        case ("mul", "lo" | "wide", "s32" | "u32" | "s64" | "u64"), [a, b]:
            return product_of(a, b)
        case ("mad", "lo" | "wide", "s32" | "u32" | "s64" | "u64"), [a, b, c]:
            return sum_of(product_of(a, b), c)
        case ("shl", "b32" | "b64"), [a, b] if set(b) == {()} and b[()] < 32:  # noqa: PLR2004  (bits of a number)
            return product_of(a, Counter({(): 1 << b[()]}))
    return _disjoint(op, operands)


def _disjoint(op: Op, operands: Sequence[Polynomial]) -> Polynomial | None:
    """Return the sum that compilers write as `8 * i | 7`, None for anything else."""
    match (op.instruction.opcode, *op.instruction.modifiers), operands:
        case ("or", "b32" | "b64"), [a, b] if set(b) == {()} and _has_other_bits(a, b[()]):
            return sum_of(a, b)
    return None


def _has_other_bits(value: Polynomial, constant: int) -> bool:
    """Whether a value has none of the bits of a positive constant, whatever the registers hold."""
    unit = 1 << constant.bit_length()
    return constant > 0 and not any(factor % unit for factor in value.values())


def sum_of(a: Polynomial, b: Polynomial) -> Polynomial:
    """Return a + b."""
    total = Counter(a)
    total.update(b)
    return total


def _negative(a: Polynomial) -> Polynomial:
    return Counter({term: -factor for term, factor in a.items()})


def difference(a: Polynomial, b: Polynomial) -> Polynomial:
    """Return a - b without terms that are zero."""
    return Counter({term: factor for term, factor in sum_of(a, _negative(b)).items() if factor})


def product_of(a: Polynomial, b: Polynomial) -> Polynomial:
    """Return a * b."""
    total: Polynomial = Counter()
    for (one, first), (other, second) in product(a.items(), b.items()):
        total[sorted_term(*one, *other)] += first * second
    return total


def sorted_term(*symbols: str) -> tuple[str, ...]:
    """Return the product of `symbols` as the key of a polynomial."""
    return tuple(sorted(symbols))


def reads(op: Op) -> Iterator[int | None]:
    """Yield the numbers of the registers that `op` reads, and None for other operands."""
    base = op.place.base if op.place is not None else None
    return map(number_of, chain(op.sources, (op.guard, base)))


def number_of(slot: object) -> int | None:
    """Return the number of a register, None for anything else."""
    return slot.number if isinstance(slot, Slot) else None
