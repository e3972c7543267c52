"""The charts in plots/ are those that suites declare and pages show."""

import re
from pathlib import Path

from shflbench.plot import default_charts
from shflbench.store import find_runs, read_run
from tests.fakes.runs import measured, write_run
from tools.docs.charts import PLOTS, ROOT, shown_charts, update


def test_plots_has_the_charts_that_suites_declare_and_pages_show_and_no_others() -> None:
    # `make bench` without a GPU leaves an emulated run there, which has no charts.
    runs = (read_run(folder) for folder in find_runs([ROOT / "results"]) if folder.name == "nvidia-h200")
    declared = {
        PLOTS / run.info.suite.name / run.folder.name / f"{chart.file_name}.svg"
        for run in runs
        for chart in default_charts(run)
    }
    assert set(PLOTS.rglob("*.svg")) == declared | shown_charts().keys(), "run `make plots`"


def test_the_first_page_and_readme_show_the_same_picture() -> None:
    pictures = [
        (page.parent / match).resolve()
        for page in (ROOT / "README.md", ROOT / "docs" / "index.md")
        for match in re.findall(r"!\[[^]]+\]\((plots/[^)]+|\.\./plots/[^)]+)\)", page.read_text(encoding="utf-8"))
    ]
    assert len(pictures) == 2
    assert len(set(pictures)) == 1


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
