"""The launch and the arguments of a pattern's kernel, as evidence of the checker: all of them are given."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shflbench.checker.inputs.argument import Arguments, Origin
from shflbench.checker.inputs.launches import PlannedLaunch
from shflbench.checker.inputs.shapes import LaunchShape

if TYPE_CHECKING:
    from collections.abc import Iterator

    from shflbench.backends.base import KernelCall


def given_launch(call: KernelCall) -> PlannedLaunch:
    """Return the launch of a call."""
    return PlannedLaunch(LaunchShape((call.grid, 1, 1), (call.block, 1, 1)), Origin.GIVEN)


def given_arguments(call: KernelCall, iterations: int) -> Arguments:
    """Return the arguments of a call, which nothing is derived of: no parameter depends on what nobody gave."""
    return Arguments(
        parameters=(),
        offsets=(),
        buffers=(),
        texts=tuple((text, Origin.GIVEN) for text in _texts(call, iterations)),
        shared_bytes=call.shared_bytes,
        shared=Origin.GIVEN,
    )


def _texts(call: KernelCall, iterations: int) -> Iterator[str]:
    buffers = {buffer.name: buffer for buffer in call.buffers}
    for argument in call.arguments:
        if not isinstance(argument, str):
            yield str(argument)
        elif argument in buffers:
            yield f"{argument} = {buffers[argument].dtype}[{buffers[argument].elements}]"
        else:
            yield f"{argument} = {iterations}"
