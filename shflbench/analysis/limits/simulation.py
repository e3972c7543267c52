"""Simulate the warps of one SM in a timed loop: issue, scoreboards, the path to shared memory, and barriers.

An SM has four sub-partitions; each issues one instruction per clock of one of its warps, of those that are ready the
one that it issued before, otherwise the oldest. Stall counts and scoreboards say when a warp is ready. Requests
queue per sub-partition and take turns on the path of the SM. Arrivals at barriers queue for the SM.
"""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass
from enum import Enum
from heapq import heapify, heappop, heappush
from random import Random
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shflbench.analysis.limits.constants import PredictionConstants

PARTS = 4  # sub-partitions
SCOREBOARDS = 6
MOST_WARPS = 8  # of a block, up to which a complete barrier occupies the path for longer (fitted)


class StepKind(Enum):
    """Where an instruction waits after its issue."""

    FIXED = "fixed"  # nowhere: it may occupy a unit of its sub-partition
    REQUEST = "request"  # for the path of the SM to shared memory and the caches
    BARRIER = "barrier"  # for the other warps of its block


@dataclass(frozen=True, slots=True)
class Step:
    """One instruction of the loop, as the simulation needs it; times are in clocks."""

    kind: StepKind
    unit: str  # of a FIXED step, what it occupies; empty for nothing but an issue slot
    occupancy: float  # of that unit, or of the SM's path
    operands: float  # of the sub-partition's path, of a REQUEST
    latency: float  # until the result is there
    stall: float
    write_barrier: int | None
    read_barrier: int | None
    waits: tuple[int, ...]
    waits_longer: float = 0.0  # beyond the release of a scoreboard
    active: float = 1.0  # share of a block's warps, the first ones, of which a lane is active in a REQUEST
    reads: tuple[float, float] = (0, 0)  # registers of the two banks
    reads_after_last: tuple[float, float] = (0, 0)  # likewise, directly behind the instruction before


def occupancy_of(step: Step, place: int, warps: int) -> float:
    """Return the clocks for which the warp at a place of a block of so many warps occupies the path of the SM.

    A request of which no lane is active occupies it for one clock. The first warp always has active lanes.
    """
    is_active = step.active >= 1.0 or place == 0 or place + 0.5 < step.active * warps
    return step.occupancy if is_active else min(1.0, step.occupancy)


@dataclass(slots=True)
class _Warp:
    """What one warp of the simulation does."""

    number: int
    block: int
    part: int
    released: list[float]  # clock of each scoreboard
    pending: list[int]  # requests of each scoreboard that are still queued
    step: int = 0
    passes: int = 0
    next: float = 0.0  # clock from which its stall count lets it issue
    is_parked: bool = False


@dataclass(slots=True)
class _Part:
    """One sub-partition."""

    future: list[tuple[float, int, int]]  # heap: clock, order, warp
    ready: list[int]  # heap of warps
    requests: deque[tuple[float, _Warp, Step]]
    busy: dict[str, float]  # unit → clock from which it is free
    issue: float = 0.0  # clock of the next issue slot
    even: float = 0.0  # clocks at which the banks of registers have read what was asked of them
    odd: float = 0.0
    issued: int = -1  # warp of the last instruction
    path: float = 0.0  # clock at which its path takes the next request
    last: int = -1  # warp


