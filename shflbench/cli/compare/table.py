"""A comparison as plain text for the terminal and the log of a CI job."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shflbench.analysis.compare.comparison import Outcome
from shflbench.cli.layout import GAP, Line, Table
from shflbench.export.words import (
    basis,
    change,
    explain,
    fails,
    flat,
    fraction,
    headline,
    select_notable,
    side,
    unchanged,
    value,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from shflbench.analysis.compare.comparison import Comparison, Verdict

    Styled = tuple[str, str]  # a line of text, and what it means, as in `layout.Line`


def lines(comparison: Comparison) -> list[Styled]:
    """Return the report line by line: the sides, what is not the same, how many are, on what grounds, and the result.

    What explains a case stands below it, indented, so that a long sentence widens no column. Notes and warnings are not
    in it.
    """
    sides = [(f"base: {side(comparison.base)}", ""), (f"new:  {side(comparison.new)}", "")]
    obstacles = [(f"no verdict: {flat(text)}", "doubt") for text in comparison.across]
    table = list(_table(comparison))
    end = [(text, "") for text in (unchanged(comparison), "; ".join(basis(comparison)), headline(comparison)) if text]
    parts = ([*sides, *obstacles], table, end)
    return [line for part in parts if part for line in (*part, ("", ""))][:-1]


def _table(comparison: Comparison) -> Iterator[Styled]:
    """Yield the lines of the table, below each case what explains it; none where there is no case to show."""
    verdicts = select_notable(comparison)
    if not verdicts:
        return
    columns = ("case", *(f"{name} {comparison.metric.unit}" for name in ("base", "new")), "change")
    titles = columns if comparison.across else ("verdict", *columns, "threshold")
    title, *body = Table("", titles, tuple(_line(verdict, comparison) for verdict in verdicts)).lines()
    yield title
    for verdict, line in zip(verdicts, body, strict=True):
        yield line
        yield from ((f"{GAP}{GAP}{text}", "") for text in explain(verdict))


def _line(verdict: Verdict, comparison: Comparison) -> Line:
    values = (value(number, comparison.metric) for number in (verdict.base, verdict.new))
    cells = (flat(verdict.case_id), *values, change(verdict.ratio))
    if comparison.across:
        return Line(cells)
    return Line((verdict.outcome.value, *cells, fraction(verdict.threshold)), _style(verdict, comparison))


def _style(verdict: Verdict, comparison: Comparison) -> str:
    if fails(verdict, comparison):
        return "bad"
    return {Outcome.FASTER: "good", Outcome.NEW: "", Outcome.SAME: ""}.get(verdict.outcome, "doubt")
