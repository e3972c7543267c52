"""A GPU model with one run, and verdicts on claims for it."""

from pathlib import Path

from shflbench.analysis.claims.by_gpu import GpuRuns, GpuVerdicts
from shflbench.analysis.claims.claim_verdicts import ClaimRun
from shflbench.analysis.claims.verdict import ClaimVerdict
from shflbench.store import Run, read_info

ROOT = Path(__file__).parents[4]
INFO = read_info(ROOT / "results/quick/nvidia-h200")
RUN = ClaimRun(Run(Path("results/demo"), INFO, ()), {}, None)


def judged(*verdicts: ClaimVerdict) -> GpuVerdicts:
    """Return the verdicts of an H200 with a run."""
    return GpuVerdicts(GpuRuns("NVIDIA H200", "cuda", "sm_90", (RUN,)), verdicts)
