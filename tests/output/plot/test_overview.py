from math import log2

import pytest
from matplotlib.collections import QuadMesh

from shflbench.core.model import Status
from shflbench.output.plot import overview
from tests.fakes.runs import untimed
from tests.output.plot.subjects import rows, subject, texts

MODES = tuple(f"mode={mode}" for mode in ("idx", "up", "down", "xor"))


def test_groups_that_bars_can_show_need_no_overview() -> None:
    assert not list(overview.charts(subject(rows("f32", "f64"))))


def test_there_is_a_line_for_each_setting_and_a_column_for_each_variant_but_the_baseline() -> None:
    cases = rows("f32", "f64", options=MODES)
    (chart,) = overview.charts(subject(cases))
    page = chart.draw()
    axes, _ = page.figure.axes
    assert chart.kind == "speedup"
    assert [label.get_text() for label in axes.get_yticklabels()] == [
        f"{dtype}, {mode}" for dtype in ("f32", "f64") for mode in MODES
    ]
    (mesh,) = (item for item in axes.collections if isinstance(item, QuadMesh))
    values = mesh.get_array()
    assert values is not None
    assert values.shape == (8, 6)
    fastest_first = ("shfl", "smem-syncwarp", "smem-unsafe", "smem-double", "smem-deck")
    speedups = [row.speedup for variant in fastest_first for row in cases[:6] if row.variant == variant]
    assert list(values[0][1:]) == pytest.approx([log2(speedup or 0) for speedup in speedups])


def test_the_baselines_time_stands_in_front_and_unsafe_variants_say_so() -> None:
    shown = texts(overview.draw(subject(rows("f32", "f64", options=MODES))))
    assert "time, µs" in shown
    assert "328.0" in shown
    assert shown.count("UNSAFE") == 2
    assert {"smem-", "syncwarp"} <= set(shown)


def test_a_cell_without_a_number_says_why() -> None:
    cases = rows("f32", "f64", options=MODES)
    cases[5] = untimed(cases[5], Status.INCORRECT, "lane 3 is wrong")
    page = overview.draw(subject(cases))
    assert "incorrect" in texts(page)
    assert "No time for shfl (f32, 26x1024, mode=idx): incorrect: lane 3 is wrong" in texts(page)


def test_a_setting_without_its_baseline_has_no_ratio() -> None:
    cases = rows("f32", "f64", options=MODES)
    cases[0] = untimed(cases[0], Status.FAILED, "crashed")
    assert "failed" in texts(overview.draw(subject(cases)))
