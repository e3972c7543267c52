"""Processes of unchanged code, any of which may be compared with any others."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from shflbench.analysis.compare.evidence import ComparisonEvidence
from shflbench.analysis.compare.metrics import weights_of_time
from shflbench.analysis.compare.placement import PageUse, page_use, recorded_waits, with_placement
from shflbench.analysis.compare.rule import Contrast
from shflbench.core.model import Status
from shflbench.errors import ResultsError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from shflbench.analysis.compare.estimates import Estimates, Process
    from shflbench.analysis.compare.noise import NoiseModel, Weights
    from shflbench.analysis.compare.rule import JudgedChange
    from shflbench.analysis.compare.sides import Side
    from shflbench.core.thresholds import Thresholds
    from shflbench.store import Row


@dataclass(frozen=True, slots=True)
class Pool:
    """The estimated times of cases and sentinels in a set of processes."""

    cases: Mapping[str, Estimates]
    sentinels: Mapping[str, Estimates]
    passes: frozenset[str] = frozenset()  # cases that make one pass over memory
    chains: frozenset[str] = frozenset()  # cases whose loop waits for memory
    gpu: str = ""  # UUIDs
    contexts: int = 1  # in which each process measured

    @classmethod
    def of(cls, side: Side) -> Pool:
        """Return the processes of a side that timed all its cases.

        ResultsError if there is none, or if there are no samples or no sentinels.
        """
        cases = side.estimates(row for row in side.rows.values() if row.status is Status.TIMED)
        sentinels = side.sentinel_estimates()
        everywhere = (*cases.values(), *sentinels.values())
        common = [
            process
            for process in (everywhere[0].processes if everywhere else ())
            if all(process in estimates.processes for estimates in everywhere)
        ]
        if not side.sentinels or not sentinels or not cases or not common:
            raise ResultsError(
                f"{side.name} has no process with samples of every case and of the sentinels",
                "measure again with this version of shflbench, on a GPU for which it has sentinels",
            )
        rows = [side.rows[case_id] for case_id in cases]
        waits = recorded_waits(run.info for run in side.runs)
        gpus = ",".join(side.info().gpus)
        return cls(cases, sentinels, *passes_and_chains(rows, waits), gpus, side.contexts).select(common)

    def weights(self, case_id: str, estimates: Estimates) -> Weights:
        """Return how noise enters the estimated times of a case."""
        mean_us = float(estimates.values.mean())
        return weights_of_time(mean_us, passes=case_id in self.passes, contexts=self.contexts)

    def page_use(self, case_id: str) -> PageUse:
        """Return how a case depends on the pages of its buffers."""
        if case_id in self.passes:
            return PageUse.PASS
        return PageUse.CHAIN if case_id in self.chains else PageUse.NONE

    @property
    def processes(self) -> tuple[Process, ...]:
        """All processes of the pool."""
        return next(iter(self.sentinels.values())).processes

    def select(self, processes: Sequence[Process]) -> Pool:
        """Return the pool of these processes."""
        cases, sentinels = (_select(kernels, processes) for kernels in (self.cases, self.sentinels))
        return replace(self, cases=cases, sentinels=sentinels)


def passes_and_chains(
    rows: Iterable[Row], waits: frozenset[str] | None = None
) -> tuple[frozenset[str], frozenset[str]]:
    """Return the ids of the cases that make one pass over memory, and of those whose loop waits for memory."""
    uses = {row.case_id: page_use(row, waits) for row in rows}
    passes, chains = (
        frozenset(case_id for case_id, use in uses.items() if use is wanted) for wanted in (PageUse.PASS, PageUse.CHAIN)
    )
    return passes, chains


def _select(kernels: Mapping[str, Estimates], processes: Sequence[Process]) -> dict[str, Estimates]:
    return {name: estimates.select(processes) for name, estimates in kernels.items()}


def judgments(base: Pool, new: Pool, thresholds: Thresholds, noise: NoiseModel | None = None) -> Sequence[JudgedChange]:
    """Judge the cases of two pools as `compare` judges those of two sides; empty if the machine changed."""
    evidence = evidence_of(base, new)
    if evidence.machine_change:
        return []
    return evidence.judge(contrasts_of(base, new, evidence), thresholds, noise).judgments


def evidence_of(base: Pool, new: Pool) -> ComparisonEvidence:
    """Return the evidence of two pools' sentinels."""
    return ComparisonEvidence.of_sentinels(base.sentinels, new.sentinels, one_gpu=base.gpu == new.gpu)


def contrasts_of(base: Pool, new: Pool, evidence: ComparisonEvidence) -> list[Contrast]:
    """Return each case that both pools have, minus the offsets of the processes."""
    offsets = evidence.offsets
    contrasts = []
    for case_id, (before, after) in (
        (name, (base.cases[name], new.cases[name])) for name in base.cases if name in new.cases
    ):
        sides = before.minus(offsets.base) if offsets else before, after.minus(offsets.new) if offsets else after
        if before.launches == after.launches != 0 and all(side.positive for side in sides):
            weights = base.weights(case_id, sides[0]).between(new.weights(case_id, sides[1]))
            contrast = Contrast(case_id, *sides, weights)
            contrasts.append(with_placement(contrast, base.page_use(case_id)))
    return contrasts
