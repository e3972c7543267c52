"""The code of a fault, and whether a launch executed it as often as the fault needs."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from shflbench.checker.runs.coverage import executed_blocks, find_executed
from shflbench.emulator.machine.executors import joined, workers

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from shflbench.checker.runs.evidence import LaunchEvidence
    from shflbench.emulator.link.program import Program


@dataclass(frozen=True, slots=True)
class Site:
    """The ops that take part in a fault."""

    ops: frozenset[int]  # their ids
    is_race: bool = False  # which needs two threads
    # Of a race, how many threads executed each op at once where it happened, by the shape of the launch.
    at_work: Mapping[str, Mapping[int, int]] = field(default_factory=dict)

    def is_refuted(self, item: LaunchEvidence, executors: Mapping[int, int]) -> bool:
        """Return whether a launch with these `executors`, and without the fault, would have shown it.

        With a size of 1 one thread has work, and cannot race, and with one of 16 the threads that race may have none.
        Where contents choose the one thread, they may have to.
        """
        if not self.ops <= executors.keys():
            return False
        if not (self.is_race and item.has_other_numbers):
            return True
        needed = self.at_work.get(str(item.launch.shape), {})
        threads = {executors[op] for op in self.ops}
        has_several = len(threads) > 1 or min(threads, default=0) < 0
        return has_several and all(workers(executors[op]) >= needed.get(op, 1) for op in self.ops)


def executors_of(program: Program, item: LaunchEvidence) -> dict[int, int]:
    """Return the ids of the ops that a launch executed, and who executed them, as `note_executors` notes it."""
    executors: dict[int, int] = {}
    for run, thread in item.runs.items():
        for op in find_executed(program, executed_blocks(program, [run]), item.guarded):
            by = item.guarded.get(op, thread)
            executors[op] = joined(executors.get(op, by), by)
    return executors


def threads_at_work(
    program: Program, items: Sequence[LaunchEvidence], ops: Collection[int]
) -> dict[str, dict[int, int]]:
    """Return how many threads of each launch executed some ops at once, by the shape; the fewest of equal shapes."""
    result: dict[str, dict[int, int]] = {}
    for item in items:
        executors = executors_of(program, item)
        counts = {op: workers(executors[op]) for op in ops if op in executors}
        known = result.setdefault(str(item.launch.shape), counts)
        known.update({op: min(count, known.get(op, count)) for op, count in counts.items()})
    return result


def ran_ops(program: Program, item: LaunchEvidence) -> frozenset[int]:
    """Return the ids of the ops that a launch executed."""
    return find_executed(program, executed_blocks(program, item.runs), item.guarded)
