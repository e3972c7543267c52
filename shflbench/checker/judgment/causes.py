"""Name the chosen sizes, values, contents and launches that a hazard depends on: those that nobody gave."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from shflbench.checker.finding_kinds import KINDS, CauseClass, kinds_of
from shflbench.checker.inputs.argument_options import HOST_ARGS
from shflbench.checker.inputs.default_launches import is_edge
from shflbench.checker.judgment.all_contents import exceeds_for_some_contents, must_collide
from shflbench.checker.judgment.one_place import is_one_place
from shflbench.checker.judgment.sole_writers import compared_elements
from shflbench.checker.runs.fitting import is_about_launch
from shflbench.checker.runs.overruns import overrun_buffers
from shflbench.checker.runs.sites import ran_ops
from shflbench.checker.verdict import Level
from shflbench.core.model import WARP
from shflbench.cuda_sources.kernel_file import EDGE, ODD, TINY, is_parameter
from shflbench.cuda_sources.origin import Origin
from shflbench.cuda_sources.usual_numbers import usual_number
from shflbench.emulator.dataflow.endless_loops import has_no_exit
from shflbench.emulator.dataflow.nests import loop_exits
from shflbench.emulator.dataflow.warps import divides_into_warps
from shflbench.emulator.machine.faults import FaultKind
from shflbench.emulator.races.hazards import MEMORY_FAULTS, RACES, HazardKind

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from shflbench.checker.inputs.argument import Arguments
    from shflbench.checker.inputs.default_launches import PlannedLaunch
    from shflbench.checker.judgment.observations import Observation
    from shflbench.checker.runs.evidence import LaunchEvidence
    from shflbench.cuda_sources.kernel_file import HostLaunch
    from shflbench.cuda_sources.source_lines import SourceLine
    from shflbench.emulator.dataflow.slices import Slice, Slicer

MOST_COMPARED = 8  # launches of the host code in which a hazard happened
LAUNCH = "--launch"
SHARED = "--shared"
TEXTURES = "textures"  # what they hold, which no option gives

OF_VALUES = kinds_of(CauseClass.VALUES)
OF_SHAPES = kinds_of(CauseClass.SHAPES)
OF_ROWS = kinds_of(CauseClass.ROWS)
OF_PARTS = MEMORY_FAULTS | {HazardKind.UNINITIALIZED}  # that show threads without work in the last tile


def synthesized_causes(observation: Observation, slicer: Slicer, every: Sequence[LaunchEvidence]) -> list[str]:
    """Return the options that decide whether the hazard is one: names for `--arg`, `--launch` or `--shared`.

    None if it happened in a launch whose values all come from the user or the host code. `every` are all launches of
    the kernel.
    """
    causes = _causes(observation, slicer, every)
    hosts = [item for item in observation.launches[1:] if item.launch.origin.is_of_program]
    for item in hosts[:MOST_COMPARED] if causes else ():
        others = tuple(other for other in observation.launches if other is not item)
        if not _causes(replace(observation, launches=(item, *others)), slicer, every):
            return []
    return causes


def _causes(observation: Observation, slicer: Slicer, every: Sequence[LaunchEvidence]) -> list[str]:
    launch = observation.launches[0]
    if observation.kind is HazardKind.OUT_OF_BOUNDS and exceeds_for_some_contents(observation, slicer):
        return []
    if observation.kind in OF_VALUES:
        causes = list(_of_values(observation, slicer, launch.arguments))
    elif observation.kind in RACES:
        causes = [] if must_collide(observation, slicer) else list(race_inputs(observation, slicer, launch.arguments))
        causes += [buffer.name for buffer in overrun_buffers(observation.hazard, slicer, launch.arguments)]
    else:
        causes = []
    if launch.launch.origin.is_scaled_down:
        causes = [LAUNCH if name in _scaled_down(launch.arguments) else name for name in causes]
    causes += [LAUNCH] if _is_of_ragged_block(observation, every) else _of_assumed(observation, slicer, every)
    if observation.kind is HazardKind.ENDLESS and _has_no_exit(observation, slicer):
        return causes  # another launch ends it only if a condition depends on the launch
    if not causes and (
        only_special(observation) or _spares_a_launch(observation, every, slicer) or _has_wide_rows(observation)
    ):
        causes.append(LAUNCH)
    if not causes and all(item.arguments.is_varied for item in observation.launches):
        varied = list(_varied(observation, slicer, every))
        causes += [LAUNCH] if varied and launch.launch.origin.is_scaled_down else varied
    if not causes and is_invented(observation):
        causes.append(LAUNCH)
    if not causes and observation.after is not None and not _is_independent(observation, slicer):
        return synthesized_causes(observation.after, slicer, every)  # without the fault, it may not happen
    return list(dict.fromkeys(causes))


def is_of_other_numbers(observation: Observation, every: Sequence[LaunchEvidence]) -> bool:
    """Whether a fault says only that the host code takes no number such as one that was chosen for it.

    It happens with a large or a small number, or with one that divides nothing evenly where it is the argument of a
    function that nothing in the file calls; and not with another number that divides evenly.
    """
    happened = [_numbers(item) for item in observation.launches]
    if observation.kind not in OF_VALUES or not all(happened) or _is_in_part_of_tile(observation, every):
        return False
    names = (name for item in observation.launches for name, _ in item.launch.assumed)
    if any(ODD in numbers for numbers in happened) and not all(map(is_parameter, names)):
        return False
    tried = {numbers for item in every if (numbers := _numbers(item)) and numbers.isdisjoint({EDGE, ODD, TINY})}
    return bool(tried - set(happened)) or _has_default(observation, every)


def _numbers(item: LaunchEvidence) -> frozenset[int]:
    """Return the numbers that stand for what the host code reads; none for a launch that depends on none."""
    every = frozenset(number for _, number in item.launch.assumed)
    return frozenset(number for name, number in item.launch.assumed if usual_number(name) is None) or every


def _default_line(launch: PlannedLaunch) -> SourceLine | None:
    """Return the line of a launch of the host code whose numbers the program has without a command line, too."""
    is_default = launch.origin.is_of_program and not launch.assumed
    return launch.host.line if is_default and launch.host is not None else None


def _of_assumed(observation: Observation, slicer: Slicer, every: Sequence[LaunchEvidence]) -> list[str]:
    """Return the option that decides on a fault at numbers that stand for what the host code reads.

    It may say only that the program takes no such number: 1000 where it needs a multiple of 16. Not if it happens with
    each number, and what the kernel gets depends on the number, unless the kernel asserts another launch.
    """
    numbers = [item.launch.assumed for item in observation.launches]
    if observation.kind not in OF_VALUES or not all(numbers):
        return []
    if _is_in_part_of_tile(observation, every):
        by_caller = [LAUNCH] if _may_need_steps(observation) else []
        return [HOST_ARGS] if _has_default(observation, every) else by_caller
    option = HOST_ARGS if any(name.startswith("argv[") for name, _ in numbers[0]) else LAUNCH
    if is_about_launch(observation.hazard, slicer):
        return [option]
    tried = [item.launch.host for item in every if item.launch.assumed and item.launch.host is not None]
    if observation.hazard.space == "shared" and any(map(_passes_shared_bytes, tried)):
        return [LAUNCH]
    kinds = {(host.grid, tuple(item.value for item in host.arguments)) for host in tried}
    if {host.assumed for host in tried} == set(numbers) and len(kinds) > 1 and len(set(numbers)) > 1:
        return []
    return [option]


def _is_of_ragged_block(observation: Observation, every: Sequence[LaunchEvidence]) -> bool:
    """Whether only blocks that end in a part of a warp are at fault, of a function whose caller says their threads.

    The caller may pass whole warps only, with which other launches have no fault.
    """
    hosts = [item.launch.host for item in observation.launches]
    parts = all(item.launch.shape.threads_per_block % WARP for item in observation.launches)
    if observation.kind not in OF_SHAPES or not parts or not all(host and host.takes_parameters for host in hosts):
        return False
    whole = (item for item in every if item.launch.origin.is_of_program and item.results[0].error is None)
    return any(not item.launch.shape.threads_per_block % WARP for item in whole)


def _is_in_part_of_tile(observation: Observation, every: Sequence[LaunchEvidence]) -> bool:
    """Whether an access is a fault only where the host code lets a block have a part of a tile: it rounds its grid up.

    With a number that is larger, and a multiple of usual tiles, another launch has no fault.
    """
    if observation.kind not in OF_PARTS or not any(is_edge(item.launch) for item in observation.launches):
        return False
    if any(_numbers(item).isdisjoint({EDGE, ODD}) for item in observation.launches):
        return False
    whole = (item for item in every if item.launch.origin.is_of_program and item.results[0].error is None)
    return any(min(numbers, default=EDGE + 1) > EDGE and ODD not in numbers for numbers in map(_numbers, whole))


def _may_need_steps(observation: Observation) -> bool:
    """Whether a function whose caller says the sizes may need multiples of a step in a tile, as of 32 in 128.

    The last step then reads shared memory that only whole steps write, within the bounds of all buffers.
    """
    hosts = [item.launch.host for item in observation.launches]
    return observation.kind is HazardKind.UNINITIALIZED and all(host and host.takes_parameters for host in hosts)


def _has_default(observation: Observation, every: Sequence[LaunchEvidence]) -> bool:
    """Whether the program performs the launch without a command line, too, and so has numbers of its own."""
    lines = {item.launch.host.line for item in observation.launches if item.launch.host is not None}
    return any(_default_line(item.launch) in lines for item in every)


def _passes_shared_bytes(host: HostLaunch) -> bool:
    """Whether a number that stands for one of several parameters is the size of shared memory: its caller knows it."""
    return len(host.assumed) > 1 and host.takes_parameters and host.shared_bytes in dict(host.assumed).values()


def is_invented(observation: Observation) -> bool:
    """Whether a hazard happened only at invented launches, while the host code has one that was not understood.

    A race in a block that the host code specifies does not depend on the rest; one in global memory may depend on
    numbers of a launch that the program does not perform.
    """
    origins = [item.launch.origin for item in observation.launches]
    of_one_block = len({block for block, _ in observation.hazard.threads}) == 1
    is_race, is_shared = observation.kind in RACES, observation.hazard.space == "shared"
    is_specified = is_race and any(
        origin.block <= Origin.SPECIFIED and (is_shared or (of_one_block and origin.arguments is not Origin.FORCED))
        for origin in origins
    )
    return all(origin.is_invented for origin in origins) and not is_specified


def _is_independent(observation: Observation, slicer: Slicer) -> bool:
    """Whether an access is a fault whatever the loads before it return."""
    ops = slicer.ops_of(observation.hazard.instruction)
    return observation.kind in MEMORY_FAULTS and not any(slicer.depends_on_memory(op) for op in ops)


def _scaled_down(arguments: Arguments) -> set[str]:
    """Return the arguments of a launch with fewer blocks that differ from those of the host code."""
    numbers = {span.name for value in arguments.parameters for span in value.spans if span.origin is Origin.VARIED}
    return numbers | {buffer.name for buffer in arguments.buffers if buffer.limited}


def _has_no_exit(observation: Observation, slicer: Slicer) -> bool:
    return any(has_no_exit(op, slicer) for op in slicer.ops_of(observation.hazard.instruction))


def _spares_a_launch(observation: Observation, every: Sequence[LaunchEvidence], slicer: Slicer) -> bool:
    """Whether the hazard does not happen in one of the chosen launches that a kernel should support.

    The kernel may be made for the block of that launch. What other schedules than lockstep show is compared with
    launches that ran under them, what several blocks show with such launches, and what a specified block shows with its
    launches.
    """
    return bool(find_spared(observation, every, slicer))


def find_spared(observation: Observation, every: Sequence[LaunchEvidence], slicer: Slicer) -> list[str]:
    """Return the shapes of the chosen launches in which a hazard of other chosen launches does not happen."""
    happened = [item.launch for item in observation.launches]
    if not is_synthesized(observation):
        return []
    several = min(launch.shape.blocks for launch in happened) > 1
    specified = {launch.shape.block for launch in happened if launch.origin.has_specified_block}
    usual = [
        item
        for item in every
        if item.launch.origin.is_synthesized
        and not item.launch.is_special
        and (observation.in_lockstep or len(item.results) > 1)
        and (item.launch.shape.blocks > 1 or not several)
        and specified <= {item.launch.shape.block}
        and _could_happen(observation, item, slicer)
    ]
    ended = dict.fromkeys(str(item.launch.shape) for item in usual if _fits(item))
    return [shape for shape in ended if shape not in {str(launch.shape) for launch in happened}]


def _could_happen(observation: Observation, item: LaunchEvidence, slicer: Slicer) -> bool:
    """Whether a launch executed the code of a race, or did not because of its shape: contents did not prevent it."""
    if observation.kind not in RACES:
        return True
    sides = (observation.hazard.instruction, observation.hazard.other or observation.hazard.instruction)
    ops = [op for side in sides for op in slicer.ops_of(side)]
    ran = ran_ops(slicer.program, item)
    if all(any(id(op) in ran for op in slicer.ops_of(side)) for side in sides):
        return True
    conditions = {id(branch): branch for op in ops for branch in slicer.all_conditions(op)}
    return not slicer.of(conditions.values(), address_only=True).contents


def _fits(item: LaunchEvidence) -> bool:
    """Whether a kernel may be written for the block of a launch: it ended, without a fault but those of values."""
    faults = [hazard for result in item.results for hazard in result.hazards if KINDS[hazard.kind].level is Level.ERROR]
    return item.results[0].error is None and all(
        hazard.kind in OF_VALUES and hazard.space != "shared" for hazard in faults
    )


def _has_wide_rows(observation: Observation) -> bool:
    """Whether a line stores rows of an array in shared memory that overlap, and the last of which exceeds the array.

    In `s[row][threadIdx.x]`, both only say that chosen blocks have more threads than a row has elements.
    """
    hazard, place = observation.hazard, observation.hazard.instruction.location
    same_line = place is not None and (hazard.other is None or hazard.other.location == place)
    if observation.kind is not HazardKind.WAW or hazard.space != "shared" or not same_line:
        return False
    return is_synthesized(observation) and all(
        any(
            fault.kind is HazardKind.OUT_OF_BOUNDS and fault.space == "shared" and fault.instruction.location == place
            for result in item.results
            for fault in result.hazards
        )
        for item in observation.launches
    )


def is_synthesized(observation: Observation) -> bool:
    """Whether the hazard happened only in launches whose grid, at least, is chosen."""
    return all(item.launch.origin.is_synthesized for item in observation.launches)


def only_special(observation: Observation) -> bool:
    """Whether the hazard happened only in launches that a kernel need not support."""
    return all(item.launch.is_special for item in observation.launches)


def is_refusal(observation: Observation, slicer: Slicer) -> bool:
    """Whether the hazard says only that the kernel does not support a chosen launch.

    A kernel with a row per warp counts its warps over the whole grid: where blocks end in a part of a warp, one warp
    of the count has threads of two blocks, which is no fault of a kernel that is launched with whole warps.
    """
    if not only_special(observation):
        return False
    if observation.kind in OF_SHAPES:
        return True
    parts = all(item.launch.shape.threads_per_block % WARP for item in observation.launches)
    return parts and observation.kind in OF_ROWS and divides_into_warps(slicer)


def _of_values(observation: Observation, slicer: Slicer, arguments: Arguments) -> Iterator[str]:
    hazard, fault = observation.hazard, observation.fault
    ops = slicer.ops_of(hazard.instruction)
    if observation.kind is HazardKind.ENDLESS:
        ops = [branch for op in ops for branch in loop_exits(op, slicer)] or ops
    depends = slicer.of(ops)
    beyond = fault is not None and fault.kind is FaultKind.OUT_OF_BOUNDS
    if fault is not None and beyond:
        buffer = arguments.buffer(fault.buffer)
        if buffer is not None and buffer.size is Origin.CHOSEN and (fault.low >= 0 or buffer.may_begin_before):
            yield buffer.name
    if beyond and hazard.space == "shared" and arguments.shared is Origin.CHOSEN:
        yield SHARED
    yield from of_slice(depends, arguments)
    if depends.launch and is_synthesized(observation):
        yield LAUNCH


def _varied(observation: Observation, slicer: Slicer, every: Sequence[LaunchEvidence]) -> Iterator[str]:
    """Yield the chosen numbers on which the hazard depends and with whose first values it did not happen.

    Where contents kept the code of a race from running with the first values, only addresses depend on numbers.
    """
    hazard, arguments = observation.hazard, observation.launches[0].arguments
    instructions = [hazard.instruction, *([hazard.other] if hazard.other else [])]
    ops = [op for item in instructions for op in slicer.ops_of(item)]
    first = [item for item in every if not item.arguments.is_varied]
    depends = slicer.of(ops, address_only=not any(_could_happen(observation, item, slicer) for item in first))
    yield from (span.name for span in arguments.spans(depends.parameters) if span.origin is Origin.VARIED)


def race_inputs(observation: Observation, slicer: Slicer, arguments: Arguments) -> Iterator[str]:
    """Yield the chosen numbers, and the buffers of chosen contents, from which the addresses of both accesses come.

    A scatter, `out[to[i]] = …`, races only if its indices repeat, which the caller may exclude, and rows of
    `out[y * pitch + x] = …` overlap only if the pitch is too small. Where the addresses are equal for all numbers, none
    decides. Numbers that stand for parameters of a function that nothing calls are chosen, too. Elements that choose
    the one thread that stores to a place count like indices.
    """
    hazard = observation.hazard
    yield from synthesized_contents(compared_elements(observation, slicer), arguments)
    if is_one_place(observation, slicer):
        return
    sides = []
    of_parameters = all(any(is_parameter(name) for name, _ in item.launch.assumed) for item in observation.launches)
    for instruction in (hazard.instruction, hazard.other or hazard.instruction):
        depends = slicer.of(slicer.ops_of(instruction), address_only=True)
        sides.append(list(of_slice(depends, arguments)))
        if of_parameters:
            numbers = (span for span in arguments.spans(depends.parameters) if span.buffer is None)
            sides[-1] += [span.name for span in numbers if span.origin is Origin.HOST]
    if all(sides):
        yield from (name for side in sides for name in side)


def of_slice(depends: Slice, arguments: Arguments) -> Iterator[str]:
    """Yield the names of chosen numbers, and of buffers with chosen contents, in a slice."""
    for span in arguments.spans(depends.parameters):
        if span.origin.is_synthesized and span.buffer is None:
            yield span.name
    yield from synthesized_contents(depends.contents, arguments)
    if depends.textures:
        yield TEXTURES
    if depends.unknown:
        yield from (name for name, data in arguments.variables.items() if data is None)


def synthesized_contents(pointers: Collection[int], arguments: Arguments) -> Iterator[str]:
    """Yield the names of the buffers behind pointers that hold what nobody gave."""
    for span in arguments.spans(pointers):
        if span.buffer is not None and arguments.buffers[span.buffer].values in {Origin.CHOSEN, Origin.SAMPLE}:
            yield span.name
