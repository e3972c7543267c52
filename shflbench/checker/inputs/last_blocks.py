"""Launches in which the last blocks of a large grid run, with counts in memory as all other blocks have left them."""

from __future__ import annotations

from dataclasses import replace
from math import prod
from typing import TYPE_CHECKING

import numpy as np

from shflbench.checker.inputs.default_launches import of_sample
from shflbench.checker.inputs.numbers import ArgumentNumbers
from shflbench.checker.inputs.sampled import MOST_SAMPLED, MOST_WHOLE
from shflbench.checker.inputs.shapes import LaunchShape
from shflbench.core.symbols import variable_name
from shflbench.emulator.dataflow.index_values import PARAMETER
from shflbench.emulator.opcodes.addresses import MODULE_BASE

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from shflbench.checker.inputs.argument_spec import ArgumentSpec
    from shflbench.checker.inputs.default_launches import PlannedLaunch
    from shflbench.cuda_sources.kernel_file import SourceKernel
    from shflbench.emulator.dataflow.tickets import Ticket
    from shflbench.emulator.link.program import Program


def named_tickets(tickets: Sequence[Ticket], kernel: SourceKernel, program: Program) -> dict[str, Ticket]:
    """Return counts by the names of the pointers to them, and of the variables of the device that hold them."""
    named: dict[str, Ticket] = {}
    names = kernel.pointers
    for ticket in tickets:
        named |= {names[start]: ticket for start in ticket.pointers & names.keys()}
        start = -1 if ticket.address is None else ticket.address - MODULE_BASE
        holding = (item for item in program.symbols if item.start <= start < item.start + item.size)
        named |= {variable_name(item.name): ticket for item in holding}
    return named


def with_last_blocks(plan: Sequence[PlannedLaunch], kernel: SourceKernel, spec: ArgumentSpec) -> list[PlannedLaunch]:
    """Return a plan with the last blocks of launches that were scaled down, and in place of large ones that are given.

    In grids of fewer blocks than a block has threads, not all threads of the last block have something to do.
    """
    result: dict[PlannedLaunch, None] = {}
    for launch in plan:
        last = _last_blocks(launch, kernel, spec) if spec.tickets and not launch.shape.sample else None
        if last is None or not launch.origin.is_given:
            result[launch] = None
        if last is not None:
            result[last] = None
    return list(result)


def _last_blocks(launch: PlannedLaunch, kernel: SourceKernel, spec: ArgumentSpec) -> PlannedLaunch | None:
    """Return the launch of the last blocks of the last row of a grid; None if there is no need, or no such count."""
    shape = launch.shape
    if launch.origin.is_scaled_down:
        shape = LaunchShape(launch.whole_grid, shape.block)
    elif not launch.origin.is_given or shape.threads <= MOST_WHOLE:
        return None
    running = min(max(MOST_SAMPLED // shape.threads_per_block, 2), shape.grid[0])
    sample = tuple(range(shape.blocks - running, shape.blocks))
    last = of_sample(replace(shape, sample=sample), launch.host, launch.basis, as_last=True)
    return last if counts_before(last, kernel, spec) else None


def counts_before(launch: PlannedLaunch, kernel: SourceKernel, spec: ArgumentSpec) -> dict[str, NDArray[np.generic]]:
    """Return the counts, by name, as the blocks leave them that do not run, because they have ended before."""
    return dict(_counts_before(launch, kernel, spec)) if launch.as_last else {}


def _counts_before(
    launch: PlannedLaunch, kernel: SourceKernel, spec: ArgumentSpec
) -> Iterator[tuple[str, NDArray[np.generic]]]:
    shape = launch.shape
    numbers = {f"%nctaid.{axis}": size for axis, size in zip("xyz", shape.grid, strict=True)}
    integers = ArgumentNumbers(kernel, launch, spec).integers()
    numbers |= {f"{PARAMETER}{byte}": int(number.value) for byte, number in integers}
    for name, ticket in spec.tickets.items():
        value = ticket.value(numbers)
        if value is not None and value + 1 in {prod(shape.grid), shape.grid[0]}:  # of the grid, or of each row
            yield name, np.array([value + 1 - len(shape.sample)], ticket.type)
