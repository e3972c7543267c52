"""Say why times of a challenger may not be those of the work that its results show, before anything is timed."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from shflbench.checker import KernelVerdict, kept_variables, read_surroundings
from shflbench.core.arch.launch_limits import LIMITS
from shflbench.core.launch import parse_launch, resolve_grid
from shflbench.core.model import Case, Kernel
from shflbench.core.words import join_words
from shflbench.cuda.backends.emulator import EmulatorBackend
from shflbench.emulator import load_program
from shflbench.errors import KernelError
from shflbench.measure.prepare import shared_of
from shflbench.patterns.discover import load
from shflbench.user_kernels.challenge.timed_work import work_doubt

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from shflbench.cuda.compile.build import Builder
    from shflbench.kernel_facts.pattern_checks.subject_report import SubjectReport
    from shflbench.patterns.discover import LoadedPattern
    from shflbench.user_kernels.challenge.folder import ChallengeFiles
    from shflbench.user_kernels.challenge.prepare import Challenge

SLEEP = "NANOSLEEP"  # an opcode
MOST_SMS = 132  # of an architecture without figures: those of an H100


def doubts_of(
    challenge: Challenge, files: ChallengeFiles, builder: Builder, reports: Sequence[SubjectReport], seed: int
) -> Mapping[str, str]:
    """Return for each challenger with a doubt what it is, as a clause: `it reads a clock`.

    PatternError where a function of the pattern fails.
    """
    pattern = load(files.pattern)
    cases = [case for name in challenge.names for case in _cases(challenge, name)]
    kernels = dict(builder.build_all({case: builder.request(pattern, case) for case in cases}))
    doubts = {}
    for report in reports:
        name = report.case.variant
        mine = [(case, kernel) for case, kernel in kernels.items() if case.variant == name]
        usable = [(case, kernel) for case, kernel in mine if isinstance(kernel, Kernel)]
        doubt = _of_check(report) or next(filter(None, (_of_kernel(pattern, *item, seed) for item in usable)), "")
        if doubt:
            doubts[name] = doubt
    return doubts


def _cases(challenge: Challenge, name: str) -> Iterator[Case]:
    challenged = challenge.challenged
    options = tuple(challenged.options.items())
    for item in challenge.settings.launches:
        launch = parse_launch(item.expression)
        yield Case(challenged.name, name, challenged.dtype.name, launch, item.iterations, options)


def _of_check(report: SubjectReport) -> str:
    """Return the doubt of the check: memory that nothing has written may hold results of an earlier launch."""
    if report.verdict is not KernelVerdict.DOUBTFUL:
        return ""
    return f"it is {report.verdict}: {report.kernel.headline}"


def _of_kernel(pattern: LoadedPattern, case: Case, kernel: Kernel, seed: int) -> str:
    try:
        program = load_program(kernel.ptx, kernel.symbol)
    except KernelError:  # reported by the check
        return ""
    if surroundings := read_surroundings(program):
        return f"it uses {join_words(surroundings)}, by which it can tell a timed launch from another"
    if any(item.base == SLEEP for item in kernel.sass or ()):
        return "it sleeps, so that its times are not those of its work"
    if variables := kept_variables(program):
        names = join_words([f"`{name}`" for name in variables])
        return f"it writes {names}, where its next launch finds it"
    grid = _grid(pattern, case, kernel)
    return work_doubt(pattern, replace(case, launch=replace(case.launch, grid=grid)), kernel, seed) if grid else ""


def _grid(pattern: LoadedPattern, case: Case, kernel: Kernel) -> int:
    """Return the blocks of a launch on the largest GPU of the architecture; 0 if none fits."""
    sms = LIMITS[kernel.arch].sms if kernel.arch in LIMITS else MOST_SMS
    backend = EmulatorBackend(kernel.arch)
    resident = backend.resident_blocks(kernel, case.launch.block, shared_of(pattern, case))
    return resolve_grid(case.launch.expression, sms, resident) if resident else 0
