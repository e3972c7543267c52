"""Charts of the times of a case: what is drawn of them, and what is said of the drawing."""

import re
from dataclasses import replace

import numpy as np
import pytest

from shflbench.analysis.history.segments import LevelSegment
from shflbench.output.export.history.charts import (
    MOST_POINTS,
    MOST_SMALL,
    CaseCourse,
    StepMark,
    captions,
    chart,
    describe,
    small_chart,
)
from tests.output.export.html.pages import Parsed

STEP = 60


def times_of(number: int, step: float = 1.1) -> CaseCourse:
    """Return a case that was timed daily, with a step in the middle."""
    place = number // 2
    times = 10.0 * np.where(np.arange(number) < place, 1.0, step) * (1 + 0.001 * np.sin(np.arange(number)))
    levels = [(0, place - 1, 10.0), (place, number - 1, 10.0 * step)]
    return CaseCourse(
        case="reduce/shfl",
        days=np.arange(number, dtype=float) + 20_000,
        times=times,
        errors=np.full(number, 0.002),
        segments=tuple(
            LevelSegment(first=first, last=last, time_us=time, error=0.001, line=((first, time), (last, time)))
            for first, last, time in levels
        ),
        steps=(StepMark(20_000 + place - 0.5, 1, "slower 10%: code", "slower"),),
        notes=((20_000.0 + place, "driver 1 → 2"),),
    )


def paths(svg: str) -> dict[str, str]:
    """Return the paths by their class."""
    return dict(re.findall(r'<path class="([^"]+)" d="([^"]+)"', svg))


def test_each_run_is_a_point_with_its_interval_and_each_level_a_line() -> None:
    drawn = paths(chart(times_of(40)))
    assert drawn["points"].count("h0") == 40
    assert drawn["interval"].count("V") == 40
    assert re.fullmatch(r"M\d+ \d+H\d+M\d+ \d+H\d+", drawn["level"])
    assert chart(times_of(40)).count('class="band"') == 2
    assert list(captions(times_of(40))) == ["Each point is a run with its 95% interval."]


def test_a_change_and_a_change_of_the_machine_have_their_texts() -> None:
    svg = chart(times_of(40))
    assert '<g class="step slower"><title>1: slower 10%: code</title>' in svg
    assert '<g class="note"><title>driver 1 → 2</title>' in svg
    assert 'aria-label="Times of reduce/shfl: 10 µs then 11 µs. Changes: slower 10%: code."' in svg


def test_a_run_without_interval_is_a_point_without_a_line() -> None:
    assert "interval" not in paths(chart(replace(times_of(40), errors=np.full(40, np.nan))))


def test_many_runs_are_few_points_that_no_change_divides() -> None:
    of = times_of(3000)
    drawn = paths(chart(of))
    heights = re.findall(r"M\d+ (\d+)h0", drawn["points"])
    assert 0.8 * MOST_POINTS < len(heights) <= MOST_POINTS + len(of.segments)
    assert max(abs(int(one) - end) for one in heights for end in [min((70, 930), key=lambda x: abs(x - int(one)))]) < 60
    assert list(captions(of)) == ["Each point is the median of 13 runs, its line spans the middle half of them."]
    assert paths(small_chart(of))["course"].count(" ") <= MOST_SMALL + len(of.segments)
    assert len(chart(of)) < 20_000
    assert len(small_chart(of)) < 2_000


def test_an_outlier_is_drawn_at_the_edge_and_counted() -> None:
    of = times_of(40)
    of.times[5] = 1000.0
    drawn = paths(chart(of))
    assert drawn["points"].count("h0") == 39
    assert re.fullmatch(r"M\d+ 0h0", drawn["outside"])
    assert list(captions(of))[1] == "1 lies outside the scale, drawn at its edge."


def test_a_period_without_runs_is_a_gap_that_no_line_crosses() -> None:
    of = times_of(40)
    of.times[10:18] = np.nan
    assert '<rect class="gap"' in chart(of)
    assert paths(small_chart(of))["course"].count("M") == 2
    assert paths(chart(of))["level"].count("M") == 3
    assert '<rect class="gap"' not in chart(times_of(40))


@pytest.mark.parametrize("draw", [chart, small_chart])
def test_a_case_that_was_never_timed_has_no_chart(draw: object) -> None:
    of = replace(times_of(4), times=np.full(4, np.nan), segments=(), steps=())
    assert callable(draw)
    assert draw(of) == ""
    assert list(captions(of)) == ["It was never timed."]
    assert describe(of) == "Times of reduce/shfl: none. No change."


def test_one_run_has_a_chart() -> None:
    level = LevelSegment(first=0, last=0, time_us=10.0, error=None, line=((0, 10.0), (0, 10.0)))
    of = CaseCourse(
        case="a",
        days=np.array([20_000.0]),
        times=np.array([10.0]),
        errors=np.array([np.nan]),
        segments=(level,),
        steps=(),
        notes=(),
    )
    assert paths(chart(of))["points"] == "M500 500h0"


def test_texts_are_escaped_and_visible() -> None:
    of = replace(times_of(40), case='"><script>x</script>\x1b', steps=(StepMark(20_001, 1, "<b>\u202e", "faster"),))
    for svg in (chart(of), small_chart(of)):
        assert {item.tag for item in Parsed(svg).elements} <= {"svg", "path", "rect", "g", "title", "text"}
        assert not re.search(r"[\x1b\u202e]", svg)
