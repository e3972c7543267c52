"""The verdicts of `check` as Markdown, for the comment on a pull request or the summary of a job on GitHub."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from shflbench.checker import KernelVerdict, Level
from shflbench.core.words import count_noun, flat
from shflbench.kernel_facts.pattern_checks.entries import entries_of
from shflbench.output.export.checks.located import locate_findings, locate_notes
from shflbench.output.export.claims.markdown import escape
from shflbench.output.export.markdown import LONGEST_TEXT, MOST, MOST_OF_FOOT, SPARE, first_lines, table_line

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from shflbench.cuda_sources import SourceLine
    from shflbench.kernel_facts.pattern_checks.entries import Entry
    from shflbench.output.export.checks import CheckOutcome

COLUMNS = ["verdict", "kernel", "line", "finding"]
SEVERITY = (Level.ERROR, Level.WARNING, Level.NOTICE, Level.NONE)


def render(outcome: CheckOutcome) -> str:
    """Return the counts as a heading, each finding as a row of a table, and the clean kernels and the notes as lists.

    If a comment is too small for that, the last rows, which are the least important, are omitted with their number.
    """
    entries = sorted(entries_of(outcome.patterns, outcome.files), key=lambda one: _rank(one.kernel.verdict))
    head = f"### shflbench check: {_headline(entries)}"
    notes = [f"- {_place(one.place)}: {_text(one.text)}" for one in locate_notes(outcome.files)]
    foot = first_lines(notes, MOST_OF_FOOT)
    rows = [row for entry in entries for row in _rows(entry)]
    room = MOST - len(head) - len(foot) - SPARE
    lines = first_lines(rows, room)
    findings = "\n".join((table_line(COLUMNS), table_line(["---"] * len(COLUMNS)), lines)) if rows else ""
    others = _others([entry for entry in entries if not entry.kernel.verdict.level], room - len(findings) - SPARE)
    return "\n\n".join(part for part in (head, findings, others, foot) if part) + "\n"


def _headline(entries: Sequence[Entry]) -> str:
    """Return the number of kernels per verdict, the worst first: `1 broken, 2 clean of 3 kernels`."""
    counts = Counter(entry.kernel.verdict for entry in entries)
    words = [f"{counts[verdict]} {verdict}" for verdict in sorted(KernelVerdict, key=_rank) if counts[verdict]]
    return f"{', '.join(words)} of {count_noun(len(entries), 'kernel')}"


def _rank(verdict: KernelVerdict) -> int:
    return SEVERITY.index(verdict.level)


def _rows(entry: Entry) -> Iterator[str]:
    """Yield a row per finding; an error is set in bold."""
    verdict = entry.kernel.verdict
    word = f"**{verdict}**" if verdict.level is Level.ERROR else str(verdict)
    for one in locate_findings(entry.kernel):
        yield table_line([word, _code(entry.title), _place(one.place), _text(one.message)])


def _others(entries: Sequence[Entry], room: int) -> str:
    """Return the kernels without findings, folded."""
    if not entries:
        return ""
    lines = first_lines([f"- {_code(one.name_in_file)}: {_text(one.kernel.headline)}" for one in entries], room)
    title = f"{count_noun(len(entries), 'kernel')} without findings"
    return f"<details><summary>{title}</summary>\n\n{lines}\n\n</details>"


def _code(text: str) -> str:
    plain = flat(text).replace("|", "\\|").replace("`", "")
    return f"`{plain}`"


def _place(place: SourceLine) -> str:
    return _code(place.shown(Path.cwd()))


def _text(text: str) -> str:
    """Return a text on one line that is not too long, without anything that Markdown or HTML would obey."""
    return escape(text if len(text) <= LONGEST_TEXT else f"{text[:LONGEST_TEXT]} …")
