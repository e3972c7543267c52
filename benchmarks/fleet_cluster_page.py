"""The page of the simulated cluster: what each number of devices cost, and where the client would be the limit."""

from __future__ import annotations

import platform
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from benchmarks.compare_power.markdown import table
from shflbench.store import surroundings

if TYPE_CHECKING:
    from collections.abc import Sequence

CASE_SECONDS = 59.6 / 430  # of a case on an H200: one GPU measured the 430 cases of gtc2013 in 59.6 s
MOST_MEMORY = 1e9


@dataclass(frozen=True)
class Machine:
    """The machine that ran the cluster, its devices included."""

    cpu: str
    cores: int
    python: str


@dataclass(frozen=True)
class Outcome:
    """What one cluster did and cost; CPU, bytes and calls are those from the first call of a window to the last."""

    devices: int
    cases: int  # of the suite
    case_seconds: float  # that a case took on a device
    rows: int  # on disk
    doubled: int
    missing: int  # of devices that were not lost for good
    unnamed: tuple[str, ...]  # planted faults that neither the run nor `fleet` names
    accused: int  # sound devices that `fleet` names
    planted: int
    calls: int
    until_all_seconds: float  # from the start of the command until every device measured
    client_cpu_seconds: float
    scheduler_cpu_seconds: float
    client_bytes: int  # received and sent
    client_memory: int  # bytes, the most that were resident
    scheduler_memory: int
    client_threads: int
    added_seconds: float  # by which a call took longer than the device, the median
    fleet_cpu_seconds: float  # of the command `fleet`
    fleet_memory: int

    @property
    def client_ms(self) -> float:
        """CPU of the client per row, in milliseconds."""
        return 1e3 * self.client_cpu_seconds / self.rows

    @property
    def scheduler_ms(self) -> float:
        """CPU of the scheduler per row, in milliseconds."""
        return 1e3 * self.scheduler_cpu_seconds / self.rows

    @property
    def is_complete(self) -> bool:
        """Whether no row is lost or doubled, all planted faults are named, and no sound device is."""
        return not (self.doubled or self.missing or self.unnamed or self.accused)


def most_devices(cpu_ms: float) -> int:
    """Return how many H200s a process serves that needs so much CPU per row, until it needs a whole core."""
    return int(1e3 * CASE_SECONDS / cpu_ms)


def memory_devices(few: Outcome, many: Outcome) -> int:
    """Return how many devices fill 1 GB of the client's memory, by the line through two outcomes."""
    slope = (many.client_memory - few.client_memory) / (many.devices - few.devices)
    return int(few.devices + (MOST_MEMORY - few.client_memory) / slope)


def explained(text: str, outcomes: Sequence[Outcome]) -> str:
    """Return the page that explains the costs, with the figures of these outcomes in its two tables."""
    ordered = sorted(outcomes, key=lambda outcome: outcome.devices)
    few, many = ordered[-2:]
    costs = [
        (
            f"{one.devices:,}",
            f"{one.client_ms:.2f} ms",
            f"{one.scheduler_ms:.2f} ms",
            f"{one.client_bytes / one.rows / 1e3:.0f} kB",
            f"{one.client_memory / 1e6:.0f} MB",
            f"{one.client_threads:,}",
        )
        for one in ordered
    ]
    limits = [
        ("CPU of the client", "one core", f"{most_devices(many.client_ms):,}"),
        ("CPU of the scheduler", "one core", f"{most_devices(many.scheduler_ms):,}"),
        ("memory of the client", "1 GB", f"{memory_devices(few, many):,}"),
    ]
    head = (
        "devices",
        "client CPU per row",
        "scheduler CPU per row",
        "bytes per row",
        "client memory",
        "client threads",
    )
    tables = iter((table(head, costs), table(("what is full first", "at", "H200s"), limits)))
    return re.sub(r"(?:^\|.*\n)+", lambda _: f"{next(tables)}\n", text, flags=re.MULTILINE)


def current_machine() -> Machine:
    """Describe the machine that runs this process."""
    host = surroundings.host()
    return Machine(host.cpu, host.cores, platform.python_version())


