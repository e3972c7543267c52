"""The question that needs a GPU: candidates that are right run on it, are compared again, and timed as by `bench`."""

from __future__ import annotations

import time
from concurrent.futures.process import BrokenProcessPool
from dataclasses import replace
from typing import TYPE_CHECKING

from shflbench.core.model import Status
from shflbench.core.processes import run_within
from shflbench.errors import DeviceError, ShflbenchError, UsageError
from shflbench.measure.process import GPU_OPENER
from shflbench.measure.verify import UNWRITTEN
from shflbench.measure.verify_again import STALE
from shflbench.session.write_bound import TOO_FAST
from shflbench.user_kernels.bench import api as bench_api
from shflbench.user_kernels.bench.request import (
    BenchRequest,
    BenchSettings,
    CheckArguments,
    DeviceArguments,
    Equality,
    LaunchArguments,
)
from shflbench.user_kernels.judge.expectation import Expectations, ExpectedResults
from shflbench.user_kernels.judge.function_reference import function_expectations
from shflbench.user_kernels.judge.gpu import GpuJob, run_on_gpu
from shflbench.user_kernels.judge.inputs import timed_input
from shflbench.user_kernels.judge.request import REFERENCE
from shflbench.user_kernels.judge.source import source_of
from shflbench.user_kernels.judge.verdict import Decision, Question, ReasonCode, Verdict, VerdictReason

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shflbench.store import Row
    from shflbench.user_kernels.bench.result import BenchResult
    from shflbench.user_kernels.judge.judge_input import JudgeInput
    from shflbench.user_kernels.judge.request import JudgeRequest

CHEATS = {UNWRITTEN: ReasonCode.UNWRITTEN, STALE: ReasonCode.KEEPS_RESULTS, TOO_FAST: ReasonCode.TOO_FAST}


def time_candidates(
    request: JudgeRequest, expected: Expectations, verdicts: Sequence[Verdict]
) -> tuple[list[Verdict], list[str]]:
    """Return the verdicts with times and what a GPU shows, and notes; DeviceError if one is asked for and missing."""
    if reason := _no_gpu(request):
        return list(verdicts), [f"Nothing was timed: {reason}."]
    if all(verdict.decision is not Decision.ACCEPTED for verdict in verdicts):
        return list(verdicts), []
    timer = _Timer(request, expected)
    return [timer.verdict(item) if item.decision is Decision.ACCEPTED else item for item in verdicts], []


def _no_gpu(request: JudgeRequest) -> str:
    """Return why nothing is timed; empty if a GPU is used."""
    timing = request.timing
    return bench_api.no_gpu(DeviceArguments(device=timing.device, gpu=timing.gpu, arch=timing.arch))


