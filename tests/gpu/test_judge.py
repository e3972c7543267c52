"""`shflbench.judge` on a GPU: candidates that are wrong only there, and their speed."""

import numpy as np
import pytest

import shflbench
from shflbench.user_kernels.judge.result import JudgeResult

pytestmark = pytest.mark.gpu

ROW_SUM = r"""
extern "C" __global__ void row_sum(const float* in, float* out, int n) {
    __shared__ float warps[8];
    float sum = 0;
    const float* row = in + (size_t) blockIdx.x * n;
    for (int i = threadIdx.x; i < n; i += blockDim.x) sum += row[i];
    for (int lane = 16; lane > 0; lane /= 2) sum += __shfl_xor_sync(~0u, sum, lane);
    if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int warp = 1; warp < 8; ++warp) sum += warps[warp];
        out[blockIdx.x] = sum;
    }
}
"""
FOUR_LOADS = """float more[3] = {};
    int i = threadIdx.x;
    for (; i + 3 * blockDim.x < n; i += 4 * blockDim.x) {
        sum += row[i];
        for (int k = 0; k < 3; ++k) more[k] += row[i + (k + 1) * blockDim.x];
    }
    for (; i < n; i += blockDim.x) sum += row[i];
    sum += more[0] + more[1] + more[2];"""
START = "float sum = 0;"
CANDIDATES = {
    "four-loads": ("for (int i = threadIdx.x; i < n; i += blockDim.x) sum += row[i];", FOUR_LOADS),
    "slow": ("sum += row[i];", "for (int k = 0; k < 16; ++k) sum += 0.0625f * ((volatile const float*) row)[i];"),
    "short": ("i < n;", "i < n - (n > 5000);"),
    "half": (START, f"{START} if (gridDim.x > 1000 && blockIdx.x % 2) return;"),
    "crash": (START, f"{START} if (gridDim.x > 1000) out[1ll << 40] = 1;"),
    "endless": (START, f"{START} if (gridDim.x > 1000) while (true) ((volatile float*) out)[0];"),
}
REASONS = {"short": "wrong-result", "half": "unwritten", "crash": "fault", "endless": "over-limit", "slow": "slower"}


@pytest.fixture(scope="module")
def result() -> JudgeResult:
    """Return the verdicts on all candidates."""
    return shflbench.judge(
        {name: ROW_SUM.replace(old, new) for name, (old, new) in CANDIDATES.items()},
        ROW_SUM,
        lambda random, rows, n: (random.standard_normal(rows * n, np.float32), np.zeros(rows, np.float32), n),
        sizes={"rows": (1, 4096), "n": (1, 16384)},
        grid=lambda rows, n: rows + 0 * n,
        block=256,
        device="cuda",
        time_limit=30,
    )


@pytest.mark.parametrize(("name", "code"), REASONS.items())
def test_a_candidate_that_only_a_gpu_shows_to_be_wrong_is_rejected(name: str, code: str, result: JudgeResult) -> None:
    reason = result[name].reason
    assert reason
    assert (result[name].decision, reason.code) == ("rejected", code), reason.sentence


def test_a_faster_candidate_is_accepted_with_its_speed(result: JudgeResult) -> None:
    verdict = result["four-loads"]
    assert verdict.decision == "accepted", verdict.sentence
    assert verdict.time_us
    assert verdict.speedup
    assert 1.2 < verdict.speedup[1] < verdict.speedup[0] < verdict.speedup[2] < 4
