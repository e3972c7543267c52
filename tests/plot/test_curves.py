from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from shflbench.model import Status
from shflbench.plot import bars, curves
from shflbench.plot.style import colour
from tests.fakes.runs import untimed
from tests.plot.subjects import SWEEP, points, rows, subject, texts

if TYPE_CHECKING:
    from matplotlib.lines import Line2D

    from shflbench.store import Row


def test_there_is_a_panel_for_each_grid_and_a_curve_for_each_variant() -> None:
    found = rows(launches=SWEEP)
    page = curves.draw(subject(found))
    assert [axes.get_xlabel() for axes in page.figure.axes] == ["threads a block"] * 3
    assert {"1 block", "sms = 132 blocks", "2*sms = 264 blocks"} <= set(texts(page))
    shfl = [row for row in found if row.variant == "shfl" and row.launch.startswith("2*sms")]
    drawn = next(line for line in page.figure.axes[2].lines if line.get_label() == "shfl")
    assert points(drawn) == ([32, 256, 1024], [row.time_us for row in shfl])
    assert drawn.get_color() == colour(shfl[0])


def test_variants_of_one_mechanism_differ_in_line_or_marker() -> None:
    handles = _legend(rows(launches=SWEEP))
    looks = {(line.get_color(), line.get_linestyle(), line.get_marker()) for line in handles}
    assert len(looks) == len(handles) == 6


def test_unsafe_curves_are_dotted_hollow_and_labelled() -> None:
    unsafe = [line for line in _legend(rows(launches=SWEEP)) if "UNSAFE" in str(line.get_label())]
    assert len(unsafe) == 2
    assert all(line.get_linestyle() == ":" and line.get_markerfacecolor() == "white" for line in unsafe)


def test_all_panels_share_the_time_axis() -> None:
    page = curves.draw(subject(rows(launches=SWEEP)))
    assert len({axes.get_ylim() for axes in page.figure.axes}) == 1
    assert page.figure.axes[0].get_ylabel() == "time of one launch, µs"


def test_a_case_without_a_time_leaves_a_gap_and_a_note() -> None:
    found = [
        untimed(row, Status.FAILED, "crashed") if (row.variant, row.launch) == ("shfl", "sms x 256") else row
        for row in rows(launches=SWEEP)
    ]
    page = curves.draw(subject(found))
    drawn = next(line for line in page.figure.axes[1].lines if line.get_label() == "shfl")
    assert points(drawn)[0] == [32, 1024]
    assert "No time for shfl (f32, sms x 256): failed: crashed" in texts(page)


@pytest.mark.parametrize("launches", [("26x1024",), SWEEP])
def test_a_run_gets_either_bars_or_curves(launches: tuple[str, ...]) -> None:
    about = subject(rows(launches=launches))
    assert curves.applies(about) != bars.applies(about)


def _legend(found: list[Row]) -> list[Line2D]:
    page = curves.draw(subject(found))
    return [line for legend in page.figure.legends for line in legend.get_lines()]
