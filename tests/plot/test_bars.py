from dataclasses import replace

import pytest
from matplotlib.patches import Rectangle

from shflbench.model import Mechanism, Status
from shflbench.plot import bars
from shflbench.plot.style import COLOURS
from tests.fakes.runs import untimed
from tests.plot.subjects import SWEEP, points, rows, subject, texts


def test_a_bar_is_as_long_as_the_time_and_its_words_say_time_and_speed_up() -> None:
    found = rows()
    page = bars.draw(subject(found))
    (axes,) = page.figure.axes
    lengths = sorted(bar.get_width() for bar in axes.patches if isinstance(bar, Rectangle))
    assert lengths == sorted(row.time_us for row in found if row.time_us)
    written = texts(page)
    for row in found:
        assert any(text.startswith(f"{row.time_us:.1f} ± ") and text.endswith(" µs") for text in written)
    assert {"4.69×", "2.41×", "baseline"} <= set(written)
    assert "µs" in axes.get_xlabel()


def test_the_baseline_is_first_and_the_others_run_from_slow_to_fast() -> None:
    (axes,) = bars.draw(subject(rows())).figure.axes
    names = [label.get_text() for label in axes.get_yticklabels()]
    assert names == ["smem", "smem-deck", "smem-double", "smem-unsafe", "smem-syncwarp", "shfl"]


def test_the_interval_is_drawn_at_the_end_of_the_bar() -> None:
    shfl = next(row for row in rows() if row.variant == "shfl")
    (axes,) = bars.draw(subject(rows())).figure.axes
    assert [shfl.time_low_us, shfl.time_high_us] in [points(line)[0] for line in axes.lines]


def test_unsafe_bars_are_hatched_and_say_how_many_inputs_matched() -> None:
    page = bars.draw(subject(rows()))
    (axes,) = page.figure.axes
    hatched = [bar for bar in axes.patches if bar.get_hatch()]
    assert len(hatched) == texts(page).count("UNSAFE, matched 8 of 8") == 2


def test_library_variants_have_the_colour_of_libraries() -> None:
    page = bars.draw(subject(rows(pattern="reduce")))
    grey = [bar for bar in page.figure.axes[0].patches if bar.get_edgecolor()[:3] == pytest.approx((0x8C / 255,) * 3)]
    assert COLOURS[Mechanism.LIBRARY] == "#8C8C8C"
    assert len(grey) == 2
    assert page.figure.legends[0].get_texts()[-1].get_text() == "library"


def test_every_group_has_a_panel_on_one_common_axis() -> None:
    page = bars.draw(subject(rows("f32", "f64", "i32")))
    assert {"f32", "f64", "i32"} <= set(texts(page))
    assert len({axes.get_xlim() for axes in page.figure.axes}) == 1


def test_a_row_without_a_time_says_why_in_its_place() -> None:
    found = rows()
    found[1] = untimed(found[1], Status.INCORRECT, "lane 3: expected 1.5, found 2.5; " + "and so on " * 30)
    found[2] = untimed(found[2], Status.SKIPPED, "needs sm_80")
    page = bars.draw(subject(found))
    (axes,) = page.figure.axes
    assert [label.get_text() for label in axes.get_yticklabels()][-2:] == ["smem-double", "smem-syncwarp"]
    written = texts(page)
    assert "skipped: needs sm_80" in written
    assert any(text.startswith("incorrect: lane 3: expected 1.5") and text.endswith("…") for text in written)


@pytest.mark.parametrize(("half", "said"), [(0.2, "± 0.2"), (0.21, "± 0.3"), (0.0, "± 0.1")])
def test_the_half_width_is_never_rounded_down(half: float, said: str) -> None:
    row = replace(rows()[0], time_us=328.0, time_low_us=328.0 - half, time_high_us=328.0 + half)
    assert bars.value_text(row, decimals=1) == f"328.0 {said} µs"


def test_a_sweep_is_too_much_for_bars() -> None:
    assert [name for name, _ in bars.pages(subject(rows(launches=("26x1024", "132x256"))))] == ["time"]
    assert not list(bars.pages(subject(rows(launches=SWEEP))))


def test_passes_over_data_show_bandwidth_the_longest_last() -> None:
    ((name, page),) = bars.pages(subject(rows(pattern="struct-access", launches=("65536x256",))))
    (axes,) = page.figure.axes
    assert name == "bandwidth"
    assert [label.get_text() for label in axes.get_yticklabels()] == ["direct", "smem", "shfl", "soa"]
    assert axes.get_xlabel().startswith("useful bytes moved, GB/s ")
    assert any(text.endswith(" GB/s") for text in texts(page))
    assert "Useful bytes moved at f32, 65536x256; longer is better." in texts(page)


def test_of_too_many_groups_the_first_are_drawn_and_the_others_are_said_to_be_elsewhere() -> None:
    found = rows("f32", "f64", options=[f"mode={mode}" for mode in ("idx", "up", "down", "xor")])
    ((_, page),) = bars.pages(subject(found))
    assert len(page.figure.axes) == 5
    assert "Not drawn here, but in neighbor-speedup: 3 more." in texts(page)
