"""The verdicts on the claims of the runs that a report answers with."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shflbench.export.html.content import ClaimLine
    from shflbench.store import Run


def judged_claims(runs: Sequence[Run]) -> list[ClaimLine]:
    """Return the verdicts on the claims that the runs' suites make: of the newest run of each suite on each GPU."""
    from shflbench.analysis.claims.by_gpu import collect_claims, group_runs, judge_gpu
    from shflbench.analysis.claims.judge import read_claim_run
    from shflbench.export.html.claim_lines import claim_lines
    from shflbench.export.html.selection import is_measured, newest

    chosen = [read_claim_run(run.folder) for run in newest(runs) if is_measured(run)]
    return list(claim_lines(judge_gpu(gpu, collect_claims(gpu.runs)) for gpu in group_runs(chosen)))
