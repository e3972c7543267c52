"""Judge candidates: read, check and compare each in a process of its own, then time those that are right."""

from __future__ import annotations

from concurrent.futures.process import BrokenProcessPool
from dataclasses import replace
from multiprocessing import current_process
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from shflbench.core.processes import run_in_processes
from shflbench.errors import UsageError
from shflbench.user_kernels.judge.expectation import Expectations
from shflbench.user_kernels.judge.failures import ShownFailure, keep_failure, require_folder
from shflbench.user_kernels.judge.function_reference import function_expectations
from shflbench.user_kernels.judge.inputs import small_inputs
from shflbench.user_kernels.judge.job import CandidateAnswers, CandidateJob, ReferenceJob, answer
from shflbench.user_kernels.judge.request import REFERENCE
from shflbench.user_kernels.judge.result import JudgeResult
from shflbench.user_kernels.judge.source import source_of
from shflbench.user_kernels.judge.timed import time_candidates
from shflbench.user_kernels.judge.verdict import Question, ReasonCode, Verdict, VerdictReason

if TYPE_CHECKING:
    from collections.abc import Iterator

    from shflbench.user_kernels.judge.judge_input import JudgeInput
    from shflbench.user_kernels.judge.request import JudgeRequest


def judge(request: JudgeRequest) -> JudgeResult:
    """Return one verdict per candidate; `shflbench.judge` says more."""
    if current_process().daemon:
        raise UsageError(
            "judge needs processes, which a daemonic one cannot start",
            "Call it from a worker of concurrent.futures.ProcessPoolExecutor, or from a thread.",
        )
    if request.failures:
        require_folder(request.failures)
    inputs = list(small_inputs(request))
    with TemporaryDirectory(prefix="shflbench-") as empty:
        expected = _expected(request, inputs, empty)
        verdicts = list(_answered(request, expected, empty))
    verdicts, notes = time_candidates(request, expected, verdicts)
    if request.failures:
        verdicts = [_kept(verdict, request, expected) for verdict in verdicts]
    names = tuple(item.input.name for item in expected.expected)
    return JudgeResult(tuple(verdicts), names, expected.skipped, (*_not_compared(request, expected), *notes))


def _not_compared(request: JudgeRequest, expected: Expectations) -> Iterator[str]:
    """Yield what the inputs leave open."""
    for name, reason in list(expected.skipped.items())[:1]:
        more = f" and {len(expected.skipped) - 1} more" if len(expected.skipped) > 1 else ""
        yield f"Nothing was compared for {name}{more}: the reference does not run: {reason}"
    parts = []
    for name, allowed in request.sizes.items():
        compared = max(item.input.sizes[name] for item in expected.expected)
        parts += [f"{name} up to {compared} of {max(allowed)}"] if compared < max(allowed) else []
    if parts:
        yield f"In the emulator, results were compared for {', '.join(parts)}."
    if not request.rules.vary and not callable(request.inputs):
        yield "Results that are kept between launches do not show where all launches have one input."


def _kept(verdict: Verdict, request: JudgeRequest, expected: Expectations) -> Verdict:
    """Return a verdict with the command that repeats its failure, whose input is kept."""
    places = {item.input.name: place for place, item in enumerate(expected.expected)}
    shown = next((reason for reason in verdict.reasons if reason.input in places), None)
    if shown is None:
        return verdict
    last = expected.expected[places[shown.input]]
    same = [item for item in expected.expected if item.input.sizes == last.input.sizes]
    place = same.index(last)
    cases = [same[place - 1], last] if shown.code is ReasonCode.KEEPS_RESULTS and len(same) > 1 else [last]
    launch = request.launches.of(verdict.candidate, last.input.sizes)
    return replace(verdict, repeat=keep_failure(ShownFailure(verdict.candidate, launch, cases), request))


def _expected(request: JudgeRequest, inputs: list[JudgeInput], empty: str) -> Expectations:
    if request.function:
        return function_expectations(request.function, inputs, request.outputs, request.rules)
    job = ReferenceJob(
        source=source_of(REFERENCE, request),
        folder=empty,
        launches=[request.launches.of(REFERENCE, item.sizes) for item in inputs],
        inputs=inputs,
        outputs=request.outputs,
        rules=request.rules,
    )
    _, future = next(run_in_processes(answer, [job]))
    try:
        answers = future.result()
    except BrokenProcessPool as error:
        raise UsageError(
            "the process of the reference crashed", "Correct the reference, or use another one."
        ) from error
    assert isinstance(answers, Expectations)  # noqa: S101  (for the type checker)
    return answers


def _answered(request: JudgeRequest, expected: Expectations, empty: str) -> Iterator[Verdict]:
    """Yield the verdicts on the questions that need no GPU, in the order of the candidates."""
    jobs = [
        CandidateJob(
            name=name,
            source=source_of(name, request),
            folder=empty,
            launches=[request.launches.of(name, item.input.sizes) for item in expected.expected],
            expectations=expected.expected,
            rules=request.rules,
            overwritten=expected.overwritten,
            is_cold=request.timing.l2 == "cold",
        )
        for name in request.candidates
    ]
    done: dict[int, CandidateAnswers] = {}
    for index, future in run_in_processes(answer, jobs):
        try:
            answers = future.result()
        except (BrokenProcessPool, MemoryError):
            text = "its process crashed, or needed more memory than a candidate may have"
            answers = CandidateAnswers(
                (VerdictReason(Question.CHECKED, ReasonCode.OVER_LIMIT, text, is_certain=False),), {}, 0
            )
        assert isinstance(answers, CandidateAnswers)  # noqa: S101  (for the type checker)
        done[index] = answers
    for index, job in enumerate(jobs):
        yield Verdict(job.name, done[index].reasons, done[index].seconds, done[index].inputs)
