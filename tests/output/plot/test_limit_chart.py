from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest
from matplotlib.axes import Axes
from matplotlib.colors import to_hex
from matplotlib.patches import Rectangle

from shflbench.core.model import Status
from shflbench.output.plot import limit_chart
from shflbench.output.plot.limiters import limiter_of
from shflbench.output.plot.page import Page
from shflbench.output.plot.style import house_style
from shflbench.store import Row, read_run
from tests.fakes.runs import untimed
from tests.output.plot.limited import limited, limits_for, misplaced
from tests.output.plot.subjects import SWEEP, points, rows, subject, texts

RESULTS = Path(__file__).parents[3] / "results"


def drawn(cases: Sequence[Row]) -> Page:
    (chart,) = limit_chart.charts(limited(cases))
    page = chart.draw()
    assert chart.kind == "limits"
    return page


def bars(axes: Axes) -> list[Rectangle]:
    """Return the filled bars, without the tracks behind them."""
    return [bar for bar in axes.patches if isinstance(bar, Rectangle) and bar.get_linewidth() == 0.7]


@cache
def reference(suite: str) -> tuple[Row, ...]:
    return read_run(RESULTS / suite / "nvidia-h200").rows


def test_a_bar_is_as_long_as_the_share_and_filled_by_what_sets_the_limit() -> None:
    cases = rows()
    about = limited(cases)
    (axes,) = drawn(cases).figure.axes
    fastest_first = sorted(cases, key=lambda row: row.time_us or 0)
    shown = [about.limits[row.case_id] for row in fastest_first]
    assert [label.get_text() for label in axes.get_yticklabels()] == [row.variant for row in fastest_first]
    assert [bar.get_width() for bar in bars(axes)] == [limit.limit_fraction for limit in shown]
    fills = [to_hex(bar.get_facecolor()).upper() for bar in bars(axes)]
    assert fills == [limiter_of(limit.limit_by).fill for limit in shown]
    assert axes.get_xlim() == (0, 1)


def test_the_share_and_the_limiter_stand_beside_the_bar_and_unsafe_variants_say_so() -> None:
    shown = texts(drawn(rows()))
    assert {"98%", "71%", "43%", "exchange", "barrier", "issue rate", "DRAM"} <= set(shown)
    assert shown.count("UNSAFE") == 2


def test_a_share_below_one_percent_is_not_zero() -> None:
    cases = rows()
    limit = replace(limits_for(cases)[cases[0].case_id], limit_fraction=0.004)
    shown = texts(limit_chart.draw(limited(cases, {cases[0].case_id: limit})))
    assert "<1%" in shown


def test_a_variant_without_a_limit_says_why() -> None:
    cases = rows()
    cases[1] = untimed(cases[1], Status.SKIPPED, "needs sm_80")
    known = limits_for(cases)
    why = replace(
        known[cases[2].case_id], limit_us=None, limit_by=None, limit_fraction=None, limit_reason="unknown opcode"
    )
    known[cases[2].case_id] = why
    del known[cases[3].case_id]
    shown = texts(limit_chart.draw(limited(cases, known)))
    assert {"skipped: needs sm_80", "no limit: unknown opcode", "no limit: not in limits.csv"} <= set(shown)


def test_one_setting_per_pattern_is_drawn_the_largest_launch_of_f32() -> None:
    cases = [*rows("f16", "f32", launches=SWEEP), *rows("f32", pattern="reduce")]
    page = drawn(cases)
    assert page.scope == ("neighbor/f32/2*sms x 1024/4096", "reduce/f32/26x1024/4096")
    shown = texts(page)
    assert {"neighbor", "reduce"} <= set(shown)
    assert "One setting per pattern at f32, 1024 threads per block, 4096 iterations: 13 of 115 cases." in shown
    assert "Setting of a pattern: f32 if it was timed, then the most variants, then the most threads." in shown


def test_other_settings_of_a_variant_are_dots_below_its_bar() -> None:
    cases = rows("f32", "f64")
    about = limited(cases)
    page = limit_chart.draw(about)
    (axes,) = page.figure.axes
    dots = [points(line)[0][0] for line in axes.lines if line.get_marker() == "o"]
    others = [about.limits[row.case_id].limit_fraction for row in cases if row.dtype == "f64"]
    assert sorted(dots) == sorted(share for share in others if share is not None)
    assert "another setting of the variant" in texts(page)


def test_a_limit_that_was_beaten_ends_at_100_percent_and_is_called_wrong() -> None:
    cases = rows()
    known = limits_for(cases)
    known[cases[0].case_id] = replace(known[cases[0].case_id], limit_fraction=1.034)
    page = limit_chart.draw(limited(cases, known))
    assert max(bar.get_width() for bar in bars(page.figure.axes[0])) == 1
    assert {"103%", "Faster than their limit, so that the limit is wrong: neighbor smem (103.4%)."} <= set(texts(page))


def test_the_time_at_calibrated_rates_is_a_mark() -> None:
    cases = rows()
    known = limits_for(cases)
    for row, factor in zip(cases, (0.9, 1.04, 1.2), strict=False):
        known[row.case_id] = replace(known[row.case_id], ceiling_us=factor * (row.time_us or 0))
    with house_style():
        page = limit_chart.draw(limited(cases, known))
        assert misplaced(page) == []
    marks = sorted(points(line)[0][0] for line in page.figure.axes[0].lines if line.get_marker() == "|")
    assert marks == pytest.approx([0.9, 1.04])
    note = "Beyond the axis: 1 case at the rates that `calibrate` measured, at most 120% (neighbor smem-syncwarp)."
    assert note in texts(page)
    assert "share at the rates that `calibrate` measured" in texts(page)


def test_what_is_not_counted_is_named() -> None:
    cases = rows()
    known = limits_for(cases)
    for row, omitted in zip(cases, ("match", "match;uniform"), strict=False):
        known[row.case_id] = replace(known[row.case_id], omitted=omitted)
    note = "Not counted, because no rate is known: match (2 cases), uniform (1 case)."
    assert note in texts(limit_chart.draw(limited(cases, known)))


def test_without_limits_there_is_no_such_chart() -> None:
    cases = rows()
    nothing = {case: replace(limit, limit_fraction=None) for case, limit in limits_for(cases).items()}
    assert not list(limit_chart.charts(subject(cases)))
    assert not list(limit_chart.charts(limited(cases, nothing)))


@pytest.mark.archs
@pytest.mark.parametrize("suite", ["quick", "gtc2013"])
def test_no_text_overlaps_another_or_leaves_the_page_however_many_patterns_a_run_has(suite: str) -> None:
    with house_style():
        page = drawn(reference(suite))
        assert len(page.figure.axes) == len({row.pattern for row in reference(suite)})
        assert misplaced(page) == []
        assert page.figure.get_figheight() < 24


def test_a_setting_in_which_every_variant_was_timed_comes_before_a_larger_one() -> None:
    cases = rows(launches=("26x1024", "132x1024"))
    cases[-1] = untimed(cases[-1], Status.FAILED, "crashed")
    assert drawn(cases).scope == ("neighbor/f32/26x1024/4096",)
