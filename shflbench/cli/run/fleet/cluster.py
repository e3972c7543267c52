"""Run a suite on the GPUs of a Dask cluster."""

from __future__ import annotations

import time
from contextlib import ExitStack, closing
from typing import TYPE_CHECKING

from shflbench.cli.run.fleet.local import require_dask
from shflbench.cli.run.options import typed_words
from shflbench.core.environment import cache_folder
from shflbench.core.words import count_noun
from shflbench.errors import DeviceError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shflbench.cli.console import Console
    from shflbench.cli.run.gpus import DeviceChoice
    from shflbench.cli.run.scheduler import SchedulerChoice
    from shflbench.core.model import Suite
    from shflbench.session.fleet.devices import DeviceFinder
    from shflbench.session.fleet.executor import FleetDevice
    from shflbench.session.run_request import RunRequest

FIRST_SECONDS = 60.0  # to wait for a worker with a GPU
LOOK_SECONDS = 1.0
REMIND_SECONDS = 30.0  # between two reports of what is still missing
NAMED = 8  # reasons in such a report
ON_WORKERS = "Correct this on the machines of the workers; `shflbench doctor` checks a machine."
START = "Start workers on machines with GPUs, with two threads per GPU: dask worker ADDRESS --nthreads 2"


def run_on_cluster(
    suite: Suite, request: RunRequest, choice: SchedulerChoice, options: DeviceChoice, console: Console
) -> int:
    """Run the suite on the GPUs that the workers of a scheduler offer, and return the exit code.

    Devices that join before the end take part. DeviceError if no worker offers one.
    """
    require_dask()
    from shflbench.cli.run.fleet.measure import FleetRun
    from shflbench.cli.run.fleet.stop import StopSignals
    from shflbench.cuda.compile.toolchain import find
    from shflbench.session.fleet.cluster import RECONNECT_SECONDS, Tls, connect
    from shflbench.session.fleet.devices import DeviceFinder
    from shflbench.session.fleet.offers import describer
    from shflbench.session.fleet.suite_job import SuiteJob

    toolchain = find()
    files = (str(file) if file else None for file in (choice.tls_ca, choice.tls_cert, choice.tls_key))
    console.say(f"Connecting to {choice.address} for at most {RECONNECT_SECONDS:.0f} s.")
    with StopSignals() as signals, ExitStack() as stack:
        is_stopped = signals.stop.is_set
        cluster = stack.enter_context(closing(connect(choice.address, Tls(*files), is_stopped)))
        finder = DeviceFinder(cluster, is_stopped, describe=describer(suite.rules.timeout))
        stack.enter_context(finder.closed_on_error())
        devices = first_devices(finder, choice.address, options.connection.wait_for, console)
        cases = count_noun(len(suite.cases), "case")
        console.say(f"{suite.title}: {cases}, on {count_noun(len(devices), 'GPU')} of {choice.address}.")
        job = SuiteJob(suite, request, toolchain, cache_folder(), typed_words())
        fleet = FleetRun(job, cluster, finder, devices, signals, choice.address, choice.words, finder.open_new)
        return fleet.run(options.place, console, is_sharded=options.shard)


def first_devices(finder: DeviceFinder, address: str, count: int | None, console: Console) -> list[FleetDevice]:
    """Open the devices of all workers, when there are `count`; if None, wait for the first for `FIRST_SECONDS`.

    DeviceError if there is none in time. While it waits, it says at times how many there are, and why others are not.
    """
    began = reminded = time.monotonic()
    devices: list[FleetDevice] = []
    sentence = ""
    while True:
        new, problems = finder.open_new()
        devices += new
        for problem in problems:
            console.warn(problem)
        if len(devices) >= (count or 1):
            return devices
        now = time.monotonic()
        if count is None and now - began > FIRST_SECONDS:
            raise _no_gpu(finder.unusable(), address)
        limit = f" for at most {FIRST_SECONDS:.0f} s" if count is None else ""
        waiting = f"Waiting{limit} for GPUs: {len(devices)} of {count or 1}."
        if waiting != sentence:
            console.say(waiting)
            sentence, reminded = waiting, now
        elif now - reminded >= REMIND_SECONDS:
            of_limit = f" of {FIRST_SECONDS:.0f} s" if count is None else ""
            _remind(f"Waited {now - began:.0f} s{of_limit} for GPUs: {len(devices)} of {count or 1}.", finder, console)
            reminded = now
        time.sleep(LOOK_SECONDS)


def _remind(sentence: str, finder: DeviceFinder, console: Console) -> None:
    """Say how many GPUs there are, and which workers and GPUs cannot be used."""
    console.say(sentence)
    reasons = finder.unusable()
    for reason in reasons[:NAMED]:
        console.say(f"  not used: {reason}")
    if len(reasons) > NAMED:
        console.say(f"  and {len(reasons) - NAMED} more")


def _no_gpu(reasons: Sequence[str], address: str) -> DeviceError:
    """Return the error of a run without any GPU; `reasons` are those why workers and their GPUs cannot be used."""
    message = f"no worker of {address} offers a GPU that can be used"
    if not reasons:
        return DeviceError(message, START)
    more = f"; {len(reasons) - 1} more workers or GPUs cannot be used" if len(reasons) > 1 else ""
    return DeviceError(f"{message}: {reasons[0]}{more}", ON_WORKERS)
