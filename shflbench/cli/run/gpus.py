"""The option `--gpu` of `run`: one GPU, several, or all."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from shflbench.cli.run.options import request_of
from shflbench.errors import DeviceError, UsageError

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


def gpu_request(context: click.Context, suite: str | None, flags: dict[str, Any]) -> tuple[RunRequest, Sequence[int]]:
    """Return the run that the options ask for, and the GPUs if it runs on several; none if it runs on one device."""
    from shflbench.store.fleet_file import is_fleet

    if flags["resume"] and is_fleet(flags["resume"]):
        return _resumed(context, suite, flags)
    gpus = flags["gpus"]
    request = request_of(context, suite, {**flags, "gpu": 0 if gpus == ALL else gpus[0]})
    if flags["resume"] or gpus == (request.gpu,):
        return request, ()
    if request.device in {"none", "emulator"} or request.arch or request.sms:
        raise UsageError("--gpu asks for GPUs, and another option for none", "leave one of them out")
    present = listed(gpus)
    return (request, present) if len(present) > 1 else (replace(request, gpu=present[0]), ())


def _resumed(context: click.Context, suite: str | None, flags: dict[str, Any]) -> tuple[RunRequest, Sequence[int]]:
    """Return the request of a fleet run that was stopped, and the GPUs of its members."""
    from shflbench.store.fleet_file import read_fleet

    folder = flags["resume"]
    info = read_fleet(folder)
    request = request_of(context, suite, {**flags, "resume": folder / info.members[0].folder})
    return request, [member.index for member in info.members]