class Simulation:
    """A run of some passes through a loop by the blocks of one SM."""

    def __init__(
        self, steps: Sequence[Step], warps_per_block: int, blocks: int, constants: PredictionConstants, later: int = 0
    ) -> None:
        """Prepare `blocks` blocks, which all start at once; one of `later` blocks starts wherever one ends."""
        self._steps, self._constants, self._size = steps, constants, warps_per_block
        self._later = later
        self.ends: list[float] = []  # clock at which each block ended, in this order
        count = warps_per_block * blocks
        self._warps = [
            _Warp(w, w // warps_per_block, w % PARTS, [0.0] * SCOREBOARDS, [0] * SCOREBOARDS) for w in range(count)
        ]
        self._remaining = [warps_per_block] * blocks
        self._parts = [_Part([], [], deque(), {}) for _ in range(PARTS)]
        self._path, self._turn = 0.0, 0
        self._arrivals: list[tuple[float, _Warp]] = []
        self._arrived: list[list[_Warp]] = [[] for _ in range(blocks)]
        self._barrier = 0.0
        self._release = constants.barrier_release + constants.barrier_per_other_block * (blocks - 1)
        self._complete = constants.barrier_path + constants.barrier_path_per_warp * min(warps_per_block, MOST_WARPS)
        self._order, self._random = count, Random(1)  # noqa: S311  (repeatable, and no secret)

    def run(self, passes: int) -> float:
        """Return the clocks until all warps have done `passes` passes."""
        for warp in self._warps:
            heappush(self._parts[warp.part].future, (0.0, warp.number, warp.number))
        running = len(self._remaining)
        while running:
            part, issue = self._next_issue()
            turn, grant = self._next_grant()
            arrival = max(self._arrivals[0][0], self._barrier) if self._arrivals else math.inf
            if arrival <= min(issue, grant):
                self._arrive(arrival)
            elif grant <= issue:
                self._grant(turn, grant)
            else:
                issued = self._issue(self._parts[part], issue)
                if issued is not None and issued.step == 0 and issued.passes == passes:
                    running -= self._end(issued)
                elif issued is not None:
                    self._wake(issued)
        return self.ends[-1]

    def _end(self, warp: _Warp) -> bool:
        """End a warp; return whether its block ends as well, and no other block takes its place."""
        self._remaining[warp.block] -= 1
        if self._remaining[warp.block]:
            return False
        self.ends.append(warp.next)
        if not self._later:
            return True
        self._later -= 1
        self._remaining[warp.block] = self._size
        for place in range(self._size):
            number = len(self._warps)
            part = (warp.block * self._size + place) % PARTS
            one = _Warp(number, warp.block, part, [0.0] * SCOREBOARDS, [0] * SCOREBOARDS, next=warp.next)
            self._warps.append(one)
            self._wake(one)
        return False

    def _next_issue(self) -> tuple[int, float]:
        clock, chosen = math.inf, 0
        for index, part in enumerate(self._parts):
            if part.ready:
                at = part.issue
            elif part.future:
                at = max(part.issue, part.future[0][0])
            else:
                continue
            if at < clock:
                clock, chosen = at, index
        return chosen, clock

    def _next_grant(self) -> tuple[int, float]:
        clock, chosen = math.inf, 0
        for offset in range(PARTS):
            index = (self._turn + offset) % PARTS
            part = self._parts[index]
            if part.requests and (at := max(part.requests[0][0], part.path, self._path)) < clock:
                clock, chosen = at, index
        return chosen, clock

    def _grant(self, index: int, clock: float) -> None:
        """Let the oldest request of a sub-partition use the path of the SM."""
        part = self._parts[index]
        _, warp, step = part.requests.popleft()
        occupancy = occupancy_of(step, warp.number % self._size, self._size)
        self._path = clock + occupancy
        part.path = clock + step.operands
        self._turn = (index + 1) % PARTS
        if (number := step.write_barrier) is not None:
            warp.pending[number] -= 1
            warp.released[number] = max(warp.released[number], clock + occupancy - 1 + step.latency)
        if (number := step.read_barrier) is not None:
            warp.pending[number] -= 1
            warp.released[number] = max(warp.released[number], clock + self._constants.operand_release)
        if warp.is_parked:
            self._wake(warp)

    def _arrive(self, clock: float) -> None:
        """Let one warp arrive at the barrier of its block."""
        queue, depth = self._arrivals, self._constants.barrier_queue
        _, warp = queue.pop(0)
        others = [index for index in range(depth - 1, len(queue)) if queue[index][0] <= clock]
        if others:
            queue.insert(depth - 1, queue.pop(self._random.choice(others)))
        self._barrier = clock + self._constants.barrier_per_warp
        arrived = self._arrived[warp.block]
        arrived.append(warp)
        if len(arrived) == self._size:
            self._path = max(self._path, clock) + self._complete
            for member in arrived:
                member.next = max(member.next, self._barrier + self._release)
                self._wake(member)
            arrived.clear()

    def _issue(self, part: _Part, clock: float) -> _Warp | None:
        """Issue an instruction of a sub-partition; return its warp if that goes on, None if it waits."""
        warp = self._choose(part, clock)
        step = self._steps[warp.step]
        if step.unit and part.busy.get(step.unit, 0.0) > clock:
            self._order += 1
            heappush(part.future, (part.busy[step.unit], self._order, warp.number))
            return None
        even, odd = step.reads_after_last if part.issued == warp.number else step.reads
        part.issued = warp.number
        ahead = self._constants.reads_ahead
        start = max(clock, part.even - ahead if even else 0.0, part.odd - ahead if odd else 0.0)
        part.even = max(part.even, start) + even
        part.odd = max(part.odd, start) + odd
        part.issue = max(clock, start) + 1
        warp.next = clock + step.stall
        warp.step += 1
        if step.kind is StepKind.BARRIER:
            self._arrivals.append((clock, warp))
            return None
        if step.kind is StepKind.REQUEST:
            part.requests.append((clock, warp, step))
            for number in (step.write_barrier, step.read_barrier):
                if number is not None:
                    warp.pending[number] += 1
        else:
            if step.unit:
                part.busy[step.unit] = clock + step.occupancy
            if (number := step.write_barrier) is not None:
                warp.released[number] = max(warp.released[number], clock + step.latency)
            if (number := step.read_barrier) is not None:
                warp.released[number] = max(warp.released[number], clock + 1)
        if warp.step == len(self._steps):
            warp.step, warp.passes = 0, warp.passes + 1
        return warp

    def _choose(self, part: _Part, clock: float) -> _Warp:
        """Return the warp that a sub-partition issues from: the last one if it is ready, otherwise the oldest."""
        while part.future and part.future[0][0] <= clock:
            heappush(part.ready, heappop(part.future)[2])
        if part.last in part.ready:
            part.ready.remove(part.last)
            heapify(part.ready)
        else:
            part.last = heappop(part.ready)
        return self._warps[part.last]

    def _wake(self, warp: _Warp) -> None:
        """Queue a warp for its next instruction, or park it until the requests that it waits for are granted."""
        step = self._steps[warp.step]
        at = warp.next
        for number in step.waits:
            if warp.pending[number]:
                warp.is_parked = True
                return
            at = max(at, warp.released[number] + step.waits_longer)
        warp.is_parked = False
        self._order += 1
        heappush(self._parts[warp.part].future, (at, self._order, warp.number))
