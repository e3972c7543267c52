"""Compare what two versions of a kernel leave in global memory, for the inputs of launches that ran."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from shflbench.checker.inputs.elements import ELEMENTS
from shflbench.checker.machine.launch import Machine, execute
from shflbench.checker.machine.paged_memory import PAGE, PagedMemory
from shflbench.checker.runs.emulated import emulated_launch
from shflbench.errors import KernelError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from shflbench.checker.deadline import Deadline
    from shflbench.checker.inputs.argument import ArgumentBuffer, Arguments
    from shflbench.checker.link.program import Program
    from shflbench.checker.machine.observer import Observer
    from shflbench.checker.machine.state import State
    from shflbench.checker.runs.evidence import LaunchEvidence

LEAST_BEYOND = 128  # random integers are below it: they fit a byte, and are valid indices of many arrays


@dataclass(frozen=True, slots=True)
class StatedRuns:
    """The code of a kernel, and its launches that somebody stated."""

    program: Program
    launches: tuple[LaunchEvidence, ...]


def leaves_same_memory(runs: StatedRuns, changed: Program, deadline: Deadline) -> bool:
    """Whether a changed kernel leaves the same memory as before for all inputs of its launches, and for random ones.

    Contents of the host code are often all zero, with which a wrong exchange does not show. With random ones in their
    place, a kernel may fail that takes them as indices: then the floating-point numbers alone are random.
    """
    for item in runs.launches:
        expected = _memory(runs.program, item, item.arguments, deadline)
        if expected is None or expected != _memory(changed, item, item.arguments, deadline):
            return False
        for arguments in _random(item.arguments):
            expected = _memory(runs.program, item, arguments, deadline)
            if expected is not None:
                if expected != _memory(changed, item, arguments, deadline):
                    return False
                break
    return True


def _memory(
    program: Program, item: LaunchEvidence, arguments: Arguments, deadline: Deadline
) -> dict[int, bytes] | bytes | None:
    """Return global memory after a launch, by pages where a launch has such; None if it fails."""
    states: list[State] = []

    def observe(state: State) -> Sequence[Observer]:
        states.append(state)
        return ()

    launch = emulated_launch(program, item.launch, arguments, Machine(deadline=deadline))
    try:
        execute(launch, observe=observe, seed=item.seed)
    except KernelError:
        return None
    memory = states[0].spaces["global"]
    if not isinstance(memory, PagedMemory):
        return memory.bytes.tobytes()
    pages = memory.bytes.reshape(-1, PAGE)
    return {int(memory.pages[number]): pages[number].tobytes() for number in range(1, memory.used)}


def _random(arguments: Arguments) -> Iterator[Arguments]:
    """Yield arguments with random contents: all, then the floating-point numbers alone."""
    for with_integers in (True, False):
        yield replace(
            arguments, buffers=tuple(_randomized(item, with_integers=with_integers) for item in arguments.buffers)
        )


def _randomized(buffer: ArgumentBuffer, *, with_integers: bool) -> ArgumentBuffer:
    element = ELEMENTS.get(buffer.text.partition("[")[0])
    if element is None or not (with_integers or element.kind == "f"):
        return buffer
    generator = np.random.default_rng([len(buffer.name), buffer.contents.size])
    count = -(-buffer.contents.size // element.size)
    is_float = element.kind == "f"
    numbers = generator.uniform(0.5, 2, count) if is_float else generator.integers(0, LEAST_BEYOND, count)
    return replace(buffer, contents=element.encode(numbers)[: buffer.contents.size])
