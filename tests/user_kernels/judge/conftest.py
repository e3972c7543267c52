"""A task, sums of rows, with candidates, on a machine without a GPU."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
import pytest

import shflbench
from shflbench.user_kernels.judge.result import JudgeResult
from tests.checker.in_process import start_no_processes
from tests.fakes.backend import unplug

Judge = Callable[..., JudgeResult]

ROW_SUM = r"""
extern "C" __global__ void row_sum(const float* in, float* out, int n) {
    __shared__ float warps[2];
    float sum = 0;
    for (int i = threadIdx.x; i < n; i += blockDim.x) sum += in[blockIdx.x * n + i];
    for (int lane = 16; lane > 0; lane /= 2) sum += __shfl_xor_sync(~0u, sum, lane);
    if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x == 0) out[blockIdx.x] = warps[0] + warps[1];
}
"""
GRID = "rows"


def changed(*replacements: tuple[str, str]) -> str:
    """Return the kernel with other texts, each of which it has."""
    text = ROW_SUM
    for old, new in replacements:
        assert old in text
        text = text.replace(old, new)
    return text


def inputs(random: np.random.Generator, rows: int, n: int) -> tuple[object, ...]:
    """Return the arguments of a launch."""
    return random.standard_normal(rows * n, np.float32), np.zeros(rows, np.float32), n


def row_sums(values: np.ndarray, out: np.ndarray, n: int) -> np.ndarray:
    """Return the sums of rows."""
    del out
    return np.asarray(values.reshape(-1, n).sum(axis=1, dtype=np.float64))


@pytest.fixture(autouse=True)
def _no_gpu(kernel_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHFLBENCH_CACHE", str(kernel_cache))
    unplug(monkeypatch)
    start_no_processes(monkeypatch)


@pytest.fixture
def judge() -> Judge:
    """Return `shflbench.judge` of sums of rows, at few sizes."""
    return partial(
        shflbench.judge,
        reference=row_sums,
        inputs=inputs,
        sizes={"rows": [1, 3], "n": [1, 33, 65, 130]},
        grid=lambda rows, n: rows + 0 * n,
        block=64,
    )
