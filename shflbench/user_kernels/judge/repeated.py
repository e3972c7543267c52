"""Launches in turn, without a GPU: a kernel that keeps results, or finds them in its outputs, leaves its work out.

Each launch has other inputs than the one before, and finds what that one left: in `__device__` variables, and in the
results that it only overwrites. Results for inputs that are not checked are compared here alone.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import cycle, islice
from typing import TYPE_CHECKING

from shflbench.checker import LaunchesInTurn
from shflbench.core.bounds import MILLION
from shflbench.emulator import FaultKind, KernelFault
from shflbench.errors import BudgetError, EmulatorError, UsageError
from shflbench.user_kernels.judge.equal import difference
from shflbench.user_kernels.judge.launches import one_launch
from shflbench.user_kernels.judge.verdict import Question, ReasonCode, VerdictReason

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shflbench.checker import OpenedKernel
    from shflbench.user_kernels.judge.expectation import Arrays, ExpectedResults
    from shflbench.user_kernels.judge.judge_input import JudgeInput
    from shflbench.user_kernels.judge.request import JudgeLaunch, JudgeRules

USUAL = 5  # launches
OF_LARGE = 0.1  # share of the budget that a launch at large sizes may take
OF_KEEPERS = 40  # of a kernel with `__device__` variables, which may count launches; more are for the GPU


def kept_results(
    opened: OpenedKernel,
    pairs: Sequence[tuple[JudgeLaunch, ExpectedResults]],
    overwritten: tuple[int, ...],
    rules: JudgeRules,
) -> VerdictReason | None:
    """Return that results or faults depend on earlier launches, or that this is not known; None if they do not.

    All inputs have one size, and so the launches one shape.
    """
    same = [pair for pair in pairs if pair[1].input.sizes == pairs[-1][1].input.sizes]
    before: Arrays = {}
    number, name = 0, ""
    try:
        launches = LaunchesInTurn.of(opened)
        count = max(len(same) + 1, OF_KEEPERS if launches.keeps_memory else USUAL)
        for launch, expected in islice(cycle(same), count):
            number += 1
            item, name = _with_left(expected.input, before, overwritten), expected.input.name
            before = launches.run(one_launch(launch, item))
            if different := difference(before, replace(expected, input=item), rules):
                text = f"its result depends on an earlier launch: {different.sentence}"
                return VerdictReason(Question.HONEST, ReasonCode.KEEPS_RESULTS, text, input=different.input)
    except KernelFault as error:
        text = f"at launch {number}, {error.message}"
        if error.kind is FaultKind.ENDLESS:  # or long
            return VerdictReason(Question.HONEST, ReasonCode.OVER_LIMIT, text, is_certain=False, input=name)
        return VerdictReason(Question.HONEST, ReasonCode.FAULT, text, input=name)
    except (EmulatorError, UsageError) as error:
        text = f"launch {number} of several in turn cannot be emulated: {error.message}"
        return VerdictReason(Question.HONEST, ReasonCode.NOT_CHECKED, text, is_certain=False, input=name)
    return None


def run_large(opened: OpenedKernel, launch: JudgeLaunch, item: JudgeInput, rules: JudgeRules) -> Arrays:
    """Return the arrays after one launch that is not checked; errors as those of `LaunchesInTurn.run`."""
    most = MILLION * rules.budget * OF_LARGE
    return LaunchesInTurn.of(opened, most).run(one_launch(launch, item))


def large_difference(
    opened: OpenedKernel, pairs: Sequence[tuple[JudgeLaunch, ExpectedResults]], rules: JudgeRules
) -> VerdictReason | None:
    """Return what is wrong at sizes that are not checked; None if nothing is, or if they cannot be emulated."""
    sizes = [expected.input.sizes for _, expected in pairs if expected.input.is_checked]
    for launch, expected in pairs:
        if expected.input.sizes in sizes:
            continue
        try:
            results = run_large(opened, launch, expected.input, rules)
        except KernelFault as error:
            if error.kind is not FaultKind.ENDLESS:  # or long
                name = expected.input.name
                return VerdictReason(Question.CHECKED, ReasonCode.FAULT, f"with {name}, {error.message}", input=name)
        except (EmulatorError, BudgetError, UsageError):
            continue
        else:
            if different := difference(results, expected, rules):
                return different
    return None


def _with_left(item: JudgeInput, before: Arrays, overwritten: tuple[int, ...]) -> JudgeInput:
    """Return the input with the results of the launch before."""
    arguments = [
        before.get(place, value) if place in overwritten else value for place, value in enumerate(item.arguments)
    ]
    return replace(item, arguments=tuple(arguments))
