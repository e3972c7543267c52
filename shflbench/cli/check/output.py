"""The output of `check` for people: a table with findings, notes and summaries."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from shflbench.checker import EXHAUSTIVE, KernelVerdict, Level, finding_message, group_findings
from shflbench.cli.layout import Line, Table
from shflbench.core.words import count_noun, join_words
from shflbench.cuda_sources import Origin
from shflbench.emulator import POLICIES
from shflbench.output.export.checks.located import shown_path

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from shflbench.checker import Expectation, FileReport, KernelReport, LaunchRecord
    from shflbench.kernel_facts.pattern_checks.entries import Entry
    from shflbench.kernel_facts.pattern_checks.subject_report import SubjectReport

STYLES = {Level.ERROR: "bad", Level.WARNING: "doubt", Level.NOTICE: "doubt", Level.NONE: ""}


def table(entries: Sequence[Entry]) -> Table:
    """Return one line per entry, with its element types and the result of compute-sanitizer where there are any."""
    several = len({entry.file for entry in entries if entry.file}) > 1
    columns = {
        "kernel": [entry.name_in_file if several else entry.name for entry in entries],
        "dtypes": [" ".join(entry.dtypes) for entry in entries],
        "verdict": [entry.kernel.verdict.value for entry in entries],
        "compute-sanitizer": [entry.sanitizer.sentence if entry.sanitizer else "not run" for entry in entries],
        "why": [entry.kernel.headline for entry in entries],
    }
    if not any(entry.dtypes for entry in entries):
        columns.pop("dtypes")
    if not any(entry.sanitizer for entry in entries):
        columns.pop("compute-sanitizer")
    styles = [STYLES[entry.kernel.verdict.level] for entry in entries]
    lines = [Line(cells, style) for cells, style in zip(zip(*columns.values(), strict=True), styles, strict=True)]
    return Table("", tuple(columns), tuple(lines))


def details(entry: Entry, *, verbose: bool) -> Iterator[str]:
    """Yield the findings behind a verdict and what was chosen, one line each; files relative to the current folder."""
    kernel = entry.kernel
    base = Path.cwd()
    yield from kernel.sentence.splitlines()[1:]
    for finding in group_findings(kernel.findings):
        if finding.level or verbose:
            decided = kernel.verdict is KernelVerdict.NEEDS_ARGUMENTS  # whose reason says what to give
            yield finding.sentence(base) if decided else finding_message(finding, base)
            history = finding.history(base) if verbose else finding.further_history(base)
            yield from (f"  {sentence}" for sentence in history)
    if not any(finding.level is Level.ERROR for finding in kernel.findings):
        yield from (error for error in kernel.errors if not kernel.sentence.startswith(error))
    if kernel.further_difference:
        yield kernel.further_difference
    if kernel.expectation and kernel.expectation.wrong:
        yield _wrong(kernel.expectation, entry.dtypes)
    if entry.sanitizer:
        counts = entry.sanitizer.counts.items()
        yield from (f"compute-sanitizer {tool}: {count.first}" for tool, count in counts if count.first)
    if kernel.untested and kernel.verdict is KernelVerdict.CLEAN:
        yield f"to test the bounds, give the sizes: {' '.join(kernel.sizes_to_give)}"
    if not kernel.expectation:  # of which everything is given
        yield from _inputs(kernel.launches, brief=kernel.verdict is KernelVerdict.CLEAN and not verbose)
    if verbose:
        yield from (f"printf: {line}" for line in kernel.printed)


def _wrong(expected: Expectation, dtypes: Sequence[str]) -> str:
    """Return under which schedules a result is wrong, and the first wrong value."""
    schedules = "every schedule" if len(expected.wrong) == len(POLICIES) else ", ".join(expected.wrong)
    return f"wrong under {schedules}; {dtypes[0]}: {expected.mismatch}"


def _inputs(launches: Sequence[LaunchRecord], *, brief: bool) -> Iterator[str]:
    """Yield what nobody gave, at the largest launch for all, and, unless `brief`, what was given and explored."""
    for note, shapes in _notes(launches).items():
        yield f"{join_words(shapes)}: {note}"
    if not launches:
        return
    largest = max(launches, key=lambda item: item.threads)
    if chosen := largest.listed(Origin.CHOSEN):
        yield f"chosen arguments, in launch {largest.shape}: {chosen}"
    if brief:
        return
    if host := largest.listed(Origin.HOST):
        numbers = join_words(largest.synthesized_numbers)
        source = f"that the host code computes from chosen {numbers}" if numbers else "from the host code"
        yield f"arguments {source}: {host}"
    yield f"explored: {_explored(launches)}"
    exhaustive = list(dict.fromkeys(launch.in_clusters for launch in launches if launch.exhaustive))
    if exhaustive:
        where = "" if all(launch.exhaustive for launch in launches) else f"in {join_words(exhaustive)}, "
        yield f"exhaustive: {where}{EXHAUSTIVE}"


def _notes(launches: Sequence[LaunchRecord]) -> dict[str, list[str]]:
    """Return the notes on launches, each with its launches."""
    notes: dict[str, list[str]] = {}
    for launch in launches:
        if launch.note:
            notes.setdefault(launch.note, []).append(launch.shape)
    return notes


def _explored(launches: Sequence[LaunchRecord]) -> str:
    """Return which launches ran with how many inputs under which schedules."""
    most = max(len(launch.schedules) for launch in launches)
    seeds = max(len(launch.seeds) for launch in launches)
    every = list(dict.fromkeys(launch.in_clusters for launch in launches))
    thorough = list(dict.fromkeys(launch.in_clusters for launch in launches if len(launch.schedules) > 1))
    inputs = f"with {seeds} sets of inputs" if seeds > 1 else "with 1 set of inputs"
    under = f"{most} schedules" if thorough else "in lockstep only"
    if 0 < len(thorough) < len(every):
        under = f"{under} in {join_words(thorough)}, the others in lockstep"
    return f"{'launches' if len(every) > 1 else 'launch'} {', '.join(every)}, {inputs}; {under}"


def summary_of_patterns(reports: Sequence[SubjectReport], arch: str) -> str:
    """Return the number of kernels per verdict, and how they were checked."""
    kernels = count_noun(len(reports), "kernel")
    launches = launches_of(reports)
    verdicts = verdict_counts([report.kernel for report in reports])
    return f"{kernels} for {arch}, {launches} threads, {len(POLICIES)} schedules: {verdicts}."


def launches_of(reports: Sequence[SubjectReport]) -> str:
    """Return the launches at which kernels of patterns were checked: `2x128 and 2x64`."""
    return " and ".join(dict.fromkeys(report.case.launch.expression for report in reports))


def verdict_counts(kernels: Sequence[KernelReport]) -> str:
    """Return the number of kernels per verdict, such as `3 clean, 1 broken`."""
    counts = Counter(kernel.verdict for kernel in kernels)
    return ", ".join(f"{counts[verdict]} {verdict}" for verdict in KernelVerdict if counts[verdict])


def summary_of_files(reports: Sequence[FileReport]) -> str:
    """Return the number of kernels per verdict, and how they were compiled."""
    kernels = [kernel for report in reports for kernel in report.kernels]
    compilers = list(dict.fromkeys(report.compiler for report in reports if report.compiler))
    by = f" by {' and '.join(compilers)}" if compilers else ""
    return f"{count_noun(len(kernels), 'kernel')} for {reports[0].arch}{by}: {verdict_counts(kernels)}."


def notes(reports: Sequence[FileReport], *, on_compiler: bool) -> Iterator[str]:
    """Yield what the reader of a file's report must know, or, `on_compiler`, which compiler took the file and why."""
    for report in reports:
        for note in report.notes:
            if (note.kind == "compiler") == on_compiler:
                yield f"{note.line.shown(Path.cwd()) if note.line else shown_path(report.path)}: {note.text}"
