import pytest

from shflbench.checker.inputs.shapes import LaunchShape, parse_shape
from shflbench.errors import UsageError


@pytest.mark.parametrize(
    ("text", "grid", "block"),
    [
        ("4x256", (4, 1, 1), (256, 1, 1)),
        ("4 x 256", (4, 1, 1), (256, 1, 1)),
        ("8:32", (8, 1, 1), (32, 1, 1)),
        ("8x8:16x16", (8, 8, 1), (16, 16, 1)),
        ("2:8x8x4", (2, 1, 1), (8, 8, 4)),
        ("2x2x2:8x4x4", (2, 2, 2), (8, 4, 4)),
    ],
)
def test_a_shape_has_a_grid_and_a_block(text: str, grid: tuple[int, int, int], block: tuple[int, int, int]) -> None:
    assert parse_shape(text) == LaunchShape(grid, block)


@pytest.mark.parametrize("text", ["4x256", "8x8:16x16", "2:8x8x4", "2x2x2:8x4x4", "3x1:1"])
def test_the_text_of_a_shape_reads_back_as_the_same_shape(text: str) -> None:
    assert parse_shape(str(parse_shape(text))) == parse_shape(text)


@pytest.mark.parametrize("text", ["", "256", "4x0", "4x", "a:b", "1:2:3", "1x1x1x1:4", "4x4x4"])
def test_anything_else_is_not_a_launch(text: str) -> None:
    with pytest.raises(UsageError, match="is not a launch"):
        parse_shape(text)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("1x1025", "a block has at most 1024 threads"),
        ("1:1x1x65", "a block has at most 1024 threads, 64 of them along z"),
        ("1x65536:1", "a grid has at most 65535 blocks along y"),
        ("4294967296x1", "a grid has at most 2147483647 blocks along x"),
        ("2000x1024", "has 2048000 threads, and at most 1048576 are emulated"),
    ],
)
def test_a_shape_that_no_gpu_or_emulator_runs_is_refused(text: str, why: str) -> None:
    with pytest.raises(UsageError, match=why):
        parse_shape(text)
