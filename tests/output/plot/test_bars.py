from dataclasses import replace

import pytest
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle

from shflbench.core.model import Mechanism, Status
from shflbench.core.palette import COLORS
from shflbench.output.plot import bars
from tests.fakes.runs import untimed
from tests.output.plot.subjects import SWEEP, points, rows, subject, texts


def test_a_bar_is_as_long_as_the_time_and_its_words_say_time_and_speed_up() -> None:
    cases = rows()
    page = bars.draw(subject(cases))
    (axes,) = page.figure.axes
    lengths = sorted(bar.get_width() for bar in axes.patches if isinstance(bar, Rectangle))
    assert lengths == sorted(row.time_us for row in cases if row.time_us)
    shown = texts(page)
    for row in cases:
        assert any(text.startswith(f"{row.time_us:.1f} ± ") and text.endswith(" µs") for text in shown)
    assert {"4.69×", "2.41×", "baseline"} <= set(shown)
    assert "µs" in axes.get_xlabel()


def test_the_fastest_is_at_the_top_of_each_panel() -> None:
    cases = [
        replace(row, time_us=1.0) if (row.variant, row.dtype) == ("smem", "f64") else row for row in rows("f32", "f64")
    ]
    upper, lower = bars.draw(subject(cases)).figure.axes
    assert _names(upper) == ["shfl", "smem-syncwarp", "smem-unsafe", "smem-double", "smem-deck", "smem"]
    assert _names(lower) == ["smem", "shfl", "smem-syncwarp", "smem-unsafe", "smem-double", "smem-deck"]


def test_the_interval_is_drawn_at_the_end_of_the_bar() -> None:
    shfl = next(row for row in rows() if row.variant == "shfl")
    (axes,) = bars.draw(subject(rows())).figure.axes
    assert [shfl.time_low_us, shfl.time_high_us] in [points(line)[0] for line in axes.lines]


def test_the_words_stand_behind_the_interval_even_if_it_is_wide() -> None:
    wide = [replace(row, time_high_us=(row.time_us or 0.0) * 1.3) if row.variant == "smem" else row for row in rows()]
    page = bars.draw(subject(wide))
    (axes,) = page.figure.axes
    (longest,) = (row for row in wide if row.variant == "smem")
    words = [text for text in axes.texts if text.get_position()[1] == len(wide) - 1]
    assert len(words) == 2
    assert min(text.get_position()[0] for text in words) > (longest.time_high_us or 0.0)
    page.figure.canvas.draw()
    assert max(text.get_window_extent().x1 for text in words) <= axes.get_window_extent().x1


def test_unsafe_bars_are_hatched_and_say_how_many_inputs_matched() -> None:
    page = bars.draw(subject(rows()))
    (axes,) = page.figure.axes
    hatched = [bar for bar in axes.patches if bar.get_hatch()]
    assert len(hatched) == texts(page).count("UNSAFE, matched 8 of 8") == 2


def test_library_variants_have_the_color_of_libraries() -> None:
    page = bars.draw(subject(rows(pattern="reduce")))
    gray = [bar for bar in page.figure.axes[0].patches if bar.get_edgecolor()[:3] == pytest.approx((0x8C / 255,) * 3)]
    assert COLORS[Mechanism.LIBRARY] == "#8C8C8C"
    assert len(gray) == 2
    assert page.figure.legends[0].get_texts()[-1].get_text() == "library"


def test_every_group_has_a_panel_on_one_common_axis() -> None:
    page = bars.draw(subject(rows("f32", "f64", "i32")))
    assert {"f32", "f64", "i32"} <= set(texts(page))
    assert len({axes.get_xlim() for axes in page.figure.axes}) == 1


def test_a_row_without_a_time_says_why_in_its_place() -> None:
    cases = rows()
    cases[1] = untimed(cases[1], Status.INCORRECT, "lane 3: expected 1.5, found 2.5; " + "and so on " * 30)
    cases[2] = untimed(cases[2], Status.SKIPPED, "needs sm_80")
    page = bars.draw(subject(cases))
    (axes,) = page.figure.axes
    assert _names(axes)[-2:] == ["smem-double", "smem-syncwarp"]
    shown = texts(page)
    assert "skipped: needs sm_80" in shown
    assert any(text.startswith("incorrect: lane 3: expected 1.5") and text.endswith("…") for text in shown)


@pytest.mark.parametrize(("half", "text"), [(0.2, "± 0.2"), (0.21, "± 0.3"), (0.0, "± 0.1")])
def test_the_half_width_is_never_rounded_down(half: float, text: str) -> None:
    row = replace(rows()[0], time_us=328.0, time_low_us=328.0 - half, time_high_us=328.0 + half)
    assert bars.value_text(row, decimals=1) == f"328.0 {text} µs"


def test_a_sweep_is_too_much_for_bars() -> None:
    assert [chart.kind + chart.part for chart in bars.charts(subject(rows(launches=("26x1024", "132x256"))))] == [
        "time"
    ]
    assert not list(bars.charts(subject(rows(launches=SWEEP))))


def test_passes_over_data_show_bandwidth_the_longest_first() -> None:
    (chart,) = bars.charts(subject(rows(pattern="struct-access", launches=("65536x256",))))
    page = chart.draw()
    (axes,) = page.figure.axes
    assert chart.kind == "bandwidth"
    assert _names(axes) == ["soa", "shfl", "smem", "direct"]
    assert axes.get_xlabel().startswith("useful bytes moved, GB/s ")
    assert any(text.endswith(" GB/s") for text in texts(page))
    assert "Useful bytes moved at f32, 65536x256; longer is better." in texts(page)


def test_of_too_many_groups_that_of_f32_is_drawn_and_a_note_says_where_all_are() -> None:
    cases = rows("f16", "f32", "f64", options=[f"mode={mode}" for mode in ("up", "down")])
    (chart,) = bars.charts(subject(cases))
    page = chart.draw()
    assert len(page.figure.axes) == 1
    assert page.scope == ("neighbor/f32/26x1024/4096/mode=up",)
    assert "1 of 6 settings; the chart neighbor-speedup (plot --all) shows all." in texts(page)


def test_without_f32_the_first_group_that_has_a_time_is_drawn() -> None:
    cases = rows("f16", "f64", "i32", options=["mode=up", "mode=down"])
    cases[:6] = [untimed(row, Status.FAILED, "crashed") for row in cases[:6]]
    (chart,) = bars.charts(subject(replace(row, speedup=None) for row in cases))
    page = chart.draw()
    assert page.scope == ("neighbor/f16/26x1024/4096/mode=down",)
    assert "1 of 6 settings; see results.csv." in texts(page)


def _names(axes: Axes) -> list[str]:
    return [label.get_text() for label in axes.get_yticklabels()]
