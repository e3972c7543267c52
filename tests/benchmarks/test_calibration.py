from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks import calibration
from shflbench.store.calibration_file import CalibratedFigure, Calibration, text
from tests.fakes.calibrations import EMPTY

SM = "requests per clock per SM"
FIRST = replace(
    EMPTY,
    uuid="GPU-1",
    figures={
        "shuffle": CalibratedFigure(0.998, 0.997, 0.999, SM, 1.0),
        "dram_read_bytes_per_s": CalibratedFigure(4e12, 3.9e12, 4.1e12, "bytes per s"),
        "launch_overhead_us": CalibratedFigure(3.4, 3.38, 3.42, "µs"),
        **{f"barrier_{warps}": CalibratedFigure(12 + 2 * warps, 12, 80, "clocks") for warps in (1, 2, 4, 8, 16, 32)},
    },
)


def second(**values: float) -> Calibration:
    figures = {name: replace(figure, value=values.get(name, figure.value)) for name, figure in FIRST.figures.items()}
    return replace(FIRST, figures=figures)


def test_equal_calibrations_meet_all_requirements() -> None:
    assert list(calibration.faults(FIRST, second())) == []
    page = calibration.page(FIRST, second())
    assert "All requirements are met." in page
    assert "First calibration: a barrier takes 12.00 + 2.000 × warps clocks; residuals by warps: 1: +0.00" in page
    assert "| shuffle | 0.998 | 0.998 | +0.00% | 0.997 to 0.999 | 1 | requests per clock per SM |" in page


@pytest.mark.parametrize(
    ("name", "within", "beyond"),
    [("shuffle", 1.005, 0.985), ("dram_read_bytes_per_s", 4.1e12, 3.8e12), ("launch_overhead_us", 3.54, 3.2)],
)
def test_each_kind_of_figure_has_its_tolerance(name: str, within: float, beyond: float) -> None:
    sentence = f"`{name}` differs by more than its tolerance"
    assert sentence not in calibration.faults(FIRST, second(**{name: within}))
    assert sentence in calibration.faults(FIRST, second(**{name: beyond}))


def test_barrier_that_is_not_on_the_line_is_a_fault() -> None:
    (fault,) = (text for text in calibration.faults(FIRST, second(barrier_8=30.5)) if "clocks" in text)
    assert "second calibration" in fault


def test_slow_calibration_and_missing_figures_are_faults() -> None:
    other = replace(FIRST, seconds=61.0, missing={"vote": "it crashed"})
    assert list(calibration.faults(FIRST, other)) == [
        "the second calibration took 61 s",
        "`vote` is missing in the second calibration: it crashed",
    ]


def test_program_writes_the_page_and_exits_1_for_a_fault(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    files = [tmp_path / "first.json", tmp_path / "second.json"]
    for path, content in zip(files, (FIRST, second(shuffle=0.9)), strict=True):
        slow = {name: replace(figure, low=figure.value) for name, figure in content.figures.items()}
        path.write_text(text(replace(content, figures=slow)), encoding="utf-8")
    page = tmp_path / "page.md"
    monkeypatch.setattr("sys.argv", ["calibration", *map(str, files), "--record", str(page)])
    assert calibration.main() == 1
    assert capsys.readouterr().out == page.read_text(encoding="utf-8") + "\n"
    assert "shuffles reach 90.0% of the documented rate in the second calibration" in page.read_text(encoding="utf-8")
