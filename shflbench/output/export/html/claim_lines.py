"""Claims with their verdicts, as the report shows them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shflbench.output.export.claims.verdict_words import describe_measured, explanation, why
from shflbench.output.export.html.content import ClaimLine
from shflbench.output.export.html.texts import short, without_folders

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from shflbench.analysis.claims.by_gpu import GpuRuns, GpuVerdicts
    from shflbench.analysis.claims.verdict import ClaimVerdict


def claim_lines(judged: Iterable[GpuVerdicts]) -> Iterator[ClaimLine]:
    """Yield a line for each claim and GPU model."""
    for of_gpu in judged:
        for verdict in of_gpu.verdicts:
            yield _line(verdict, of_gpu.gpu)


def _line(verdict: ClaimVerdict, gpu: GpuRuns) -> ClaimLine:
    claim = verdict.claim
    folders = [run.folder for run in gpu.runs]
    patterns = dict.fromkeys([*claim.where.get("pattern", ()), *(setting.pattern for setting in verdict.settings)])
    return ClaimLine(
        id=short(claim.id),
        says=short(claim.says),
        source=short(claim.source),
        figure=short(claim.figure),
        measured=short(describe_measured(verdict)),
        verdict=verdict.verdict.value,
        sentence=short(without_folders(explanation(verdict), folders)),
        why=short(without_folders(why(verdict), folders)),
        gpu=short(gpu.device),
        patterns=tuple(patterns),
    )
