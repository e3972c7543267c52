"""Messages between the client and the workers of a cluster; both have the same version of this code."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from shflbench.measure.condensed import CondensedEvent
    from shflbench.measure.supervisor import WorkerDevice
    from shflbench.session.fleet.condense import ProcessNumbers
    from shflbench.store.provenance import Host, Versions


@dataclass(frozen=True, slots=True)
class WorkerReport:
    """A Dask worker: its machine, its process, and its software; neither compiler nor driver are among that."""

    host: Host
    pid: int
    versions: Versions
    offers: tuple[OfferedDevice, ...] = ()  # none from a worker of a local cluster, which is given its device
    problem: str = ""  # why there are no offers, if that is known


@dataclass(frozen=True, slots=True)
class OfferedDevice:
    """A device that a worker can open."""

    place: WorkerDevice
    uuid: str = ""  # empty if unknown before it is opened


@dataclass(frozen=True, slots=True)
class DeviceReport:
    """A device that a worker has opened, or the reason why it cannot be used."""

    device: WorkerDevice
    opened: str = ""  # the encoded event
    error: str = ""
    advice: str = ""
    number: int | None = None  # by which nvidia-smi lists the GPU; None if unknown


@dataclass(frozen=True, slots=True)
class PatternFiles:
    """The folder of a pattern: a path below the package, or the files of a user's own pattern."""

    shipped: str = ""  # path below `shflbench/`
    files: Mapping[str, bytes] | None = None  # by path below the folder
    name: str = ""  # of the folder of the user's pattern, by which it is loaded


@dataclass(frozen=True, slots=True)
class JobRequest:
    """One window of a run."""

    owner: str  # the run
    passes: int  # number of the pass over the cases; each has a fresh process
    job: bytes  # of `pack`
    patterns: Mapping[str, PatternFiles]
    numbering: ProcessNumbers  # of the run so far
    is_condensed: bool  # whether to estimate times and to pack samples


@dataclass(frozen=True, slots=True)
class JobReport:
    """The events of a job; with an error if the device cannot be used any more."""

    events: tuple[CondensedEvent, ...]
    numbering: ProcessNumbers  # after the job
    error: str = ""
    advice: str = ""
    details: str = ""  # the traceback of an unexpected error, for the log
