"""The natural loops of a program, and the registers that each iteration increases by the same number."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from shflbench.emulator.dataflow.index_values import to_signed
from shflbench.emulator.link.barrier_loops import dominates, dominators, reverse_postorder, reversed_graph
from shflbench.emulator.link.program import Slot

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from shflbench.emulator.dataflow.slices import Slicer
    from shflbench.emulator.link.program import Op

_MOST_COPIES = 8  # instructions between a counter and its next value


@dataclass(frozen=True, slots=True)
class CodeLoop:
    """A natural loop: its first block, all blocks, and those that jump back."""

    header: int
    blocks: frozenset[int]
    latches: frozenset[int]


class CodeLoops:
    """The loops of one program, by their headers."""

    def __init__(self, slicer: Slicer) -> None:
        """Find the loops (Aho, Lam, Sethi, Ullman, "Compilers", 2nd edition, 9.6)."""
        self._slicer = slicer
        blocks = slicer.program.blocks
        after = {block: tuple(end for end in slicer.successors(block) if end in blocks) for block in blocks}
        before = reversed_graph(after)
        order = reverse_postorder(after)
        self._place = {block: number for number, block in enumerate(order)}
        self._dominator = dominators(order, self._place, before)
        latches: dict[int, set[int]] = defaultdict(set)
        self.is_reducible = True
        for block in order:
            for end in after[block]:
                if self._place[end] <= self._place[block]:
                    self.is_reducible &= self.dominates(end, block)
                    latches[end].add(block)
        self._loops = {
            header: CodeLoop(header, _body(before, header, ends), frozenset(ends)) for header, ends in latches.items()
        }
        self._steps: dict[int, dict[int, int]] = {}

    def dominates(self, one: int, block: int) -> bool:
        """Return whether all paths to a block go through another one."""
        return one in self._place and block in self._place and dominates(self._dominator, self._place, one, block)

    def around(self, block: int) -> list[CodeLoop]:
        """Return the loops that contain a block."""
        return [loop for loop in self._loops.values() if block in loop.blocks]

    def at(self, header: int) -> CodeLoop | None:
        """Return the loop that begins with a block."""
        return self._loops.get(header)

    def steps(self, loop: CodeLoop, registers: Iterable[int]) -> Mapping[int, int]:
        """Return those of the registers that each iteration of a loop increases by a constant, with the constant."""
        known = self._steps.setdefault(loop.header, {})
        for register in registers:
            if register not in known and (step := self._step(loop, register)) is not None:
                known[register] = step
        return known

    def _step(self, loop: CodeLoop, register: int) -> int | None:
        writers = [op for op in self._slicer.writers(register) if self._slicer.block_of(op) in loop.blocks]
        if len(writers) != 1 or not self.runs_once(loop, writers[0]):
            return None
        (op,), total = writers, 0
        for _ in range(_MOST_COPIES):
            source, step = _increased(op)
            if source is None:
                return None
            total += step
            if source == register:
                return total
            before = self._slicer.writers(source)
            if len(before) != 1 or not self._is_before(before[0], op) or not self.runs_once(loop, before[0]):
                return None
            (op,) = before
        return None

    def runs_once(self, loop: CodeLoop, op: Op) -> bool:
        """Whether each iteration of a loop executes an instruction once."""
        block = self._slicer.block_of(op)
        inner = [other for other in self.around(block) if other.header in loop.blocks and other is not loop]
        return (
            op.guard is None
            and block in loop.blocks
            and not inner
            and all(self.dominates(block, latch) for latch in loop.latches)
        )

    def _is_before(self, one: Op, other: Op) -> bool:
        first, second = self._slicer.block_of(one), self._slicer.block_of(other)
        if first != second:
            return self.dominates(first, second)
        ops = [id(op) for op in self._slicer.ops_in(first)]
        return ops.index(id(one)) < ops.index(id(other))


def _increased(op: Op) -> tuple[int | None, int]:
    """Return the register to which an instruction adds a constant, and the constant; None if it is another one."""
    words = op.instruction.modifiers
    if len(op.results) != 1 or not words or words[-1] not in {"s32", "u32", "b32", "s64", "u64", "b64"}:
        return None, 0
    match op.instruction.opcode, op.sources:
        case "mov", [Slot() as source]:
            return source.number, 0
        case "add", [Slot() as source, int() as step] | [int() as step, Slot() as source]:
            return source.number, to_signed(step)
        case "sub", [Slot() as source, int() as step]:
            return source.number, -to_signed(step)
    return None, 0


def _body(before: Mapping[int, tuple[int, ...]], header: int, latches: Iterable[int]) -> frozenset[int]:
    """Return the blocks from which a latch is reached without the header, and the header."""
    body = {header}
    waiting = list(latches)
    while waiting:
        block = waiting.pop()
        if block not in body:
            body.add(block)
            waiting += before[block]
    return frozenset(body)
