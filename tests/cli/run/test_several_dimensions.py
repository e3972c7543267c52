"""Patterns with launches of two dimensions from the suite to the limits: a transposition and a product in tiles."""

import shutil
from pathlib import Path

import pytest

from shflbench.core.model import Status
from shflbench.kernel_facts import stored_limits
from shflbench.store import read_run
from shflbench.store.limits_file import read_limits
from tests.cli.demo import PATTERNS, Plug, rows_of
from tests.conftest import Command
from tests.fakes.backend import FakeBackend, Script

SUITE = """\
schema: 1
name: tiles
measure: {min_seconds: 0.001}
experiments:
  - {pattern: ./tile_transpose, dtypes: f32, launch: {grid: [8, 8], block: [16, 16]}}
  - {pattern: ./tiled_product, launch: 2x2:16x16}
"""
TRANSPOSE = [f"tile-transpose/{variant}/f32/8x8:16x16/1" for variant in ("global", "smem")]
PRODUCT = [f"tiled-product/{variant}/i32/2x2:16x16/1" for variant in ("global", "smem")]
WRITE_LIMITS = stored_limits.write_limits_of  # which a scripted GPU replaces


@pytest.fixture
def tiles(demo: Command) -> Command:
    """Call `shflbench` in a folder with the patterns and their suite tiles.yaml."""
    for name in ("tile_transpose", "tiled_product"):
        shutil.copytree(PATTERNS / name, name)
    Path("tiles.yaml").write_text(SUITE, encoding="utf-8")
    return demo


def change(file: str, old: str, new: str) -> None:
    text = Path(file).read_text(encoding="utf-8")
    assert old in text
    Path(file).write_text(text.replace(old, new), encoding="utf-8")


def test_they_are_verified_on_the_emulator_in_the_shape_of_their_grid(tiles: Command) -> None:
    outcome = tiles("run", "tiles.yaml", "--output", "run")
    assert outcome.code == 0, outcome.err
    rows = rows_of(outcome)
    assert {row.status for row in rows.values()} == {Status.VERIFIED}
    assert {name: (row.launch, row.grid, row.block, row.verified_launch) for name, row in rows.items()} == {
        **dict.fromkeys(TRANSPOSE, ("8x8:16x16", 64, 256, "5x5:16x16")),
        **dict.fromkeys(PRODUCT, ("2x2:16x16", 4, 256, "2x2:16x16")),
    }
    shown = tiles("show", "run").out
    assert "tile-transpose  f32  8x8:16x16  one pass" in shown
    assert shown.count("verified with") == 1
    assert "  verified with launch 5x5:16x16 instead of 8x8:16x16\n" in shown


def test_a_wrong_tile_is_found(tiles: Command) -> None:
    change("tile_transpose/kernels.cu", "x = blockIdx.y * TILE", "x = blockIdx.x * TILE")
    change("tiled_product/kernels.cu", "        __syncthreads();\n    }", "    }")
    outcome = tiles("run", "tiles.yaml", "--pattern", "tile-transpose", "--output", "run")
    assert outcome.code == 5
    assert [row.status for row in rows_of(outcome).values()] == [Status.VERIFIED, Status.INCORRECT]
    verdicts = tiles("check", "tiles.yaml", "--variant", "smem")
    assert verdicts.code == 1
    assert [line.split()[:3] for line in verdicts.out.splitlines() if "/smem  " in line] == [
        ["tile-transpose/smem", "f32", "broken"],
        ["tiled-product/smem", "i32", "broken"],
    ]


def test_timed_cases_have_limits_charts_and_a_comparison(
    tiles: Command, plug: Plug, monkeypatch: pytest.MonkeyPatch
) -> None:
    scripts = {"global": Script(base_us=30.0), "smem": Script(base_us=10.0)}
    plug(FakeBackend(scripts, folders=[Path(name).resolve() for name in ("tile_transpose", "tiled_product")]))
    monkeypatch.setattr(stored_limits, "write_limits_of", WRITE_LIMITS)
    outcome = tiles("run", "tiles.yaml", "--output", "run")
    assert outcome.code == 0, outcome.err
    run = read_run(Path("run"))
    assert {row.case_id: (row.status, row.verified_launch) for row in run.rows} == {
        **dict.fromkeys(TRANSPOSE, (Status.TIMED, "8x8:16x16")),
        **dict.fromkeys(PRODUCT, (Status.TIMED, "2x2:16x16")),
    }
    limits = read_limits(Path("run"))
    assert all(limits[name].limit_us for name in (*TRANSPOSE, *PRODUCT))
    assert "tiled-product  i32  2x2:16x16" in tiles("limits", "run").out
    assert tiles("run", "tiles.yaml", "--output", "again").code == 0
    compared = tiles("compare", "run", "again", "--verbose")
    assert compared.code == 0
    assert tiles("plot", "run", "--output", "charts", "--all").code == 0
    assert any(Path("charts").iterdir())
