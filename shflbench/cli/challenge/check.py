"""Check the challengers, and show what the check found."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shflbench.checker import KernelVerdict, Level
from shflbench.core.grouping import group_by
from shflbench.core.words import count_noun
from shflbench.errors import FINDING_EXIT, KernelError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from shflbench.cli.console import Console
    from shflbench.cuda.compile.build import Builder
    from shflbench.kernel_facts.pattern_checks.subject_report import SubjectReport
    from shflbench.user_kernels.challenge.folder import ChallengeFiles
    from shflbench.user_kernels.challenge.prepare import Challenge

OUTSIDE = "out of bounds"  # a kind of finding
SHARED_ARRAY = "`bytes`"  # of `shared<T>()` in shflbench.cuh
MORE_SHARED = "A block needs more dynamic shared memory: give it by --shared, such as --shared 4*threads."


def show_check(
    challenge: Challenge, files: ChallengeFiles, builder: Builder, seed: int, console: Console
) -> tuple[Sequence[SubjectReport], int]:
    """Return the reports on the challengers and the exit code; not 0 if one is broken, or computes wrong results."""
    from shflbench.user_kernels.challenge.prepare import check

    with console.progress() as progress:
        progress.show("checking", 0, len(challenge.names))
        reports = check(challenge, files, builder, seed)
    for verdict, alike in group_by(reports, lambda report: report.verdict).items():
        if verdict.level is not Level.ERROR:
            console.say(f"Checked: {verdict} ({count_noun(len(alike), 'kernel')}).")
    for report in reports:
        _show(report, challenge, files, console)
    return reports, max(map(exit_code, reports))


def show_doubts(doubts: Mapping[str, str], challenge: Challenge, console: Console) -> None:
    """Warn of challengers that will not be compared with the published variants."""
    for name, doubt in doubts.items():
        console.warn(f"{challenge.file}: {name} will not be compared: {doubt}")


def exit_code(report: SubjectReport) -> int:
    """Return 1 for a race or a memory fault, and 5 for wrong results."""
    if report.verdict is not KernelVerdict.BROKEN:
        return 0
    kernel = report.kernel
    has_fault = any(finding.level is Level.ERROR for finding in kernel.findings)
    is_wrong = kernel.expectation is not None and kernel.expectation.wrong
    return KernelError.exit_code if is_wrong and not has_fault else FINDING_EXIT


def _show(report: SubjectReport, challenge: Challenge, files: ChallengeFiles, console: Console) -> None:
    """Warn of a verdict that is not clean, with the findings behind it at lines of the user's file."""
    from shflbench.cli.check.output import details
    from shflbench.kernel_facts.pattern_checks.entries import entries_of

    kernel = report.kernel
    if not kernel.verdict.level:
        return
    sentence = f"{challenge.file}: {report.case.variant}: {kernel.verdict}, {kernel.headline}"
    if kernel.verdict is KernelVerdict.BROKEN:
        console.error(sentence)
    else:
        console.warn(sentence)
    for entry in entries_of([report], []):
        for line in details(entry, verbose=console.verbose):
            console.report(f"  {_with_users_paths(line, challenge, files)}")
    outside = [finding.memory for finding in kernel.findings if finding.kind == OUTSIDE]
    if any(memory is not None and memory.variable == SHARED_ARRAY for memory in outside):
        console.report(MORE_SHARED)


def _with_users_paths(line: str, challenge: Challenge, files: ChallengeFiles) -> str:
    """Return a line with the user's file and folder in place of their copies."""
    copied, folder = files.pattern / files.source, challenge.file.parent
    line = line.replace(str(copied), str(challenge.file))
    return line.replace(f"{copied.parent}/", "" if str(folder) == "." else f"{folder}/")
