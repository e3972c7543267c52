from dataclasses import replace
from pathlib import Path

import pytest

from shflbench.analysis.claims.by_gpu import collect_claims, group_runs, judge_gpu
from shflbench.analysis.claims.claim_verdicts import ClaimRun
from shflbench.analysis.claims.verdict import ClaimStatus
from shflbench.errors import ResultsError
from shflbench.store import Row, Run, SuiteText, read_run

QUICK = read_run(Path(__file__).parents[3] / "results/quick/nvidia-h200")
FASTER = "- {id: fast, says: it is faster, holds: 'speedup(shfl, smem) > 2', where: {pattern: reduce}}"
SLOWER = FASTER.replace("> 2", "< 1")


def run(
    *claims: str, suite: str = "mine", device: str = "NVIDIA H200", started: str = "2026-01-01", rows: str = "reduce"
) -> ClaimRun:
    """Return the run without samples, as if of another suite, GPU or day."""
    lines = "".join(f"  {claim}\n" for claim in claims)
    text = f"schema: 1\nname: {suite}\nexperiments: {{pattern: reduce}}\nclaims:\n{lines}"
    info = QUICK.info
    assert info.device
    changed = replace(
        info,
        suite=SuiteText(suite, "", "", text),
        device=replace(info.device, name=device) if device else None,
        backend="cuda" if device else "emulator",
        started=started,
    )
    kept: tuple[Row, ...] = tuple(row for row in QUICK.rows if row.pattern == rows)
    return ClaimRun(Run(Path("results") / suite / started, changed, kept), {}, None)


def verdicts(*runs: ClaimRun, ids: tuple[str, ...] = ()) -> dict[str, ClaimStatus]:
    (gpu,) = group_runs(runs)
    judged = judge_gpu(gpu, collect_claims(gpu.runs), ids)
    return {one.claim.id: one.verdict for one in judged.verdicts}


def test_runs_are_grouped_by_gpu_model() -> None:
    runs = [run(FASTER), run(FASTER, device="NVIDIA L4"), run(FASTER, suite="other"), run(FASTER, device="")]
    assert [(gpu.device, gpu.backend, len(gpu.runs)) for gpu in group_runs(runs)] == [
        ("NVIDIA H200", "cuda", 2),
        ("NVIDIA L4", "cuda", 1),
        ("", "emulator", 1),
    ]


def test_a_claim_of_several_suites_is_judged_once_by_all_runs() -> None:
    (gpu,) = group_runs([run(FASTER), run(FASTER, suite="other"), run(FASTER, suite="third", rows="transpose")])
    (verdict,) = judge_gpu(gpu, collect_claims(gpu.runs)).verdicts
    assert [setting.suite for setting in verdict.settings] == ["mine", "other"]


def test_different_claims_with_one_id_are_named_with_their_suites() -> None:
    both = (run(FASTER), run(SLOWER, suite="other"))
    assert verdicts(*both) == {"fast (mine)": ClaimStatus.CONFIRMED, "fast (other)": ClaimStatus.REFUTED}
    assert verdicts(*both, ids=("fast",)) == verdicts(*both)
    assert verdicts(*both, ids=("none",)) == {}


@pytest.mark.parametrize("order", [1, -1])
def test_newest_revision_of_a_suite_decides_what_is_claimed(order: int) -> None:
    runs = [run(FASTER, started="2026-01-01"), run(SLOWER, started="2026-02-01")][::order]
    assert verdicts(*runs) == {"fast": ClaimStatus.REFUTED}


def test_run_whose_stored_suite_has_invalid_claims_is_named() -> None:
    with pytest.raises(ResultsError, match=r"^results/mine/2026-01-01: the stored suite has invalid claims: "):
        collect_claims([run(FASTER.replace("> 2", ">> 2"))])
