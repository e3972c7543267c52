"""Check a pattern whose kernel demands clusters of more blocks than the usual launch of a check has."""

import shutil
from pathlib import Path

import pytest

from tests.checker.in_process import start_no_processes
from tests.conftest import Command
from tests.kernel_facts.pattern_checks.conftest import PLANTED

CLUSTERS = "__global__ void __cluster_dims__(8) "


@pytest.fixture
def pattern(kernel_cache: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Write a pattern whose kernels demand clusters of eight blocks."""
    monkeypatch.setenv("SHFLBENCH_CACHE", str(kernel_cache))
    start_no_processes(monkeypatch)
    shutil.copytree(PLANTED, "pairs", ignore=shutil.ignore_patterns("__pycache__"))
    file = Path("pairs") / "kernels.cu"
    file.write_text(file.read_text(encoding="utf-8").replace("__global__ void ", CLUSTERS), encoding="utf-8")
    return "./pairs"


def test_a_kernel_is_checked_with_whole_clusters(shflbench: Command, pattern: str) -> None:
    outcome = shflbench("check", pattern, "--variant", "right", "--dtype", "i32")
    assert outcome.code == 0, outcome.err
    assert "(8x128" in outcome.out


def test_a_launch_of_a_part_of_a_cluster_is_one_sentence(shflbench: Command, pattern: str) -> None:
    experiment = f"{{pattern: {pattern}, variants: right, dtypes: i32, launch: 2x128, iterations: 16}}"
    Path("own.yaml").write_text(f"schema: 1\nname: own\nexperiments:\n  - {experiment}\n", encoding="utf-8")
    outcome = shflbench("run", "own.yaml", "--device", "emulator", "--output", "run")
    assert outcome.code == 5, outcome.err
    wanted = (
        "clusters of (8, 1, 1) blocks do not make the grid (2, 1, 1): give a launch with a multiple of so many blocks"
    )
    assert wanted in outcome.err
