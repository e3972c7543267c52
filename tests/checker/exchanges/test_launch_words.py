"""Launches of advice in words."""

from pathlib import Path

import pytest

from shflbench.checker.exchanges.launch_words import launch_texts
from shflbench.checker.inputs.default_launches import PlannedLaunch
from shflbench.checker.inputs.shapes import LaunchShape
from shflbench.cuda_sources.kernel_file import HostLaunch
from shflbench.cuda_sources.origin import Origin
from shflbench.cuda_sources.source_lines import SourceLine

BLOCK = (256, 1, 1)
HOST = HostLaunch((64, 1, 1), BLOCK, 0, (), SourceLine(Path("a.cu"), 1))


@pytest.mark.parametrize(
    ("blocks", "texts"),
    [
        ((64,), ("64x256",)),
        ((64, 16), ("64x256 (also with 16 blocks)",)),
        ((64, 16, 1), ("64x256 (also with 16 and 1 blocks)",)),
        ((16,), ("64x256 (with 16 blocks)",)),
        ((1,), ("64x256 (with 1 block)",)),
    ],
)
def test_fewer_blocks_are_said_of_the_launch_of_the_host_code(blocks: tuple[int, ...], texts: tuple[str, ...]) -> None:
    launches = [PlannedLaunch(LaunchShape((number, 1, 1), BLOCK), Origin.HOST, HOST) for number in blocks]
    assert launch_texts(launches) == texts


def test_a_launch_that_the_user_gives_is_one_of_its_own() -> None:
    shapes = (LaunchShape((16, 1, 1), BLOCK), LaunchShape((4, 4, 1), (8, 8, 1)))
    assert launch_texts(PlannedLaunch(shape, Origin.GIVEN, HOST) for shape in shapes) == ("16x256", "4x4:8x8")


def test_a_launch_in_clusters_says_so() -> None:
    shape = LaunchShape((8, 1, 1), BLOCK, cluster=(2, 1, 1))
    assert launch_texts([PlannedLaunch(shape, Origin.GIVEN)]) == ("8x256 in clusters of 2",)
