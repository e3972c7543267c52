"""A comparison as plain text for the terminal and the log of a CI job."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shflbench.analysis.compare.comparison import LimitState, Outcome
from shflbench.cli.layout import INDENT, Line, Table, wrap_text
from shflbench.core.words import flat
from shflbench.output.export.comparison_words import (
    basis,
    cells,
    columns,
    correction_in_words,
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
    from shflbench.cli.layout import Styled


def lines(comparison: Comparison, width: int | None = None) -> list[Styled]:
    """Return the report without notes and warnings, within `width` columns if given.

    It has the sides, the meaning of the columns, the cases that are not the same, the number of those that are, what
    might have been missed, the basis and the result.
    """
    sides = [(f"base: {side(comparison.base)}", ""), (f"new:  {side(comparison.new)}", "")]
    reasons = [(f"no verdict: {flat(text)}", "doubt") for text in comparison.across]
    table = list(_table(comparison, width))
    meanings = [(text, "") for text in legend(comparison)] if table else []
    corrected = "" if table else correction_in_words(comparison)
    sentences = (
        count_unchanged(comparison),
        describe_missed(comparison),
        corrected,
        *basis(comparison),
        headline(comparison),
    )
    end = [(text, "") for text in sentences if text]
    parts = (_prose([*sides, *reasons], width), _prose(meanings, width), table, _prose(end, width))
    return [line for part in parts if part for line in (*part, ("", ""))][:-1]


def _prose(styled: list[Styled], width: int | None) -> list[Styled]:
    return [(line, style) for text, style in styled for line in wrap_text(text, width)]


def _table(comparison: Comparison, width: int | None) -> Iterator[Styled]:
    """Yield the lines of the table, with explanations below each case; none if there is no case to show."""
    verdicts = select_notable(comparison)
    if not verdicts:
        return
    titles: tuple[str, ...] = ("case", *columns(comparison))
    titles = titles if comparison.across else ("verdict", *titles, "threshold")
    rows = tuple(_line(verdict, comparison) for verdict in verdicts)
    head, *body = Table("", titles, rows, key=titles.index("case") + 1).blocks(width)
    yield from head
    for verdict, block in zip(verdicts, body, strict=True):
        yield from block
        yield from _prose([(f"{INDENT}{text}", "") for text in explain(verdict)], width)


def _line(verdict: ChangeVerdict, comparison: Comparison) -> Line:
    case = (flat(verdict.case_id), *cells(verdict, comparison))
    if comparison.across:
        return Line(case)
    return Line((verdict_word(verdict), *case, fraction(verdict.threshold)), _style(verdict, comparison))


def _style(verdict: ChangeVerdict, comparison: Comparison) -> str:
    if fails(verdict, comparison):
        return "bad"
    if verdict.is_limit(LimitState.UNCERTAIN):
        return "doubt"
    return {Outcome.FASTER: "good", Outcome.NEW: "", Outcome.SAME: ""}.get(verdict.outcome, "doubt")
