"""The questions that need no GPU, for one candidate, in a process of its own."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from shflbench.errors import (
    BudgetError,
    CompileError,
    CompilerError,
    EmulatorError,
    InputError,
    KernelError,
    ShflbenchError,
    TimeLimitError,
    UsageError,
)
from shflbench.user_kernels.judge.check_reasons import check_reason
from shflbench.user_kernels.judge.compared import ComparedInputs, by_place
from shflbench.user_kernels.judge.confinement import confined
from shflbench.user_kernels.judge.equal import difference
from shflbench.user_kernels.judge.expectation import Expectations, ExpectedResults, expectations
from shflbench.user_kernels.judge.honesty import signs
from shflbench.user_kernels.judge.includes import refused_include
from shflbench.user_kernels.judge.launches import one_launch
from shflbench.user_kernels.judge.repeated import kept_results, large_difference, run_large
from shflbench.user_kernels.judge.verdict import Question, ReasonCode, VerdictReason

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shflbench.checker import OpenedKernel
    from shflbench.user_kernels.judge.expectation import Arrays
    from shflbench.user_kernels.judge.judge_input import JudgeInput
    from shflbench.user_kernels.judge.request import JudgeLaunch, JudgeRules
    from shflbench.user_kernels.judge.source import KernelSource


@dataclass(frozen=True, slots=True, kw_only=True)
class CandidateJob:
    """A candidate with its launches, one per expectation."""

    name: str
    source: KernelSource
    folder: str  # an empty one, in which it works
    launches: Sequence[JudgeLaunch]
    expectations: Sequence[ExpectedResults]
    rules: JudgeRules
    overwritten: tuple[int, ...] = ()  # positions of results that a launch only overwrites
    is_cold: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ReferenceJob:
    """A kernel that is the reference, with its launches, one per input."""

    source: KernelSource
    folder: str  # an empty one, in which it works
    launches: Sequence[JudgeLaunch]
    inputs: Sequence[JudgeInput]
    outputs: tuple[int, ...]
    rules: JudgeRules


@dataclass(frozen=True, slots=True)
class CandidateAnswers:
    """The answers about one candidate."""

    reasons: tuple[VerdictReason, ...]
    seconds: dict[Question, float]
    inputs: int


def answer(job: CandidateJob | ReferenceJob) -> CandidateAnswers | Expectations:
    """Ask all questions about a candidate, or run the reference; UsageError if the reference cannot be used."""
    with confined(job.folder):
        return _reference(job) if isinstance(job, ReferenceJob) else _Asked(job).answers()


def _reference(job: ReferenceJob) -> Expectations:
    launches = {item.name: launch for item, launch in zip(job.inputs, job.launches, strict=True)}
    try:
        opened = job.source.open(job.rules, len(job.inputs))
    except CompileError as error:
        raise UsageError(f"the reference does not compile: {error.message}", "Correct it.") from error

    def run(item: JudgeInput) -> Arrays | str:
        if not item.is_checked:
            return _once(opened, launches[item.name], item, job.rules)
        result = opened.check(one_launch(launches[item.name], item))
        if reason := check_reason(result):
            return reason.sentence
        first = ExpectedResults(item, by_place(result.outputs))
        if any(difference(by_place(other), first, job.rules) for other in result.other_outputs):
            raise UsageError(
                "the results of the reference depend on the order of blocks and warps",
                "Declare those whose elements may have any order: any_order=(1,) for argument 1, or --any-order NAME.",
            )
        return first.results

    return expectations(run, job.inputs, job.outputs, job.rules.contents)


def _once(opened: OpenedKernel, launch: JudgeLaunch, item: JudgeInput, rules: JudgeRules) -> Arrays | str:
    """Return the arrays after a launch of the reference that is not checked, or why it fails."""
    try:
        return run_large(opened, launch, item, rules)
    except (EmulatorError, BudgetError, UsageError) as error:
        return error.message


class _Asked:
    """The questions, and what they took."""

    def __init__(self, job: CandidateJob) -> None:
        self._job = job
        self._reasons: list[VerdictReason] = []
        self._seconds: dict[Question, float] = {}
        self._inputs = 0

    def answers(self) -> CandidateAnswers:
        """Ask one question after another; after a candidate that does not compile there is none."""
        opened = self._compiled()
        if opened is not None:
            compared = self._compared(opened)
            self._inputs = compared.count
            if not (self._reasons and self._job.rules.stop_early):
                began = time.monotonic()
                self._reasons += signs(opened.ptx, is_cold=self._job.is_cold)
                self._repeated(opened, compared)
                self._seconds[Question.HONEST] = time.monotonic() - began
        order = list(Question)
        self._reasons.sort(key=lambda reason: order.index(reason.question))
        reasons = self._reasons[:1] if self._job.rules.stop_early else self._reasons
        return CandidateAnswers(tuple(reasons), self._seconds, self._inputs)

    def _compiled(self) -> OpenedKernel | None:
        began, source = time.monotonic(), self._job.source
        try:
            refused = refused_include(source.text, source.shown, source.folder, source.options.include)
            if refused:
                self._add(
                    Question.COMPILES, ReasonCode.INCLUDE_OUTSIDE, refused.sentence, f"{refused.file}:{refused.line}"
                )
                return None
            count = sum(expected.input.is_checked for expected in self._job.expectations)
            opened = source.open(self._job.rules, count)
            taken, given = len(opened.parameters), len(self._job.expectations[0].input.arguments)
            if taken != given:
                text = f"{opened.name} takes {taken} arguments, and the reference {given}"
                self._add(Question.COMPILES, ReasonCode.OTHER_PARAMETERS, text)
                return None
        except TimeLimitError as error:
            self._add(Question.COMPILES, ReasonCode.OVER_LIMIT, error.message, is_certain=False)
        except CompilerError:
            raise
        except (KernelError, UsageError, InputError) as error:
            self._add(Question.COMPILES, ReasonCode.NOT_COMPILED, error.message)
        except (ShflbenchError, MemoryError) as error:
            self._add(Question.COMPILES, ReasonCode.NOT_CHECKED, str(error), is_certain=False)
        else:
            return opened
        finally:
            self._seconds[Question.COMPILES] = time.monotonic() - began
        return None

    def _compared(self, opened: OpenedKernel) -> ComparedInputs:
        """Check the kernel at each input, and compare its results."""
        began, compared = time.monotonic(), ComparedInputs(opened, self._job.rules)
        for launch, expected in self._pairs():
            if not expected.input.is_checked:
                continue
            if time.monotonic() - began > self._job.rules.time_limit:
                text = f"it takes more than {self._job.rules.time_limit:g} s to check"
                self._add(Question.CHECKED, ReasonCode.OVER_LIMIT, text, is_certain=False)
                break
            try:
                compared.add(launch, expected)
            except UsageError as error:
                text = f"it does not take these arguments: {error.message}"
                self._add(Question.COMPILES, ReasonCode.OTHER_PARAMETERS, text)
                break
            if compared.is_unsafe or (compared.reasons and self._job.rules.stop_early):
                break
        self._reasons += compared.reasons
        self._seconds[Question.CHECKED] = time.monotonic() - began - compared.compare_s
        self._seconds[Question.EQUAL] = compared.compare_s
        return compared

    def _repeated(self, opened: OpenedKernel, compared: ComparedInputs) -> None:
        """Launch the kernel in turn with several inputs, unless it is wrong already."""
        if self._reasons:
            return
        pairs, overwritten = self._pairs(), self._job.overwritten
        if compared.needs_given:
            pairs, overwritten = [(launch, expected.as_given) for launch, expected in pairs], ()
        if wrong := large_difference(opened, pairs, self._job.rules):
            self._reasons.append(wrong)
            return
        if reason := kept_results(opened, pairs, overwritten, self._job.rules):
            for launch, expected in pairs:
                if expected.input.name == reason.input and not expected.input.is_checked:
                    compared.add(launch, expected)  # it may be wrong without launches before
            self._reasons += compared.reasons or [reason]
            return
        self._inputs += sum(not expected.input.is_checked for _, expected in pairs)
        if compared.needs_given:
            places = ", ".join(map(str, self._job.overwritten))
            text = f"it is right only if results hold what `inputs` gives them, which prefilled=({places},) says"
            self._add(Question.EQUAL, ReasonCode.NEEDS_PREFILLED, text, is_certain=False)

    def _pairs(self) -> list[tuple[JudgeLaunch, ExpectedResults]]:
        return list(zip(self._job.launches, self._job.expectations, strict=True))

    def _add(
        self, question: Question, code: ReasonCode, sentence: str, place: str = "", *, is_certain: bool = True
    ) -> None:
        self._reasons.append(VerdictReason(question, code, sentence, is_certain, place))
