from dataclasses import replace

import pytest

from shflbench.analysis.compare.comparison import Outcome, Reason
from shflbench.output.plot.forest import draw
from shflbench.output.plot.forest_lines import MOST_LINES, fold, scale_of
from tests.fakes.comparisons import across, many, timed
from tests.output.plot.forests import arrows, marks, names, of, of_verdicts
from tests.output.plot.subjects import points, texts


def test_one_case_ten_times_slower_is_an_arrow_at_the_edge_with_its_number() -> None:
    page = draw(of([9.0, 0.02, 0.001, -0.002]))
    left, right = page.figure.axes[0].get_xlim()
    assert -4 < left < right < 4
    first, *others = marks(page)
    assert right - 0.5 < points(first)[0][0] < right
    assert arrows(page) == [(right, points(first)[1][0])]
    assert any(words.startswith("+900 ± ") for words in texts(page))
    assert all(left < points(mark)[0][0] < right for mark in others)


def test_one_case_much_faster_is_an_arrow_at_the_left_edge() -> None:
    page = draw(of([-0.6, 0.001, -0.002]))
    (arrow,) = arrows(page)
    assert arrow[0] == page.figure.axes[0].get_xlim()[0] > -4


def test_an_interval_that_leaves_the_axis_ends_in_an_arrow() -> None:
    wide = timed("neighbor/shfl/f32/1x32/1", 5, 0.001, outcome=Outcome.INCONCLUSIVE)
    assert wide.ratio
    wide = replace(wide, ratio=replace(wide.ratio, low=0.5, high=1.5))
    page = draw(of_verdicts([wide]))
    assert sorted(x for x, _ in arrows(page)) == sorted(page.figure.axes[0].get_xlim())
    assert points(marks(page)[0])[0] == pytest.approx([0.1])


@pytest.mark.parametrize(
    "changes", [[0.1, 0.001], [0.03, 0.08, 0.2], [9.0], [2.0] * 9 + [-0.001] * 20, [-0.5, -0.4, -0.45]], ids=str
)
def test_what_is_not_alone_far_out_is_on_the_axis(changes: list[float]) -> None:
    scale = scale_of(of(changes))
    assert not any(scale.beyond(100 * change) for change in changes)


def test_the_axis_shows_the_band_and_some_room_beside_it() -> None:
    scale = scale_of(of([0.0001, -0.0001]))
    assert (scale.low, scale.high) == pytest.approx((-2.65, 2.65))


def test_of_many_cases_those_that_are_the_same_share_a_strip() -> None:
    page = draw(many(430, slower=3))
    assert len(names(page)) == 4
    assert names(page)[-1] == "427 same"
    (strip,) = (line for line in page.figure.axes[0].lines if len(points(line)[0]) == 427)
    assert points(strip)[0] == pytest.approx([0.01] * 427)
    assert "+0.01%" in texts(page)


def test_findings_that_a_page_does_not_hold_are_counted() -> None:
    comparison = many(430, slower=300)
    assert names(draw(comparison))[MOST_LINES:] == ["200 more slower", "130 same"]
    listed, rests = fold(comparison)
    assert len(listed) + sum(len(rest.verdicts) for rest in rests) == 430


def test_a_report_of_many_cases_says_how_many_more_there_are() -> None:
    comparison = [
        replace(verdict, outcome=Outcome.NOT_COMPARABLE, reason=Reason.ACROSS)
        for verdict in many(430, slower=0).verdicts
    ]
    assert names(draw(replace(across(), verdicts=tuple(comparison))))[-1] == "330 more cases"


def test_what_has_no_ratio_and_no_line_is_counted() -> None:
    gone = [replace(timed(f"a/{n}", 9, 0), outcome=Outcome.MISSING, ratio=None) for n in range(MOST_LINES + 7)]
    page = draw(of_verdicts(gone))
    assert names(page)[-1] == "7 more missing"
    assert "not listed here" in texts(page)
