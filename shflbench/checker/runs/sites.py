"""The code of a fault, and whether a launch executed it as often as the fault needs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from shflbench.checker.runs.coverage import executed_blocks, find_executed
from shflbench.emulator.machine.executors import SEVERAL, joined

if TYPE_CHECKING:
    from collections.abc import Mapping

    from shflbench.checker.runs.evidence import LaunchEvidence
    from shflbench.emulator.link.program import Program


@dataclass(frozen=True, slots=True)
class Site:
    """The ops that take part in a fault."""

    ops: frozenset[int]  # their ids
    is_race: bool = False  # which needs two threads

    def is_refuted(self, item: LaunchEvidence, executors: Mapping[int, int]) -> bool:
        """Return whether a launch with these `executors`, and without the fault, would have shown it.

        With a size of 1 one thread has work, and cannot race. Where contents choose the one thread, they may have to.
        """
        if not self.ops <= executors.keys():
            return False
        threads = {executors[op] for op in self.ops}
        return not (self.is_race and item.has_other_numbers) or SEVERAL in threads or len(threads) > 1


def executors_of(program: Program, item: LaunchEvidence) -> dict[int, int]:
    """Return the ids of the ops that a launch executed, and the thread that alone executed them, or `SEVERAL`."""
    executors: dict[int, int] = {}
    for run, thread in item.runs.items():
        for op in find_executed(program, executed_blocks(program, [run]), item.guarded):
            by = item.guarded.get(op, thread)
            executors[op] = joined(executors.get(op, by), by)
    return executors


def ran_ops(program: Program, item: LaunchEvidence) -> frozenset[int]:
    """Return the ids of the ops that a launch executed."""
    return find_executed(program, executed_blocks(program, item.runs), item.guarded)
