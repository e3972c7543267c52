"""Compare what two versions of a kernel leave in global memory, for the inputs of launches that ran."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from shflbench.checker.inputs.elements import ELEMENTS
from shflbench.checker.runs.emulated import emulated_launch
from shflbench.emulator.machine.launch import Machine, execute
from shflbench.emulator.machine.paged_memory import PAGE, PagedMemory
from shflbench.errors import BudgetError, KernelError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from shflbench.checker.inputs.argument import ArgumentBuffer, Arguments
    from shflbench.checker.inputs.elements import Element
    from shflbench.checker.runs.evidence import LaunchEvidence
    from shflbench.emulator.file_budget import FileBudget
    from shflbench.emulator.link.program import Program
    from shflbench.emulator.machine.observer import Observer
    from shflbench.emulator.machine.state import State

LEAST_BEYOND = 128  # random integers are below it: they fit a byte, and are valid indices of many arrays


@dataclass(frozen=True, slots=True)
class SpecifiedRuns:
    """The code of a kernel, and its launches that somebody specified."""

    program: Program
    launches: tuple[LaunchEvidence, ...]


def leaves_same_memory(runs: SpecifiedRuns, changed: Program, budget: FileBudget) -> bool:
    """Whether a changed kernel leaves the same memory as before for all inputs of its launches, and for random ones.

    Contents of the host code are often all zero, with which a wrong exchange does not show. With random ones in their
    place, a kernel may fail that takes them as indices: then integers are 0 and 1, or as they are. A launch that fails
    for all of these, or does not end within the budget, shows nothing, and is no evidence of the same.
    """
    try:
        return all(_is_same(runs.program, changed, item, budget) for item in runs.launches)
    except BudgetError:
        return False


def _is_same(program: Program, changed: Program, item: LaunchEvidence, budget: FileBudget) -> bool:
    random = tuple(_random(item.arguments))
    return _are_equal(program, changed, item, (item.arguments,), budget) and (
        not random or _are_equal(program, changed, item, random, budget)
    )


def _are_equal(
    program: Program, changed: Program, item: LaunchEvidence, inputs: Sequence[Arguments], budget: FileBudget
) -> bool:
    """Whether both leave the same memory for the first of the inputs for which the launch ends."""
    for arguments in inputs:
        expected = _memory(program, item, arguments, budget)
        if expected is not None:
            return expected == _memory(changed, item, arguments, budget)
    return False


def _memory(
    program: Program, item: LaunchEvidence, arguments: Arguments, budget: FileBudget
) -> dict[int, bytes] | bytes | None:
    """Return global memory after a launch, by pages where a launch has such; None if it fails.

    BudgetError where the budget ends before the launch.
    """
    states: list[State] = []

    def observe(state: State) -> Sequence[Observer]:
        states.append(state)
        return ()

    launch = emulated_launch(program, item.launch, arguments, Machine(budget=budget))
    try:
        execute(launch, observe=observe, seed=item.seed)
    except BudgetError:
        raise
    except KernelError:
        return None
    memory = states[0].spaces["global"]
    if not isinstance(memory, PagedMemory):
        return memory.bytes.tobytes()
    pages = memory.bytes.reshape(-1, PAGE)
    return {int(memory.pages[number]): pages[number].tobytes() for number in range(1, memory.used)}


def _random(arguments: Arguments) -> Iterator[Arguments]:
    """Yield arguments with random contents, those with large integers first; none if there are no buffers."""
    are_floats = [_element(item).kind == "f" for item in arguments.buffers]
    for beyond in (LEAST_BEYOND, 2, 0):
        if any(are_floats) or (are_floats and beyond):
            buffers = (_randomized(item, place, beyond) for place, item in enumerate(arguments.buffers))
            yield replace(arguments, buffers=tuple(buffers))


def _element(buffer: ArgumentBuffer) -> Element:
    """Return the type of the elements; of those that have no name, bytes."""
    return ELEMENTS.get(buffer.text.partition("[")[0], ELEMENTS["u8"])


def _randomized(buffer: ArgumentBuffer, place: int, beyond: int) -> ArgumentBuffer:
    """Return a buffer with random floating-point numbers, or integers below a bound; 0 leaves these as they are."""
    element = _element(buffer)
    is_float = element.kind == "f"
    if not (is_float or beyond):
        return buffer
    generator = np.random.default_rng([place, buffer.contents.size])
    count = -(-buffer.contents.size // element.size)
    numbers = generator.uniform(0.5, 2, count) if is_float else generator.integers(0, beyond, count)
    return replace(buffer, contents=element.encode(numbers)[: buffer.contents.size])
