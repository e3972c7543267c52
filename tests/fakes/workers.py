"""Descriptions of Dask workers on other machines, with the same shflbench as this one."""

from dataclasses import replace
from typing import Any

from shflbench.session.fleet.messages import OfferedDevice, WorkerReport
from shflbench.store import surroundings


def worker_on(host: str, offers: tuple[OfferedDevice, ...] = (), **versions: Any) -> WorkerReport:
    """Return the report of a worker on a machine with this name; `versions` that differ from those of this process."""
    described = replace(surroundings.host(), name=host, cpu=f"CPU of {host}")
    return WorkerReport(described, 1, replace(surroundings.versions(), **versions), offers)
