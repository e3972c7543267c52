"""Check a candidate at one input after another, and compare its results with what is expected."""

from __future__ import annotations

import time
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from shflbench.user_kernels.judge.check_reasons import check_reason
from shflbench.user_kernels.judge.equal import changed_input, difference, writes_nothing
from shflbench.user_kernels.judge.launches import one_launch
from shflbench.user_kernels.judge.verdict import Question

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from numpy.typing import NDArray

    from shflbench.checker import CheckResult, OpenedKernel
    from shflbench.user_kernels.judge.expectation import Arrays, ExpectedResults
    from shflbench.user_kernels.judge.request import JudgeLaunch, JudgeRules
    from shflbench.user_kernels.judge.verdict import VerdictReason


@dataclass(slots=True)
class ComparedInputs:
    """What the inputs so far have shown.

    Results that the reference only overwrites hold bytes that mean nothing. A candidate that fails with them but not
    with those that were given, such as zeros to which it adds, gets the given ones from then on.
    """

    opened: OpenedKernel
    rules: JudgeRules
    reasons: list[VerdictReason] = field(default_factory=list)
    count: int = 0  # of the inputs at which nothing unsafe was found
    needs_given: bool = False  # results have to be as they were given
    compare_s: float = 0.0
    _wrote_nothing: bool = False  # at the last input: such a kernel adds to nothing either

    @property
    def is_unsafe(self) -> bool:
        """Whether a fault is certain, after which results mean nothing."""
        return any(reason.question is Question.CHECKED and reason.is_certain for reason in self.reasons)

    def add(self, launch: JudgeLaunch, expected: ExpectedResults) -> None:
        """Add what an input shows that none before it has shown; UsageError if its arguments do not fit the kernel."""
        shown = self._shown(launch, expected.as_given if self.needs_given else expected)
        if shown and not self.reasons and not self.needs_given and not self._wrote_nothing:
            given = self._shown(launch, expected.as_given)
            if given.keys() < shown.keys():
                self.needs_given, shown = True, given
        self.count += not any(reason.question is Question.CHECKED for reason in shown.values())
        known = {reason.code for reason in self.reasons}
        self.reasons += [reason for code, reason in shown.items() if code not in known]

    def _shown(self, launch: JudgeLaunch, expected: ExpectedResults) -> dict[str, VerdictReason]:
        """Return the reasons at one input by their codes."""
        result = self.opened.check(one_launch(launch, expected.input), self.rules.seed)
        began = time.monotonic()
        outputs = by_place(result.outputs)
        self._wrote_nothing = writes_nothing(outputs, expected)
        reasons = (
            check_reason(result, expected.input.name),
            self._difference(result, expected),
            changed_input(outputs, expected, self.rules),
        )
        shown = {reason.code.value: reason for reason in reasons if reason}
        self.compare_s += time.monotonic() - began
        return shown

    def _difference(self, result: CheckResult, expected: ExpectedResults) -> VerdictReason | None:
        """Return the first difference under any of the schedules, which may end in other results."""
        for number, outputs in enumerate(_outcomes(result)):
            if different := difference(by_place(outputs), expected, self.rules):
                order = ", where blocks and warps run in another order" if number else ""
                return replace(different, sentence=different.sentence + order)
        return None


def _outcomes(result: CheckResult) -> Iterator[Mapping[str | int, NDArray[Any]]]:
    if result.outputs:
        yield result.outputs
        yield from result.other_outputs


def by_place(outputs: Mapping[str | int, NDArray[Any]]) -> Arrays:
    """Return the arrays after a launch, whose arguments were given by position."""
    return {int(place): array for place, array in outputs.items()}
