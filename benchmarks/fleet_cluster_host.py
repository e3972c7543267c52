"""A process with many Dask workers, each with one simulated device.

    python -m benchmarks.fleet_cluster_host SCHEDULER HOST INDEX [INDEX …]

The workers are real (`distributed.Worker`), with two threads, and without the nanny that restarts a process. They share
the event loop of the process: 1,000 processes do not fit on a small machine.
"""

from __future__ import annotations

import asyncio
import logging
import sys
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Any

import dask
from distributed import Worker, get_worker

from benchmarks.fleet_cluster_devices import SimulatedSupervisor, device_of, read_recordings, uuid_of
from shflbench.backends import gpus
from shflbench.backends.gpus import Gpu
from shflbench.fleet import device_process
from shflbench.store import surroundings

if TYPE_CHECKING:
    from collections.abc import Sequence

# What Dask does for the operator of a worker, 1,000 times on one machine, and neither client nor scheduler sees.
SILENT = {
    "distributed.admin.system-monitor.interval": "60s",
    "distributed.admin.tick.interval": "60s",  # by default, each worker wakes up 50 times per second
    "distributed.admin.tick.limit": "600s",
    "distributed.worker.profile.enabled": False,
    "distributed.worker.http.routes": [],
    "distributed.worker.use-file-locking": False,
}


def install(host: str) -> None:
    """Let workers of this process drive simulated devices instead of GPUs, on a machine with this name."""
    read_recordings()
    described = surroundings.host()

    def find() -> list[Gpu]:
        device = device_of(int(get_worker().name))
        return [Gpu(device.index, device.name, device.arch, 141.0, device.driver, uuid_of(device.index))]

    process: Any = device_process
    gpus.find, process.Supervisor = find, SimulatedSupervisor
    process.unpack = cache(process.unpack)  # the devices of a process get the same jobs
    surroundings.host = lambda: replace(described, name=host)


async def serve(address: str, indexes: Sequence[str]) -> None:
    """Run a worker per device until the process is killed, or the scheduler ends."""
    workers = [
        Worker(address, name=index, nthreads=2, memory_limit=None, dashboard=False, host="127.0.0.1")
        for index in indexes
    ]
    for start in range(0, len(workers), 50):  # a scheduler accepts connections one after another
        await asyncio.gather(*workers[start : start + 50])
    await asyncio.gather(*(worker.finished() for worker in workers))


if __name__ == "__main__":
    dask.config.set(SILENT)
    logging.disable(logging.WARNING)  # each worker of a process formats the messages of all its workers, for its page
    install(sys.argv[2])
    asyncio.run(serve(sys.argv[1], sys.argv[3:]))