class _Timer:
    """The GPU, with what a launch at the greatest sizes must leave."""

    def __init__(self, request: JudgeRequest, expected: Expectations) -> None:
        self._request = request
        self._small = expected
        self._timed = self._expected_of(timed_input(request))

    def _expected_of(self, item: JudgeInput) -> ExpectedResults:
        request, results = self._request, self._small.results
        if request.function:
            expected = function_expectations(request.function, [item], results, request.rules)
        else:
            answer = run_within(run_on_gpu, self._job(REFERENCE, inputs=(item,)), request.rules.time_limit)
            if not isinstance(answer, Expectations):
                raise UsageError(f"the reference does not run on the GPU: {answer}", "Correct the reference.")
            expected = answer
        return expected.expected[0]

    def _job(self, name: str, inputs: Sequence[JudgeInput] = (), expected: Sequence[ExpectedResults] = ()) -> GpuJob:
        request = self._request
        every = [*inputs, *(item.input for item in expected)]
        return GpuJob(
            opener=GPU_OPENER,
            device=str(request.timing.gpu),
            source=source_of(name, request),
            launches=[request.launches.of(name, item.sizes) for item in every],
            expectations=expected,
            inputs=inputs,
            results=self._small.results,
            overwritten=self._small.overwritten,
            rules=request.rules,
        )

    def verdict(self, verdict: Verdict) -> Verdict:
        """Return the verdict with what the GPU shows."""
        began = time.monotonic()
        expected = (*self._small.expected, self._timed)
        reasons = [*verdict.reasons, *filter(None, [self._compared(verdict.candidate, expected)])]
        timed = replace(verdict, reasons=tuple(reasons), inputs=verdict.inputs + 1)
        if not reasons:
            timed = self._measured(timed)
        return replace(timed, seconds={**verdict.seconds, Question.FASTER: time.monotonic() - began})

    def _compared(self, name: str, expected: Sequence[ExpectedResults]) -> VerdictReason | None:
        try:
            answer = run_within(run_on_gpu, self._job(name, expected=expected), self._request.rules.time_limit)
        except TimeoutError as error:
            return VerdictReason(Question.CHECKED, ReasonCode.OVER_LIMIT, f"on the GPU, {error}")
        except BrokenProcessPool:
            return VerdictReason(Question.CHECKED, ReasonCode.FAULT, "on the GPU, its process crashed")
        return answer if isinstance(answer, VerdictReason) else None

    def _measured(self, verdict: Verdict) -> Verdict:
        """Time a candidate beside the reference, if that is a kernel."""
        name = verdict.candidate
        try:
            result = bench_api.bench(self._bench_request(name))
        except DeviceError:
            raise
        except ShflbenchError as error:
            return _with(verdict, ReasonCode.NOT_TIMED, error.message)
        row = next((row for row in result.rows if row.variant == name), None)
        if row is None or row.status is not Status.TIMED or row.time_us is None:
            return _failed(verdict, row, result.left_out.get(name, "it was not timed"))
        timed = replace(verdict, time_us=row.time_us)
        return timed if self._request.function else _compared_speed(timed, result)

    def _bench_request(self, name: str) -> BenchRequest:
        request, item = self._request, self._timed.input
        names = [*([] if request.function else [REFERENCE]), name]
        launches = {kernel: request.launches.of(kernel, item.sizes) for kernel in names}
        timing = request.timing
        return BenchRequest(
            kernels={
                kernel: request.reference if kernel == REFERENCE else request.candidates[kernel] for kernel in names
            },
            arguments=item.arguments,
            launch=LaunchArguments(
                grid={kernel: launch.grid for kernel, launch in launches.items()},
                block={kernel: launch.block for kernel, launch in launches.items()},
                shared_bytes={kernel: launch.shared_bytes for kernel, launch in launches.items()},
                cluster={kernel: launch.cluster for kernel, launch in launches.items() if launch.cluster is not None},
            ),
            check=CheckArguments(check=False, budget=request.rules.budget, time_limit=request.rules.time_limit),
            settings=BenchSettings(timing.rules, _equality(request), l2=timing.l2),
            device=DeviceArguments(device="cuda", gpu=timing.gpu, arch=None),
            compile=request.compile,
            output=None,
            seed=request.rules.seed,
        )


def _equality(request: JudgeRequest) -> Equality:
    return Equality(tolerance=request.rules.tolerance, unordered=request.rules.unordered)


def _failed(verdict: Verdict, row: Row | None, sentence: str) -> Verdict:
    """Return the verdict on a kernel without a time."""
    reason = (row.reason if row else None) or sentence
    for words, code in CHEATS.items():
        if words in reason:
            return replace(
                verdict, reasons=(*verdict.reasons, VerdictReason(Question.HONEST, code, f"on the GPU, {reason}"))
            )
    if row and row.status is Status.INCORRECT:
        wrong = VerdictReason(Question.EQUAL, ReasonCode.WRONG_RESULT, f"on the GPU, {reason}")
        return replace(verdict, reasons=(*verdict.reasons, wrong))
    return _with(verdict, ReasonCode.NOT_TIMED, reason)


def _with(verdict: Verdict, code: ReasonCode, sentence: str, *, is_certain: bool = False) -> Verdict:
    return replace(verdict, reasons=(*verdict.reasons, VerdictReason(Question.FASTER, code, sentence, is_certain)))


def _compared_speed(verdict: Verdict, result: BenchResult) -> Verdict:
    """Return the verdict with the speed relative to the reference: slower is rejected, equal is undecided."""
    known = result.ratios.get(verdict.candidate)
    if known is None or known.speedup is None:
        return _with(verdict, ReasonCode.NOT_TIMED, "its speed relative to the reference is unknown")
    speed = known.speedup
    timed = replace(verdict, speedup=(speed.value, speed.low, speed.high))
    text = f"{speed.value:.3g}× the speed of the reference ({speed.low:.3g} to {speed.high:.3g})"
    if speed.high < 1:
        return _with(timed, ReasonCode.SLOWER, text, is_certain=True)
    return timed if speed.low > 1 else _with(timed, ReasonCode.EQUALLY_FAST, text)
