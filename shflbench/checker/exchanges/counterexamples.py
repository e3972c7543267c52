"""Launches that need a barrier, with values that nobody specifies: without it they have a fault, and with it none."""

from __future__ import annotations

from dataclasses import replace
from itertools import chain, islice
from typing import TYPE_CHECKING

from shflbench.checker.exchanges.other_values import OtherValues, other_values
from shflbench.checker.runs.emulated import emulated_launch
from shflbench.core.words import join_words
from shflbench.emulator.explore import explore
from shflbench.emulator.link.unsupported import link_whole
from shflbench.emulator.machine.launch import Machine
from shflbench.emulator.machine.policies import LOCKSTEP
from shflbench.emulator.machine.scheduler import STEP_LIMIT, StepLimitError
from shflbench.emulator.ptx.parse import parse
from shflbench.emulator.races.hazards import RACES, HazardKind
from shflbench.errors import KernelError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from shflbench.checker.exchanges.flows import Flow
    from shflbench.checker.exchanges.study import FlowKey
    from shflbench.checker.runs.evidence import LaunchEvidence
    from shflbench.cuda_sources.kernel_file import KernelFile
    from shflbench.emulator.dataflow.slices import Slice, Slicer
    from shflbench.emulator.file_budget import FileBudget
    from shflbench.emulator.link.program import Op, Program

MOST_RUNS = 64  # of one kernel: with other values, and for each of them without a barrier
MOST_OTHER = 16  # values for which exchanges are compared
MOST_STEPS = 20_000  # instructions of all these runs in lockstep, which take about a second
MOST_STEPS_OF_ONE = 5_000
NO_FAULTS = frozenset(
    {
        HazardKind.ACTIVEMASK,
        HazardKind.UNORDERED,
        HazardKind.SAME_VALUE,
        HazardKind.UNINITIALIZED_UNUSED,
    }
)


class CounterExamples:
    """Runs of one kernel with other values, for all of its barriers."""

    def __init__(
        self,
        symbol: str,
        slicer: Slicer,
        specified: Sequence[LaunchEvidence],
        further: Sequence[LaunchEvidence],
        budget: FileBudget,
    ) -> None:
        """Start without runs; values of the `specified` launches change, `further` ones are tried as they are."""
        self._symbol, self._slicer, self._budget = symbol, slicer, budget
        whole = [item for item in specified if not item.launch.shape.sample]
        self._specified = sorted(whole, key=lambda item: item.launch.shape.threads)[:1]
        self._every = sorted((*specified, *further), key=lambda item: item.launch.shape.threads)
        blocks = {item.launch.shape.block for item in specified}
        self._of_other_blocks = [_as_it_is(item) for item in further if item.launch.shape.block not in blocks]
        self._of_other_words = [_as_it_is(item) for item in further if item.launch.shape.block in blocks]
        self._runs = self._steps = 0
        self._known: dict[tuple[object, ...], set[HazardKind | None]] = {}  # of launches with all barriers

    def fault(self, ops: Iterable[Op], file: KernelFile, weaker: KernelFile) -> OtherValues | None:
        """Return values for which the kernel of a weaker file has a fault, and that of the file none; else None.

        `ops` are accesses whose addresses and conditions decide on it.
        """
        if not self._specified or self._is_spent:
            return None
        depends = self._slicer.of(ops)
        try:
            program, other = (link_whole(parse(one.ptx), self._symbol) for one in (file, weaker))
            for item in self._specified:
                for values in self._others(item, depends):
                    if self._is_spent:
                        return None
                    if not self._hazards_of(file, program, values, item.seed) and self._races(other, values, item.seed):
                        return values
        except KernelError:
            return None  # the budget of the file is over
        return None

    def in_launches(self, weaker: KernelFile) -> bool:
        """Whether the kernel of a weaker file has a fault in a launch of the program, the smallest ones first.

        Most faults show in the first part of a launch, so that only without one there the whole of it runs.
        """
        try:
            program = link_whole(parse(weaker.ptx), self._symbol)
            waiting = self._every
            for limit in (MOST_STEPS_OF_ONE, STEP_LIMIT):
                cut = []
                for item in waiting:
                    launch = emulated_launch(program, item.launch, item.arguments, Machine(budget=self._budget))
                    (result,) = explore(launch, (LOCKSTEP,), seed=item.seed, step_limit=limit).results
                    is_cut = isinstance(result.error, StepLimitError)
                    if any(hazard.kind in RACES for hazard in result.hazards) or (result.error and not is_cut):
                        return True
                    cut += [item] if is_cut else []
                waiting = cut
        except KernelError:
            pass  # the budget of the file is over
        return False

    def other_flows(
        self, ops: Iterable[Op], program: Program, flows_of: Callable[[LaunchEvidence], dict[FlowKey, Flow]]
    ) -> list[tuple[str, dict[FlowKey, Flow]]]:
        """Return other values of what the `ops` depend on, and the flows of launches that have no fault with them."""
        flows: list[tuple[str, dict[FlowKey, Flow]]] = []
        depends = self._slicer.of(ops)
        try:
            for item in self._specified:
                for values in islice(self._others(item, depends), MOST_OTHER):
                    if self._is_spent:
                        break
                    if not self._hazards(program, values, item.seed):
                        other = replace(item, launch=values.launch, arguments=values.arguments)
                        flows.append((values.text, flows_of(other)))
        except KernelError:
            pass  # the budget of the file is over
        return flows

    def _others(self, item: LaunchEvidence, depends: Slice) -> Iterator[OtherValues]:
        """Return the launches to try, those with other blocks first, and the long ones of other words last."""
        others = other_values(item, depends, self._slicer)
        every = chain(self._of_other_blocks, others, self._of_other_words)
        return (values for values in every if not values.launch.shape.sample)

    @property
    def _is_spent(self) -> bool:
        return self._runs >= MOST_RUNS or self._steps >= MOST_STEPS

    def _races(self, program: Program, values: OtherValues, seed: int) -> bool:
        return any(kind in RACES for kind in self._hazards(program, values, seed))

    def _hazards_of(self, file: KernelFile, program: Program, values: OtherValues, seed: int) -> set[HazardKind | None]:
        """Return the kinds of faults of one launch of a file's kernel, which runs once for all barriers."""
        contents = (hash(buffer.contents.tobytes()) for buffer in values.arguments.buffers)
        data = (value.data for value in values.arguments.parameters)
        key = (file.ptx, str(values.launch.shape), *data, *contents)
        if key not in self._known:
            self._known[key] = self._hazards(program, values, seed)
        return self._known[key]

    def _hazards(self, program: Program, values: OtherValues, seed: int) -> set[HazardKind | None]:
        """Return the kinds of faults of one launch in lockstep; None for what ended it."""
        machine = Machine(budget=self._budget)
        launch = emulated_launch(program, values.launch, values.arguments, machine)
        (result,) = explore(launch, (LOCKSTEP,), seed=seed, step_limit=MOST_STEPS_OF_ONE).results
        self._runs += 1
        self._steps += MOST_STEPS_OF_ONE if isinstance(result.error, StepLimitError) else machine.lockstep_steps
        kinds: set[HazardKind | None] = {hazard.kind for hazard in result.hazards if hazard.kind not in NO_FAULTS}
        return kinds | ({None} if result.error is not None else set())


def _as_it_is(item: LaunchEvidence) -> OtherValues:
    words = join_words([f"{name} = {value}" for name, value in item.launch.assumed])
    return OtherValues(words, item.launch, item.arguments)
