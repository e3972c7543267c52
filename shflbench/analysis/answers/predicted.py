"""Recommend a variant on a GPU without results, ranked by limits or predictions, which are never called measured."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from shflbench.analysis.answers.answer import Role
from shflbench.analysis.answers.simplicity import mechanism_place

if TYPE_CHECKING:
    from collections.abc import Sequence

# Of cases that were measured after the model was made, nine predictions in ten are off by at most 15.2%
# (docs/explanation/prediction-errors.md): a smaller difference between two variants says nothing.
PREDICTED_TIE = 0.2


class Basis(StrEnum):
    """What variants without times are ranked by."""

    PREDICTION = "prediction"
    LIMIT = "limit"


@dataclass(frozen=True, slots=True, kw_only=True)
class PredictedVariant:
    """One variant as compiled; cycles are those in which an SM executes one iteration of all its resident warps."""

    variant: str
    mechanism: str
    role: Role
    limit_cycles: float | None = None  # a lower bound
    limit_by: str | None = None
    limit_omits: tuple[str, ...] = ()  # what the limit leaves out, because no figure of it is known
    predicted_cycles: float | None = None
    remark: str = ""  # why it has no limit


@dataclass(frozen=True, slots=True, kw_only=True)
class PredictedAnswer:
    """Which variant to use, predicted from machine code."""

    arch: str
    pattern: str
    dtype: str
    options: tuple[tuple[str, str], ...]
    block: int  # threads per block
    blocks_per_sm: int  # that every variant has resident at a time
    basis: Basis
    variant: str
    mechanism: str
    tied: tuple[str, ...]  # other candidates within `PREDICTED_TIE`
    over_runner_up: float | None  # cycles of the next candidate that is not tied, divided by the variant's
    runner_up: str | None
    ranking: tuple[PredictedVariant, ...]  # fewest cycles first

    def cycles(self, ranked: PredictedVariant) -> float | None:
        """Return what the variants are ranked by."""
        return ranked.predicted_cycles if self.basis is Basis.PREDICTION else ranked.limit_cycles


@dataclass(frozen=True, slots=True)
class PredictedSetting:
    """What a prediction is for."""

    arch: str
    pattern: str
    dtype: str
    options: tuple[tuple[str, str], ...]
    block: int
    blocks_per_sm: int


def predicted_answer(setting: PredictedSetting, variants: Sequence[PredictedVariant]) -> PredictedAnswer | None:
    """Return the answer from the variants of one setting; None where fewer than two candidates have a limit.

    All variants are ranked by predictions if each candidate with a limit has one, else by limits.
    """
    candidates = [one for one in variants if one.role is Role.CANDIDATE and one.limit_cycles]
    if len(candidates) < 2:  # noqa: PLR2004  (a choice takes two)
        return None
    basis = Basis.PREDICTION if all(one.predicted_cycles for one in candidates) else Basis.LIMIT

    def cycles(one: PredictedVariant) -> float:
        value = one.predicted_cycles if basis is Basis.PREDICTION else one.limit_cycles
        return value if value is not None else float("inf")

    least = min(map(cycles, candidates))
    leaders = [one for one in candidates if cycles(one) <= least * (1 + PREDICTED_TIE)]
    best = min(leaders, key=lambda one: (mechanism_place(one.mechanism), cycles(one), one.variant))
    others = sorted((one for one in candidates if one not in leaders), key=cycles)
    return PredictedAnswer(
        arch=setting.arch,
        pattern=setting.pattern,
        dtype=setting.dtype,
        options=setting.options,
        block=setting.block,
        blocks_per_sm=setting.blocks_per_sm,
        basis=basis,
        variant=best.variant,
        mechanism=best.mechanism,
        tied=tuple(one.variant for one in sorted(leaders, key=cycles) if one is not best),
        over_runner_up=cycles(others[0]) / cycles(best) if others else None,
        runner_up=others[0].variant if others else None,
        ranking=tuple(sorted(variants, key=cycles)),
    )
