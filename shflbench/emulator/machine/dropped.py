"""Accesses that fault and are dropped, so that a launch goes on: a store does nothing, a load returns zeros.

A GPU would not load zeros, so what follows from them counts for nothing. A thread whose load was dropped is *derailed*
from then on, and so is one that reads memory which a derailed thread has written: observers do not get their accesses.
Its faults count further where neither the address nor the condition of the access depends on memory. Values also pass
between lanes and threads by collectives and by reductions of barriers, so that a whole warp or block is derailed at
once in a program that contains these.
"""

from collections.abc import Callable

import numpy as np

from shflbench.core.model import WARP
from shflbench.emulator.link.program import Op, Program
from shflbench.emulator.machine.faults import FaultKind, KernelFault
from shflbench.emulator.machine.memory import MemorySpace
from shflbench.emulator.machine.threads import Shape
from shflbench.emulator.opcodes.forms import Access, Barrier, Collective, Values

MOST_DROPPED = 256  # executions of an instruction in which an access is dropped; the next one ends the launch
_PRIVATE = {"local", "param"}  # memory by which no thread learns of another


class DroppedAccesses:
    """The faults of one launch, one per kind and place, and the threads that are derailed."""

    def __init__(
        self, program: Program, shape: Shape, depends_on_memory: Callable[[Op], bool] = lambda _: True
    ) -> None:
        """Start without faults; `depends_on_memory` says whether loaded values decide on an access."""
        self._depends_on_memory = depends_on_memory
        self.faults: list[KernelFault] = []
        self._places: set[tuple[FaultKind, int]] = set()
        self._executions = 0
        self._unit = _derailed_at_once(program, shape)
        self._derailed = np.zeros(shape.lanes, np.bool_)
        self._unknown: dict[str, Values] = {}  # by space: the bytes that derailed threads have written, as 255

    @property
    def any_derailed(self) -> bool:
        """Whether a thread is derailed."""
        return bool(self._derailed.any())

    def drop(self, fault: KernelFault, op: Op, threads: Values) -> None:
        """Drop the accesses of `threads`, which are derailed if they load; raise `fault` if there are too many.

        A fault of threads that are derailed already may be one of the emulator's zeros, and is then not kept.
        """
        self._executions += 1
        if self._executions > MOST_DROPPED:
            raise fault
        key = (fault.kind, id(op))
        if key not in self._places and not (self._derailed[threads].all() and self._depends_on_memory(op)):
            self._places.add(key)
            self.faults.append(fault)
        if op.form.results:
            self._derail(threads)

    def credible(self, threads: Values) -> Values:
        """Return which of the threads are not derailed."""
        credible: Values = ~self._derailed[threads]
        return credible

    def follow(self, op: Op, threads: Values, space: MemorySpace, index: Values) -> None:
        """Follow an access to elements `index`: what derailed threads write, and who reads it."""
        form: Access = op.form  # type: ignore[assignment]
        if space.name in _PRIVATE:
            return
        derailed, size = self._derailed[threads], np.dtype(form.type).itemsize
        if space.name not in self._unknown:
            if not (form.writes and derailed.any()):
                return
            self._unknown[space.name] = np.zeros(space.bytes.shape, np.uint8)
        flags = self._unknown[space.name].view(f"u{size}")
        every = np.iinfo(flags.dtype).max
        for element in range(form.vector):
            place = index + element
            if form.kind == "st":
                flags[place[~derailed]] = 0
            if form.writes:
                flags[place[derailed]] = every
            if form.results:
                self._derail(threads[flags[place] != 0])

    def _derail(self, threads: Values) -> None:
        units = self._derailed.reshape(-1, self._unit)
        units[threads // self._unit] = True


def _derailed_at_once(program: Program, shape: Shape) -> int:
    """Return how many threads with consecutive numbers learn of a value of one of them otherwise than by memory."""
    ops = [op for block in program.blocks.values() for op in (*block.ops, block.last) if op is not None]
    if any(isinstance(op.form, Barrier) and op.form.reduce for op in ops):
        return shape.lanes_per_block
    return WARP if any(isinstance(op.form, Collective) for op in ops) else 1
