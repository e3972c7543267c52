"""Prepare a challenge: compile the challengers, name their mechanisms, write the pattern and the suite, and check."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from shflbench.checker import KernelVerdict, Level
from shflbench.core.launch import parse_launch
from shflbench.core.model import Case, Kernel, Launch
from shflbench.cuda.compile.nvrtc import RejectedFileError, TooMuchSharedError
from shflbench.cuda.compile.signature import SignatureError
from shflbench.errors import CompileError, KernelError, UsageError
from shflbench.kernel_facts.pattern_checks.kernels import check_all, compile_all
from shflbench.kernel_facts.pattern_checks.targets import Filters, find
from shflbench.measure.schedule import verified_counts
from shflbench.patterns.discover import load
from shflbench.user_kernels.challenge.folder import copy_pattern, write_challengers, write_suite
from shflbench.user_kernels.challenge.kernels import signature_error
from shflbench.user_kernels.challenge.mechanism import UNKNOWN, mechanism_of
from shflbench.user_kernels.challenge.shared_memory import NOBODY

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from shflbench.cuda.compile.build import Builder
    from shflbench.kernel_facts.pattern_checks.subject_report import SubjectReport
    from shflbench.kernel_facts.pattern_checks.targets import KernelSubject
    from shflbench.patterns.stored_challengers import SharedMemory
    from shflbench.user_kernels.challenge.challenged import ChallengedPattern
    from shflbench.user_kernels.challenge.folder import ChallengeFiles
    from shflbench.user_kernels.challenge.kernels import Challenger
    from shflbench.user_kernels.challenge.settings import ChallengeSettings

OF_HOST = "Leave host code out: the file has kernels, and device functions that they call."
OF_SHARED = "Use less, or dynamic shared memory: shared<T>() with --shared BYTES."
LOOP_ADVICE = "Keep REPEAT(iterations), and let each iteration use the results of the one before."


@dataclass(frozen=True, slots=True)
class Challenge:
    """The kernels of a file that challenge a pattern, and the settings at which they do."""

    challenged: ChallengedPattern
    file: Path
    text: str
    challengers: tuple[Challenger, ...]
    settings: ChallengeSettings
    shared: Mapping[str, SharedMemory]  # by kernel, "" for all others

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the challengers."""
        return tuple(item.name for item in self.challengers)


def prepare(challenge: Challenge, below: Path, builder: Builder) -> ChallengeFiles:
    """Write the pattern and the suite of a challenge below a folder.

    CompileError for a kernel that does not compile; UsageError for one whose compiled parameters differ from the
    pattern's, and for shared memory of a kernel that there is not; KernelError for a timed loop that does not run.
    """
    _require_known(challenge)
    challenged, challengers, shared = challenge.challenged, challenge.challengers, challenge.shared
    files = copy_pattern(challenged, challenge.file, challenge.text, below)
    write_challengers(challenged, files, challengers, dict.fromkeys(challenge.names, UNKNOWN), shared)
    kernels = _compiled(challenge, files, builder)
    mechanisms = {name: mechanism_of(of_launches) for name, of_launches in kernels.items()}
    write_challengers(challenged, files, challengers, mechanisms, shared)
    write_suite(challenged, files, challengers, challenge.settings)
    return files


def _require_known(challenge: Challenge) -> None:
    """Raise UsageError for shared memory of a kernel that there is not."""
    if unknown := sorted(challenge.shared.keys() - {NOBODY, *challenge.names}):
        raise UsageError(
            f"--shared: there is no challenger `{unknown[0]}`", f"Choose one of: {', '.join(challenge.names)}."
        )


