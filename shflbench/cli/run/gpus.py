"""The option `--gpu` of `run`: one GPU, several, or all."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from shflbench.cli.run.options import request_of
from shflbench.cli.run.scheduler import CONNECTION_NAMES, SchedulerChoice, scheduler_of
from shflbench.errors import DeviceError, ResultsError, UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shflbench.cli.run.request import RunRequest

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


def listed(choice: tuple[int, ...] | str) -> Sequence[int]:
    """Return the indexes of the GPUs to use; DeviceError where there is no GPU, or none of a given index."""
    if isinstance(choice, tuple) and len(choice) == 1:
        return choice  # the driver reports what is wrong with one
    from shflbench.cli.gpus import find

    present = [gpu.index for gpu in find()]
    if choice == ALL:
        if not present:
            raise DeviceError("the driver lists no GPU", "see `shflbench doctor`")
        return present
    for number in choice:
        if number not in present:
            there = ", ".join(map(str, present)) or "none"
            raise DeviceError(f"there is no GPU {number}; the driver lists: {there}", "see `shflbench list devices`")
    return [int(number) for number in choice]


def gpu_request(
    context: click.Context, suite: str | None, flags: dict[str, Any]
) -> tuple[RunRequest, Sequence[int] | SchedulerChoice]:
    """Return the run that the options ask for, and the GPUs or the cluster if it runs on several devices.

    The second item is empty if it runs on one device. UsageError for options that exclude one another.
    """
    from shflbench.store.fleet_file import is_fleet

    if flags["resume"] and is_fleet(flags["resume"]):
        return _resumed(context, suite, flags)
    gpus = flags["gpus"]
    request = request_of(context, suite, {**flags, "gpu": 0 if gpus == ALL else gpus[0]})
    choice = scheduler_of(flags)
    if choice and context.get_parameter_source("gpus") is not ParameterSource.DEFAULT:
        raise UsageError("--gpu names GPUs of this machine, and another option a cluster", "leave one of them out")
    asks_for_one = not choice and gpus == (request.gpu,)
    if flags["resume"] or asks_for_one:
        if flags["shard"]:
            raise UsageError("--shard needs several GPUs", "add --gpu all or --scheduler ADDRESS")
        return request, ()
    if request.device in {"none", "emulator"} or request.arch or request.sms:
        flag = "a cluster" if choice else "--gpu"
        raise UsageError(f"{flag} asks for GPUs, and another option for none", "leave one of them out")
    if choice:
        return request, choice
    present = listed(gpus)
    return (request, present) if len(present) > 1 else (replace(request, gpu=present[0]), ())


def _resumed(
    context: click.Context, suite: str | None, flags: dict[str, Any]
) -> tuple[RunRequest, Sequence[int] | SchedulerChoice]:
    """Return the request of a fleet run that was stopped, and the GPUs of its members or its cluster."""
    from shflbench.store.fleet_file import LOCAL, read_fleet

    folder = flags["resume"]
    info = read_fleet(folder)
    runs = [folder / member.folder for member in info.members if (folder / member.folder / "run.json").is_file()]
    if info.finished or not runs:
        message = f"{folder} is finished and cannot be resumed" if info.finished else f"{folder} contains no run yet"
        raise ResultsError(message, "measure again in a new folder")
    request = request_of(context, suite, {**flags, "resume": runs[0]}, also_of_resumed=CONNECTION_NAMES)
    choice = scheduler_of(flags, "" if info.scheduler == LOCAL else info.scheduler)
    return request, choice or sorted({member.index for member in info.members})
