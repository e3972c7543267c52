"""Compare two runs of a suite, case by case."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from shflbench.analysis.judge import judge as judge_by_intervals
from shflbench.analysis.verdict import Outcome, Reason, Verdict
from shflbench.errors import ResultsError, UsageError
from shflbench.model import Status

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from shflbench.store import Row, Run

    Judge = Callable[[Row, Row, float], Verdict]

THRESHOLD = (
    0.05  # of the time: what two processes of the same code stay well within (DESIGN, section 6: 2-5 % if short)
)

FINDINGS = frozenset({Outcome.SLOWER, Outcome.MISSING, Outcome.FAILED})
UNDECIDED = frozenset({Outcome.INCONCLUSIVE, Outcome.NOT_COMPARABLE})

FOUND = 1
UNCERTAIN = 6


@dataclass(frozen=True, slots=True)
class Comparison:
    """The verdict for every case of either run, in the order of the base run, then of the new one."""

    base: Run
    new: Run
    threshold: float
    verdicts: tuple[Verdict, ...]
    notes: tuple[str, ...]  # what else differs between the runs, a sentence each

    def count(self, outcome: Outcome) -> int:
        """Return how many cases came out so."""
        return sum(verdict.outcome is outcome for verdict in self.verdicts)

    def exit_code(self, *, strict: bool = False) -> int:
        """Return 1 for a finding, 6 where `strict` asks for certainty and a case is undecided, else 0."""
        outcomes = {verdict.outcome for verdict in self.verdicts}
        if outcomes & FINDINGS:
            return FOUND
        return UNCERTAIN if strict and outcomes & UNDECIDED else 0


def compare(base: Run, new: Run, threshold: float = THRESHOLD, judge: Judge = judge_by_intervals) -> Comparison:
    """Match the cases of two runs by id and say of each what became of it.

    `threshold` is the smallest change that matters, as a fraction of the time. UsageError unless it
    is above 0. ResultsError where the runs cannot be compared: another suite, GPU model or
    architecture, a backend that has no time, or no case in common.
    """
    if not (threshold > 0 and math.isfinite(threshold)):
        raise UsageError(f"the threshold {threshold:g} is not above 0", "give a fraction such as 0.05")
    for obstacle in _obstacles(base, new):
        raise ResultsError(
            f"{base.folder} and {new.folder} cannot be compared: {obstacle}",
            "compare two runs of the same suite on the same model of GPU",
        )
    before = {row.case_id: row for row in base.rows}
    after = {row.case_id: row for row in new.rows}
    verdicts = [
        _verdict(row, after[case], threshold, judge) if case in after else _missing(row, new)
        for case, row in before.items()
    ]
    verdicts += [_added(row) for case, row in after.items() if case not in before]
    notes = (*base.notes, *new.notes, *_changes(base, new))
    return Comparison(base, new, threshold, tuple(verdicts), notes)


def _obstacles(base: Run, new: Run) -> Iterator[str]:
    """Yield a clause for each thing that makes the times of two runs say nothing about each other."""
    if base.info.suite.name != new.info.suite.name:
        yield f"the suites differ ({base.info.suite.name}, {new.info.suite.name})"
    for run in (base, new):
        if run.info.backend != "cuda":
            yield f"{run.folder} has no times: its backend is {run.info.backend}"
    models = [run.info.device.name if run.info.device else "unknown" for run in (base, new)]
    if models[0] != models[1]:
        yield f"the GPUs differ ({models[0]}, {models[1]})"
    if base.info.arch != new.info.arch:
        yield f"the architectures differ ({base.info.arch}, {new.info.arch})"
    if not {row.case_id for row in base.rows} & {row.case_id for row in new.rows}:
        yield "they have no case in common"


def _changes(base: Run, new: Run) -> Iterator[str]:
    """Yield a sentence for each difference that may explain a change of times."""
    if base.info.suite.sha256 != new.info.suite.sha256:
        yield f"the text of suite {base.info.suite.name} differs between the runs"
    if base.info.device and new.info.device and base.info.device.uuid != new.info.device.uuid:
        yield f"the runs were made on two different GPUs of the model {base.info.device.name}"
    for name, what in (("shflbench", "shflbench"), ("nvrtc", "NVRTC"), ("driver", "the driver")):
        versions = [getattr(run.info.versions, name) or "unknown" for run in (base, new)]
        if versions[0] != versions[1]:
            yield f"{what} was {versions[0]}, now {versions[1]}"


def _verdict(base: Row, new: Row, threshold: float, judge: Judge) -> Verdict:
    match base.status is Status.TIMED, new.status is Status.TIMED:
        case True, True:
            return judge(base, new, threshold)
        case True, False:
            return _lost(new)
        case False, True:
            sentence = f"timed now; {_state(base)} in the base run"
            return Verdict(new.case_id, Outcome.NOT_COMPARABLE, Reason.BASE_NOT_TIMED, sentence)
        case _:
            sentence = f"{_state(base)} in the base run, {_state(new)} in the new one"
            return Verdict(new.case_id, Outcome.NOT_COMPARABLE, Reason.NEITHER_TIMED, sentence)


def _lost(new: Row) -> Verdict:
    """Judge a case that the base run timed, or did not have, and the new one could not time."""
    outcome, reason = {
        Status.INCORRECT: (Outcome.FAILED, Reason.INCORRECT_RESULT),
        Status.FAILED: (Outcome.FAILED, Reason.CASE_FAILED),
    }.get(new.status, (Outcome.MISSING, Reason.NOT_TIMED_ANY_MORE))
    return Verdict(new.case_id, outcome, reason, f"{_state(new)} in the new run")


def _missing(base: Row, new: Run) -> Verdict:
    if new.info.finished is None:
        sentence = "not in the new run, which stopped before its end"
        return Verdict(base.case_id, Outcome.MISSING, Reason.RUN_UNFINISHED, sentence)
    return Verdict(base.case_id, Outcome.MISSING, Reason.NOT_IN_NEW, "not in the new run")


def _added(new: Row) -> Verdict:
    if new.status in {Status.INCORRECT, Status.FAILED}:
        return _lost(new)
    return Verdict(new.case_id, Outcome.NEW, Reason.NOT_IN_BASE, "not in the base run")


def _state(row: Row) -> str:
    return f"{row.status} ({row.reason})" if row.reason else str(row.status)
