"""Run a suite on several GPUs of this machine."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from importlib.util import find_spec
from typing import TYPE_CHECKING

from shflbench.cli.run.options import typed_words
from shflbench.core.environment import cache_folder
from shflbench.core.words import count_noun
from shflbench.cuda.installation.extra import how_to_install
from shflbench.errors import DeviceError, MissingError
from shflbench.store.fleet_file import LOCAL, read_fleet

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from shflbench.cli.console import Console
    from shflbench.cli.run.gpus import DeviceChoice
    from shflbench.core.model import Suite
    from shflbench.session.fleet.cluster import Cluster
    from shflbench.session.fleet.devices import DeviceFinder
    from shflbench.session.fleet.executor import FleetDevice
    from shflbench.session.run_request import RunRequest


def run_on_gpus(suite: Suite, request: RunRequest, gpus: Sequence[int], options: DeviceChoice, console: Console) -> int:
    """Run the suite on these GPUs, given by their CUDA indexes, at the same time, and return the exit code."""
    require_dask()
    from shflbench.cli.run.fleet.measure import FleetRun
    from shflbench.cli.run.fleet.stop import StopSignals
    from shflbench.cuda.compile.toolchain import find
    from shflbench.session.fleet.cluster import open_local
    from shflbench.session.fleet.devices import DeviceFinder
    from shflbench.session.fleet.suite_job import SuiteJob

    toolchain, resumed = find(), options.place.resume
    spread = "divided among" if options.shard else "on each of"
    console.say(f"{suite.title}: {count_noun(len(suite.cases), 'case')} {spread} {count_noun(len(gpus), 'GPU')}.")
    with StopSignals() as signals, ExitStack() as stack:
        is_stopped = signals.stop.is_set
        with signals.deferred():
            cluster = stack.enter_context(closing(open_local(len(gpus), is_stopped)))
        finder = DeviceFinder(cluster, is_stopped)
        devices, errors = open_gpus(cluster, finder, gpus, suite.rules.timeout)
        is_list = isinstance(options.gpus, tuple) and not resumed
        if errors and (is_list or not devices):
            raise errors[0]
        for error in errors:
            console.warn(f"{error.message}; the other GPUs are used")
        if is_list:
            for device in devices:
                toolchain.require(device.opened.device.arch)
        if resumed:
            devices, errors = members_of(devices, resumed), []  # the member of a GPU records that it is missing
        job = SuiteJob(suite, request, toolchain, cache_folder(), typed_words())
        fleet = FleetRun(job, cluster, finder, devices, signals, LOCAL, missing=errors)
        return fleet.run(options.place, console, is_sharded=options.shard)


def open_gpus(
    cluster: Cluster, finder: DeviceFinder, gpus: Sequence[int], timeout: float
) -> tuple[list[FleetDevice], list[DeviceError]]:
    """Open each GPU on a worker of its own, and return those that can be used and the errors of the others.

    DeviceError if two are the same.
    """
    from shflbench.measure.process import GPU_OPENER
    from shflbench.measure.supervisor import WorkerDevice
    from shflbench.session.fleet.cluster import WorkerLostError

    def open_one(worker: str, gpu: int) -> FleetDevice | DeviceError:
        try:
            (device,) = finder.open(worker, [WorkerDevice(GPU_OPENER, str(gpu), timeout=timeout)])
        except (DeviceError, WorkerLostError) as error:
            return DeviceError(f"GPU {gpu} cannot be used: {error}", getattr(error, "advice", ""))
        return device

    with ThreadPoolExecutor(len(gpus)) as pool:
        results = list(pool.map(open_one, sorted(cluster.workers()), gpus))
    devices = [one for one in results if not isinstance(one, DeviceError)]
    by_uuid: dict[str, FleetDevice] = {}
    for device in devices:
        same = by_uuid.setdefault(device.opened.device.uuid, device)
        if same is not device:
            indexes = f"{same.opened.device.index} and {device.opened.device.index}"
            raise DeviceError(f"CUDA lists one GPU as {indexes}: {same.opened.device.uuid}", "See `nvidia-smi -L`.")
    return devices, [one for one in results if isinstance(one, DeviceError)]


def members_of(devices: Sequence[FleetDevice], folder: Path) -> list[FleetDevice]:
    """Return the devices that belong to the run in `folder`, all if it was stopped before it had any.

    DeviceError if none does.
    """
    known = {member.uuid for member in read_fleet(folder).members}
    if not known:
        return list(devices)
    members = [device for device in devices if device.opened.device.uuid in known]
    if not members:
        raise DeviceError(f"no GPU of the run in {folder} can be used here", "See `nvidia-smi -L`.")
    return members


def require_dask() -> None:
    """Raise MissingError, with the command that installs it, where Dask is not installed."""
    if find_spec("distributed") is None:
        raise MissingError(
            "a run on several GPUs or on a cluster needs Dask, which is not installed", how_to_install("fleet")
        )
