"""Predicted advice as text, which is always labeled so."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shflbench.analysis.advice.predicted import MATTERS, Basis
from shflbench.analysis.advice.safety import MECHANISM_NOTES
from shflbench.analysis.contest import times
from shflbench.cli.advise.text import ROLES
from shflbench.cli.layout import Line, Table, align_right
from shflbench.model import WARP

if TYPE_CHECKING:
    from shflbench.analysis.advice.predicted import PredictedAnswer, PredictedVariant


def predicted_blocks(answer: PredictedAnswer) -> tuple[list[str], Table]:
    """Return the predicted answer in sentences, and a table of its variants."""
    options = "".join(f", {name}={value}" for name, value in answer.options)
    omitted = ", ".join(dict.fromkeys(part for one in answer.ranking for part in one.limit_omits))
    warps = answer.blocks_per_sm * -(-answer.block // WARP)
    lines = [
        f"{answer.pattern}, {answer.dtype}{options}, on {answer.arch}: predicted, not measured",
        _verdict(answer),
        f"Assumed: {answer.blocks_per_sm} blocks of {answer.block} threads per SM, {warps} warps",
        *([f"Tie: {', '.join(answer.tied)} within {MATTERS:.0%}, which no prediction decides"] if answer.tied else []),
        *(f"Safety: {note}" for mechanism, note in MECHANISM_NOTES.items() if mechanism == answer.mechanism),
        *([f"Left out, because no figure of {answer.arch} is known: {omitted}"] if omitted else []),
        f"To settle it, on such a GPU: shflbench run quick --pattern {answer.pattern}",
    ]
    return lines, _table(answer)


def _verdict(answer: PredictedAnswer) -> str:
    by = "by predicted cycles" if answer.basis is Basis.PREDICTION else "by the least cycles that the hardware allows"
    if answer.over_runner_up is None:
        return f"Use {answer.variant}, {by}"
    return f"Use {answer.variant}: {times(answer.over_runner_up)} the speed of {answer.runner_up}, {by}"


def _table(answer: PredictedAnswer) -> Table:
    ranked = answer.ranking
    columns = {
        "variant": [one.variant for one in ranked],
        "mechanism": [one.mechanism for one in ranked],
        "predicted cycles": align_right([_cycles(one.predicted_cycles) for one in ranked]),
        "limit cycles": align_right([_cycles(one.limit_cycles) for one in ranked]),
        "limited by": [one.limit_by or "" for one in ranked],
        "": [_remark(one, answer) for one in ranked],
    }
    kept = {name: cells for name, cells in columns.items() if any(map(str.strip, cells))}
    return Table("", tuple(kept), tuple(Line(cells) for cells in zip(*kept.values(), strict=True)))


def _cycles(cycles: float | None) -> str:
    return "" if cycles is None else f"{cycles:.0f}"


def _remark(one: PredictedVariant, answer: PredictedAnswer) -> str:
    if one.variant == answer.variant:
        return "recommended"
    return "ties" if one.variant in answer.tied else one.remark or ROLES[one.role]
