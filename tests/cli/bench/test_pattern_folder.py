"""The folder that `shflbench bench` writes for the processes that compile and measure: data, and no Python."""

from pathlib import Path

import pytest

from shflbench.patterns.discover import STORED, load
from shflbench.session.fleet.pattern_files import pack_patterns
from tests.cli.bench.conftest import BenchCommand
from tests.conftest import Command

TEXT = """
__global__ void first(float *out, const float *in) { out[threadIdx.x] = 2 * in[threadIdx.x]; }
__global__ void second(float *out, const float *in) { out[threadIdx.x] = in[threadIdx.x] + in[threadIdx.x]; }
"""
GIVEN = ("--no-check", "--device", "none", "--launch", "1x32", "--arg", "out=f32[32]", "--arg", "in=f32[32]")


@pytest.fixture
def folders(tmp_path: Path, bench: BenchCommand, monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """Run bench twice, with different tolerances, and return the folders of the patterns."""
    monkeypatch.setenv("SHFLBENCH_CACHE", str(tmp_path / "cache"))
    for place, tolerance in enumerate(("0.1", "0.2", "0.1")):
        outcome = bench(TEXT, *GIVEN, "--rtol", tolerance, "--output", f"run-{place}")
        assert outcome.code == 0, outcome.err
    return sorted((tmp_path / "cache/bench").glob("*/sums"))


def test_the_folder_has_data_and_sources_only(folders: list[Path], shflbench: Command) -> None:
    assert len(folders) == 2
    assert {load(folder).declaration.relative_tolerance for folder in folders} == {0.1, 0.2}
    for folder in folders:
        assert sorted(path.name for path in folder.iterdir()) == ["inputs.npz", "kernels.cu", STORED]
        assert set(pack_patterns({"sums": folder})["sums"].files or ()) == {"inputs.npz", "kernels.cu", STORED}
    outcome = shflbench("check", str(folders[0]))  # as a pattern, and not as a folder of files
    assert (outcome.code, outcome.out.count("no hazard")) == (0, 2), outcome.err


def test_the_tolerance_is_that_of_the_first_floating_point_output(
    tmp_path: Path, bench: BenchCommand, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SHFLBENCH_CACHE", str(tmp_path / "cache"))
    text = TEXT.replace("(float *out", "(int *place, float *out").replace("{ out", "{ place[threadIdx.x] = 1; out")
    outcome = bench(text, *GIVEN, "--arg", "place=i32[32]")
    assert outcome.code == 0, outcome.err
    (folder,) = (tmp_path / "cache/bench").glob("*/sums")
    declared = load(folder).declaration
    assert (declared.dtypes, declared.relative_tolerance) == (("i32",), 1e-4)
