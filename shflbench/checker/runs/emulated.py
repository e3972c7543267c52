"""A planned launch with its arguments as the emulator runs it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shflbench.core.symbols import variable_name
from shflbench.emulator.machine.launch import EmulatedLaunch, Machine, ParameterBytes
from shflbench.emulator.machine.paged_memory import PagedBuffer
from shflbench.emulator.machine.threads import Shape

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shflbench.checker.inputs.argument import Arguments
    from shflbench.checker.inputs.default_launches import PlannedLaunch
    from shflbench.emulator.link.program import Program
    from shflbench.emulator.opcodes.forms import Values


def emulated_launch(program: Program, launch: PlannedLaunch, arguments: Arguments, machine: Machine) -> EmulatedLaunch:
    """Return the launch of a linked kernel; its outputs are all buffers, with their contents before."""
    return EmulatedLaunch(
        program=program,
        shape=Shape.of(launch.shape.grid, launch.shape.block, launch.shape.sample, launch.shape.cluster),
        shared_bytes=arguments.shared_bytes,
        inputs=(),
        outputs=_outputs(program, launch, arguments),
        iterations=0,
        order=[ParameterBytes(value.data, value.pointers) for value in arguments.parameters],
        machine=machine,
        names=[buffer.name for buffer in arguments.buffers],
        symbols=variable_contents(program, arguments),
    )


def has_pages(program: Program, launch: PlannedLaunch) -> bool:
    """Whether only those parts of the buffers of a launch take memory that its threads access."""
    return bool(launch.shape.sample) and not program.heap_bytes


def _outputs(program: Program, launch: PlannedLaunch, arguments: Arguments) -> Sequence[Values | PagedBuffer]:
    if has_pages(program, launch):
        return [PagedBuffer(buffer.contents, buffer.bytes) for buffer in arguments.buffers]
    return [buffer.contents for buffer in arguments.buffers]


def variable_contents(program: Program, arguments: Arguments) -> dict[str, bytes]:
    """Return the contents of the variables of the device that the host code sets, by their names in the PTX."""
    known = ((place, arguments.variables.get(variable_name(place.name))) for place in program.symbols)
    return {place.name: contents for place, contents in known if contents and len(contents) <= place.size}
