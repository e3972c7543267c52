"""The least time of a launch that the units outside the SMs allow: memory, and the start of blocks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from shflbench.analysis.limits.bound import LATENCY, limit

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from shflbench.analysis.limits.bound import Residency
    from shflbench.core.arch import Architecture
    from shflbench.core.model import TimedCode

DRAM, L2, BLOCK_START, ATOMIC = "dram", "l2", "block start", "atomic"  # limits that no unit of an SM sets


@dataclass(frozen=True, slots=True)
class MemoryTraffic:
    """The bytes that a launch must move, and what memory can do; None where it is not known."""

    distinct_bytes: float | None  # that the launch reads or writes; a byte that it uses twice counts once
    l2_bytes: int | None
    bytes_per_us: float | None  # the highest rate of the memory

    @property
    def least_us(self) -> float | None:
        """The time in which the memory moves what the L2 cache cannot hold; None if it is not known.

        Before a launch, the cache holds at most its size of what the launch reads. After it, the cache holds at most
        its size of what the launch wrote and memory has not received. Over launches one after another, both share the
        cache: what it keeps of one launch's results takes the place of the next launch's inputs.
        """
        if self.distinct_bytes is None or self.l2_bytes is None or self.bytes_per_us is None:
            return None
        return max(0.0, self.distinct_bytes - self.l2_bytes) / self.bytes_per_us


@dataclass(frozen=True, slots=True)
class TimeLimit:
    """A lower bound for the time of one launch."""

    us: float
    by: str  # what sets it
    parts: Mapping[str, float]  # the bound of each, in µs
    omitted: tuple[str, ...] = ()  # what no figure is known for, so that it does not count

    @classmethod
    def of(cls, parts: Mapping[str, float], omitted: tuple[str, ...] = ()) -> TimeLimit | None:
        """Return the largest of the parts; None if there is none."""
        if not parts:
            return None
        by = max(parts, key=lambda name: parts[name])
        return cls(parts[by], by, parts, omitted)


def block_start_us(grid: int, blocks_per_clock: float | None, clock_mhz: float) -> float | None:
    """Return the time in which the GPU starts all blocks of a launch; None if its rate is not known."""
    return None if blocks_per_clock is None else grid / blocks_per_clock / clock_mhz


def atomic_us(atomics: float, per_clock: float | None, clock_mhz: float) -> float | None:
    """Return the time of atomic operations on one address, which follow one another; None if their rate is unknown."""
    return None if per_clock is None else atomics / per_clock / clock_mhz


def one_pass_limit(  # noqa: PLR0913, PLR0917  (what a launch depends on)
    code: TimedCode | None,
    arch: Architecture,
    residency: Residency,
    clock_mhz: float,
    outside: Mapping[str, float | None],
    counted: Mapping[str, float] | None = None,
    unpublished: Iterable[str] = (),
) -> TimeLimit | None:
    """Return the limit of a kernel without a timed loop; None if nothing is known of it.

    `code` is what every warp executes at least once, None if it is unknown. `outside` are the limits that no SM sets,
    in µs, None where they are not known. `counted` are the clocks that the units of the busiest SM need according to
    what its launch was counted to execute. `unpublished` are the units without a published rate that some warps use.
    """
    parts = {name: us for name, us in outside.items() if us is not None}
    omitted = [name for name, us in outside.items() if us is None]
    bound = limit(code, arch, residency) if code else None
    if bound:
        parts |= {name: cycles / clock_mhz for name, cycles in bound.parts.items() if name != LATENCY}
        omitted += (name for name in bound.omitted if not name.startswith(LATENCY))
    for name, cycles in (counted or {}).items():
        parts[name] = max(parts.get(name, 0.0), cycles / clock_mhz)
    omitted += (unit for unit in unpublished if unit not in omitted)
    return TimeLimit.of(parts, tuple(omitted)) if any(parts.values()) else None
