"""The findings of `check` as gcc prints its own, which editors and problem matchers read.

GNU Coding Standards, section 4.4, "Formatting Error Messages"; gcc adds the option that enables a warning in brackets.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from shflbench.checker import Level
from shflbench.core.words import flat
from shflbench.kernel_facts.pattern_checks.entries import entries_of
from shflbench.output.export.checks.located import locate_findings, locate_notes, shown_path

if TYPE_CHECKING:
    from collections.abc import Iterator

    from shflbench.output.export.checks import CheckOutcome
    from shflbench.output.export.checks.located import LocatedFinding

COLUMN = 1  # line tables of compilers name lines; editors expect a column, and count from 1
WORDS = {Level.ERROR: "error", Level.WARNING: "warning", Level.NOTICE: "note"}


def render(outcome: CheckOutcome) -> str:
    """Return a line `file:line:column: error: kernel: message [rule]` per finding, and one per note on a line."""
    return "".join(f"{line}\n" for line in _lines(outcome))


def _lines(outcome: CheckOutcome) -> Iterator[str]:
    for entry in entries_of(outcome.patterns, outcome.files):
        # A file that does not compile has its name in place of a kernel's.
        name = f"{entry.title}: " if entry.kernel.symbol or entry.name != entry.kernel.place.file.name else ""
        for one in locate_findings(entry.kernel):
            yield _line(one, name)
    for note in locate_notes(outcome.files):
        yield _line(note, "")


def _line(one: LocatedFinding, name: str) -> str:
    place = f"{shown_path(one.place.file)}:{max(one.place.line, 1)}:{COLUMN}"
    return flat(f"{place}: {WORDS[one.level]}: {name}{one.message} [{one.rule}]")
