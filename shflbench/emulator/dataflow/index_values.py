"""Integers of a kernel as polynomials of its parameters and of the indexes of a thread.

A parameter is named by its first byte, `@16`, and the iterations of a loop by the block that counts them, `~40`. With
these, the index `i` of `for (i = t; i < n; i += stride)` is `t + stride * ~40`, as is a pointer that the compiler
increments in its place, and both can be compared. Where only the values before a loop count, such as the linear number
of a thread, iterations are not followed, and a register that a loop changes stands for itself.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from shflbench.emulator.dataflow.polynomials import difference, number_of, product_of, sum_of, value_of
from shflbench.emulator.dataflow.slices import parameter_byte
from shflbench.emulator.link.program import Slot
from shflbench.emulator.opcodes.roles import OpcodeRole, has_role

if TYPE_CHECKING:
    from collections.abc import Mapping

    from shflbench.emulator.dataflow.polynomials import Polynomial
    from shflbench.emulator.dataflow.slices import Slicer
    from shflbench.emulator.link.program import MemoryOperand, Op, Source

PARAMETER = "@"
LOOP = "~"
_WORD, _LONG = 1 << 32, 1 << 64


class IndexValues:
    """The values of the registers of one program; overflow is ignored."""

    def __init__(self, slicer: Slicer, *, iterations: bool = True) -> None:
        """Follow sums and products in the order of the code, with `iterations` also what loops add."""
        self._slicer, self._iterations = slicer, iterations
        self._known: dict[int | None, Polynomial] = {
            number: Counter({(name,): 1}) for name, number in slicer.program.special.items()
        }
        for block in sorted(slicer.program.blocks):
            for op in slicer.ops_in(block):
                self._follow(op)

    @classmethod
    def before_loops(cls, slicer: Slicer) -> IndexValues:
        """Follow sums and products without what loops add."""
        return cls(slicer, iterations=False)

    @property
    def known(self) -> Mapping[int | None, Polynomial]:
        """The values of the registers that have one, as the code computes them: not normalized."""
        return self._known

    def of(self, source: Source) -> Polynomial:
        """Return the value of an operand, in which an unknown register stands for itself."""
        if not isinstance(source, Slot):
            return normalize(Counter({(): source}))
        return normalize(self._known.get(source.number, Counter({(str(source.number),): 1})))

    def of_symbol(self, symbol: str) -> Polynomial:
        """Return the value of a register that the code computes after its first use in a loop; else the symbol."""
        known = self._known.get(int(symbol)) if symbol.isdecimal() else None
        return normalize(Counter({(symbol,): 1}) if known is None else known)

    def address(self, place: MemoryOperand) -> Polynomial:
        """Return an address; empty if no register is part of it."""
        if place.base is None:
            return Counter()
        value = self.of(place.base)
        value[()] += place.offset
        return normalize(value)

    def _follow(self, op: Op) -> None:
        target = number_of(op.results[0]) if len(op.results) == 1 and op.guard is None else None
        if target is None or target in self._known:
            return
        start = parameter_byte(op)
        value = value_of(op, self._known)
        if start is not None:
            value = Counter({(f"{PARAMETER}{start}",): 1})
        others = [writer for writer in self._slicer.writers(target) if writer is not op]
        if value is None or len(others) > 1 or (others and not self._iterations):
            return
        if others:
            (other,) = others
            step, last = self._step(other, target)
            if step is None:
                return
            advance = product_of(step, Counter({(f"{LOOP}{self._slicer.block_of(other)}",): 1}))
            value = sum_of(value, advance)
            if last is not None:
                self._known[last] = value  # the value of the next iteration, before it becomes the current one
        self._known[target] = value

    def _step(self, op: Op, target: int) -> tuple[Polynomial | None, int | None]:
        """Return what a loop adds to `target`, None if `op` does anything else, and the register that `op` copies."""
        is_copy = has_role(op.instruction, OpcodeRole.COPY) and op.sources
        copied = number_of(op.sources[0]) if is_copy else None
        writers = self._slicer.writers(copied) if copied is not None else [op]
        if len(writers) != 1 or op.guard is not None or writers[0].guard is not None:
            return None, None
        itself: Polynomial = Counter({(str(target),): 1})
        value = value_of(writers[0], self._known)
        step = normalize(difference(value, itself)) if value is not None else Counter(itself)
        changes = any(symbol == str(target) for term in step for symbol in term)
        return (None if changes else step), copied


def normalize(value: Polynomial) -> Polynomial:
    """Return a value without terms that are zero, in which factors have the sign that their bits stand for."""
    return Counter({term: to_signed(factor) for term, factor in value.items() if to_signed(factor)})


def variable(value: Polynomial) -> Polynomial:
    """Return a value without its constant."""
    return Counter({term: factor for term, factor in value.items() if term and factor})


def to_signed(bits: int) -> int:
    """Return the number that 32 or 64 bits stand for: immediates are kept as bits."""
    if _WORD // 2 <= bits < _WORD:
        return bits - _WORD
    return bits - _LONG if _LONG // 2 <= bits < _LONG else bits


def parameters_of(term: tuple[str, ...]) -> tuple[int, ...] | None:
    """Return the bytes of the parameters of which a term is the product, None if it is another product."""
    if not term or not all(symbol.startswith(PARAMETER) for symbol in term):
        return None
    return tuple(int(symbol.removeprefix(PARAMETER)) for symbol in term)
