"""Measure the cost of a process of the simulated cluster: CPU seconds, memory, threads, and bytes over connections.

    python -m benchmarks.fleet_cluster_meter scheduler PORT                a Dask scheduler
    python -m benchmarks.fleet_cluster_meter client FOLDER run SUITE …     `shflbench` in FOLDER; writes costs.json

The scheduler and the command are the real ones; this module only counts.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import threading
import time
from collections import Counter
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from distributed import Scheduler
from tornado.iostream import IOStream

from shflbench.cli import main
from shflbench.cli.run.fleet import measure
from shflbench.fleet import cluster, device_process

SAMPLE_SECONDS = 0.2  # between two looks at the number of threads

_bytes = Counter[str]()
_most_threads = 0


@dataclass(frozen=True)
class Spent:
    """What a process has spent since its start."""

    at: float  # wall clock, seconds
    cpu_seconds: float
    received: int  # bytes
    sent: int
    most_threads: int
    memory: int  # bytes, the most that were resident

    @classmethod
    def now(cls) -> Spent:
        """Return what this process has spent."""
        peak = 1024 * status("VmHWM")
        return cls(time.time(), time.process_time(), _bytes["in"], _bytes["out"], _most_threads, peak)


def status(name: str) -> int:
    """Return a number that Linux knows of this process."""
    lines = Path("/proc/self/status").read_text(encoding="utf-8").splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(f"{name}:"))


def count_bytes() -> None:
    """Count what goes over all TCP connections of this process, in the lowest layer of tornado."""
    stream: Any = IOStream
    read, write = stream.read_from_fd, stream.write_to_fd

    def counted_read(one: IOStream, buffer: bytearray) -> int | None:
        size: int | None = read(one, buffer)
        _bytes["in"] += size or 0
        return size

    def counted_write(one: IOStream, data: bytes) -> int:
        size: int = write(one, data)
        _bytes["out"] += size
        return size

    stream.read_from_fd, stream.write_to_fd = counted_read, counted_write


def watch_threads() -> None:
    """Remember the highest number of threads of this process."""

    def watch() -> None:
        global _most_threads  # noqa: PLW0603  (of the process)
        while True:
            _most_threads = max(_most_threads, status("Threads"))
            time.sleep(SAMPLE_SECONDS)

    threading.Thread(target=watch, daemon=True).start()


def spent_now() -> dict[str, Any]:
    """Return what this process has spent; the client calls it in the scheduler, too."""
    return asdict(Spent.now())


async def schedule(port: str) -> None:
    """Run a Dask scheduler on this machine until the process is killed."""
    async with Scheduler(host="127.0.0.1", port=int(port), dashboard=False) as scheduler:
        await scheduler.finished()


def run_client(folder: str, *words: str) -> None:
    """Run the command line; write what client and scheduler spend while the devices measure, and each call."""
    costs: dict[str, Any] = {"calls": []}
    measuring: Any = measure
    connections: Any = cluster.Cluster
    watch_fleet, call = measuring.watch_fleet, connections.call

    def measured(members: Any, *arguments: Any) -> Any:  # noqa: ANN401  (what the function returns)
        costs["before"] = both(members.context.cluster)
        try:
            return watch_fleet(members, *arguments)
        finally:
            costs["after"] = both(members.context.cluster)
            Path("costs.json").write_text(json.dumps(costs), encoding="utf-8")

    def timed(one: cluster.Cluster, worker: str, function: object, *arguments: Any) -> Any:  # noqa: ANN401  (likewise)
        began = time.time()
        result = call(one, worker, function, *arguments)
        if function is device_process.run_job:
            costs["calls"].append((int(arguments[0].argument), began, time.time()))
        return result

    measuring.watch_fleet, connections.call = measured, timed
    os.chdir(folder)
    sys.argv = ["shflbench", *words]
    main.entry()


def both(connection: cluster.Cluster) -> dict[str, Any]:
    """Return what this process and the scheduler have spent."""
    scheduler = connection._client.run_on_scheduler(spent_now)  # noqa: SLF001  (no part of the product needs it)
    return {"client": spent_now(), "scheduler": scheduler}


if __name__ == "__main__":
    # Functions that run in this process import the module by its name: count there.
    from benchmarks import fleet_cluster_meter as meter

    meter.count_bytes()
    meter.watch_threads()
    if sys.argv[1] == "scheduler":
        asyncio.run(meter.schedule(sys.argv[2]))
    else:
        meter.run_client(*sys.argv[2:])