def page(outcomes: Sequence[Outcome], machine: Machine) -> str:
    """Return the page for outcomes of several numbers of devices on one machine."""
    ordered = sorted(outcomes, key=lambda outcome: outcome.devices)
    few, many = ordered[-2:]
    costs = [
        (
            f"{one.devices:,}",
            f"{one.until_all_seconds:.0f} s",
            f"{one.client_ms:.2f} ms",
            f"{1e3 * one.client_cpu_seconds / one.calls:.0f} ms",
            f"{one.scheduler_ms:.2f} ms",
            f"{1e3 * one.scheduler_cpu_seconds / one.calls:.0f} ms",
            f"{one.client_bytes / one.rows / 1e3:.0f} kB",
            f"{one.client_memory / 1e6:.0f} MB",
            f"{one.scheduler_memory / 1e6:.0f} MB",
            f"{one.client_threads:,}",
            f"{one.added_seconds:.2f} s",
        )
        for one in ordered
    ]
    results = [
        (
            f"{one.devices:,}",
            f"{one.rows:,}",
            f"{one.missing}",
            f"{one.doubled}",
            f"{one.planted - len(one.unnamed)} of {one.planted}",
            f"{one.accused}",
            f"{1e3 * one.fleet_cpu_seconds / one.rows:.1f} ms",
            f"{one.fleet_memory / 1e6:.0f} MB",
        )
        for one in ordered
    ]
    return TEXT.format(
        cpu=machine.cpu,
        cores=machine.cores,
        python=machine.python,
        cases=many.cases,
        costs=table(COSTS, costs),
        results=table(RESULTS, results),
        devices=f"{many.devices:,}",
        client_ms=f"{many.client_ms:.2f}",
        client_devices=most_devices(many.client_ms),
        scheduler_ms=f"{many.scheduler_ms:.2f}",
        scheduler_devices=most_devices(many.scheduler_ms),
        few=f"{few.devices:,}",
        memory_devices=f"{memory_devices(few, many):,}",
        case_ms=f"{1e3 * CASE_SECONDS:.0f}",
    )


COSTS = (
    "devices",
    "until all measure",
    "client CPU per row",
    "per call",
    "scheduler CPU per row",
    "per call",
    "bytes per row",
    "client memory",
    "scheduler memory",
    "client threads",
    "added to a window",
)
RESULTS = ("devices", "rows", "lost", "doubled", "faults named", "sound, named", "`fleet`, CPU per row", "memory")

TEXT = """\
# What a simulated cluster costs

Written by `python -m benchmarks.fleet_cluster --record`; do not edit. [What a fleet
costs](../docs/explanation/what-a-fleet-costs.md) explains it.

The scheduler, the client (`shflbench run`) and `shflbench fleet` are the real ones. The devices are simulated: they
replay {cases} cases of `gtc2013`, as one process on an H200 measured them, with the noise of recorded processes and
GPUs, in two windows each, which are as large as those of the whole suite. A few processes hold all Dask workers; what a
worker does of its own accord 50 times per second, for the diagnosis of its machine, is switched off in them. Everything
ran on one machine with {cores} cores ({cpu}, Python {python}), the devices included: seconds are longer than with a
machine for each, CPU times less so.

## Costs

{costs}

CPU, bytes and calls are counted from the first window to the last; a call is one window of one device. Bytes are those
of the client, received and sent. "Added to a window" is the median time by which a call took longer than the device; it
contains waiting for a core, which devices, client and scheduler share. From ten devices on, the run waits two minutes
for workers that do not come back; with few rows, the CPU time is mostly that of waiting.

## Rows and faults

{results}

From ten devices on, 2% are 3% slower, and 1% each have a wrong result, lose their worker (SIGKILL) and get another one,
have a worker that stops for good (SIGSTOP), and join late; at least one of each. A fault is named if `fleet` reports
it, or, for lost workers, the record of the run.

## Where one core is full

A case takes {case_ms} ms on an H200, so that N devices yield N rows in that time.

- At the {client_ms} ms per row of {devices} devices, the client needs a whole core for {client_devices} devices.
- At the {scheduler_ms} ms per row of {devices} devices, the scheduler does for {scheduler_devices} devices.
- By the line through {few} and {devices} devices, the client's memory reaches 1 GB at {memory_devices} devices.
"""
