import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from shflbench.core.model import Noise, Status
from shflbench.errors import ResultsError
from shflbench.output.plot import all_charts, draw
from shflbench.store import Run, read_run
from shflbench.store.limits_file import write_limits
from tests.fakes.runs import compiled, info, measured, untimed, write_run
from tests.output.plot.limited import limits_for
from tests.output.plot.subjects import SWEEP

AGAIN = """
import sys
from pathlib import Path
from shflbench.output.plot import all_charts, draw
from shflbench.store import read_run
run = read_run(Path(sys.argv[1]))
draw(run, Path(sys.argv[2]), charts=all_charts(run))
assert "matplotlib.pyplot" not in sys.modules  # it keeps global state and asks for a screen
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write a small run that gets every kind of chart: bars, curves, both maps of speed-ups, samples and limits."""
    swept, first = measured(patterns=["neighbor"], dtypes=["f32"], launches=SWEEP, samples=6)
    modes = [f"mode={mode}" for mode in ("idx", "up", "down", "xor", "all")]
    others, second = measured(patterns=["reduce"], dtypes=["f32"], options=modes, samples=6)
    run = write_run(tmp_path_factory.mktemp("whole") / "run", swept + others, first + second)
    write_limits(run, limits_for(swept + others).values())
    return run


@pytest.fixture(scope="module")
def drawn(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Draw that run."""
    return draw_all(read_run(folder), tmp_path_factory.mktemp("drawn") / "plots")


def draw_all(run: Run, folder: Path, kinds: tuple[str, ...] = ("svg",)) -> list[Path]:
    return draw(run, folder, kinds, all_charts(run))


def names(paths: list[Path]) -> list[str]:
    return [path.name for path in paths]


def contents(paths: list[Path]) -> list[bytes]:
    return [path.read_bytes() for path in paths]


OF_PATTERNS = ("neighbor-time-by-block", "neighbor-speedup-by-launch", "reduce-time", "reduce-speedup")
CHARTS = (*OF_PATTERNS, "samples", "limits", "predictions")


@pytest.mark.archs
def test_each_chart_is_drawn_as_svg_named_after_the_pattern(drawn: list[Path]) -> None:
    assert names(drawn) == [f"{chart}.svg" for chart in CHARTS]
    assert all(path.is_file() for path in drawn)


def test_other_formats_are_drawn_where_they_are_asked_for(tmp_path: Path) -> None:
    rows, samples = measured(patterns=["neighbor"], dtypes=["f32"], samples=6)
    paths = draw_all(read_run(write_run(tmp_path / "run", rows, samples)), tmp_path / "plots", kinds=("png", "svg"))
    assert names(paths) == [f"{chart}.{kind}" for chart in ("neighbor-time", "samples") for kind in ("png", "svg")]
    assert [content[:4] for content in contents(paths)] == [b"\x89PNG", b"<?xm"] * 2


@pytest.mark.archs
def test_characters_that_no_file_name_should_have_are_replaced(tmp_path: Path) -> None:
    options = [f"path=a/b{number};width={width}" for number in range(13) for width in (2, 4, 8)]
    rows, samples = measured(patterns=["neighbor"], dtypes=["f32"], options=options, samples=2)
    paths = draw_all(read_run(write_run(tmp_path / "run", rows, samples)), tmp_path / "plots")
    assert names(paths)[0] == "neighbor-time-by-width-a_b0.svg"


def test_each_pattern_has_charts_of_its_own_and_the_run_one_of_its_samples(tmp_path: Path) -> None:
    rows, samples = measured(dtypes=["i32"], samples=6)
    paths = draw_all(read_run(write_run(tmp_path / "run", rows, samples)), tmp_path)
    assert names(paths) == ["neighbor-time.svg", "reduce-time.svg", "samples.svg"]


@pytest.mark.archs
def test_redrawing_elsewhere_gives_the_same_bytes_and_needs_no_pyplot(
    folder: Path, drawn: list[Path], tmp_path: Path
) -> None:
    """Another process with another hash seed, time zone, locale and matplotlibrc draws the same files."""
    config = tmp_path / "config"
    config.mkdir()
    (config / "matplotlibrc").write_text("font.size: 23\nfigure.facecolor: red\nbackend: pdf\n")
    elsewhere = {"PYTHONHASHSEED": "7", "TZ": "Pacific/Chatham", "LC_ALL": "C", "MATPLOTLIBRC": str(config)}
    command = [sys.executable, "-c", AGAIN, str(folder), str(tmp_path / "second")]
    subprocess.run(command, env={**os.environ, **elsewhere}, check=True)
    assert contents(drawn) == contents([tmp_path / "second" / name for name in names(drawn)])


@pytest.mark.archs
def test_redrawing_leaves_unchanged_files_alone(folder: Path, drawn: list[Path]) -> None:
    for path in drawn:
        os.utime(path, (1, 1))
    draw_all(read_run(folder), drawn[0].parent)
    assert {path.stat().st_mtime for path in drawn} == {1}


def test_the_svg_holds_the_finding_the_caption_and_the_reasons_as_text(tmp_path: Path) -> None:
    rows, samples = measured(patterns=["neighbor"], dtypes=["f32"], samples=6)
    rows[1] = untimed(rows[1], Status.INCORRECT, "lane 3: expected 1 & found <2>")
    paths = draw_all(read_run(write_run(tmp_path / "run", rows, samples)), tmp_path)
    svg = next(path for path in paths if path.name == "neighbor-time.svg").read_text("utf-8")
    for words in (
        "neighbor: shfl runs at 4.7× the speed of smem",
        "NVIDIA H200 (sm_90) · driver 580.159 · CUDA 13.0 · suite gtc2013",
        "UNSAFE, matched 8 of 8",
        "incorrect: lane 3: expected 1 &amp; found &lt;2&gt;",
        "time of one launch, µs",
    ):
        assert words in svg


@pytest.mark.archs
def test_every_chart_of_a_busy_gpu_says_so(folder: Path, tmp_path: Path) -> None:
    run = read_run(folder)
    noise = Noise("busy GPU", "the sentinels were slow in 42% of their rounds", "run again")
    paths = draw_all(replace(run, info=replace(run.info, noise=noise)), tmp_path / "plots")
    assert names(paths) == [f"{chart}.svg" for chart in CHARTS]
    assert all("Busy GPU: the sentinels were slow in 42% of their rounds." in path.read_text("utf-8") for path in paths)


@pytest.mark.archs
def test_a_large_run_has_few_and_small_files(tmp_path: Path) -> None:
    """Neither cases nor their samples make the committed charts grow without bound."""
    options = [f"mode={mode};width={width}" for mode in ("idx", "xor") for width in (2, 4, 8, 16, 32)]
    rows, samples = measured(dtypes=["f32", "f64", "i32"], options=options, samples=4)
    assert len(rows) == 400
    paths = draw_all(read_run(write_run(tmp_path / "run", rows, samples)), tmp_path / "plots")
    assert len(paths) == 3
    assert sum(path.stat().st_size for path in paths) < 600_000


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
        draw_all(read_run(folder), tmp_path / "plots")
    assert caught.value.advice == "run the suite on a machine with a GPU: shflbench run gtc2013"
    assert not (tmp_path / "plots").exists()


def test_a_mechanism_of_a_later_version_is_refused(tmp_path: Path) -> None:
    rows, samples = measured(patterns=["neighbor"], dtypes=["f32"])
    rows[0] = replace(rows[0], mechanism="tensor")
    with pytest.raises(ResultsError, match="this shflbench knows no mechanism `tensor`"):
        draw_all(read_run(write_run(tmp_path / "run", rows, samples)), tmp_path / "plots")
