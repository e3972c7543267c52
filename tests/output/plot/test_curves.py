from dataclasses import replace

import numpy as np
import pytest
from matplotlib.lines import Line2D

from shflbench.analysis.settings import BLOCK, GRID
from shflbench.core.model import Mechanism, Status
from shflbench.core.palette import COLORS
from shflbench.output.plot import bars, curves
from shflbench.output.plot.style import color_of
from shflbench.store import Row
from tests.fakes.runs import untimed
from tests.output.plot.subjects import SWEEP, points, rows, subject, texts


def test_there_is_a_panel_for_each_grid_and_a_curve_for_each_variant() -> None:
    cases = rows(launches=SWEEP)
    page = curves.draw(subject(cases), BLOCK)
    assert [axes.get_xlabel() for axes in page.figure.axes] == ["threads per block"] * 3
    assert {"1 block", "sms = 132 blocks", "2*sms = 264 blocks"} <= set(texts(page))
    shfl = [row for row in cases if row.variant == "shfl" and row.launch.startswith("2*sms")]
    drawn = next(line for line in page.figure.axes[2].lines if line.get_label() == "shfl")
    assert points(drawn) == ([32, 256, 1024], [row.time_us for row in shfl])
    assert drawn.get_color() == color_of(shfl[0])


def test_variants_of_one_mechanism_differ_in_line_or_marker() -> None:
    handles = _legend(rows(launches=SWEEP))
    looks = {(line.get_color(), line.get_linestyle(), line.get_marker()) for line in handles}
    assert len(looks) == len(handles) == 6


def test_unsafe_curves_are_dotted_hollow_and_labeled() -> None:
    unsafe = [line for line in _legend(rows(launches=SWEEP)) if "UNSAFE" in str(line.get_label())]
    assert len(unsafe) == 2
    assert all(line.get_linestyle() == ":" and line.get_markerfacecolor() == "white" for line in unsafe)


def test_all_panels_share_the_time_axis() -> None:
    page = curves.draw(subject(rows(launches=SWEEP)), BLOCK)
    assert len({axes.get_ylim() for axes in page.figure.axes}) == 1
    assert page.figure.axes[0].get_ylabel() == "time of one launch, µs"


def test_a_case_without_a_time_leaves_a_gap_and_a_note() -> None:
    cases = [
        untimed(row, Status.FAILED, "crashed") if (row.variant, row.launch) == ("shfl", "sms x 256") else row
        for row in rows(launches=SWEEP)
    ]
    page = curves.draw(subject(cases), BLOCK)
    drawn = next(line for line in page.figure.axes[1].lines if line.get_label() == "shfl")
    assert points(drawn)[0] == [32, 1024]
    assert "No time for shfl (f32, sms x 256): failed: crashed" in texts(page)


@pytest.mark.parametrize("launches", [("26x1024",), SWEEP])
def test_a_run_gets_either_bars_or_curves(launches: tuple[str, ...]) -> None:
    about = subject(rows(launches=launches))
    assert len([*bars.charts(about), *curves.charts(about)]) == 1


def test_a_numeric_option_is_an_axis_and_words_make_panels() -> None:
    options = [f"mode={mode};width={width}" for mode in ("idx", "xor") for width in (2, 8, 32)]
    (chart,) = curves.charts(subject(rows(options=options)))
    page = chart.draw()
    assert chart.kind == "time-by-width"
    assert {"mode=idx", "mode=xor"} <= set(texts(page))
    assert [axes.get_xlabel() for axes in page.figure.axes] == ["width"] * 2
    assert points(page.figure.axes[0].lines[0])[0] == [2, 8, 32]


def test_the_legend_names_the_fastest_first() -> None:
    labels = [str(line.get_label()) for line in _legend(rows(launches=SWEEP))]
    assert [label.removesuffix(" (UNSAFE)") for label in labels] == [
        "shfl",
        "smem-syncwarp",
        "smem-unsafe",
        "smem-double",
        "smem-deck",
        "smem",
    ]


def test_of_curves_that_coincide_the_lower_one_is_wider_and_all_others_are_not() -> None:
    axes = curves.draw(subject(rows(launches=SWEEP)), BLOCK).figure.axes[0]
    lines = {str(line.get_label()): line for line in axes.lines}
    on_top, below = lines["smem-unsafe (UNSAFE)"], lines["smem-syncwarp"]
    assert below.get_linewidth() > on_top.get_linewidth() + 1
    assert below.get_markersize() > on_top.get_markersize() + 1.5
    assert below.get_zorder() < on_top.get_zorder()
    assert lines["shfl"].get_linewidth() == on_top.get_linewidth()


def test_bandwidths_that_would_look_like_zero_get_a_logarithmic_axis() -> None:
    launches = [f"{blocks}x256" for blocks in (16, 1024, 65536)]
    cases = rows(pattern="struct-access", launches=launches, options=["words=4"])
    slow = [
        replace(row, gb_per_s=5.0, time_us=1e4)
        if row.variant == "direct" and row.block * (row.grid or 0) > 1e6
        else row
        for row in cases
    ]
    (axes,) = curves.draw(subject(slow), GRID).figure.axes
    assert axes.get_yscale() == "log"
    assert axes.get_ylim()[0] > 0


def test_too_many_panels_are_split_into_files_by_element_type_then_option() -> None:
    options = [f"mode={mode};words={words}" for mode in range(9) for words in (2, 4, 8, 16, 32, 33, 34, 35, 36, 37)]
    cases = rows("f32", "f64", options=[option.replace("mode=", "mode=m") for option in options])
    assert [chart.kind + chart.part for chart in curves.charts(subject(cases))] == [
        "time-by-words-f32",
        "time-by-words-f64",
    ]


