"""Launches of two and three dimensions in suites."""

import shutil
from pathlib import Path

import pytest

from shflbench.core.launch import BLOCK_ALLOWED, BLOCK_DIMS_ALLOWED, FLAT_ALLOWED, GRID_DIMS_ALLOWED, SIZES_ALLOWED
from shflbench.core.model import Overrides
from shflbench.errors import UsageError
from tests.suite.conftest import Folder

PATTERNS = Path(__file__).parents[1] / "patterns"
BLOCKS = "allowed: blocks of 16x16 threads, for which `tile-transpose` is written"


@pytest.fixture
def tiles(folder: Folder) -> Folder:
    for name in ("tile_transpose", "tiled_product"):
        shutil.copytree(PATTERNS / name, name)
    return folder


def of_launch(launch: str, pattern: str = "./tile_transpose") -> str:
    """Return experiments with one launch; its value begins in column 12 of line 4."""
    return f"experiments:\n  - launch: {launch}\n    pattern: {pattern}\n    variants: smem\n    dtypes: i32\n"


def launches(folder: Folder, launch: str) -> list[str]:
    return [case_id.split("/")[3] for case_id in folder.ids(of_launch(launch))]


@pytest.mark.parametrize(
    ("text", "expressions"),
    [
        ("8x8:16x16", ["8x8:16x16"]),
        ("[8x8:16x16, 4 x 2:16 x 16]", ["8x8:16x16", "4x2:16x16"]),
        ("{grid: [8, 4], block: [16, 16]}", ["8x4:16x16"]),
        ("{grid: [0x8, 4], block: [0x10, 16]}", ["8x4:16x16"]),
        ("[{grid: [8, 4], block: [16, 16]}, 1:16x16]", ["8x4:16x16", "1:16x16"]),
        ("{grid: [8x4, 64], block: 16x16}", ["8x4:16x16", "64:16x16"]),
        ("{grid: [[8, 4], [2, 2]], block: [[16, 16]]}", ["8x4:16x16", "2x2:16x16"]),
        ("{grid: [8, 4], block: 16x16}", ["8:16x16", "4:16x16"]),
    ],
)
def test_launches_are_written_as_text_as_sizes_and_as_lists(tiles: Folder, text: str, expressions: list[str]) -> None:
    assert launches(tiles, text) == expressions


def test_lists_of_blocks_of_whole_warps_are_alternatives_as_ever(folder: Folder) -> None:
    text = of_launch("{grid: [8, 4], block: [64, 32]}", "./ring") + "    mode: up\n    width: 32\n"
    assert [case_id.split("/")[3] for case_id in folder.ids(text)] == ["8x64", "8x32", "4x64", "4x32"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("8x8:16x15", f"4:13: found `8x8:16x15`; allowed: {BLOCK_DIMS_ALLOWED}"),
        ("[8x8:16x16, 8x65536:16x16]", f"4:25: found `8x65536:16x16`; allowed: {GRID_DIMS_ALLOWED}"),
        ("{grid: [8, 8], block: [64, 64]}", f"4:36: found the sizes `64x64`; allowed: {BLOCK_DIMS_ALLOWED}"),
        ("{grid: [8, 65536], block: [16, 16]}", f"4:21: found the sizes `8x65536`; allowed: {GRID_DIMS_ALLOWED}"),
        ("{grid: 8x8, block: 2x2x128}", f"4:32: found `2x2x128`; allowed: {BLOCK_DIMS_ALLOWED}"),
        ("{grid: 8x8x8x8, block: 16x16}", f"4:20: found `8x8x8x8`; allowed: {SIZES_ALLOWED}"),
        ("{grid: [[8, a]], block: 16x16}", f"4:21: found a list; allowed: {SIZES_ALLOWED}"),
        ("{grid: 8, block: [16, 16]}", f"4:31: found `16`; allowed: {BLOCK_ALLOWED}"),
        ("{grid: sms, block: 16x16}", f"4:32: found `16x16`; allowed: {FLAT_ALLOWED}"),
        ("[8x8:16x16, {grid: 8x8, block: 16x16}]", "4:25: found `8x8:16x16` a second time; allowed: each value once"),
        ("8x8:32x8", f"4:13: found the launch `8x8:32x8`; {BLOCKS}"),
        ("64x256", f"4:13: found the launch `64x256`; {BLOCKS}"),
    ],
)
def test_a_wrong_launch_is_reported_at_its_place(tiles: Folder, text: str, message: str) -> None:
    assert tiles.refusal_of(of_launch(text)).splitlines()[0] == f"demo.yaml:{message}"


def test_kernels_of_fewer_dimensions_are_not_launched_in_more(tiles: Folder) -> None:
    message = tiles.refusal_of(of_launch("8x8:16x16", "./ring"))
    allowed = "allowed: launches of one dimension, for which `ring` is written"
    assert message == f"demo.yaml:4:13: found the launch `8x8:16x16`; {allowed}"
    with pytest.raises(UsageError, match="allowed: launches of at most two dimensions"):
        tiles.ids(of_launch("8x8:16x16", "./tiled_product"), Overrides(launches=("2x2x2:16x16",)))


def test_claims_name_launches_grids_and_blocks_of_several_dimensions(tiles: Folder) -> None:
    claims = "claims: [{{id: A, says: b, where: {{{where}}}, holds: '{holds}'}}]\n"
    suite = of_launch("[8x8:16x16, 4x2:16x16]")
    for where, holds in [
        ("launch: 8x8:16x16", "verified(smem)"),
        ("grid: 8x8, block: 16x16", "verified(smem)"),
        ("launch: 8x8:16x16", "verified(smem, grid=4x2)"),
        ("dtype: i32", 'verified(smem, launch="4 x 2:16x16")'),
    ]:
        assert tiles.ids(suite + claims.format(where=where, holds=holds))
    assert "`8x4` matches no case" in tiles.refusal_of(suite + claims.format(where="grid: 8x4", holds="verified(smem)"))
