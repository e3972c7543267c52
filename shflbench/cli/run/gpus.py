"""The option `--gpu` of `run`: one GPU, several, or all."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import click
from click.core import ParameterSource

from shflbench.cli.console import Console
from shflbench.cli.parameters import group_of
from shflbench.cli.run.options import RunPlace, refuse_fixed, request_of
from shflbench.cli.run.scheduler import CONNECTION_NAMES, ConnectionOptions, SchedulerChoice, scheduler_of
from shflbench.core.words import flat
from shflbench.cuda.backends.visible import VARIABLE, visible_gpus
from shflbench.errors import DeviceError, ResultsError, UsageError
from shflbench.session.run_request import without_gpu_option

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from shflbench.cuda.backends.visible import VisibleGpus
    from shflbench.session.run_request import RunRequest
    from shflbench.store.fleet_file import FleetInfo

ALL = "all"


def gpu_numbers(_: click.Context, parameter: click.Parameter, text: str) -> tuple[int, ...] | str:
    """Return the indexes in a text such as `0,2`, or `all`; BadParameter for anything else."""
    if text == ALL:
        return ALL
    if not re.fullmatch(r"[0-9]{1,4}(,[0-9]{1,4})*", text):
        message = f"`{text}` names no GPUs; write one index (0), several (0,2) or all"
        raise click.BadParameter(message, param=parameter)
    numbers = tuple(int(number) for number in text.split(","))
    if len(set(numbers)) < len(numbers):
        message = f"`{text}` names a GPU twice"
        raise click.BadParameter(message, param=parameter)
    return numbers


def list_gpus(choice: tuple[int, ...] | str, console: Console) -> Sequence[int]:
    """Return the CUDA indexes of the GPUs to use; DeviceError where CUDA lists none, or none of a given index."""
    if isinstance(choice, tuple) and len(choice) == 1:
        return choice  # the driver reports what is wrong with one
    visible = _visible()
    if not visible.gpus:
        advice = f"correct or unset {VARIABLE}" if visible.remark else "see `shflbench doctor`"
        raise DeviceError(f"CUDA lists no GPU{': ' if visible.remark else ''}{visible.remark}", advice)
    if visible.remark:
        console.warn(visible.remark)
    if choice == ALL:
        return visible.indexes
    for number in choice:
        if number not in visible.indexes:
            there = ", ".join(map(str, visible.indexes))
            hidden = f" with {VARIABLE}={flat(os.environ[VARIABLE])}" if VARIABLE in os.environ else ""
            raise DeviceError(f"there is no GPU {number}; CUDA lists{hidden}: {there}", "see `shflbench list devices`")
    return [int(number) for number in choice]


def _visible() -> VisibleGpus:
    from shflbench.cuda.backends.gpus import find

    return visible_gpus(find(), os.environ)


@dataclass(frozen=True, slots=True)
class DeviceChoice:
    """On which devices a suite is run, how, and where the results go."""

    gpus: tuple[int, ...] | str
    shard: bool
    place: RunPlace
    connection: ConnectionOptions


def device_choice(given: Mapping[str, object]) -> DeviceChoice:
    """Return what the options of `run` say of devices and folders."""
    place, connection = group_of(RunPlace, given), group_of(ConnectionOptions, given)
    return group_of(DeviceChoice, given, place=place, connection=connection)


def gpu_request(
    context: click.Context, suite: str | None, given: Mapping[str, object]
) -> tuple[RunRequest, Sequence[int] | SchedulerChoice]:
    """Return the run that the options ask for, and the GPUs or the cluster if it runs on several devices.

    The second item is empty if it runs on one device. UsageError for options that exclude one another.
    """
    from shflbench.store.fleet_file import is_fleet

    devices = device_choice(given)
    resumed, gpus = devices.place.resume, devices.gpus
    if resumed and is_fleet(resumed):
        return _resumed(context, suite, resumed, given)
    is_named = context.get_parameter_source("gpus") is not ParameterSource.DEFAULT
    is_one = gpus != ALL and len(gpus) == 1
    request = request_of(context, suite, {**given, "gpu": gpus[0] if is_named and is_one else None})
    choice = scheduler_of(devices.connection)
    flag = _cluster_flag(devices.connection) if choice else f"--gpu {gpus if gpus == ALL else ','.join(map(str, gpus))}"
    if choice and is_named:
        raise UsageError(f"--gpu names GPUs of this machine, and {flag} a cluster", "leave one of them out")
    if resumed or (is_one and not choice):
        if devices.shard:
            raise UsageError("--shard needs several GPUs", "add --gpu all or --scheduler ADDRESS")
        return request, ()
    if without_gpu := without_gpu_option(request):
        raise UsageError(f"{flag} asks for GPUs, and {without_gpu} for none", "leave one of them out")
    if choice:
        return request, choice
    present = list_gpus(gpus, context.obj)
    return (request, present) if len(present) > 1 else (replace(request, gpu=present[0]), ())


def _cluster_flag(connection: ConnectionOptions) -> str:
    return "--scheduler" if connection.scheduler else "--scheduler-file"


def _resumed(
    context: click.Context, suite: str | None, folder: Path, given: Mapping[str, object]
) -> tuple[RunRequest, Sequence[int] | SchedulerChoice]:
    """Return the request of a fleet run that was stopped, and its GPUs or its cluster."""
    from shflbench.store.fleet_file import LOCAL, read_fleet

    info = read_fleet(folder)
    if info.finished:
        raise ResultsError(f"{folder} is finished and cannot be resumed", "measure again in a new folder")
    typed = _typed(context, info)
    if run := next((path for one in info.members if _is_readable(path := folder / one.folder)), None):
        request = request_of(context, suite, {**given, "resume": run}, also_of_resumed=CONNECTION_NAMES)
    else:
        refuse_fixed(context, CONNECTION_NAMES)
        request = request_of(typed, suite or typed.params["suite"], {**typed.params, "gpu": None})
    choice = scheduler_of(group_of(ConnectionOptions, given), "" if info.scheduler == LOCAL else info.scheduler)
    if choice:
        return request, choice
    if not info.members:
        return request, list_gpus(typed.params["gpus"] or ALL, context.obj)  # None in a record that was edited
    uuids = {member.uuid for member in info.members}
    visible = _visible()
    indexes = [gpu.index for gpu in visible.gpus if not gpu.uuid or gpu.uuid in uuids]
    if not indexes:
        why = f": {visible.remark}" if visible.remark else ""
        raise DeviceError(f"CUDA lists no GPU of the run in {folder}{why}", "see `nvidia-smi -L`")
    return request, indexes


def _is_readable(run: Path) -> bool:
    """Whether a folder has the record of a run; a fleet run may have been stopped before it had any."""
    from shflbench.store import read_info

    try:
        read_info(run)
    except ResultsError:
        return False
    return True


def _typed(context: click.Context, info: FleetInfo) -> click.Context:
    """Return the options that started a fleet run; those whose value is no longer valid have none."""
    words = list(info.argv)
    after = words.index("run") + 1 if "run" in words else len(words)
    other = Console()  # gets options such as --quiet, which were those of another process
    return context.command.make_context("run", words[after:], resilient_parsing=True, obj=other)