def test_passes_over_data_show_bandwidth_over_their_size_and_never_iterations() -> None:
    launches = [f"{blocks}x256" for blocks in (16, 1024, 65536)]
    cases = rows(pattern="struct-access", launches=launches, options=["words=4"])
    (chart,) = curves.charts(subject(cases))
    page = chart.draw()
    (axes,) = page.figure.axes
    assert chart.kind == "bandwidth-by-size"
    assert page.title.startswith(
        "struct-access: soa is the fastest safe variant at 2 of 3 sizes and ties at the other, at "
    )
    assert axes.get_ylabel() == "useful bytes moved, GB/s"
    assert axes.get_ylim()[0] == 0
    assert [label.get_text() for label in axes.get_xticklabels()] == ["128 KiB", "8 MiB", "512 MiB"]
    assert points(next(line for line in axes.lines if line.get_label() == "direct"))[1] == [
        row.gb_per_s for row in cases if row.variant == "direct"
    ]
    assert not any("iteration" in text for text in texts(page))


def test_labels_of_many_values_keep_clear_of_one_another() -> None:
    cases = rows(options=[f"stride={stride}" for stride in range(1, 33)])
    page = curves.draw(subject(cases), "stride")
    shown = [label.get_text() for label in page.figure.axes[0].get_xticklabels()]
    assert shown[-1] == "32"
    assert len(shown) < 32


def test_zero_lies_beyond_a_break_of_a_logarithmic_axis() -> None:
    cases = rows(options=[f"extra_shared={size}" for size in (0, 1024, 4096, 16384)])
    page = curves.draw(subject(cases), "extra_shared")
    (axes,) = page.figure.axes
    assert axes.get_xlim()[0] < 0
    assert [label.get_text() for label in axes.get_xticklabels()] == ["0", "1024", "4096", "16384"]
    assert len([line for line in axes.lines if line.get_label() == "break"]) == 3
    shfl = next(line for line in axes.lines if line.get_label() == "shfl")
    assert np.isnan(points(shfl)[1]).tolist() == [False, True, False, False, False]  # no line across the break
    assert axes.get_xlabel() == "extra_shared: unused shared memory, bytes per block"


def test_unused_shared_memory_is_drawn_as_the_blocks_that_are_resident_at_once() -> None:
    sizes, blocks = (0, 20000, 32000, 48000, 100000), {"shfl": (2, 2, 1.5, 1, 0.5), "smem": (2, 2, 1, 1, 0.5)}
    cases = [
        replace(row, occupancy=blocks[row.variant][sizes.index(int(dict(row.options)["extra_shared"]))] / 2)
        for row in rows(launches=("sms x 512",), options=[f"extra_shared={size}" for size in sizes])
        if row.variant in blocks
    ]
    about = replace(subject(cases), threads_per_sm=2048)
    (chart,) = curves.charts(about)
    (axes,) = chart.draw().figure.axes
    assert chart.kind == "time-by-extra_shared"
    assert axes.get_xlabel() == "resident blocks per SM, as unused shared memory (extra_shared) allows"
    assert [label.get_text() for label in axes.get_xticklabels()] == ["1", "2", "3", "4"]
    assert points(next(line for line in axes.lines if line.get_label() == "shfl"))[0] == [1, 2, 3, 4, 4]
    assert points(next(line for line in axes.lines if line.get_label() == "smem"))[0] == [1, 2, 2, 4, 4]
    unknown = curves.draw(subject(cases), "extra_shared").figure.axes[0]
    assert unknown.get_xlabel() == "extra_shared: unused shared memory, bytes per block"


def test_variants_that_coincide_everywhere_are_one_striped_curve_with_all_names() -> None:
    cases = [row for row in rows(options=[f"width={width}" for width in (2, 4, 8)]) if row.variant in {"smem", "shfl"}]
    faster = [replace(row, time_us=(row.time_us or 0) * 1.002, variant="direct", mechanism="global") for row in cases]
    same = [*(row for row in cases), *(row for row in faster if "shfl" in row.case_id and "width=2" not in row.case_id)]
    page = curves.draw(subject(same), "width")
    (legend,) = page.figure.legends
    assert [text.get_text() for text in legend.get_texts()] == ["shfl, direct (at 4 and 8)", "smem"]
    (axes,) = page.figure.axes
    layers = [line for line in axes.lines if line.get_label() == "shfl, direct (at 4 and 8)"]
    assert {str(line.get_color()) for line in layers} == {COLORS[Mechanism.SHFL], COLORS[Mechanism.GLOBAL]}
    assert "Variants of one curve differ by at most 0.2%." in texts(page)


def test_one_block_size_makes_an_axis_of_the_blocks() -> None:
    cases = rows(launches=("26x1024", "132x1024", "264x1024"))
    (chart,) = curves.charts(subject(cases))
    page = chart.draw()
    assert chart.kind == f"time-by-{GRID}"
    assert page.figure.axes[0].get_xlabel() == "blocks"


def _legend(cases: list[Row]) -> list[Line2D]:
    page = curves.draw(subject(cases), BLOCK)
    return [line for legend in page.figure.legends for line in legend.get_lines()]


def test_panel_of_cases_that_leave_an_option_out_says_so() -> None:
    cases = rows(launches=SWEEP[:3]) + rows(launches=SWEEP[:3], options=["l2=cold"])
    one_grid = [row for row in cases if row.launch.startswith(SWEEP[0].split("x")[0])]
    assert {"l2=cold", "not l2=cold"} <= set(texts(curves.draw(subject(one_grid), BLOCK)))
