"""The claims of several runs, and their verdicts for each GPU model."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from shflbench.analysis.claims.claim_verdicts import judge_claims
from shflbench.analysis.claims.stored import claims_of_run, current_claims
from shflbench.core.grouping import group_by
from shflbench.errors import ResultsError, SuiteError

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from shflbench.analysis.claims.claim_verdicts import ClaimRun
    from shflbench.analysis.claims.verdict import ClaimVerdict
    from shflbench.core.claims.claim import Claim
    from shflbench.store import RunInfo


@dataclass(frozen=True, slots=True)
class SuiteClaim:
    """A claim and the suite that it is in."""

    suite: str
    claim: Claim


@dataclass(frozen=True, slots=True)
class GpuRuns:
    """The runs on one GPU model, which are judged together."""

    device: str  # name of the product; empty for runs without a GPU
    backend: str  # cuda, emulator or none
    arch: str
    runs: tuple[ClaimRun, ...]


@dataclass(frozen=True, slots=True)
class GpuVerdicts:
    """The verdicts on claims for one GPU model."""

    gpu: GpuRuns
    verdicts: tuple[ClaimVerdict, ...]


def group_runs(runs: Iterable[ClaimRun]) -> list[GpuRuns]:
    """Return the runs of each GPU model, in the order of the runs; those without a GPU by architecture."""
    groups = group_by(runs, lambda run: _model(run.run.info))
    return [GpuRuns(*model, tuple(alike)) for model, alike in groups.items()]


def _model(info: RunInfo) -> tuple[str, str, str]:
    return info.device.name if info.device else "", info.backend, info.arch


def collect_claims(runs: Iterable[ClaimRun]) -> list[SuiteClaim]:
    """Return the claims of the runs' suites; of several revisions of a suite, those of the newest run.

    Claims of a shipped suite are those of this version; see `corrected_suites`. ResultsError for a run whose stored
    suite has invalid claims.
    """
    newest: dict[str, ClaimRun] = {}
    for run in runs:
        known = newest.setdefault(run.run.info.suite.name, run)
        if run.run.info.started > known.run.info.started:
            newest[run.run.info.suite.name] = run
    return [SuiteClaim(name, claim) for name, run in newest.items() for claim in _claims_of(run)]


def _claims_of(run: ClaimRun) -> tuple[Claim, ...]:
    try:
        return current_claims(run.run.info)
    except SuiteError as error:
        raise ResultsError(f"{run.folder}: {error.message}", error.advice) from error


def corrected_suites(runs: Iterable[ClaimRun]) -> list[str]:
    """Return the suites whose claims this version has corrected since a run."""
    infos = [run.run.info for run in runs]
    return sorted({info.suite.name for info in infos if current_claims(info) != claims_of_run(info)})


def judge_gpu(gpu: GpuRuns, claims: Sequence[SuiteClaim], ids: Collection[str] = ()) -> GpuVerdicts:
    """Judge claims by the runs of a GPU model, each once: only those whose id is in `ids`, unless that is empty."""
    chosen = _distinct(one for one in claims if not ids or one.claim.id in ids)
    return GpuVerdicts(gpu, tuple(judge_claims(_labeled(chosen), gpu.runs)))


def _distinct(claims: Iterable[SuiteClaim]) -> list[SuiteClaim]:
    """Return the claims without those that an earlier suite has in the same words."""
    kept: list[SuiteClaim] = []
    for one in claims:
        if all(one.claim != other.claim for other in kept):
            kept.append(one)
    return kept


def _labeled(claims: Iterable[SuiteClaim]) -> list[Claim]:
    """Return the claims; where suites use an id for different claims, it names the suite, too: `G12 (quick)`."""
    labeled = []
    for claim_id, alike in group_by(claims, lambda one: one.claim.id).items():
        several = len(alike) > 1
        labeled += [replace(one.claim, id=f"{claim_id} ({one.suite})") if several else one.claim for one in alike]
    return labeled
