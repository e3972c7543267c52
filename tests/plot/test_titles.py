"""The title of each committed chart is true of its run."""

import re
from collections.abc import Callable

import pytest

from tests.plot.charts import Chart, charts, errors, groups, outcomes, timed

IDS = [str(chart.path.relative_to(chart.path.parents[2])) for chart in charts()]


@pytest.mark.parametrize("chart", charts(), ids=IDS)
def test_the_title_is_what_the_results_say(chart: Chart) -> None:
    assert errors(chart, chart.title) == []


@pytest.mark.parametrize("chart", charts(), ids=IDS)
def test_the_title_is_drawn_as_text(chart: Chart) -> None:
    assert " ".join(chart.texts).count(chart.title) == 1


def test_every_timed_case_is_in_a_chart_of_its_pattern() -> None:
    for run in {chart.run for chart in charts()}:
        shown = {
            group for chart in charts() if chart.run == run and chart.path.stem != "samples" for group in chart.scope
        }
        assert shown == {case.group for case in timed(run)}


def another_winner(chart: Chart) -> str:
    """Name the slowest competing variant in place of the one that the title begins with."""
    if not outcomes(chart):
        return chart.title
    slowest = max((case for case in groups(chart)[0] if case.competes), key=lambda case: case.time)
    return re.sub(r"(?<=: )[\w-]+(?= (?:is|runs|tie))", slowest.variant, chart.title)


def another_ratio(chart: Chart) -> str:
    """Raise the first ratio by one in its last digit."""

    def raised(match: re.Match[str]) -> str:
        decimals = len(match[0].partition(".")[2])
        return f"{float(match[0]) + 10**-decimals:.{decimals}f}"

    return re.sub(r"[\d.]+(?=×)", raised, chart.title, count=1)


def another_count(chart: Chart) -> str:
    """Count a setting more."""
    return re.sub(r"(?<= of )\d+", lambda match: str(int(match[0]) + 1), chart.title, count=1)


def ties_as_wins(chart: Chart) -> str:
    """Let the first variant win where it only ties."""
    title = re.sub(r"(?<=: )([\w-]+)[^:]* tie(?= at \d+ of|$)", r"\1 is the fastest safe variant", chart.title)
    title = re.sub(r"(?<=: )([\w-]+)[^:]* tie at(?= [\d.]+×)", r"\1 runs at", title)
    if ties := re.search(r", (\d+) ties?", title):
        wins, others = re.split(r"(?= of \d)", title.replace(ties[0], ""), maxsplit=1)
        title = re.sub(r"\d+$", lambda match: str(int(match[0]) + int(ties[1])), wins) + others
    return title


def another_baseline(chart: Chart) -> str:
    """Compare with another variant."""
    return re.sub(r"(?<= the speed of )[\w-]+", "shfl", chart.title)


def another_place(chart: Chart) -> str:
    """Let both ends of the range change places."""
    return re.sub(r"\(([^)]+)\) to ([\d.×]+) \(([^)]+)\)", r"(\3) to \2 (\1)", chart.title)


def another_spread(chart: Chart) -> str:
    """Make the samples look quieter."""
    return re.sub(r"(?<=at most )[\d.]+", "0.10", chart.title)


PLANTED = (
    another_winner,
    another_ratio,
    another_count,
    ties_as_wins,
    another_baseline,
    another_place,
    another_spread,
)


@pytest.mark.parametrize("plant", PLANTED)
def test_a_wrong_title_is_refused(plant: Callable[[Chart], str]) -> None:
    wrong = [(chart, plant(chart)) for chart in charts()]
    planted = [(chart, title) for chart, title in wrong if title != chart.title]
    assert planted
    assert [title for chart, title in planted if not errors(chart, title)] == []
