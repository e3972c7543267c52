from dataclasses import replace

import pytest

from shflbench.core.model import Status
from shflbench.output.export.html.charts import bar_chart, strip_chart, usual_setting
from shflbench.output.export.html.selection import TimedRow, rows_by_gpu
from shflbench.store import read_run
from tests.fakes.runs import untimed
from tests.output.export.html.pages import real


def rows_of(suite: str, pattern: str) -> list[TimedRow]:
    (results,) = rows_by_gpu([read_run(real(suite))])
    return list(results.of_pattern(pattern))


def test_bars_are_as_long_as_the_times_and_the_limit_stands_inside() -> None:
    rows = usual_setting(rows_of("gtc2013", "neighbor"))
    chart = bar_chart(rows)
    assert chart
    assert [bar.variant for bar in chart.bars][:2] == ["shfl", "smem-syncwarp"]
    assert chart.bars[-1].length == pytest.approx(98, abs=0.2)
    by_name = {bar.variant: bar for bar in chart.bars}
    times = {item.row.variant: item.row.time_us or 0.0 for item in rows}
    assert by_name["smem"].length / by_name["shfl"].length == pytest.approx(times["smem"] / times["shfl"], rel=0.01)
    assert by_name["shfl"].time == f"{times['shfl']:.2f} µs"
    for bar in chart.bars:
        assert bar.low is not None
        assert bar.high is not None
        assert bar.limit_at is not None
        assert bar.low <= bar.length <= bar.high <= 100
        assert bar.limit_at < bar.length
    assert not by_name["smem-unsafe"].is_safe
    assert (chart.baseline, by_name["smem"].speed) == ("smem", "1×")


def test_a_row_without_a_time_says_why_and_comes_last() -> None:
    rows = usual_setting(rows_of("gtc2013", "neighbor"))
    failed = replace(rows[0], row=untimed(rows[0].row, Status.FAILED, "needs sm_100"))
    chart = bar_chart([failed, *rows[1:]])
    assert chart
    assert (chart.bars[-1].variant, chart.bars[-1].note) == (rows[0].row.variant, "failed: needs sm_100")
    assert bar_chart([failed]) is None


def test_points_stand_by_the_logarithm_of_the_speed() -> None:
    chart = strip_chart(rows_of("launch-sweep", "reduce"))
    assert chart
    assert chart.baseline == "smem"
    ticks = {words: place for place, words in chart.ticks}
    assert ticks["1×"] < ticks["2×"] < ticks["5×"]
    shfl = next(strip for strip in chart.strips if strip.variant == "shfl")
    assert (shfl.settings, len(shfl.points)) == (30, len(set(shfl.points)))
    assert all(ticks["1×"] < point <= 100 for point in shfl.points)
    assert chart.strips[0].variant == "shfl"


@pytest.mark.parametrize("speedup", [1e300, 0.0, -1.0, float("nan"), float("inf")])
def test_speeds_that_no_gpu_has_are_left_out(speedup: float) -> None:
    rows = rows_of("launch-sweep", "reduce")
    spoiled = [replace(item, row=replace(item.row, speedup=speedup)) for item in rows[:7]]
    chart = strip_chart([*spoiled, *rows[7:]])
    assert chart
    assert all(0 <= point <= 100 for strip in chart.strips for point in strip.points)
