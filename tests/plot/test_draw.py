from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from shflbench.errors import ResultsError
from shflbench.model import Status
from shflbench.plot import draw
from shflbench.store import read_run
from tests.fakes.runs import compiled, info, measured, untimed, write_run
from tests.plot.subjects import SWEEP

if TYPE_CHECKING:
    from pathlib import Path

AGAIN = """
import sys
from pathlib import Path
from shflbench.plot import draw
from shflbench.store import read_run
draw(read_run(Path(sys.argv[1])), Path(sys.argv[2]))
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Write a small run of two launch shapes: it gets every kind of chart but curves."""
    rows, samples = measured(patterns=["neighbor"], dtypes=["f32"], launches=("26x1024", "132x256"), samples=12)
    return write_run(tmp_path / "run", rows, samples)


def names(paths: list[Path]) -> list[str]:
    return [path.name for path in paths]


def contents(paths: list[Path]) -> list[bytes]:
    return [path.read_bytes() for path in paths]


def test_each_chart_is_drawn_as_png_and_svg_named_after_the_pattern(folder: Path, tmp_path: Path) -> None:
    paths = draw(read_run(folder), tmp_path / "plots")
    charts = ("neighbor-time", "neighbor-speedup", "neighbor-samples")
    assert names(paths) == [f"{chart}.{kind}" for chart in charts for kind in ("png", "svg")]
    assert all(path.is_file() for path in paths)


def test_each_pattern_has_charts_of_its_own_and_one_launch_has_no_map(tmp_path: Path) -> None:
    rows, samples = measured(dtypes=["i32"], samples=6)
    paths = draw(read_run(write_run(tmp_path / "run", rows, samples)), tmp_path)
    assert names(paths)[::2] == ["neighbor-time.png", "neighbor-samples.png", "reduce-time.png", "reduce-samples.png"]


def test_redrawing_elsewhere_gives_the_same_bytes(folder: Path, tmp_path: Path) -> None:
    """Another process with another hash seed, time zone, locale and matplotlibrc draws the same files."""
    first = draw(read_run(folder), tmp_path / "first")
    config = tmp_path / "config"
    config.mkdir()
    (config / "matplotlibrc").write_text("font.size: 23\nfigure.facecolor: red\nbackend: pdf\n")
    elsewhere = {"PYTHONHASHSEED": "7", "TZ": "Pacific/Chatham", "LC_ALL": "C", "MATPLOTLIBRC": str(config)}
    command = [sys.executable, "-c", AGAIN, str(folder), str(tmp_path / "second")]
    subprocess.run(command, env={**os.environ, **elsewhere}, check=True)
    assert contents(first) == contents([tmp_path / "second" / name for name in names(first)])


def test_redrawing_leaves_unchanged_files_alone(folder: Path, tmp_path: Path) -> None:
    paths = draw(read_run(folder), tmp_path / "plots")
    for path in paths:
        os.utime(path, (1, 1))
    draw(read_run(folder), tmp_path / "plots")
    assert {path.stat().st_mtime for path in paths} == {1}


def test_the_svg_holds_the_finding_the_caption_and_the_reasons_as_text(tmp_path: Path) -> None:
    rows, samples = measured(patterns=["neighbor"], dtypes=["f32"], samples=6)
    rows[1] = untimed(rows[1], Status.INCORRECT, "lane 3: expected 1 & found <2>")
    paths = draw(read_run(write_run(tmp_path / "run", rows, samples)), tmp_path)
    svg = next(path for path in paths if path.name == "neighbor-time.svg").read_text("utf-8")
    for words in (
        "neighbor: shfl is 4.7× as fast as smem (f32)",
        "NVIDIA H200 (sm_90) · driver 580.159 · CUDA 13.0 · suite gtc2013",
        "UNSAFE, matched 8 of 8",
        "incorrect: lane 3: expected 1 &amp; found &lt;2&gt;",
        "time of one launch, µs",
    ):
        assert words in svg


def test_a_sweep_gets_curves_for_its_times(tmp_path: Path) -> None:
    rows, samples = measured(patterns=["neighbor"], dtypes=["f32"], launches=SWEEP, samples=6)
    paths = draw(read_run(write_run(tmp_path / "run", rows, samples)), tmp_path)
    assert names(paths)[::2] == ["neighbor-time.png", "neighbor-speedup.png", "neighbor-samples.png"]
    assert "fastest safe variant at 9 of 9 launch shapes" in paths[1].read_text("utf-8")


@pytest.mark.parametrize(
    ("backend", "why"),
    [
        ("none", "compiled without a GPU"),
        ("emulator", "the emulator verifies kernels and has no time"),
        ("cuda", "no case was timed"),
    ],
)
def test_a_run_without_times_is_refused_with_the_reason(tmp_path: Path, backend: str, why: str) -> None:
    rows = compiled(measured(dtypes=["f32"], samples=6)[0])
    folder = write_run(tmp_path / "run", rows, (), info(backend=backend))
    with pytest.raises(ResultsError, match=f"run holds nothing to draw: .*{why}") as caught:
        draw(read_run(folder), tmp_path / "plots")
    assert caught.value.advice == "run the suite on a machine with a GPU: shflbench run gtc2013"
    assert not (tmp_path / "plots").exists()


def test_a_mechanism_of_a_later_version_is_refused(tmp_path: Path) -> None:
    rows, samples = measured(patterns=["neighbor"], dtypes=["f32"])
    rows[0] = replace(rows[0], mechanism="tensor")
    with pytest.raises(ResultsError, match="this shflbench knows no mechanism `tensor`"):
        draw(read_run(write_run(tmp_path / "run", rows, samples)), tmp_path / "plots")


def test_drawing_needs_no_pyplot(folder: Path, tmp_path: Path) -> None:
    """Pyplot keeps global state and asks for a screen."""
    check = AGAIN + "assert 'matplotlib.pyplot' not in sys.modules"
    subprocess.run([sys.executable, "-c", check, str(folder), str(tmp_path / "plots")], check=True)
