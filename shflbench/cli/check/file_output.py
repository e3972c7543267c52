"""The output of `check` for files: a table with findings, and annotations on GitHub."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from shflbench.checker.source_files import relative
from shflbench.checker.verdict import KernelVerdict, Level
from shflbench.cli.check.github import escaped, property_text
from shflbench.cli.layout import Line, Table

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from shflbench.checker.file_report import FileKernelReport, FileReport, LaunchRecord
    from shflbench.checker.source_files import SourceLine

STYLES = {Level.ERROR: "bad", Level.WARNING: "doubt", Level.NOTICE: "doubt", Level.NONE: ""}
LOUDEST_FIRST = (Level.ERROR, Level.WARNING, Level.NOTICE, Level.NONE)


def table(reports: Sequence[FileReport]) -> Table:
    """Return one line per kernel."""
    lines = []
    for report in reports:
        for kernel in report.kernels:
            name = kernel.name if len(reports) == 1 else f"{_shown(report.path)}: {kernel.name}"
            cells = (name, kernel.verdict.value, (kernel.sentence.splitlines() or [""])[0])
            lines.append(Line(cells, STYLES[kernel.verdict.level]))
    return Table("", ("kernel", "verdict", "why"), tuple(lines))


def details(kernel: FileKernelReport, *, verbose: bool) -> Iterator[str]:
    """Yield the findings behind a verdict and what was derived, one line each; files relative to the current folder."""
    base = Path.cwd()
    yield from kernel.sentence.splitlines()[1:]
    for finding in sorted(kernel.findings, key=lambda item: LOUDEST_FIRST.index(item.level)):
        yield finding.sentence(base)
        yield from (f"  {sentence}" for sentence in finding.history)
    known = {kernel.sentence, *(finding.detail for finding in kernel.findings)}
    if not any(finding.level is Level.ERROR for finding in kernel.findings):
        yield from (error for error in kernel.errors if error not in known)
    if kernel.difference and kernel.difference not in kernel.sentence:
        yield kernel.difference
    yield from _derived(kernel.launches, brief=kernel.verdict is KernelVerdict.CLEAN and not verbose)
    if verbose:
        yield from (f"printf: {line}" for line in kernel.printed)


def _derived(launches: Sequence[LaunchRecord], *, brief: bool) -> Iterator[str]:
    """Yield what nobody gave, at the largest launch for all, and, unless `brief`, what was given and explored."""
    for launch in launches:
        if launch.note:
            yield f"{launch.shape}: {launch.note}"
    if not launches:
        return
    largest = max(launches, key=lambda item: item.threads)
    if derived := largest.listed("derived"):
        yield f"derived at {largest.shape}: {derived}"
    if brief:
        return
    if host := largest.listed("from the host code"):
        yield f"from the host code: {host}"
    yield _explored(launches)


def _explored(launches: Sequence[LaunchRecord]) -> str:
    """Return which launches ran under which schedules."""
    most = max(len(launch.schedules) for launch in launches)
    thorough = [launch.shape for launch in launches if len(launch.schedules) > 1]
    seeds = max(len(launch.seeds) for launch in launches)
    shapes = ", ".join(dict.fromkeys(launch.shape for launch in launches))
    under = f"up to {most} schedules" if thorough else "lockstep"
    if 0 < len(thorough) < len(launches):
        under = f"{under} at {', '.join(dict.fromkeys(thorough))}, lockstep elsewhere"
    return f"explored: {shapes}; {seeds} {'seeds' if seeds > 1 else 'seed'}; {under}"


def summary(reports: Sequence[FileReport]) -> str:
    """Return the number of kernels per verdict, and how they were compiled."""
    kernels = [kernel for report in reports for kernel in report.kernels]
    counts = Counter(kernel.verdict for kernel in kernels)
    number = "1 kernel" if len(kernels) == 1 else f"{len(kernels)} kernels"
    verdicts = ", ".join(f"{counts[verdict]} {verdict}" for verdict in KernelVerdict if counts[verdict])
    compilers = list(dict.fromkeys(report.compiler for report in reports if report.compiler))
    by = f" by {' and '.join(compilers)}" if compilers else ""
    return f"{number} for {reports[0].arch}{by}: {verdicts}."


def notes(reports: Sequence[FileReport]) -> Iterator[str]:
    """Yield what the reader of a file's report must know."""
    for report in reports:
        for note in report.notes:
            yield f"{note.line.shown(Path.cwd()) if note.line else _shown(report.path)}: {note.text}"


def workflow_commands(reports: Sequence[FileReport]) -> Iterator[str]:
    """Yield a workflow command of GitHub for each finding, on its source line, and for each note."""
    for report in reports:
        for kernel in report.kernels:
            title = f"{kernel.name} {kernel.verdict}"
            for place, level, text in located(kernel):
                yield _annotation(level, place, title, text)
        for note in report.notes:
            if note.line is not None:
                yield _annotation(Level.NOTICE, note.line, note.kind, note.text)


def located(kernel: FileKernelReport) -> Iterator[tuple[SourceLine, Level, str]]:
    """Yield each finding behind a verdict with its source line and severity."""
    base, level = Path.cwd(), kernel.verdict.level
    if not level:
        return
    reported = False
    for finding in kernel.findings:
        if finding.level:
            reported = True
            yield finding.place or kernel.place, finding.level, "; ".join((finding.sentence(base), *finding.history))
    if not reported:
        yield kernel.place, level, kernel.sentence


def _annotation(level: Level, place: SourceLine, title: str, text: str) -> str:
    where = f"file={property_text(_shown(place.file))},line={place.line}"
    return f"::{level} {where},title={property_text(title)}::{escaped(text)}"


def _shown(path: Path) -> str:
    return str(relative(path.absolute(), Path.cwd()))
