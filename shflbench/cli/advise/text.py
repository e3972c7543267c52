"""The tables and the code of advice."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shflbench.analysis.answers.answer import Role
from shflbench.analysis.ranking import Certainty, times
from shflbench.cli.layout import Line, Table, align_right
from shflbench.printable import escape

if TYPE_CHECKING:
    from shflbench.advice.copied_code import CopiedCode
    from shflbench.analysis.answers.answer import Answer, RankedVariant
    from shflbench.analysis.answers.predicted import PredictedAnswer, PredictedVariant

ROLES = {Role.CANDIDATE: "", Role.UNSAFE: "unsafe", Role.LIBRARY: "library"}


def ranking(answer: Answer) -> Table:
    """Return the timed variants of the setting, the fastest first."""
    ranked = answer.ranking
    columns = {
        "variant": [escape(one.variant) for one in ranked],
        "mechanism": [escape(one.mechanism) for one in ranked],
        "time µs": align_right([f"{one.time_us.value:.2f}" for one in ranked]),
        "relative": align_right([_slowdown(one, answer) for one in ranked]),
        "of limit": align_right(["" if one.limit_fraction is None else f"{one.limit_fraction:.0%}" for one in ranked]),
        "limited by": [escape(one.limit_by or "") for one in ranked],
        "": [_remark(one, answer) for one in ranked],
    }
    kept = {name: cells for name, cells in columns.items() if any(map(str.strip, cells))}
    styles = ["good" if one.variant == answer.variant else "" for one in ranked]
    body = tuple(Line(cells, style) for cells, style in zip(zip(*kept.values(), strict=True), styles, strict=True))
    return Table("", tuple(kept), body)


def _slowdown(one: RankedVariant, answer: Answer) -> str:
    return "1×" if one.variant == answer.variant else times(one.slowdown.value)


def _remark(one: RankedVariant, answer: Answer) -> str:
    if one.variant == answer.variant:
        return "recommended"
    if one.variant in answer.libraries:
        return "library, faster" if one.slowdown.high < 1 else "library, as fast"
    if one.variant in answer.undecided_libraries:
        return "library, undecided"
    return "ties" if one.variant in answer.tied and answer.certainty is Certainty.TIE else ROLES[one.role]


def code_lines(code: CopiedCode) -> str:
    """Return the code under a line that says what it is."""
    return f"// {_as_text(code.origin)}\n{_as_text(code.text)}".rstrip("\n")


def _as_text(code: str) -> str:
    """Return code with escapes for what controls a terminal, but for tabs and line breaks."""
    return "\n".join("\t".join(map(escape, line.split("\t"))) for line in code.split("\n"))


def predicted_ranking(answer: PredictedAnswer) -> Table:
    """Return the variants, the best first."""
    ranked = answer.ranking
    columns = {
        "variant": [one.variant for one in ranked],
        "mechanism": [one.mechanism for one in ranked],
        "predicted cycles": align_right([_cycles(one.predicted_cycles) for one in ranked]),
        "limit cycles": align_right([_cycles(one.limit_cycles) for one in ranked]),
        "limited by": [one.limit_by or "" for one in ranked],
        "": [_predicted_remark(one, answer) for one in ranked],
    }
    kept = {name: cells for name, cells in columns.items() if any(map(str.strip, cells))}
    return Table("", tuple(kept), tuple(Line(cells) for cells in zip(*kept.values(), strict=True)))


def _cycles(cycles: float | None) -> str:
    return "" if cycles is None else f"{cycles:.0f}"


def _predicted_remark(one: PredictedVariant, answer: PredictedAnswer) -> str:
    if one.variant == answer.variant:
        return "recommended"
    return "ties" if one.variant in answer.tied else one.remark or ROLES[one.role]
