"""Events in which a distant executor sends the results of samples instead of the samples, which are most of the bytes.

They save the run most of its work per case: it neither estimates times nor formats and compresses samples.
"""

from __future__ import annotations

from array import array
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

from shflbench.measure.events import JobEvent

if TYPE_CHECKING:
    from shflbench.core.model import Conditions, Sample, Timing
    from shflbench.measure.events import BurstTaken


@dataclass(slots=True)
class BurstTotals:
    """What a run keeps of its bursts to judge the machine; 8 bytes per burst, since a suite has thousands."""

    count: int = 0
    throttled: int = 0  # of these, those taken while the GPU was throttled
    clocks_mhz: array[float] = field(default_factory=lambda: array("d"))  # where the SM clock is known

    def add(self, burst: BurstTaken) -> None:
        """Count a burst."""
        self.count += 1
        self.throttled += burst.dropped and not burst.host_bound
        if burst.sm_clock_mhz is not None:
            self.clocks_mhz.append(burst.sm_clock_mhz)

    def add_all(self, other: BurstTotals) -> None:
        """Count the bursts of `other`."""
        self.count += other.count
        self.throttled += other.throttled
        self.clocks_mhz += other.clocks_mhz


@dataclass(frozen=True, slots=True)
class CaseTimed:
    """The sampling of a case ended; in place of `Converged` where its samples do not follow."""

    case_id: str
    stopped_by: str  # the rule that ended it
    timing: Timing | None  # from all its samples; None if each was dropped
    conditions: Conditions  # after the last round


@dataclass(frozen=True, slots=True)
class SamplesPacked:
    """The samples of cases that ended since the last such event, and of sentinels; in place of `RoundDone`."""

    lines: bytes  # as the run stores them
    levels: tuple[Sample, ...]  # of sentinels: for each burst that was kept, one sample with the median time
    bursts: BurstTotals


CondensedEvent: TypeAlias = JobEvent | CaseTimed | SamplesPacked
