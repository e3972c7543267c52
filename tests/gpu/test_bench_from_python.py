"""`shflbench.bench` on a real GPU, with arrays and kernels of CuPy."""

from pathlib import Path
from typing import Any

import pytest

import shflbench
from shflbench.core.model import Status
from tests.user_kernels.bench.conftest import COLUMNS, KERNELS, ROWS

pytestmark = pytest.mark.gpu

AT: dict[str, Any] = {"grid": ROWS, "block": 256, "device": "cuda"}


@pytest.fixture
def arrays(kernel_cache: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Any, Any, int]:
    """Return the arguments of a launch, on the GPU."""
    import cupy

    monkeypatch.setenv("SHFLBENCH_CACHE", str(kernel_cache))
    values = cupy.random.default_rng(1).random(ROWS * COLUMNS, dtype=cupy.float32)
    return cupy.zeros(ROWS, cupy.float32), values, COLUMNS


@pytest.mark.parametrize("l2", ["warm", "cold"])
def test_raw_kernels_are_timed_with_arrays_of_cupy(arrays: tuple[Any, Any, int], l2: str) -> None:
    import cupy

    source = KERNELS.replace("__global__", 'extern "C" __global__')
    kernels = {name: cupy.RawKernel(source, name) for name in ("sums_smem", "sums_shfl")}
    result = shflbench.bench(kernels, *arrays, l2=l2, **AT)
    assert result.is_timed, result.text()
    assert "busy GPU" not in result.text()  # this process computes on it, too
    table = result.table.set_index("kernel")
    assert (table["time_low_us"] > 0).all()
    assert (table["speedup_low"] <= table["speedup"]).all()
    assert not arrays[0].any()  # the caller's array stays


def test_results_are_compared_on_the_gpu(arrays: tuple[Any, Any, int]) -> None:
    wrong = KERNELS.replace("sum += in[row * n + i];", "sum += fminf(in[row * n + i], 0.5f);")
    kernels = {"right": (KERNELS, "sums_smem"), "wrong": (wrong, "sums_smem")}
    result = shflbench.bench(kernels, *arrays, **AT)
    assert [row.status for row in result.rows] == [Status.TIMED, Status.INCORRECT]
