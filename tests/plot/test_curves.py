import pytest
from matplotlib.lines import Line2D

from shflbench.analysis.settings import BLOCK, GRID
from shflbench.model import Status
from shflbench.plot import bars, curves
from shflbench.plot.style import colour
from shflbench.store import Row
from tests.fakes.runs import untimed
from tests.plot.subjects import SWEEP, points, rows, subject, texts


def test_there_is_a_panel_for_each_grid_and_a_curve_for_each_variant() -> None:
    found = rows(launches=SWEEP)
    page = curves.draw(subject(found), BLOCK)
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
    page = curves.draw(subject(rows(launches=SWEEP)), BLOCK)
    assert len({axes.get_ylim() for axes in page.figure.axes}) == 1
    assert page.figure.axes[0].get_ylabel() == "time of one launch, µs"


def test_a_case_without_a_time_leaves_a_gap_and_a_note() -> None:
    found = [
        untimed(row, Status.FAILED, "crashed") if (row.variant, row.launch) == ("shfl", "sms x 256") else row
        for row in rows(launches=SWEEP)
    ]
    page = curves.draw(subject(found), BLOCK)
    drawn = next(line for line in page.figure.axes[1].lines if line.get_label() == "shfl")
    assert points(drawn)[0] == [32, 1024]
    assert "No time for shfl (f32, sms x 256): failed: crashed" in texts(page)


@pytest.mark.parametrize("launches", [("26x1024",), SWEEP])
def test_a_run_gets_either_bars_or_curves(launches: tuple[str, ...]) -> None:
    about = subject(rows(launches=launches))
    assert len([*bars.pages(about), *curves.pages(about)]) == 1


def test_a_numeric_option_is_an_axis_and_words_make_panels() -> None:
    options = [f"mode={mode};width={width}" for mode in ("idx", "xor") for width in (2, 8, 32)]
    ((name, page),) = curves.pages(subject(rows(options=options)))
    assert name == "time-by-width"
    assert {"mode=idx", "mode=xor"} <= set(texts(page))
    assert [axes.get_xlabel() for axes in page.figure.axes] == ["width"] * 2
    assert points(page.figure.axes[0].lines[0])[0] == [2, 8, 32]


def test_too_many_panels_are_split_into_files_by_element_type_then_option() -> None:
    options = [f"mode={mode};words={words}" for mode in range(9) for words in (2, 4, 8, 16, 32, 33, 34, 35, 36, 37)]
    found = rows("f32", "f64", options=[option.replace("mode=", "mode=m") for option in options])
    assert [name for name, _ in curves.pages(subject(found))] == ["time-by-words-f32", "time-by-words-f64"]


def test_passes_over_data_show_bandwidth_over_their_size_and_never_iterations() -> None:
    launches = [f"{blocks}x256" for blocks in (16, 1024, 65536)]
    found = rows(pattern="struct-access", launches=launches, options=["words=4"])
    ((name, page),) = curves.pages(subject(found))
    (axes,) = page.figure.axes
    assert name == "bandwidth-by-size"
    assert page.title.startswith("struct-access: soa is the fastest safe variant at 2 of 3 sizes, 1 tie")
    assert axes.get_ylabel() == "useful bytes moved, GB/s"
    assert axes.get_ylim()[0] == 0
    assert [label.get_text() for label in axes.get_xticklabels()] == ["128 KiB", "8 MiB", "512 MiB"]
    assert points(axes.lines[0])[1] == [row.gb_per_s for row in found if row.variant == "direct"]
    assert not any("iteration" in text for text in texts(page))


def test_labels_of_many_values_keep_clear_of_one_another() -> None:
    found = rows(options=[f"stride={stride}" for stride in range(1, 33)])
    page = curves.draw(subject(found), "stride")
    shown = [label.get_text() for label in page.figure.axes[0].get_xticklabels()]
    assert shown[-1] == "32"
    assert len(shown) < 32


def test_zero_has_a_place_on_the_axis() -> None:
    found = rows(options=[f"extra_shared={size}" for size in (0, 1024, 4096, 16384)])
    page = curves.draw(subject(found), "extra_shared")
    (axes,) = page.figure.axes
    assert axes.get_xlim()[0] < 0
    assert [label.get_text() for label in axes.get_xticklabels()] == ["0", "1024", "4096", "16384"]
    assert axes.get_xlabel() == "extra_shared: unused shared memory, bytes a block"


def test_one_block_size_makes_an_axis_of_the_blocks() -> None:
    found = rows(launches=("26x1024", "132x1024", "264x1024"))
    ((name, page),) = curves.pages(subject(found))
    assert name == f"time-by-{GRID}"
    assert page.figure.axes[0].get_xlabel() == "blocks"


def _legend(found: list[Row]) -> list[Line2D]:
    page = curves.draw(subject(found), BLOCK)
    return [line for legend in page.figure.legends for line in legend.get_lines()]


def test_panel_of_cases_that_leave_an_option_out_says_so() -> None:
    found = rows(launches=SWEEP[:3]) + rows(launches=SWEEP[:3], options=["l2=cold"])
    one_grid = [row for row in found if row.launch.startswith(SWEEP[0].split("x")[0])]
    assert {"l2=cold", "not l2=cold"} <= set(texts(curves.draw(subject(one_grid), BLOCK)))