def _compiled(challenge: Challenge, files: ChallengeFiles, builder: Builder) -> Mapping[str, list[Kernel]]:
    """Return the challengers as compiled for each launch."""
    pattern, challenged = load(files.pattern), challenge.challenged
    options = tuple(challenged.options.items())
    requests = {
        (name, launch.expression): builder.request(
            pattern,
            Case(
                challenged.name,
                name,
                challenged.dtype.name,
                parse_launch(launch.expression),
                launch.iterations,
                options,
            ),
        )
        for name in challenge.names
        for launch in challenge.settings.launches
    }
    built = dict(builder.build_all(requests))
    return {
        item.name: [
            _usable(challenge, files, item, built[item.name, launch.expression])
            for launch in challenge.settings.launches
        ]
        for item in challenge.challengers
    }


def _usable(
    challenge: Challenge, files: ChallengeFiles, challenger: Challenger, kernel: Kernel | KernelError
) -> Kernel:
    """Return a kernel that compiled, and whose timed loop runs."""
    place = f"{challenge.file}:{challenger.line}"
    if isinstance(kernel, KernelError):
        if isinstance(kernel, SignatureError):
            raise signature_error(challenge.challenged, place, challenger.name, challenger.parameters)
        if isinstance(kernel, TooMuchSharedError):
            raise TooMuchSharedError(kernel.reason, OF_SHARED, kernel.subject)
        log = kernel.log if isinstance(kernel, CompileError) else ""
        advice = OF_HOST if "host function" in log else "Fix the source line."
        copied = f"{challenge.challenged.name}/{Path(files.source).name}"
        if isinstance(kernel, RejectedFileError) and kernel.file == copied:
            raise kernel.with_file(str(challenge.file), advice)
        raise CompileError(kernel.message, advice)
    if kernel.violations:
        raise KernelError(f"{place}: `{challenger.name}`: {'; '.join(kernel.violations)}", LOOP_ADVICE)
    return kernel


def check(challenge: Challenge, files: ChallengeFiles, builder: Builder, seed: int) -> Sequence[SubjectReport]:
    """Return what a check of each challenger shows: faults, and results that differ from the reference.

    Each is checked at all block sizes of the challenge, and in lockstep also at the iteration counts that are timed;
    its report is that of the launch with the most severe verdict.
    """
    every = find([str(files.suite)], Filters(variants=challenge.names))
    worst: dict[str, SubjectReport] = {}
    # The launches after the first show little of a kernel that is broken there, and races take long to record.
    first, *others = _checked_launches(challenge, every[0].case.launch)
    for launches in ([first], others):
        broken = {name for name, report in worst.items() if report.verdict is KernelVerdict.BROKEN}
        remaining = [one for one in every if one.case.variant not in broken]
        subjects = [_at(challenge, one, *item) for item in launches for one in remaining]
        kernels = dict(compile_all(subjects, builder))
        for report in check_all(subjects, kernels, builder.target, seed):
            known = worst.setdefault(report.case.variant, report)
            if _severity(report) < _severity(known):
                worst[report.case.variant] = report
    return [worst[name] for name in challenge.names]


def _severity(report: SubjectReport) -> tuple[bool, int]:
    """Return what orders reports, the most severe first; a kernel need not fit an SM at each block size."""
    return report.verdict is not KernelVerdict.BROKEN, list(Level).index(report.verdict.level)


def _checked_launches(challenge: Challenge, usual: Launch) -> list[tuple[Launch, int]]:
    """Return the launches to check the challengers at, and their iterations: few blocks of each size that is timed."""
    timed = challenge.settings.launches
    if challenge.challenged.declared.dimensions > 1:
        return [(usual, max(item.iterations for item in timed))]
    blocks: dict[int, int] = {}
    for item in timed:
        block = parse_launch(item.expression).block
        blocks[block] = max(item.iterations, blocks.get(block, 0))
    return [
        (Launch(f"{usual.grid}x{block}", block, usual.grid), iterations) for block, iterations in sorted(blocks.items())
    ]


def _at(challenge: Challenge, subject: KernelSubject, launch: Launch, iterations: int) -> KernelSubject:
    declared = challenge.challenged.declared
    counts = () if declared.one_pass else verified_counts(iterations, declared.unroll)
    return replace(subject, case=replace(subject.case, launch=launch), long_iterations=counts)
