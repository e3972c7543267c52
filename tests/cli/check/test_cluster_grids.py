"""Check a pattern whose kernel demands clusters of more blocks than the usual launch of a check has."""

import shutil
from pathlib import Path

import pytest

from tests.checker.in_process import start_no_processes
from tests.conftest import Command
from tests.pattern_checks.conftest import PLANTED

CLUSTERS = "__global__ void __cluster_dims__(8) "


def test_a_kernel_is_checked_with_whole_clusters(
    shflbench: Command, kernel_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SHFLBENCH_CACHE", str(kernel_cache))
    start_no_processes(monkeypatch)
    shutil.copytree(PLANTED, "pairs", ignore=shutil.ignore_patterns("__pycache__"))
    file = Path("pairs") / "kernels.cu"
    file.write_text(file.read_text(encoding="utf-8").replace("__global__ void ", CLUSTERS), encoding="utf-8")
    outcome = shflbench("check", "./pairs", "--variant", "right", "--dtype", "i32")
    assert outcome.code == 0, outcome.err
    assert "(8x128" in outcome.out
