"""Compare a run with its base, and choose the undecided cases to measure longer."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from shflbench.analysis.compare import Settings, Side, comparability, compare, with_causes
from shflbench.analysis.compare.further import further_processes, is_undecided, process_count
from shflbench.analysis.compare.learned import learned_noise
from shflbench.errors import DeviceError, ResultsError
from shflbench.session.further import NextPass, ProcessPass, affordable
from shflbench.session.rows import start_row
from shflbench.store import Run, find_runs, read_run
from shflbench.store.baselines import Baselines

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from shflbench.analysis.compare import Comparison
    from shflbench.analysis.compare.noise import NoiseModel
    from shflbench.core.model import Case
    from shflbench.session.plan import Plan
    from shflbench.store import RunInfo


@dataclass(frozen=True, slots=True)
class GateRequest:
    """The base of a comparison, its settings, and the time for measuring longer."""

    against: Path  # the name of a baseline, or a folder with runs
    baselines: Path  # the folder of the baselines
    noise: Path | None  # a file of learned noise; None: the one in the folder of the baselines
    settings: Settings
    budget: float  # seconds, in addition to the run itself

    def refuse_unknown(self, suite: str) -> None:
        """Raise ResultsError if there is no base for runs of `suite`, on any GPU."""
        if not self.against.exists():
            Baselines(self.baselines).matching(str(self.against), suite)

    def base(self, plan: Plan, info: RunInfo) -> Side:
        """Return the base for the run of `info`.

        ResultsError if the base is damaged, or if the two cannot be compared. DeviceError if the run takes no times.
        """
        if plan.executor is None or not plan.executor.timed:
            raise DeviceError("a gate compares times, and the emulator takes none", "run it on a machine with a GPU")
        device = plan.executor.device.name
        known = Baselines(self.baselines)
        name = str(self.against)
        folders = find_runs([self.against]) if self.against.exists() else known.find(name, plan.suite.name, device)
        base = Side.of([read_run(folder) for folder in folders], name)
        comparability.refuse_mixture(base)
        rows = (
            start_row(case, plan.patterns[case.pattern].declaration, info.backend, info.arch)
            for case in plan.suite.cases
        )
        new = Side.of([Run(Path("the new run"), info, tuple(rows))])
        self.learned_noise(base, new)  # a file that cannot be read is reported before anything is measured
        reasons = tuple(comparability.reasons_against(base, new, timed=True, any_revision=self.settings.any_revision))
        if reasons:
            raise ResultsError(
                f"a run of {plan.suite.name} here cannot be compared with {name}: {'; '.join(reasons)}",
                "save a baseline of this suite on this GPU: shflbench baseline save NAME RUN",
            )
        return base

    def learned_noise(self, base: Side, new: Side) -> tuple[NoiseModel | None, str]:
        """Return the learned noise of the GPU; if it does not apply, None and a sentence why."""
        return learned_noise(base, new, self.noise, self.baselines)


@dataclass(slots=True)
class Gate:
    """Compares a run with its base, and again after each further process."""

    request: GateRequest
    base: Side
    folder: Path  # of the run
    groups: Mapping[str, Collection[Case]]  # of its suite
    _spent: float = 0.0  # seconds of measuring longer
    _tried: dict[str, int] = field(default_factory=dict)  # the processes of each case before it was measured longer

    def choose(self, last: ProcessPass) -> NextPass:
        """Return the cases to measure in one more process; `last` is the cost of the last process.

        No case if the sides cannot be compared, which `compare` reports.
        """
        if self._tried:
            self._spent += last.seconds
        try:
            comparison, new, _ = self._compare()
        except ResultsError:
            return NextPass()
        measured = {case_id: process_count(new, case_id) for case_id in new.rows}
        # A case that failed or was throttled in its last further process is not tried again.
        undecided = [
            verdict
            for verdict in comparison.verdicts
            if is_undecided(verdict) and self._tried.get(verdict.case_id) != measured[verdict.case_id]
        ]
        further = {verdict.case_id: further_processes(verdict, measured[verdict.case_id]) for verdict in undecided}
        needs = {case_id: count for case_id, count in further.items() if count is not None}
        chosen = affordable(needs, self.groups, last.seconds_per_case, self.request.budget - self._spent)
        self._tried |= {case_id: measured[case_id] for case_id in chosen}
        return NextPass(chosen, unaffordable=len(needs) - len(chosen), unsettled=len(undecided) - len(needs))

    def compare(self) -> tuple[Comparison, str]:
        """Return the comparison, and a sentence if learned noise is not used; ResultsError if there can be none."""
        comparison, new, remark = self._compare()
        return with_causes(comparison, self.base, new), remark

    def _compare(self) -> tuple[Comparison, Side, str]:
        new = Side.of([read_run(self.folder)])
        noise, remark = self.request.learned_noise(self.base, new)
        return compare(self.base, new, replace(self.request.settings, noise=noise)), new, remark
