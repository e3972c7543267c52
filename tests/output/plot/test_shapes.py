from dataclasses import replace

from shflbench.output.plot.shapes import blocks_of, grid_of, grid_words, grids_of
from tests.output.plot.subjects import rows


def test_grids_are_ordered_by_their_size_and_blocks_by_number() -> None:
    cases = rows(launches=("2*sms x 64", "sms x 1024", "1x1024", "sms x 64"))
    assert grids_of(cases) == ["1", "sms", "2*sms"]
    assert blocks_of(cases) == ["64", "1024"]


def test_grids_and_blocks_of_several_dimensions_are_as_written() -> None:
    row = rows(launches=("32x256",))[0]
    tiles = [replace(row, launch=launch) for launch in ("8x4:32x8", "8x4:16x16", "32x256")]
    assert grids_of(tiles) == ["8x4", "32"]
    assert blocks_of(tiles) == ["16x16", "256", "32x8"]


def test_a_grid_is_given_as_written_and_in_blocks() -> None:
    assert grid_words(rows(launches=("26x1024",))) == "26 blocks"
    assert grid_words(rows(launches=("1x32",))) == "1 block"
    assert grid_words(rows(launches=("2*sms x 64",))) == "2*sms = 264 blocks"


def test_a_grid_of_several_sizes_is_given_as_written() -> None:
    small, large = (
        replace(rows()[0], launch=f"fill x {block}", grid=grid) for block, grid in ((32, 4224), (1024, 264))
    )
    assert grid_of(small) == grid_words([small, large]) == "fill"
    assert grid_words([replace(small, grid=None)]) == "fill"
