"""A comparison as Markdown, for the comment on a pull request or the summary of a job on GitHub."""

from __future__ import annotations

from itertools import accumulate
from typing import TYPE_CHECKING

from shflbench.analysis.compare.comparison import Outcome
from shflbench.core.words import flat
from shflbench.output.export.comparison_words import (
    basis,
    cells,
    columns,
    count_unchanged,
    describe_missed,
    explain,
    fails,
    fraction,
    headline,
    legend,
    select_notable,
    side,
    verdict_word,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from shflbench.analysis.compare.comparison import ChangeVerdict, Comparison

MOST = 65_000  # characters: a comment on GitHub has at most 65,536, and its author may add a line
MOST_OF_FOOT = 8_000  # of them for what the verdicts are based on: a side of many runs may have many notes
LONGEST_TEXT = 400  # characters of one cell or item: a reason may contain the whole output of a compiler
NUMBERS = ("base ", "new ", "correction ", "threshold")  # prefixes of the titles of numeric columns
SPARE = 400  # characters around the rows of a table: titles, tags, the number of omitted rows


def render(comparison: Comparison) -> str:
    """Return the result as a heading, the changed cases as a table, the same cases folded, and what it is based on.

    The meaning of the columns stands above the tables.

    If a comment is too small for that, the least important rows are omitted, and their number is given.
    """
    head = f"### shflbench: {headline(comparison)}"
    foot = first_lines([f"- {_text(item)}" for item in _foot(comparison)], MOST_OF_FOOT)
    meanings = "\n".join(f"- {text}" for text in legend(comparison))
    room = MOST - len(head) - len(foot) - len(meanings)
    changed = _changed(comparison, room - SPARE)
    same = _same(comparison, room - len(changed) - 2 * SPARE)
    explained = meanings if changed or same else ""
    return "\n\n".join(part for part in (head, explained, changed, same, foot) if part) + "\n"


def _changed(comparison: Comparison, room: int) -> str:
    """Return the table of the notable cases; without a column of verdicts if the sides cannot be compared."""
    titles = ["case", *columns(comparison), "why"]
    if not comparison.across:
        titles = ["verdict", *titles[:-1], "threshold", "why"]
    rows = [_row(verdict, comparison) for verdict in select_notable(comparison)]
    return _table(titles, rows, room) if rows else ""


def _row(verdict: ChangeVerdict, comparison: Comparison) -> list[str]:
    case = _case(verdict, comparison)
    why = _text("; ".join(explain(verdict)))
    if comparison.across:
        return [*case, why]
    word = verdict_word(verdict)
    return [f"**{word}**" if fails(verdict, comparison) else word, *case, fraction(verdict.threshold), why]


def _same(comparison: Comparison, room: int) -> str:
    """Return the cases that are the same, folded."""
    if not (summary := count_unchanged(comparison)):
        return ""
    same = [verdict for verdict in comparison.verdicts if verdict.outcome is Outcome.SAME]
    rows = [_case(verdict, comparison) for verdict in same]
    table = _table(["case", *columns(comparison)], rows, room)
    return f"<details><summary>{summary}</summary>\n\n{table}\n\n</details>"


def _case(verdict: ChangeVerdict, comparison: Comparison) -> list[str]:
    case = flat(verdict.case_id).replace("|", "\\|")
    return [f"`{case}`", *cells(verdict, comparison)]


def _foot(comparison: Comparison) -> Iterator[str]:
    yield from (f"**No verdict:** {reason}" for reason in comparison.across)
    yield from (f"**Warning:** {warning}" for warning in comparison.warnings)
    yield f"Base: {side(comparison.base)}"
    yield f"New: {side(comparison.new)}"
    sentences = (describe_missed(comparison), *basis(comparison), *comparison.notes)
    yield from (f"{text[0].upper()}{text[1:]}" for text in sentences if text)


def _table(titles: list[str], rows: list[list[str]], room: int) -> str:
    """Return a table with as many rows as fit in `room` characters."""
    rule = ["---:" if column.startswith(NUMBERS) else "---" for column in titles]
    return f"{table_line(titles)}\n{table_line(rule)}\n{first_lines([table_line(row) for row in rows], room)}"


def table_line(cells: list[str]) -> str:
    """Return cells as a line of a table."""
    return f"| {' | '.join(cells)} |"


def first_lines(lines: list[str], room: int) -> str:
    """Return the first lines, as many as fit in `room` characters, and the number of the others."""
    ends = accumulate(len(line) + 1 for line in lines)
    kept = sum(end <= room for end in ends)
    shown_lines = "\n".join(lines[:kept])
    return shown_lines if kept == len(lines) else f"{shown_lines}\n\n{len(lines) - kept:,} more are omitted here."


def _text(text: str) -> str:
    """Return a text on one line, with the ends of cells and the starts of tags escaped."""
    text = flat(text)
    short = text if len(text) <= LONGEST_TEXT else f"{text[:LONGEST_TEXT]} …"
    return short.replace("&", "&amp;").replace("<", "&lt;").replace("\\", "\\\\").replace("|", "\\|")
