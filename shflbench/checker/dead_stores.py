"""Judge the stores that the compiler removed: by a build without optimization, which still performs them.

Only races, wrong addresses and uninitialized values count in which such a store takes part. Everything else in that
build is not the program that runs: it reads variables that the optimizer removed, and has other code.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from shflbench.checker.judgment.causes import LAUNCH
from shflbench.checker.judgment.judge import judge_observations
from shflbench.checker.judgment.observations import observations
from shflbench.checker.runs.budget import RunBudget
from shflbench.checker.runs.evidence import KernelEvidence
from shflbench.checker.runs.kernel_runs import KernelRuns
from shflbench.checker.verdict import Level
from shflbench.cuda_sources.stores import REMOVED
from shflbench.emulator.dataflow.slices import Slicer
from shflbench.emulator.file_budget import NEVER, FileBudget
from shflbench.emulator.link.unsupported import link_whole
from shflbench.emulator.machine.faults import KernelFault
from shflbench.emulator.opcodes.forms import Access
from shflbench.emulator.ptx.parse import parse
from shflbench.emulator.races.hazards import RACES, HazardKind
from shflbench.errors import KernelError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from shflbench.checker.inputs.argument_spec import ArgumentSpec
    from shflbench.checker.inputs.default_launches import PlannedLaunch
    from shflbench.checker.judgment.observations import Observation
    from shflbench.checker.runs.evidence import LaunchEvidence
    from shflbench.cuda_sources.kernel_file import KernelFile, SourceKernel, SourceNote
    from shflbench.cuda_sources.source_lines import SourceLine
    from shflbench.emulator.link.program import Program
    from shflbench.emulator.ptx.syntax import Module, PtxInstruction

Line = tuple["Path", int]

UNINITIALIZED = {HazardKind.UNINITIALIZED, HazardKind.UNINITIALIZED_UNUSED}
JUDGED = {*RACES, HazardKind.SAME_VALUE, HazardKind.OUT_OF_BOUNDS, HazardKind.MISALIGNED, *UNINITIALIZED}
JUDGED_APART = "it was checked in a build without optimization"
LONGEST = 4  # lines of one statement, of which the note names the first


@dataclass(frozen=True, slots=True)
class DeadStores:
    """What the stores that the compiler removed from one kernel would do."""

    lines: tuple[SourceLine, ...]  # of the notes on them
    judged: tuple[Observation, ...] = ()
    unjudged: str = ""  # why they could not be judged


class DeadStoreCheck:
    """Runs the build without optimization of one file."""

    def __init__(self, file: KernelFile, budget: FileBudget = NEVER) -> None:
        """Read the build, if a note reports a store that the optimizer removed; nothing runs beyond the budget."""
        self.file, self.budget = file, budget
        self.places = [note.line for note in file.notes if note.kind == REMOVED and note.line is not None]
        self._judged: set[SourceLine] = set()
        self._module: Module | None = None
        self._problem = "there is no build without optimization"
        if self.places and file.unoptimized_ptx:
            try:
                self._module = parse(file.unoptimized_ptx)
            except KernelError as error:
                self._problem = error.message

    @property
    def notes(self) -> tuple[SourceNote, ...]:
        """The notes on the file; those on removed stores say which of them were judged."""
        return tuple(
            replace(note, text=f"the compiler removed or merged the store of line {note.line.line}; {JUDGED_APART}")
            if note.kind == REMOVED and note.line is not None and note.line in self._judged
            else note
            for note in self.file.notes
        )

    def judge(
        self,
        kernel: SourceKernel,
        program: Program,
        launch_plan: Sequence[PlannedLaunch],
        runs: tuple[ArgumentSpec, int],
        line_of: Callable[[PtxInstruction], SourceLine],
    ) -> DeadStores | None:
        """Return what the removed stores of `kernel` do at the planned launches but samples, None if it has none.

        Only in blocks that the file launches: the program itself runs in others, too. `program` is the optimized
        kernel, `runs` what is known of the arguments, and the seed.
        """
        if not self.places:
            return None
        try:
            debug = self._linked(kernel)
            kept, stored = (_stored(item, line_of) for item in (program, debug))
            places = tuple(place for place in self.places if _near(place) & (stored - kept))
            removed = {line for place in places for line in _near(place) & (stored - kept)}
            if not removed:
                return None
            whole = [item for item in launch_plan if not item.shape.sample and _has_specified_block(item, kernel)]
            if not whole:
                return DeadStores(places, unjudged="the host code specifies the block of no launch")
            budget = RunBudget(of_file=self.budget)
            debug_runs = KernelRuns(kernel, debug, *runs, patient=False, budget=budget)
            launches, unfinished = debug_runs.in_lockstep(whole, seeds=1)
        except KernelError as error:
            return DeadStores(tuple(self.places), unjudged=error.message)

        def takes_part(item: Observation) -> bool:
            both = (item.hazard.instruction, item.hazard.other)
            if item.kind in UNINITIALIZED and (item.hazard.in_part or _is_inlined(item.hazard.instruction)):
                return False
            return item.kind in JUDGED and any(_key(line_of(one)) in removed for one in both if one is not None)

        seen = [item for item in observations(launches) if takes_part(item)]
        every = judge_observations(seen, KernelEvidence(tuple(launches)), Slicer(debug))
        judged = [item for item in every if LAUNCH not in item.causes]
        unjudged = "" if judged else _limit(launches) or unfinished
        if not unjudged:
            self._judged.update(places)
        return DeadStores(places, tuple(_of_removed(item) for item in judged), unjudged)

    def _linked(self, kernel: SourceKernel) -> Program:
        """Return the kernel without optimization; KernelError if it cannot run."""
        if self._module is None:
            raise KernelError(self._problem)
        return link_whole(self._module, kernel.symbol)


def _has_specified_block(launch: PlannedLaunch, kernel: SourceKernel) -> bool:
    """Whether the block of a launch does not follow from a number that stands for what the host code reads."""
    host = launch.host
    if host is None or not launch.assumed:
        return True
    others = [item for item in kernel.host_launches if item.line == host.line and item.assumed != host.assumed]
    return not others or any(item.block == host.block for item in others)


def _limit(launches: Sequence[LaunchEvidence]) -> str:
    """Return why the launches say nothing: a limit of the emulator, or a fault that stopped every one of them."""
    errors = [result.error for item in launches for result in item.results if result.error is not None]
    limits = [error for error in errors if not isinstance(error, KernelFault)]
    stopped = errors if len(errors) == len(launches) else []
    return next((error.message for error in (*limits, *stopped)), "")


def _stored(program: Program, line_of: Callable[[PtxInstruction], SourceLine]) -> set[Line]:
    """Return the lines with stores and atomics."""
    stores = (op for op in program.ops() if isinstance(op.form, Access) and op.form.kind != "ld")
    return {_key(line_of(op.instruction)) for op in stores}


def _of_removed(item: Observation) -> Observation:
    """Return what a removed store does; of arrays, values that nothing sets are doubtful: they may be padding."""
    if item.kind in UNINITIALIZED and item.hazard.space != "local":
        return replace(item, removed=True, level=Level.WARNING, causes=())
    return replace(item, removed=True)


def _is_inlined(instruction: PtxInstruction) -> bool:
    """Whether an instruction is from a function that the line of the store calls, such as one of a library."""
    return instruction.location is not None and instruction.location.inlined_at is not None


def _near(place: SourceLine) -> set[Line]:
    path, line = _key(place)
    return {(path, line + more) for more in range(LONGEST)}


def _key(place: SourceLine) -> Line:
    return place.file.resolve(), place.line
