"""The comparison on a device, with the emulator in the place of a GPU."""

from collections.abc import Sequence

import pytest

from shflbench.user_kernels.judge.expectation import ExpectedResults
from shflbench.user_kernels.judge.function_reference import function_expectations
from shflbench.user_kernels.judge.gpu import GpuJob, run_on_gpu
from shflbench.user_kernels.judge.inputs import small_inputs
from shflbench.user_kernels.judge.request import JudgeLaunches, JudgeRequest, JudgeRules, JudgeTiming
from shflbench.user_kernels.judge.source import source_of
from shflbench.user_kernels.judge.verdict import VerdictReason
from tests.user_kernels.judge.conftest import ROW_SUM, changed, inputs, row_sums
from tests.user_kernels.judge.test_judge import KEPT


def request_of(source: str) -> JudgeRequest:
    """Return a request with one candidate."""
    return JudgeRequest(
        candidates={"candidate": source},
        reference=row_sums,
        inputs=inputs,
        sizes={"rows": [1], "n": (60, 70)},
        outputs=(1,),
        launches=JudgeLaunches(grid=1, block=64),
        rules=JudgeRules(budget=20, time_limit=60),
        timing=JudgeTiming(),
    )


def job_of(request: JudgeRequest, expected: Sequence[ExpectedResults], overwritten: tuple[int, ...]) -> GpuJob:
    """Return the job of the candidate."""
    return GpuJob(
        opener="shflbench.cuda.backends.emulator:EmulatorBackend",
        device="sm_90",
        source=source_of("candidate", request),
        launches=[request.launches.of("candidate", item.input.sizes) for item in expected],
        expectations=expected,
        overwritten=overwritten,
        rules=request.rules,
    )


@pytest.mark.parametrize(
    ("source", "code"),
    [
        (ROW_SUM, None),
        (changed(("i < n;", "i < n - 1;")), "wrong-result"),
        (changed(("float sum", "flot sum")), "not-compiled"),
        (KEPT, "keeps-results"),
    ],
    ids=["right", "wrong", "syntax", "kept"],
)
def test_the_first_difference_is_the_reason(source: str, code: str | None) -> None:
    request = request_of(source)
    expected = function_expectations(row_sums, list(small_inputs(request)), (1,), request.rules)
    reason = run_on_gpu(job_of(request, expected.expected, expected.overwritten))
    assert (reason.code if isinstance(reason, VerdictReason) else reason) == code
