"""The charts in plots/ are those that suites declare and pages show."""

import re
from functools import cache
from pathlib import Path

import pytest

from shflbench.output.plot import default_charts
from shflbench.store import read_run
from shflbench.suite import find_shipped, load
from shflbench.suite.chart_names import MAX_CHARTS
from tests.fakes.runs import measured, write_run
from tools.docs.charts import PLOTS, ROOT, shown_charts, update

RESULTS = ROOT / "results"
QUICK = {"quick", "clusters", "launch-sweep"}  # the runs of other suites have seconds of samples


def reference(suite: str) -> Path:
    """Return the reference run of a suite; `make bench` without a GPU leaves an emulated run beside it."""
    (folder,) = (RESULTS / suite).glob("nvidia-h[12]00")
    return folder


@cache
def charts(suite: str) -> dict[str, str]:
    """Return the charts of a suite's reference run: the name of each by that of its file."""
    return {chart.file_name: chart.name for chart in default_charts(read_run(reference(suite)))}


MEASURED = [name for name in sorted(find_shipped()) if (RESULTS / name).exists()]


@pytest.mark.archs
@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    "name", [pytest.param(one, marks=[] if one in QUICK else [pytest.mark.archs]) for one in MEASURED]
)
def test_each_suite_with_a_reference_run_declares_at_most_six_charts_which_the_run_has(name: str) -> None:
    declared = load(find_shipped()[name]).charts
    assert set(charts(name).values()) == set(declared)
    assert 0 < len(charts(name)) <= MAX_CHARTS


def test_only_suites_without_charts_have_no_reference_run() -> None:
    unmeasured = set(find_shipped()) - set(MEASURED)
    assert unmeasured == {"exchanges-full", "opponents", "questions"}
    assert all(load(find_shipped()[name]).charts == () for name in unmeasured)


@pytest.mark.archs
def test_plots_has_the_charts_that_suites_declare_and_pages_show_and_no_others() -> None:
    suites = {folder.parent.name for folder in RESULTS.glob("*/nvidia-h[12]00")}
    declared = {PLOTS / suite / reference(suite).name / f"{file}.svg" for suite in suites for file in charts(suite)}
    assert set(PLOTS.rglob("*.svg")) == declared | shown_charts().keys(), "run `make plots`"


def test_the_first_page_and_readme_show_one_picture_each() -> None:
    for page in (ROOT / "README.md", ROOT / "docs" / "index.md"):
        pictures = re.findall(r"!\[[^]]+\]\(((?:\.\./)?plots/[^)]+)\)", page.read_text(encoding="utf-8"))
        assert len(pictures) == 1
        assert (page.parent / pictures[0]).is_file()


def test_make_plots_draws_what_pages_show_and_deletes_what_nothing_shows(tmp_path: Path) -> None:
    rows, samples = measured(patterns=["neighbor"], dtypes=["f32"])
    write_run(tmp_path / "results/gtc2013/run", rows, samples)
    folder = tmp_path / "plots/gtc2013/run"
    folder.mkdir(parents=True)
    (folder / "old.svg").write_text("")
    shown = {folder / "samples.svg"}
    changed = update(tmp_path / "results", tmp_path / "plots", shown)
    assert sorted(path.name for path in folder.iterdir()) == ["neighbor-time.svg", "samples.svg"]
    assert sorted(path.name for path in changed) == ["neighbor-time.svg", "old.svg", "samples.svg"]
    assert update(tmp_path / "results", tmp_path / "plots", shown) == []
