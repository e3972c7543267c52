"""Show the outcome of `check`: on stdout in one format, in the files of `--also`, and in the summary of a job."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shflbench.cli.check.output import (
    details,
    notes,
    summary_of_files,
    summary_of_patterns,
    table,
)
from shflbench.cli.check.records import as_json
from shflbench.cli.check.sarif import as_sarif
from shflbench.core.environment import step_summary
from shflbench.kernel_facts.pattern_checks.entries import entries_of
from shflbench.output.export.checks import gcc, github, junit, markdown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    from shflbench.cli.console import Console
    from shflbench.kernel_facts.pattern_checks.entries import Entry
    from shflbench.output.export.checks import CheckOutcome

DOCUMENTS = {"json", "sarif"}  # in which a program reads the same values


def show(outcome: CheckOutcome, form: str, also: Sequence[tuple[str, Path]], console: Console) -> None:
    """Print the outcome to stdout and its summary to stderr, and write it to files."""
    if form in {"table", "github"}:
        console.table(table(entries_of(outcome.patterns, outcome.files)), data=form == "table")
    content = "\n".join(_below_table(outcome, verbose=console.verbose)) if form == "table" else RENDER[form](outcome)
    if form in DOCUMENTS:
        console.json(content)
    elif content:
        console.data(content.removesuffix("\n"))
    if outcome.patterns:
        console.say(summary_of_patterns(outcome.patterns, outcome.arch))
    if outcome.files:
        for note in notes(outcome.files, on_compiler=True):
            console.say(f"note: {note}")
        console.say(summary_of_files(outcome.files))
    _write(outcome, form, also, console)


def _as_table(outcome: CheckOutcome) -> str:
    entries = entries_of(outcome.patterns, outcome.files)
    return "\n".join((table(entries).text(), *_below_table(outcome, verbose=False)))


def _below_table(outcome: CheckOutcome, *, verbose: bool) -> Iterator[str]:
    """Yield the findings of each kernel, and the notes."""
    for entry in entries_of(outcome.patterns, outcome.files):
        yield from _of_entry(entry, verbose=verbose)
    yield from (f"note: {note}" for note in notes(outcome.files, on_compiler=False))


def _of_entry(entry: Entry, *, verbose: bool) -> Iterator[str]:
    if lines := list(details(entry, verbose=verbose)):
        yield f"\n{entry.title}: {entry.kernel.verdict}"
        yield from (f"  {line}" for line in lines)


def _write(outcome: CheckOutcome, form: str, also: Sequence[tuple[str, Path]], console: Console) -> None:
    """Write the outcome to the files of `--also` and, with annotations, to the summary of a job on GitHub."""
    from shflbench.store.output_file import append_summary, write

    for other, path in also:
        write(path, _in_file(outcome, other), "--also")
        console.say(f"written: {path}")
    if form == "github" and (summary := step_summary()):
        append_summary(summary, _in_file(outcome, "markdown"))


def _in_file(outcome: CheckOutcome, form: str) -> str:
    """Return the text with a newline at its end; bytes of a name that are not UTF-8 become question marks."""
    content = RENDER[form](outcome).encode("utf-8", "replace").decode("utf-8").removesuffix("\n")
    return f"{content}\n" if content else ""


RENDER: Mapping[str, Callable[[CheckOutcome], str]] = {
    "table": _as_table,
    "json": as_json,
    "github": github.render,
    "sarif": as_sarif,
    "gcc": gcc.render,
    "junit": junit.render,
    "markdown": markdown.render,
}
