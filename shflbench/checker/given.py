"""Check a kernel at given launches with given inputs, whose results the caller compares with expected ones."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from shflbench.checker.inputs.argument import Arguments, NamedValue
from shflbench.checker.inputs.default_launches import PlannedLaunch
from shflbench.checker.inputs.linked import LinkedKernel
from shflbench.checker.inputs.shapes import LaunchShape
from shflbench.checker.judgment.judge import judge_kernel
from shflbench.checker.reporter import KernelReporter
from shflbench.checker.runs.all_schedules import communicates_by_barriers, results_hold_for_all
from shflbench.checker.runs.evidence import Expectation, KernelEvidence, LaunchEvidence
from shflbench.core.dimensions import LaunchDims
from shflbench.cuda_sources.kernel_file import KernelFile, SourceKernel
from shflbench.cuda_sources.origin import Origin
from shflbench.emulator.dataflow.scope import other_dimension
from shflbench.emulator.dataflow.slices import Slicer
from shflbench.emulator.explore import explore
from shflbench.emulator.machine.policies import LOCKSTEP, POLICIES
from shflbench.emulator.machine.scheduler import STEP_LIMIT, StepLimitError
from shflbench.emulator.ptx.line_table import files_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path

    from shflbench.checker.report import KernelReport
    from shflbench.cuda_sources.source_lines import SourceLine
    from shflbench.emulator.explore import ScheduleResult
    from shflbench.emulator.link.program import Program
    from shflbench.emulator.machine.launch import EmulatedLaunch
    from shflbench.emulator.opcodes.forms import Values

    # The number of the launch, a schedule and the outputs → why they are wrong, in words; empty if they are right.
    Compare = Callable[[int, str, Sequence[Values]], str]


LONG_STEP_LIMIT = 20 * STEP_LIMIT  # of a long launch: half a minute in lockstep


@dataclass(frozen=True, slots=True)
class GivenKernel:
    """A compiled kernel, and where it comes from."""

    name: str  # as its report names it
    symbol: str  # in the PTX
    ptx: str
    place: SourceLine  # where its definition begins
    file_of: Callable[[str], Path | None]  # a name in the line table → the user's file; None for other files


@dataclass(frozen=True, slots=True)
class GivenLaunch:
    """One launch of the kernel, with its arguments in words."""

    launch: EmulatedLaunch
    arguments: tuple[tuple[str, str], ...]  # with their names, which may be empty
    is_long: bool = False  # whether it runs in lockstep only: under other schedules it would take minutes


def not_checked(kernel: GivenKernel, problem: str) -> KernelReport:
    """Return the report on a kernel that cannot run."""
    return _reporter(kernel).not_checked([problem])


def check_given(  # noqa: PLR0913  (a check has so many parts)
    kernel: GivenKernel,
    program: Program,
    launches: Iterable[GivenLaunch],
    compare: Compare,
    *,
    expected: Expectation,
    seed: int = 0,
) -> KernelReport:
    """Run the launches of a linked kernel under all schedules, and return the report.

    `expected` says what is declared of the kernel; unless it is incomparable, `compare` is called with the outputs of
    each launch and schedule. A schedule that an error stopped is not tried in the launches after it. Where a long
    launch, which runs in lockstep only, has a wrong result, it counts as wrong under all schedules.
    """
    reporter = _reporter(kernel)
    slicer = Slicer(program)
    launches = list(launches)
    if all(_shape(given).dimensions == 1 for given in launches) and (use := other_dimension(slicer)):
        index, instruction = use
        where = f"uses {index} ({reporter.where(instruction)})"
        return reporter.not_checked([f"{where}, and its launch has one dimension"])
    by_barriers = communicates_by_barriers(program)
    evidence, remaining = [], dict(POLICIES)
    mismatches: dict[str, str] = {}  # by schedule

    def show_all(results: Sequence[ScheduleResult]) -> bool:
        return by_barriers and results_hold_for_all(results, program)

    for number, given in enumerate(launches):
        policies = [LOCKSTEP] if given.is_long else list(remaining.values())
        limit = LONG_STEP_LIMIT if given.is_long else STEP_LIMIT
        results = explore(given.launch, policies, seed=seed, step_limit=limit, show_all=show_all).results
        for result in results:
            if result.error is not None:
                remaining.pop(result.policy, None)
            elif not expected.incomparable and (wrong := compare(number, result.policy, result.outputs)):
                for name in remaining if given.is_long else [result.policy]:
                    mismatches.setdefault(name, wrong)
        evidence.append(LaunchEvidence(_planned(given), _arguments(given), seed, results))
        if not remaining or isinstance(results[-1].error, StepLimitError):
            break
    wrong_under = tuple(name for name in POLICIES if name in mismatches)
    compared = replace(expected, wrong=wrong_under, mismatch=next(iter(mismatches.values()), ""))
    every = KernelEvidence(tuple(evidence), expectation=compared)
    linked = LinkedKernel(reporter.kernel, program, slicer, uses_dynamic_shared=False)
    return reporter.report(linked, every, judge_kernel(every, linked.slicer))


def _reporter(kernel: GivenKernel) -> KernelReporter:
    source = SourceKernel(kernel.name, kernel.symbol, (), kernel.place)
    names = files_of(kernel.ptx).values()
    files = {name: file for name in names if (file := kernel.file_of(name)) is not None}
    return KernelReporter(KernelFile(kernel.place.file, kernel.ptx, (source,), files=files), source)


def _planned(given: GivenLaunch) -> PlannedLaunch:
    dims = _shape(given)
    return PlannedLaunch(LaunchShape(dims.grid, dims.block, cluster=given.launch.shape.cluster), Origin.GIVEN)


def _shape(given: GivenLaunch) -> LaunchDims:
    return LaunchDims(given.launch.shape.grid_dims, given.launch.shape.block_dims)


def _arguments(given: GivenLaunch) -> Arguments:
    """Return the arguments of a launch, of which nothing is chosen, so that no finding depends on what nobody gave."""
    return Arguments(
        parameters=(),
        offsets=(),
        buffers=(),
        values=tuple(NamedValue(name, value, Origin.GIVEN) for name, value in given.arguments),
        shared_bytes=given.launch.shared_bytes,
        shared=Origin.GIVEN,
    )
