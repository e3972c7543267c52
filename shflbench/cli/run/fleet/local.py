"""Run a suite on several GPUs of this machine."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from shflbench.cli.doctor.extra import how_to_install
from shflbench.cli.environment import cache_folder
from shflbench.cli.run import request as run_request
from shflbench.errors import MissingError
from shflbench.export.words import count_noun

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from shflbench.cli.console import Console
    from shflbench.cli.run.request import RunRequest
    from shflbench.fleet.cluster import Cluster
    from shflbench.fleet.devices import DeviceFinder
    from shflbench.fleet.executor import FleetDevice
    from shflbench.model import Suite


def run_on_gpus(
    suite: Suite, request: RunRequest, gpus: Sequence[int], flags: Mapping[str, Any], console: Console
) -> int:
    """Run the suite on these GPUs at the same time, and return the exit code."""
    require_dask()
    from shflbench.cli.run.fleet.measure import FleetRun
    from shflbench.cli.run.fleet.members import SuiteJob
    from shflbench.compile.toolchain import find
    from shflbench.fleet.cluster import open_local
    from shflbench.fleet.devices import DeviceFinder

    toolchain = find()
    spread = "divided among" if flags["shard"] else "on each of"
    console.say(f"{suite.title}: {count_noun(len(suite.cases), 'case')} {spread} {len(gpus)} GPUs.")
    stop = threading.Event()
    with closing(open_local(len(gpus), stop.is_set)) as cluster:
        finder = DeviceFinder(cluster, stop.is_set)
        devices = opened(cluster, finder, gpus, suite.rules.timeout)
        job = SuiteJob(suite, request, toolchain, cache_folder())
        return FleetRun(job, cluster, finder, devices, stop, scheduler="local").run(flags, console)


def opened(cluster: Cluster, finder: DeviceFinder, gpus: Sequence[int], timeout: float) -> list[FleetDevice]:
    """Open each GPU on a worker of its own; DeviceError if one cannot be used."""
    from shflbench.measure.supervisor import WorkerDevice

    def open_one(worker: str, gpu: int) -> Iterator[FleetDevice]:
        return iter(list(finder.open(worker, [WorkerDevice(run_request.OPENER, str(gpu), timeout=timeout)])))

    with ThreadPoolExecutor(len(gpus)) as pool:
        return [device for devices in pool.map(open_one, sorted(cluster.workers()), gpus) for device in devices]


def require_dask() -> None:
    """Raise MissingError, with the command that installs it, where Dask is not installed."""
    if find_spec("distributed") is None:
        raise MissingError(
            "a run on several GPUs or on a cluster needs Dask, which is not installed", how_to_install("fleet")
        )
