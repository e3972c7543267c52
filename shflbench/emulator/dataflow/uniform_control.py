"""The blocks of code that all threads of a block execute alike: as often, and in the same order.

A branch is uniform if its guard has one value for all threads that come to it at the same time: it follows from
parameters, the number of the block, and memory at places that do. Threads that can come to no further barrier of the
block decide nothing for those that wait there.
"""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

from shflbench.emulator.dataflow.slices import parameter_byte
from shflbench.emulator.link.program import Slot
from shflbench.emulator.opcodes.forms import Access, Barrier, Pure

if TYPE_CHECKING:
    from collections.abc import Iterator

    from shflbench.emulator.dataflow.slices import Slicer
    from shflbench.emulator.link.program import Op

_OF_BLOCK = ("%ctaid", "%nctaid", "%ntid")


class UniformControl:
    """Which blocks of one program its threads execute alike."""

    def __init__(self, slicer: Slicer) -> None:
        """Assume that all registers and branches are uniform until an instruction shows that one is not."""
        self._slicer = slicer
        self._barriers = {
            slicer.block_of(op) for op in slicer.ops if isinstance(op.form, Barrier) and op.form.whole_block
        }
        results = {slot.number for op in slicer.ops for slot in op.results if slot is not None}
        self._other: set[int] = set()  # registers that may differ between threads
        for register in range(len(slicer.program.registers)):
            name = slicer.special(register)
            if register not in results and not name.startswith(_OF_BLOCK):
                self._other.add(register)
        self._apart: set[int] = set()  # blocks that some threads may execute and others not
        harmless: dict[int, bool] = {}
        conditions = {
            block: slicer.conditions(ops[0]) for block in slicer.program.blocks if (ops := slicer.ops_in(block))
        }
        branches = {id(branch): branch for item in conditions.values() for branch in item}
        for number, branch in branches.items():
            harmless[number] = self._is_harmless(branch)
        deciding = {block: [one for one in item if not harmless[id(one)]] for block, item in conditions.items()}
        changed = True
        while changed:
            before = len(self._other) + len(self._apart)
            for block, decided_by in deciding.items():
                if any(self._may_differ(one) or slicer.block_of(one) in self._apart for one in decided_by):
                    self._apart.add(block)
            for op in slicer.ops:
                if not self._is_uniform(op):
                    self._other |= {slot.number for slot in op.results if slot is not None}
            changed = len(self._other) + len(self._apart) > before

    def is_alike(self, block: int) -> bool:
        """Return whether all threads that go on to a barrier execute a block alike."""
        return block not in self._apart

    def is_uniform_branch(self, op: Op) -> bool:
        """Return whether the guard of an instruction has one value for all threads."""
        return not self._may_differ(op)

    @property
    def has_aligned_barriers(self) -> bool:
        """Whether all threads that are there execute the same barriers of the block."""
        return not self._barriers & self._apart

    def _is_harmless(self, branch: Op) -> bool:
        ends = self._slicer.successors(self._slicer.block_of(branch))
        return any(not self._meets(end) for end in ends)

    def _meets(self, start: int) -> bool:
        """Whether threads may come from a block to a barrier."""
        seen, waiting = {start}, [start]
        while waiting:
            block = waiting.pop()
            if block in self._barriers:
                return True
            further = [end for end in self._slicer.successors(block) if end not in seen]
            seen |= set(further)
            waiting += further
        return False

    def _may_differ(self, branch: Op) -> bool:
        return branch.guard is not None and branch.guard.number in self._other

    def _is_uniform(self, op: Op) -> bool:
        """Whether the results of an instruction are uniform, for all that is known of its operands."""
        if not any(op.results):
            return True
        if self._slicer.block_of(op) in self._apart or any(number in self._other for number in _read(op)):
            return False
        match op.form:
            case Access(kind="ld"):
                is_own = op.place is not None and op.place.space == "local"
                is_plain = not (op.form.strong or op.form.asynchronous or op.form.distributed or op.form.is_barrier)
                return parameter_byte(op) is not None or (is_plain and not is_own)
            case Barrier(whole_block=True):
                return True
        return isinstance(op.form, Pure)


def _read(op: Op) -> Iterator[int]:
    sources = () if isinstance(op.form, Barrier) else op.sources  # of which it returns the same to all threads
    slots = chain(sources, (op.guard, op.place.base if op.place is not None else None))
    return (slot.number for slot in slots if isinstance(slot, Slot))
