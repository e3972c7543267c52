"""Kernels and arrays for `shflbench.bench`, and a cache for what is compiled."""

from pathlib import Path

import numpy as np
import pytest

from tests.checker.in_process import start_no_processes
from tests.checker.schedules import few_schedules
from tests.fakes.backend import unplug

__all__ = ["few_schedules"]

_FILE = Path(__file__).parents[2] / "cli" / "bench" / "sums.cu"
SUMS = _FILE.read_text(encoding="utf-8").replace("rows = 64,", "rows = 8,")
KERNELS = SUMS.partition("int main")[0]
ROWS, COLUMNS = 8, 1024


@pytest.fixture(autouse=True)
def _no_gpu(kernel_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHFLBENCH_CACHE", str(kernel_cache))
    unplug(monkeypatch)
    start_no_processes(monkeypatch)


@pytest.fixture
def arrays() -> tuple[np.ndarray, np.ndarray, int]:
    """Return the arguments of a launch of SUMS."""
    values = np.random.default_rng(1).random(ROWS * COLUMNS, dtype=np.float32)
    return np.zeros(ROWS, np.float32), values, COLUMNS
