"""Launch a kernel several times in turn, as a program does: what a launch leaves in memory, the next one finds."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from shflbench.checker.python.named_launch import cluster_dims, launch_shape
from shflbench.checker.runs.beyond_launch import kept_variables
from shflbench.core.dimensions import NO_CLUSTER
from shflbench.emulator import EmulatedLaunch, FileBudget, Machine, Shape, execute_to_end, load_program, module_contents
from shflbench.emulator.machine.policies import LOCKSTEP

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from shflbench.checker.python.opened import OneLaunch, OpenedKernel
    from shflbench.emulator import Program


@dataclass(slots=True)
class LaunchesInTurn:
    """A kernel whose `__device__` variables keep their contents from one launch to the next."""

    opened: OpenedKernel
    program: Program
    budget: FileBudget
    _variables: Mapping[str, bytes] = field(default_factory=dict)

    @classmethod
    def of(cls, opened: OpenedKernel, most_instructions: float = math.inf) -> LaunchesInTurn:
        """Load the kernel; EmulatorError if it cannot be emulated."""
        return cls(opened, load_program(opened.ptx, opened.symbol), FileBudget.of(most_instructions))

    @property
    def keeps_memory(self) -> bool:
        """Whether the kernel may write `__device__` variables."""
        return bool(kept_variables(self.program))

    def run(self, launch: OneLaunch) -> dict[int, NDArray[Any]]:
        """Return the arrays after the launch by their positions; EmulatorError if it fails.

        BudgetError when the instructions of all launches are spent. UsageError for arguments that are neither arrays of
        numbers nor numbers.
        """
        arrays = {place: value for place, value in enumerate(launch.arguments) if isinstance(value, np.ndarray)}
        places = {place: number for number, place in enumerate(arrays)}
        shape, cluster = launch_shape((launch.grid, launch.block)), cluster_dims(launch.cluster)
        emulated = EmulatedLaunch(
            program=self.program,
            shape=Shape.of(shape.grid, shape.block, cluster=cluster or self.program.cluster or NO_CLUSTER),
            shared_bytes=launch.shared_bytes,
            inputs=(),
            outputs=[array.ravel(order="K").view(np.uint8) for array in arrays.values()],
            iterations=1,
            order=[
                places[place] if place in places else self.opened.number(place, value)
                for place, value in enumerate(launch.arguments)
            ],
            machine=Machine(budget=self.budget),
            symbols=self._variables,
        )
        after = execute_to_end(emulated, LOCKSTEP)
        self._variables = {**self._variables, **module_contents(emulated)}
        return {place: _as(contents, array) for (place, array), contents in zip(arrays.items(), after, strict=True)}


def _as(contents: NDArray[Any], array: NDArray[Any]) -> NDArray[Any]:
    shaped = np.empty_like(array)
    shaped.ravel(order="K").view(np.uint8)[:] = contents
    return shaped
