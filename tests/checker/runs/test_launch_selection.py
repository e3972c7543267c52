"""Launches that run beyond the budget, because no other one has a part of a tile."""

from dataclasses import replace
from pathlib import Path
from unittest.mock import Mock

import pytest

from shflbench.checker.inputs.default_launches import PlannedLaunch
from shflbench.checker.inputs.shapes import LaunchShape
from shflbench.checker.runs.evidence import LaunchEvidence
from shflbench.checker.runs.launch_selection import shows_parts_of_tiles
from shflbench.cuda_sources.kernel_file import HostArgument, HostLaunch
from shflbench.cuda_sources.origin import Origin
from shflbench.cuda_sources.source_lines import SourceLine

LINE = SourceLine(Path("a.cu"), 1)


def launch(blocks: int, size: int, threads: int = 256) -> PlannedLaunch:
    grid, block = (blocks, 1, 1), (threads, 1, 1)
    host = HostLaunch(grid, block, 0, (HostArgument("n", value=size),), LINE)
    return PlannedLaunch(LaunchShape(grid, block), Origin.HOST, host)


def ran(*launches: PlannedLaunch) -> list[LaunchEvidence]:
    return [LaunchEvidence(item, Mock(), 0, ()) for item in launches]


def test_a_grid_that_counts_a_part_of_a_tile_shows_more() -> None:
    assert shows_parts_of_tiles(launch(2, 192), ran(launch(4, 512)))


@pytest.mark.parametrize(
    ("item", "before"),
    [
        (launch(2, 256), [launch(4, 512)]),
        (launch(2, 192, threads=128), [launch(4, 512)]),
        (launch(3, 384), [launch(2, 192)]),
        (launch(2, 192), [launch(4, 512), launch(3, 320)]),
        (launch(2, 192), []),
        (replace(launch(2, 192), host=None), [launch(4, 512)]),
    ],
    ids=["whole-tiles", "another-block", "fewer-parts-before", "known", "first", "chosen"],
)
def test_other_launches_show_no_more(item: PlannedLaunch, before: list[PlannedLaunch]) -> None:
    assert not shows_parts_of_tiles(item, ran(*before))
