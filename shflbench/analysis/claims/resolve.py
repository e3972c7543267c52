"""The settings of a claim: the groups of runs that have its cases (pure functions)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from shflbench.analysis.claims.cases import Absent, RunCases
from shflbench.analysis.claims.quantities import MEASURED
from shflbench.core.claims.functions import FUNCTIONS
from shflbench.core.claims.walk import calls

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from shflbench.analysis.claims.cases import CaseGroup
    from shflbench.analysis.claims.code import RunCode
    from shflbench.analysis.claims.quantities import ClaimRun
    from shflbench.analysis.claims.times import RunTimes
    from shflbench.core.claims.claim import Claim
    from shflbench.core.claims.expression import Call
    from shflbench.store import Row


class Subject:
    """A run that claims are tested with, and what is only read or calculated once."""

    def __init__(self, source: ClaimRun, times: RunTimes, code: RunCode) -> None:
        """Take the run, its times and its machine code."""
        self.source, self.times, self.code = source, times, code

    @cached_property
    def cases(self) -> RunCases:
        """Its cases."""
        return RunCases(self.source.run.rows)

    @property
    def is_finished(self) -> bool:
        """Whether all its cases have a row."""
        return self.source.run.is_finished

    @property
    def lacks_samples(self) -> bool:
        """Whether intervals are those of rows; False where no time was needed."""
        return self.times.is_read and not self.times.has_samples


@dataclass(frozen=True, slots=True)
class ClaimSetting:
    """A setting in which a claim is tested, with the cases of each call."""

    subject: Subject
    group: CaseGroup
    rows: Mapping[Call, tuple[Row, ...]]
    absent: tuple[str, ...] = ()  # sentences about cases that the run does not have

    @property
    def case_ids(self) -> tuple[str, ...]:
        """The cases, each once."""
        return tuple(dict.fromkeys(row.case_id for rows in self.rows.values() for row in rows))

    @property
    def measured(self) -> set[tuple[int, str, str]]:
        """The values with an interval: run, case and quantity."""
        return {
            (id(self.subject), row.case_id, MEASURED[call.function])
            for call, rows in self.rows.items()
            if call.function in MEASURED
            for row in rows
        }


def calls_of(claim: Claim) -> list[Call]:
    """Return the calls of a claim and of its measured quantity, each once."""
    expressions = [expression for expression in (claim.holds, claim.measure) if expression is not None]
    return list(dict.fromkeys(call for expression in expressions for call in calls(expression)))


def variants_of(call: Call) -> tuple[str, ...]:
    """Return the variants among the arguments of a call."""
    function = FUNCTIONS.get(call.function)
    return call.arguments[: len(function.variants)] if function else ()


def settings_of(claim: Claim, subjects: Sequence[Subject]) -> list[ClaimSetting]:
    """Return the settings of a claim in all runs.

    A group without a case that the suite does not have is no setting of the claim, unless there is no other one.
    """
    every = [setting for subject in subjects for setting in _of_run(claim, subject)]
    if any(not setting.absent for setting in every):
        every = [setting for setting in every if not setting.absent or not setting.subject.is_finished]
    distinct = {(id(setting.subject), setting.case_ids, bool(setting.absent)): setting for setting in reversed(every)}
    return list(reversed(distinct.values()))


def _of_run(claim: Claim, subject: Subject) -> Iterator[ClaimSetting]:
    requests = calls_of(claim)
    for group in subject.cases.matching(claim.where):
        rows: dict[Call, tuple[Row, ...]] = {}
        absent: list[str] = []
        for call in requests:
            chosen = [subject.cases.select(group, variant, call.settings) for variant in variants_of(call)]
            rows[call] = tuple(item for item in chosen if not isinstance(item, Absent))
            absent += [item.sentence for item in chosen if isinstance(item, Absent)]
        if not absent or any(rows.values()):  # a group that has none of the cases is about something else
            yield ClaimSetting(subject, group, rows, tuple(dict.fromkeys(absent)))


def family_of(settings: Sequence[ClaimSetting]) -> int:
    """Return the number of values with an interval, the shared offset of each run among them."""
    values = {value for setting in settings for value in setting.measured}
    return len(values) + len({run for run, *_ in values})
