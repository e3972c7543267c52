"""Converged threads of one lockstep group: they are at the same place of the program, and run or wait."""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from shflbench.emulator.link.program import Op
from shflbench.emulator.machine.threads import ThreadSet
from shflbench.emulator.opcodes.forms import Values

PartOf = Callable[[Values], ThreadSet]  # of threads that have diverged, in ascending order


@dataclass(slots=True, eq=False)
class ConvergedGroup:
    """Converged threads of one lockstep group."""

    members: ThreadSet
    lockstep: int  # number of their lockstep group
    at: int  # number of the next block, or of the block to wait at
    waits_at: Op | None = None
    turns: int = 0  # traces since it last waited
    ran_at: int = 0  # number of the scheduler's choice by which it last ran
    masks: Values | None = None  # that its threads pass, while they wait at a collective or a barrier of lanes
    sleeps_until: int = 0  # number of the scheduler's choice up to which others run, where choices are random
    tests: int = 0  # of barriers in memory, since it last wrote memory, or waited
    tested_in: tuple[int, bytes] | None = None  # where it was at an earlier one of many tests, and its registers then
    has_repeated: bool = False  # whether it was there with the same registers again: only others can let it go on
    meetings: int = 0  # how often it has met others in memory: executed strong accesses
    polled: set[tuple[str, int]] = field(default_factory=set)  # places that it may wait to change: space and first byte

    def resume(self, at: int) -> None:
        """Run on from the block `at`, after waiting."""
        self.at, self.waits_at, self.masks = at, None, None
        self.forget_tests()

    def forget_tests(self) -> None:
        """Count the tests of barriers in memory again from here."""
        self.tests, self.tested_in, self.has_repeated = 0, None, False

    def compare_state(self, registers: bytes, *, keep: bool) -> None:
        """Compare the state after a test with an earlier one, and `keep` it for later ones."""
        now = self.at, registers
        self.has_repeated = self.has_repeated or now == self.tested_in
        if keep:
            self.tested_in = now

    def split(self, chosen: Values, part: PartOf) -> "tuple[ConvergedGroup, ConvergedGroup]":
        """Return two groups at the same place: the members whose flag is set, and the others."""
        threads = self.members.threads
        one, other = (
            ConvergedGroup(part(those), self.lockstep, self.at, self.waits_at, self.turns, self.ran_at)
            for those in (threads[chosen], threads[~chosen])
        )
        for group in (one, other):
            group.polled, group.meetings, group.tests = set(self.polled), self.meetings, self.tests
        return one, other


def merge(groups: list[ConvergedGroup], everyone: ThreadSet, part: PartOf) -> list[ConvergedGroup]:
    """Return the groups of one lockstep group of threads, `everyone`, joining those that run at the same place."""
    running: dict[int, list[ConvergedGroup]] = {}
    result = []
    for group in groups:
        if group.waits_at is None:
            running.setdefault(group.at, []).append(group)
        else:
            result.append(group)
    for at, parts in running.items():
        if len(parts) == 1:
            result.append(parts[0])
            continue
        is_whole = sum(group.members.count for group in parts) == everyone.count
        members = everyone if is_whole else part(_in_order(parts))
        names = ("turns", "ran_at", "meetings")
        turns, ran_at, meetings = (max(getattr(group, name) for group in parts) for name in names)
        result.append(ConvergedGroup(members, groups[0].lockstep, at, turns=turns, ran_at=ran_at, meetings=meetings))
    return result


def _in_order(groups: list[ConvergedGroup]) -> Values:
    """Return the threads of groups in ascending order: a stable sort merges ascending parts, in a tenth of the time."""
    return np.sort(np.concatenate([group.members.threads for group in groups]), kind="stable")


def waiting_threads(groups: list[ConvergedGroup]) -> tuple[Values, Values, Values, list[Op]]:
    """Return the threads of waiting groups, their order, the place of each one's op, and the ops; threads ascend."""
    ops = list({id(group.waits_at): group.waits_at for group in groups if group.waits_at is not None}.values())
    numbers = {id(op): number for number, op in enumerate(ops)}
    places = np.repeat([numbers[id(group.waits_at)] for group in groups], [group.members.count for group in groups])
    threads = np.concatenate([group.members.threads for group in groups])
    order = np.argsort(threads, kind="stable")
    return threads[order], order, places[order], ops
