from dataclasses import replace
from pathlib import Path

from shflbench.output.plot import all_charts, default_charts
from shflbench.output.plot.draw import charts_of_run, choose_charts
from shflbench.store import Run, read_run
from shflbench.store.limits_file import write_limits
from shflbench.store.provenance import SuiteText
from shflbench.suite import find_shipped, load
from shflbench.suite.chart_names import MAX_CHARTS
from tests.fakes.runs import info, measured, write_run
from tests.output.plot.limited import limits_for


def run_of(folder: Path, text: str, *patterns: str, name: str = "demo") -> Run:
    rows, samples = measured(patterns=patterns, dtypes=["f32"], samples=2)
    write_run(folder, rows, samples, replace(info(), suite=SuiteText(name, name, f"{name}.yaml", text)))
    write_limits(folder, limits_for(rows).values())
    return read_run(folder)


def names(run: Run) -> list[str]:
    return [chart.file_name for chart in default_charts(run)]


def test_declared_charts_are_drawn_in_the_order_of_drawing(tmp_path: Path) -> None:
    run = run_of(tmp_path / "run", "charts: [limits, reduce-time, scan-time]", "neighbor", "reduce")
    assert names(run) == ["reduce-time", "limits"]


def test_a_run_of_other_patterns_gets_the_charts_that_show_the_most_settings(tmp_path: Path) -> None:
    run = run_of(tmp_path / "run", "charts: [limits, scan-time]", "neighbor", "reduce")
    assert names(run) == ["neighbor-time", "reduce-time", "limits"]


def test_undeclared_charts_are_six_at_most(tmp_path: Path) -> None:
    options = [f"mode=m{number};width={width}" for number in range(13) for width in (2, 4, 8)]
    rows, samples = measured(patterns=["neighbor"], dtypes=["f32"], options=options, samples=1)
    about = replace(info(), suite=SuiteText("demo", "demo", "demo.yaml", ""))
    charts = all_charts(read_run(write_run(tmp_path / "run", rows, samples, about)))
    assert len(charts) > 2 * MAX_CHARTS
    assert choose_charts(charts, ()) == charts[:MAX_CHARTS]


def test_charts_that_add_no_setting_are_left_out(tmp_path: Path) -> None:
    launches = [f"{grid} x {block}" for grid in ("1", "sms", "2*sms") for block in (32, 256, 1024)]
    rows, samples = measured(patterns=["neighbor"], dtypes=["f32"], launches=launches, samples=2)
    text = replace(info(), suite=SuiteText("demo", "demo", "demo.yaml", ""))
    run = read_run(write_run(tmp_path / "run", rows, samples, text))
    assert [chart.file_name for chart in all_charts(run)] == [
        "neighbor-time-by-block",
        "neighbor-speedup-by-launch",
        "samples",
    ]
    assert names(run) == ["neighbor-time-by-block"]


def test_a_run_that_is_older_than_the_key_gets_the_charts_of_the_shipped_suite(tmp_path: Path) -> None:
    run = run_of(tmp_path / "run", "schema: 1\nname: quick\n", "neighbor", "struct-access", name="quick")
    assert charts_of_run(run.info) == load(find_shipped()["quick"]).charts
    assert names(run) == ["neighbor-time", "samples", "limits", "predictions"]
