"""The clocks of a block on an SM: how long its warps wait on their path, and how long they occupy each unit."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping  # noqa: TC003  (dataclasses)
from dataclasses import dataclass, field
from math import ceil
from typing import TYPE_CHECKING

from shflbench.analysis.limits.kernel_path import PathLoop
from shflbench.analysis.limits.path_prices import BARRIER, ISSUE, PARTS, REMOTE, norm

if TYPE_CHECKING:
    from shflbench.analysis.limits.kernel_path import PathStep, WarpPath
    from shflbench.analysis.limits.path_prices import PathPrice, PathPrices

SCOREBOARDS = 6
REPEATS = 3  # passes through a loop that are walked: the first two fill the pipeline, the others are like the third


@dataclass(slots=True)
class _WalkState:
    """Where a warp is on its path, what it waits for, and what its block has asked of the units."""

    now: float = 0.0
    start: float = 0.0  # clock of the last barrier
    ready: list[float] = field(default_factory=lambda: [0.0] * SCOREBOARDS)
    since: dict[str, float] = field(default_factory=lambda: defaultdict(float))  # the last barrier, by unit
    total: dict[str, float] = field(default_factory=lambda: defaultdict(float))
    stored_to: str = ""  # the memory that has stores under way
    stored: float = 0.0  # clock at which stores to another block are sent
    sent: float = 0.0  # clock at which what was sent to a barrier in memory has arrived
    arrived: float = 0.0  # clock of the arrival at the barrier of the cluster

    def skip(self, clocks: float) -> None:
        """Move all clocks on."""
        self.now += clocks
        self.stored += clocks
        self.sent += clocks
        self.arrived += clocks
        self.ready = [clock + clocks for clock in self.ready]

    def settle(self, power: float) -> None:
        """End a stretch: no warp is through before the units have served all of them."""
        self.now = self.start + norm((self.now - self.start, max(self.since.values(), default=0.0)), power)
        self.begin()

    def begin(self) -> None:
        """Begin a stretch."""
        self.start = self.now
        self.since.clear()


@dataclass(frozen=True, slots=True)
class BlockClocks:
    """The clocks of a block that has an SM to itself, and those for which it occupies each unit."""

    alone: float
    units: Mapping[str, float]

    @property
    def busiest(self) -> float:
        """The clocks of the unit that is occupied for longest."""
        return max(self.units.values(), default=0.0)


def walk(path: WarpPath, warps: int, prices: PathPrices, *, is_loop: bool = False) -> BlockClocks:
    """Return the clocks of one pass of a block of so many warps through its path; of a timed loop, in its middle."""
    state = _WalkState()
    begun = 0.0
    before: dict[str, float] = defaultdict(float)
    for _ in range(REPEATS if is_loop else 1):
        begun, before = state.now, defaultdict(float, state.total)
        _walk(path, warps, prices, state)
        state.settle(prices.power)
    return BlockClocks(state.now - begun, {name: clocks - before[name] for name, clocks in state.total.items()})


def _walk(path: WarpPath, warps: int, prices: PathPrices, state: _WalkState) -> None:
    for part in path:
        if isinstance(part, PathLoop):
            _walk_loop(part, warps, prices, state)
        else:
            _step(part, warps, prices, state)


def _walk_loop(loop: PathLoop, warps: int, prices: PathPrices, state: _WalkState) -> None:
    """Walk some passes of an inner loop; each further pass is like the last of these."""
    walked = min(REPEATS, ceil(loop.iterations))
    now, start = state.now, state.start
    since, total = defaultdict(float, state.since), defaultdict(float, state.total)
    for _ in range(walked):
        now, start = state.now, state.start
        since, total = defaultdict(float, state.since), defaultdict(float, state.total)
        _walk(loop.body, warps, prices, state)
    rest = loop.iterations - walked
    if not rest:
        return
    has_barrier = state.start != start
    for name in state.total:
        state.total[name] += rest * (state.total[name] - total[name])
    if has_barrier:
        state.start += rest * (state.now - now)
    else:
        for name in state.since:
            state.since[name] += rest * (state.since[name] - since[name])
    state.skip(rest * (state.now - now))


def _step(step: PathStep, warps: int, prices: PathPrices, state: _WalkState) -> None:
    """Issue an instruction in all warps that execute it, and wait for what it waits for."""
    one, control = step.item.instruction, step.item.control
    price = prices.of(one)
    at = max([state.now, *(state.ready[number] for number in control.waits if number < SCOREBOARDS)])
    executed = warps * step.share
    _occupy(price, executed, state)
    _send(price, at, executed, state)
    if (number := control.write_barrier) is not None:
        arrival = state.sent if one.base == "SYNCS" and not price.arrives else 0.0
        state.ready[number] = max(state.ready[number], at + price.latency, arrival)
    if (number := control.read_barrier) is not None:
        state.ready[number] = max(state.ready[number], at + price.release)
    state.now = at + max(1, control.stall)
    if one.base == "BAR" and ".ARV" not in one.opcode:
        demand = max((clocks for name, clocks in state.since.items() if name != BARRIER), default=0.0)
        state.now = state.start + prices.barrier(warps, at + 1 - state.start, demand)
        state.begin()
    elif one.base == "MEMBAR":
        state.now = max(state.now, state.stored) + prices.fence_of(one.opcode, state.stored_to)
        state.stored_to = ""
    elif one.base == "UCGABAR_ARV":
        state.settle(prices.power)
        state.arrived = state.now
    elif one.base == "UCGABAR_WAIT":
        state.now = max(state.now, state.arrived + prices.cluster_barrier)
        state.begin()
    elif one.base == "CCTL":
        state.now += prices.invalidate


def _occupy(price: PathPrice, executed: float, state: _WalkState) -> None:
    """Add what the warps that execute an instruction ask of the units."""
    per_part = ceil(executed) / PARTS if executed >= PARTS else max(executed / PARTS, min(1.0, executed))
    occupied = {name: clocks * per_part for name, clocks in price.part_units.items()}
    occupied[ISSUE] = per_part + occupied.get(ISSUE, 0.0)
    occupied |= {name: clocks * executed for name, clocks in price.units.items()}
    for name, clocks in occupied.items():
        state.since[name] += clocks
        state.total[name] += clocks


def _send(price: PathPrice, at: float, executed: float, state: _WalkState) -> None:
    """Note what is under way to another block, or to a barrier in memory."""
    state.stored_to = price.stores_to or state.stored_to
    queued = price.units.get(REMOTE, 0.0) * executed
    if price.arrives:
        state.sent = max(state.sent, at + price.arrives + queued)
    elif queued:
        state.stored = max(state.stored, at) + queued
