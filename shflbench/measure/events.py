"""Events that a job reports to the run; a worker process sends each as one line of JSON.

A step is reported before it starts, so that a crash can be attributed to its case.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias, get_args

from shflbench.core.model import Conditions, Device, Proof, Sample, Status
from shflbench.measure import wire


@dataclass(frozen=True, slots=True)
class Opened:
    """The device is open; `problem` names what cannot be read from it."""

    name: str  # of the backend
    device: Device
    problem: str


@dataclass(frozen=True, slots=True)
class OpenFailed:
    """The device cannot be used."""

    message: str
    advice: str


@dataclass(frozen=True, slots=True)
class WarmedUp:
    """The device is warm; `steady` is whether its clock became steady in time."""

    steady: bool
    clock_mhz: float | None


@dataclass(frozen=True, slots=True)
class ImportStarted:
    """A pattern.py is being imported, which may take longer than the timeout."""

    pattern: str


@dataclass(frozen=True, slots=True)
class StepStarted:
    """A step has started; if no further event follows, this step crashed."""

    case_id: str
    step: str  # opening, verifying or timing


@dataclass(frozen=True, slots=True)
class GridResolved:
    """The grid of a case is known."""

    case_id: str
    grid: int | None  # None if it depends on an unknown device
    resident_blocks: int | None  # per SM; None on the emulator, where it would be a model


@dataclass(frozen=True, slots=True)
class Verified:
    """A case was verified; of an unsafe case the matches were counted."""

    case_id: str
    proof: Proof


@dataclass(frozen=True, slots=True)
class CaseFailed:
    """A case ended before it was measured."""

    case_id: str
    status: Status
    reason: str


@dataclass(frozen=True, slots=True)
class BurstTaken:
    """The samples of one burst of one case."""

    case_id: str
    iterations: int
    launches: int  # per sample
    seconds: float  # from the first round of the process to the start of the burst
    times_us: tuple[float, ...]
    sm_clock_mhz: float | None
    dropped: bool
    host_bound: bool = False  # dropped because the host launched too late

    def samples(self, process: int, number: int) -> list[Sample]:
        """Return the samples as they are stored, taken in round `number` of `process`."""
        return [
            Sample(
                case_id=self.case_id,
                process=process,
                round=number,
                sample=index,
                iterations=self.iterations,
                launches=self.launches,
                time_us=time_us,
                sm_clock_mhz=self.sm_clock_mhz,
                dropped=self.dropped,
                seconds=self.seconds,
            )
            for index, time_us in enumerate(self.times_us)
        ]


@dataclass(frozen=True, slots=True)
class RoundDone:
    """One round over the whole window."""

    process: int
    number: int
    bursts: tuple[BurstTaken, ...]
    conditions: Conditions  # after it

    def samples(self) -> list[Sample]:
        """Return the samples as they are stored."""
        return [sample for burst in self.bursts for sample in burst.samples(self.process, self.number)]


@dataclass(frozen=True, slots=True)
class Converged:
    """The sampling of a case in this process ended."""

    case_id: str
    stopped_by: str  # the rule that ended it


@dataclass(frozen=True, slots=True)
class Note:
    """A message to the user."""

    sentence: str


@dataclass(frozen=True, slots=True)
class SentinelFailed:
    """A sentinel failed and is not timed any more."""

    sentinel: str
    reason: str


@dataclass(frozen=True, slots=True)
class ContextLost:
    """A crashed kernel destroyed the device's context; this process cannot run another kernel."""


@dataclass(frozen=True, slots=True)
class JobDone:
    """The job is complete."""


JobEvent: TypeAlias = (
    Opened
    | OpenFailed
    | WarmedUp
    | ImportStarted
    | StepStarted
    | GridResolved
    | Verified
    | CaseFailed
    | RoundDone
    | Converged
    | Note
    | SentinelFailed
    | ContextLost
    | JobDone
)

KINDS: dict[str, type[JobEvent]] = {kind.__name__: kind for kind in get_args(JobEvent)}


def encode(event: JobEvent) -> str:
    """Return the event as one line that ends with a newline."""
    return f"{wire.dump({type(event).__name__: event})}\n"


def decode(line: str) -> JobEvent:
    """Read what `encode` wrote; ValueError for anything else."""
    try:
        return wire.load_named(KINDS, line)
    except ValueError as error:
        raise ValueError(f"not an event: {line[:80]!r}: {error}") from error
