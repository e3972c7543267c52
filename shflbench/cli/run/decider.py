"""Compare a run with its base while it goes on, and say which cases are worth measuring longer."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from shflbench.cli.compare.options import show
from shflbench.errors import ResultsError

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping
    from pathlib import Path

    from shflbench.analysis.compare import Comparison, Side, Verdict
    from shflbench.cli.console import Console
    from shflbench.cli.run.comparison_request import ComparisonRequest
    from shflbench.model import Case
    from shflbench.session import ProcessPass


@dataclass(slots=True)
class Decider:
    """Holds a run against its base, again after each process in which some cases were measured longer."""

    request: ComparisonRequest
    base: Side
    folder: Path  # of the run
    groups: Mapping[str, Collection[Case]]  # of its suite
    console: Console
    _spent: float = 0.0  # seconds of measuring longer
    _tried: dict[str, int] = field(default_factory=dict)  # the processes of each case before it was measured longer

    def undecided(self, last: ProcessPass) -> frozenset[str]:
        """Return the cases to measure in one more process, and say so; `last` is what the last process took.

        No case where the sides cannot be compared, as `conclude` then tells.
        """
        from shflbench.session import affordable

        if self._tried:
            self._spent += last.seconds
        try:
            comparison, new, _ = self._compare()
        except ResultsError:
            return frozenset()
        measured = {case_id: processes(new, case_id) for case_id in new.rows}
        # What failed or was throttled in its last further process is not tried again.
        undecided = [
            verdict
            for verdict in comparison.verdicts
            if is_undecided(verdict) and self._tried.get(verdict.case_id) != measured[verdict.case_id]
        ]
        further = {verdict.case_id: further_processes(verdict, measured[verdict.case_id]) for verdict in undecided}
        needs = {case_id: need for case_id, need in further.items() if need is not None}
        chosen = affordable(needs, self.groups, last.seconds_per_case, self.request.budget - self._spent)
        self._tried |= {case_id: measured[case_id] for case_id in chosen}
        if chosen:
            them = "it" if len(chosen) == 1 else "them"
            self.console.say(f"{_inconclusive(len(chosen), 'is', 'are')}; measuring {them} in one more process")
        else:
            self._give_up(len(needs), len(undecided) - len(needs))
        return chosen

    def _give_up(self, long: int, hopeless: int) -> None:
        """Say why so many cases are not measured any longer: for lack of time, and because it would be in vain."""
        if long:
            budget = f"what is left of the {self.request.budget:g} s of --budget"
            self.console.say(f"{_inconclusive(long, 'stays', 'stay')}: measuring on would take longer than {budget}")
        if hopeless:
            why = "no sensible number of further processes would decide that"
            self.console.say(f"{_inconclusive(hopeless, 'stays', 'stay')}: {why}")

    def conclude(self) -> int:
        """Print how the run compares, and return the exit code; ResultsError where it cannot be compared."""
        comparison, _, remark = self._compare()
        if remark:
            self.console.warn(remark)
        self.console.say()
        return show(comparison, self.request.gate, self.console, data=False)

    def _compare(self) -> tuple[Comparison, Side, str]:
        """Compare what is on the disk; return the run's side, too, and what to doubt of the noise."""
        from shflbench.analysis.compare import Side, compare
        from shflbench.cli.compare.sides import learned_noise
        from shflbench.store import read_run

        new = Side.of([read_run(self.folder)])
        noise, remark = learned_noise(self.base, new, self.request.gate)
        return compare(self.base, new, self.request.gate.settings(noise=noise)), new, remark


def _inconclusive(number: int, one: str, many: str) -> str:
    return f"1 case {one} inconclusive" if number == 1 else f"{number} cases {many} inconclusive"


def is_undecided(verdict: Verdict) -> bool:
    """Whether a case has no verdict yet although it was timed on both sides."""
    from shflbench.analysis.compare import Outcome

    return verdict.outcome in {Outcome.SUSPECTED, Outcome.INCONCLUSIVE}


def processes(side: Side, case_id: str) -> int:
    """Return in how many processes a side measured a case."""
    counts = side.kernels[case_id].counts if case_id in side.kernels else {}
    return len(counts[max(counts)]) if counts else 0


def further_processes(verdict: Verdict, new: int) -> int | None:
    """Return how many more processes of the new side should decide a case; None if no sensible number would.

    `new` is in how many it was measured. The base cannot be measured further, and so it may take more. Of cases with
    three processes a side that were said to need four to six, twelve further ones decided three in five, of those that
    need 7 to 11 one in four, of those that need more than 15 one in twenty (54 cases on an H200, 500 draws).
    """
    from shflbench.analysis.compare import Outcome, Reason

    if verdict.outcome is Outcome.SUSPECTED:
        return 1 if verdict.reason is Reason.FEW_PROCESSES else None
    if verdict.reason is not Reason.INTERVAL_TOO_WIDE or verdict.needs_processes is None:
        return None
    return max(1, verdict.needs_processes - new)
