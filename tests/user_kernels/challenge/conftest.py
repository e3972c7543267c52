"""Challenges without the command line, with the cache of kernels that all tests share."""

from pathlib import Path

import pytest

from tests.checker.in_process import start_no_processes


@pytest.fixture(autouse=True)
def _one_core(kernel_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHFLBENCH_CACHE", str(kernel_cache))
    monkeypatch.setattr("os.cpu_count", lambda: 1)
    start_no_processes(monkeypatch)
