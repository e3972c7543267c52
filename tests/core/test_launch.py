import re

import pytest

from shflbench.core.dimensions import LaunchDims
from shflbench.core.launch import (
    BLOCK_ALLOWED,
    BLOCK_DIMS_ALLOWED,
    GRID_ALLOWED,
    GRID_DIMS_ALLOWED,
    LAUNCH_ALLOWED,
    OWN_DIMS,
    grid_and_block,
    launch_dims,
    parse_launch,
    resolve_grid,
)
from shflbench.core.model import Launch


@pytest.mark.parametrize(
    ("text", "launch"),
    [
        ("26x1024", Launch("26x1024", 1024, 26)),
        (" 026 x 1024 ", Launch("26x1024", 1024, 26)),
        ("sms x 128", Launch("sms x 128", 128, None)),
        ("smsx128", Launch("sms x 128", 128, None)),
        ("1*sms x 128", Launch("sms x 128", 128, None)),
        ("2 * sms x 256", Launch("2*sms x 256", 256, None)),
        ("sms / 2 x 64", Launch("sms/2 x 64", 64, None)),
        ("3*sms/2 x 64", Launch("3*sms/2 x 64", 64, None)),
        ("2*sms/4 x 64", Launch("sms/2 x 64", 64, None)),
        ("fill x 1024", Launch("fill x 1024", 1024, None)),
        ("8x4:16x16", Launch("8x4:16x16", 256, 32, LaunchDims((8, 4, 1), (16, 16, 1)))),
        (" 8 x 4 : 16 x 16 x 1 ", Launch("8x4:16x16", 256, 32, LaunchDims((8, 4, 1), (16, 16, 1)))),
        ("64:8x4x2", Launch("64:8x4x2", 64, 64, LaunchDims((64, 1, 1), (8, 4, 2)))),
        ("2x3x4:256", Launch("2x3x4:256", 256, 24, LaunchDims((2, 3, 4), (256, 1, 1)))),
        ("26x1x1:1024", Launch("26x1024", 1024, 26)),
    ],
)
def test_a_launch_has_one_canonical_expression(text: str, launch: Launch) -> None:
    assert parse_launch(text) == launch
    assert parse_launch(launch.expression) == launch


@pytest.mark.parametrize(
    ("text", "allowed"),
    [
        ("", LAUNCH_ALLOWED),
        ("26", LAUNCH_ALLOWED),
        ("26x", LAUNCH_ALLOWED),
        ("26X1024", LAUNCH_ALLOWED),
        ("-1x32", LAUNCH_ALLOWED),
        ("2*fill x 32", LAUNCH_ALLOWED),
        ("sms*2 x 32", LAUNCH_ALLOWED),
        ("1x32x2", LAUNCH_ALLOWED),
        ("26x1024\n", LAUNCH_ALLOWED),
        ("\u0662x32", LAUNCH_ALLOWED),
        ("99999999999x32", LAUNCH_ALLOWED),
        ("0x32", GRID_ALLOWED),
        ("2147483648x32", GRID_ALLOWED),
        ("0*sms x 32", GRID_ALLOWED),
        ("sms/0 x 32", GRID_ALLOWED),
        ("1x0", BLOCK_ALLOWED),
        ("1x16", BLOCK_ALLOWED),
        ("1x33", BLOCK_ALLOWED),
        ("1x1056", BLOCK_ALLOWED),
        ("8x8:16x16x1x1", LAUNCH_ALLOWED),
        ("sms:16x16", LAUNCH_ALLOWED),
        ("8x8:", LAUNCH_ALLOWED),
        ("8x65536:16x16", GRID_DIMS_ALLOWED),
        ("8x8x65536:16x16", GRID_DIMS_ALLOWED),
        ("8x0:16x16", GRID_DIMS_ALLOWED),
        ("8x8:10x10", BLOCK_DIMS_ALLOWED),
        ("8x8:64x32", BLOCK_DIMS_ALLOWED),
        ("8x8:1x1x128", BLOCK_DIMS_ALLOWED),
        ("8x8:16x0", BLOCK_DIMS_ALLOWED),
    ],
)
def test_wrong_launch_is_refused_with_what_is_allowed(text: str, allowed: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(allowed)}$"):
        parse_launch(text)


@pytest.mark.parametrize(
    ("expression", "sms", "resident_blocks", "grid"),
    [
        ("26x1024", 132, None, 26),
        ("sms x 128", 132, None, 132),
        ("2*sms x 256", 132, None, 264),
        ("sms/2 x 64", 132, None, 66),
        ("sms/2 x 64", 15, None, 7),
        ("sms/2 x 64", 1, None, 1),
        ("3*sms/2 x 64", 15, None, 22),
        ("fill x 1024", 132, 2, 264),
        ("fill x 1024", 132, 0, 1),
        ("8x4:16x16", 132, None, 32),
    ],
)
def test_a_device_determines_the_grid(expression: str, sms: int, resident_blocks: int | None, grid: int) -> None:
    assert resolve_grid(expression, sms, resident_blocks) == grid


def test_fill_needs_the_resident_blocks_per_sm() -> None:
    with pytest.raises(ValueError, match="`fill` needs the number of resident blocks per SM"):
        resolve_grid("fill x 1024", 132, None)


def test_dimensions_are_those_that_the_launch_names() -> None:
    assert launch_dims("8x4:16x2x2") == LaunchDims((8, 4, 1), (16, 2, 2))
    assert launch_dims("26x1024") is launch_dims("own") is launch_dims(f"{OWN_DIMS} x 64") is None
    assert launch_dims("a:b") is launch_dims("8x8:16x") is None  # of another tool


@pytest.mark.parametrize(
    ("expression", "parts"),
    [
        ("2*sms x 256", ("2*sms", "256")),
        ("8x4:16x16", ("8x4", "16x16")),
        ("64:32x8", ("64", "32x8")),
        (f"{OWN_DIMS} x 256", (OWN_DIMS, "256")),
        ("", ("", "256")),
    ],
)
def test_grid_and_block_are_those_that_the_launch_names(expression: str, parts: tuple[str, str]) -> None:
    assert grid_and_block(expression, 256) == parts
