"""The findings of `check` as workflow commands, which GitHub Actions shows as annotations on source lines.

https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-commands
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from shflbench.kernel_facts.pattern_checks.entries import entries_of
from shflbench.output.export.checks.located import locate_findings, locate_notes, shown_path

if TYPE_CHECKING:
    from collections.abc import Iterator

    from shflbench.output.export.checks import CheckOutcome
    from shflbench.output.export.checks.located import LocatedFinding


def render(outcome: CheckOutcome) -> str:
    """Return a workflow command for each finding, on its source line, and for each note."""
    return "".join(f"{line}\n" for line in _lines(outcome))


def _lines(outcome: CheckOutcome) -> Iterator[str]:
    for entry in entries_of(outcome.patterns, outcome.files):
        title = f"{entry.title} {entry.kernel.verdict}"
        for one in locate_findings(entry.kernel):
            yield _annotation(one, title)
    for note in locate_notes(outcome.files):
        yield _annotation(note, note.rule)


def _annotation(one: LocatedFinding, title: str) -> str:
    where = f"file={_property(shown_path(one.place.file))},line={one.place.line}"
    return f"::{one.level} {where},title={_property(title)}::{_escape(one.message)}"


def _escape(text: str) -> str:
    """Return `text` as the message of a workflow command."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    """Return `text` as the value of a property of a workflow command."""
    return _escape(text).replace(":", "%3A").replace(",", "%2C")
