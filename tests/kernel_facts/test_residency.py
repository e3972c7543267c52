"""The residency of kernels: of the launch of a row, and of a compiled kernel."""

from dataclasses import replace
from pathlib import Path

from shflbench.kernel_facts.residency import ResidentBlocks, occupancy_of, recorded_blocks, residency_of
from shflbench.store import read_run
from tests.fakes.runs import H200

QUICK = Path(__file__).parents[2] / "results" / "quick" / "nvidia-h200"


def test_residency_follows_from_grid_and_occupancy() -> None:
    row = replace(read_run(QUICK).rows[0], grid=396, block=1024, occupancy=1.0)
    device = replace(H200, threads_per_sm=2048)
    residency = residency_of(row, device)
    assert residency
    assert (residency.warps_per_block, residency.warps, residency.waves) == (32, 96, 2)
    assert recorded_blocks(row, device) == 2
    assert recorded_blocks(replace(row, occupancy=None), device) is None
    assert residency_of(replace(row, grid=None), device) is None


def test_blocks_that_a_user_gives_are_those_of_one_sm() -> None:
    residency = ResidentBlocks(blocks=2, threads=96).residency
    assert (residency.warps_per_block, residency.warps) == (3, 6)


def test_occupancy_needs_the_figures_of_the_architecture() -> None:
    fitting = occupancy_of("sm_90", registers=32, shared_bytes=0, block=1024)
    assert fitting
    assert fitting.blocks == 2
    assert occupancy_of("sm_99", registers=32, shared_bytes=0, block=1024) is None
