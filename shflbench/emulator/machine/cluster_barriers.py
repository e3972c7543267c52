"""The barrier of each cluster, whose arrival and wait are separate instructions (PTX ISA 9.0, 9.7.13.3).

A wait is over once all threads of the cluster that have not exited have arrived as often as the thread that waits.
"""

from collections.abc import Sequence

import numpy as np

from shflbench.core.model import WARP
from shflbench.emulator.link.program import Op
from shflbench.emulator.machine.clusters import Clusters
from shflbench.emulator.machine.faults import FaultKind, KernelFault
from shflbench.emulator.machine.groups import ConvergedGroup, waiting_threads
from shflbench.emulator.machine.observer import Observer
from shflbench.emulator.machine.threads import Shape
from shflbench.emulator.opcodes.forms import ClusterBarrier, Values

_NEVER = np.iinfo(np.int64).max


class ClusterBarriers:
    """How often each thread of a launch has arrived, and waited."""

    def __init__(self, shape: Shape, clusters: Clusters, alive: Values) -> None:
        """Start before the first arrival; `alive` are flags of all lanes, which change as threads exit."""
        self._shape, self._clusters, self._alive = shape, clusters, alive
        self.arrived = np.zeros(shape.lanes, np.int64)
        self._waited = np.zeros(shape.lanes, np.int64)
        self.has_arrivals = False  # since `continuing` was last called

    def arrive(self, op: Op, threads: Values, observers: Sequence[Observer]) -> None:
        """Let threads arrive; KernelFault if one has not waited since it arrived last."""
        again = self.arrived[threads] != self._waited[threads]
        if again.any():
            what = "a thread arrives again at the barrier of its cluster before it has waited"
            raise self._impossible(op, int(threads[again][0]), what)
        self.arrived[threads] += 1
        self.has_arrivals = True
        for observer in observers:
            observer.arrive_at_cluster(op, threads, self.arrived[threads])

    def wait(self, op: Op, threads: Values) -> None:
        """Let threads begin to wait; KernelFault if one has not arrived."""
        early = self.arrived[threads] == self._waited[threads]
        if early.any():
            what = "a thread waits at the barrier of its cluster at which it has not arrived"
            raise self._impossible(op, int(threads[early][0]), what)

    def continuing(self, groups: list[ConvergedGroup], observers: Sequence[Observer]) -> Values:
        """Return the waiting threads whose barrier is complete, in ascending order."""
        self.has_arrivals = False
        threads, _, places, ops = waiting_threads(groups)
        complete = self.complete
        chosen = complete[self._clusters.of_lane[threads]] >= self.arrived[threads]
        free: Values = threads[chosen]
        if free.size:
            self._waited[free] += 1
            aligned = any(isinstance(op.form, ClusterBarrier) and op.form.aligned for op in ops)
            for observer in observers:
                if aligned:
                    observer.meet(free, free // WARP, places[chosen], ops)
                observer.leave_cluster(free, self.arrived[free], ops[0] if len(ops) == 1 else None)
        return free

    @property
    def complete(self) -> Values:
        """How many barriers of each cluster are complete."""
        counts = np.where(self._alive.reshape(-1), self.arrived, _NEVER)
        by_cluster = np.full(self._clusters.count, _NEVER)
        np.minimum.at(by_cluster, self._clusters.of_lane, counts)
        return by_cluster

    def missing(self, thread: int) -> Values:
        """Return the live threads that a waiting thread waits for."""
        same = self._clusters.of_lane == self._clusters.of_lane[thread]
        absent: Values = np.flatnonzero(same & self._alive.reshape(-1) & (self.arrived < self.arrived[thread]))
        return absent

    def _impossible(self, op: Op, thread: int, what: str) -> KernelFault:
        shape = self._shape
        return KernelFault(
            f"{what}: `{op.instruction.text}` ({op.instruction.where}, {shape.describe(thread)})",
            "Let each thread arrive once and wait once per barrier.",
            kind=FaultKind.BARRIER_IMPOSSIBLE,
            op=op,
            threads=(shape.in_block(thread),),
            detail=what,
        )
