"""The title of each committed chart is true of its run."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from shflbench.output.plot import all_charts, draw
from shflbench.store import read_run
from tests.output.plot.charts import ROOT, Chart, charts, rankings, read_chart, timed
from tests.output.plot.title_claims import errors

IDS = [str(chart.path.relative_to(chart.path.parents[2])) for chart in charts()]


@pytest.mark.one_in(22, 2)
@pytest.mark.parametrize("chart", charts(), ids=IDS)
def test_the_title_is_what_the_results_say(chart: Chart) -> None:
    assert errors(chart, chart.title) == []


@pytest.mark.parametrize("chart", charts(), ids=IDS)
def test_the_title_is_drawn_as_text(chart: Chart) -> None:
    assert " ".join(chart.texts).count(chart.title) == 1


def another_winner(chart: Chart) -> str:
    """Name the slowest competing variant in place of the one that the title begins with."""
    if not rankings(chart):
        return chart.title
    slowest = rankings(chart)[0].cases[-1].variant
    return re.sub(r"(?<=: )[\w-]+(?= (?:is|runs|tie|reaches|takes) )", slowest, chart.title)


def another_ratio(chart: Chart) -> str:
    """Raise the first ratio by one in its last digit."""

    def raised(match: re.Match[str]) -> str:
        decimals = len(match[0].partition(".")[2])
        return f"{float(match[0]) + 10**-decimals:.{decimals}f}"

    return re.sub(r"[\d.]+(?=×)", raised, chart.title, count=1)


def another_count(chart: Chart) -> str:
    """Count a setting more."""
    return re.sub(r"(?<= of )\d+|(?<= all )\d+", lambda match: str(int(match[0]) + 1), chart.title, count=1)


def ties_as_wins(chart: Chart) -> str:
    """Let a variant win where it only ties."""
    title = re.sub(r"(?<=: )([\w-]+)[^:]* tie(?=$| at (?:all|both))", r"\1 is the fastest safe variant", chart.title)
    title = re.sub(r"(?<=: )([\w-]+)[^:]* tie at(?= [\d.]+×)", r"\1 runs at", title)
    return re.sub(r" \(fastest or tied\)| or ties(?= at)| with it$|, \d+ ties?(?=$|;)", "", title)


def another_baseline(chart: Chart) -> str:
    """Compare with another variant."""
    return re.sub(r"(?<= the speed of )[\w-]+", "shfl", chart.title)


def another_place(chart: Chart) -> str:
    """Name another setting."""
    return re.sub(r"(?<=words=)16|(?<=stride=)32|(?<=length=)64(?! to)|(?<=width=)32", "4", chart.title, count=1)


def another_percentage(chart: Chart) -> str:
    """Bring variants nearer to one another."""
    return re.sub(r"(\d+)%(?= at| of the fastest)", lambda match: f"{int(match[1]) - 1}%", chart.title)


def another_bandwidth(chart: Chart) -> str:
    """Raise the first bandwidth by 2%."""
    return re.sub(r"[\d.]+(?= GB/s)", lambda match: f"{1.02 * float(match[0]):.4g}", chart.title, count=1)


def no_library(chart: Chart) -> str:
    """Leave the library calls out."""
    return re.sub(r"; library calls? .*", "", chart.title)


def faster_library(chart: Chart) -> str:
    """Let library calls that only tie be faster."""
    return re.sub(r"(?<= )ties(?= at \d+ of them)", "is faster", chart.title)


def another_spread(chart: Chart) -> str:
    """Make the samples look quieter."""
    return re.sub(r"(?<=at most )[\d.]+(?=% \()", "0.10", chart.title)


PLANTED = (
    another_winner,
    another_ratio,
    another_count,
    ties_as_wins,
    another_baseline,
    another_place,
    another_percentage,
    another_bandwidth,
    no_library,
    faster_library,
    another_spread,
)


@pytest.mark.parametrize("plant", PLANTED)
def test_a_wrong_title_is_refused(plant: Callable[[Chart], str]) -> None:
    wrong = [(chart, plant(chart)) for chart in charts()]
    planted = [(chart, title) for chart, title in wrong if title != chart.title]
    assert planted
    assert [title for chart, title in planted if not errors(chart, title)] == []


@pytest.mark.one_in(4)
@pytest.mark.archs
@pytest.mark.parametrize("run", sorted((ROOT / "results").glob("*/nvidia-h200")), ids=lambda run: str(run.parent.name))
def test_of_all_charts_of_a_run_titles_are_true_and_each_timed_case_is_in_one(run: Path, tmp_path: Path) -> None:
    read = read_run(run)
    every = [read_chart(path, run) for path in draw(read, tmp_path, charts=all_charts(read))]
    assert {chart.path.stem: wrong for chart in every if (wrong := errors(chart, chart.title))} == {}
    shown = {group for chart in every if chart.path.stem != "samples" for group in chart.scope}
    assert shown == {case.group for case in timed(run)}
