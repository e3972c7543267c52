"""Run a suite on the GPUs of a Dask cluster."""

from __future__ import annotations

import threading
import time
from contextlib import closing
from typing import TYPE_CHECKING, Any

from shflbench.cli.environment import cache_folder
from shflbench.cli.run.fleet.local import require_dask
from shflbench.errors import DeviceError
from shflbench.export.words import count_noun

if TYPE_CHECKING:
    from collections.abc import Mapping

    from shflbench.cli.console import Console
    from shflbench.cli.run.request import RunRequest
    from shflbench.cli.run.scheduler import SchedulerChoice
    from shflbench.fleet.devices import DeviceFinder
    from shflbench.fleet.executor import FleetDevice
    from shflbench.model import Suite

FIRST_SECONDS = 60.0  # to wait for a worker with a GPU
LOOK_SECONDS = 1.0


def run_on_cluster(
    suite: Suite, request: RunRequest, choice: SchedulerChoice, flags: Mapping[str, Any], console: Console
) -> int:
    """Run the suite on the GPUs that the workers of a scheduler offer, and return the exit code.

    Devices that join before the end take part. DeviceError if no worker offers one.
    """
    require_dask()
    from shflbench.cli.run.fleet.measure import FleetRun
    from shflbench.cli.run.fleet.members import SuiteJob
    from shflbench.cli.run.fleet.offers import describer
    from shflbench.compile.toolchain import find
    from shflbench.fleet.cluster import Tls, connect
    from shflbench.fleet.devices import DeviceFinder

    toolchain = find()
    files = (str(file) if file else None for file in (choice.tls_ca, choice.tls_cert, choice.tls_key))
    stop = threading.Event()
    console.say(f"Connecting to {choice.address}.")
    with closing(connect(choice.address, Tls(*files), stop.is_set)) as cluster:
        finder = DeviceFinder(cluster, stop.is_set, describe=describer(suite.rules.timeout))
        devices = first_devices(finder, choice.address, flags["wait_for"], console)
        cases = count_noun(len(suite.cases), "case")
        console.say(f"{suite.title}: {cases}, on {count_noun(len(devices), 'GPU')} of {choice.address}.")
        job = SuiteJob(suite, request, toolchain, cache_folder())
        fleet = FleetRun(job, cluster, finder, devices, stop, choice.address, choice.words, finder.open_new)
        return fleet.run(flags, console)


def first_devices(finder: DeviceFinder, address: str, count: int | None, console: Console) -> list[FleetDevice]:
    """Open the devices of all workers, when there are `count`; if None, wait for the first for `FIRST_SECONDS`.

    DeviceError if there is none in time.
    """
    end = time.monotonic() + FIRST_SECONDS
    devices: list[FleetDevice] = []
    sentence = ""
    while True:
        new, problems = finder.open_new()
        devices += new
        for problem in problems:
            console.warn(problem)
        if len(devices) >= (count or 1):
            return devices
        if count is None and time.monotonic() > end:
            raise DeviceError(
                f"no worker of {address} offers a GPU that can be used",
                "Start workers on machines with GPUs, with two threads per GPU: dask worker ADDRESS --nthreads 2",
            )
        limit = f" for at most {FIRST_SECONDS:.0f} s" if count is None else ""
        waiting = f"Waiting{limit} for GPUs: {len(devices)} of {count or 1}."
        if waiting != sentence:
            console.say(waiting)
            sentence = waiting
        time.sleep(LOOK_SECONDS)
