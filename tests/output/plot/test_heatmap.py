from dataclasses import replace
from math import log2

import pytest
from matplotlib.collections import QuadMesh

from shflbench.core.model import Status
from shflbench.output.plot import heatmap
from tests.fakes.runs import untimed
from tests.output.plot.subjects import SWEEP, rows, subject, texts


def test_numbers_and_colors_of_the_cells_are_the_speed_ups_of_the_rows() -> None:
    cases = [
        replace(row, speedup=1.0 + number / 10) if row.variant == "shfl" else row
        for number, row in enumerate(rows(launches=SWEEP))
    ]
    page = heatmap.draw(subject(cases))
    shfl = [row.speedup or 0 for row in cases if row.variant == "shfl"]  # grid by grid, block by block
    axes = page.figure.axes[0]  # of the fastest variant
    assert [text.get_text() for text in axes.texts] == [heatmap.cell_text(value) for value in shfl]
    assert axes.yaxis_inverted()  # the first grid on top, as its label
    (mesh,) = (item for item in axes.collections if isinstance(item, QuadMesh))
    values = mesh.get_array()
    assert values is not None
    assert list(values.flatten()) == pytest.approx([log2(value) for value in shfl])


def test_the_middle_of_the_colors_is_no_speed_up_on_a_scale_shared_by_all_panels() -> None:
    page = heatmap.draw(subject(rows(launches=SWEEP)))
    meshes = [mesh for axes in page.figure.axes[:-1] for mesh in axes.collections if isinstance(mesh, QuadMesh)]
    assert len(meshes) == 5
    ((low, high),) = {mesh.get_clim() for mesh in meshes}
    assert low is not None
    assert high is not None
    assert low == -high < 0
    assert "1×" in [label.get_text() for label in page.figure.axes[-1].get_xticklabels()]


def test_small_differences_do_not_get_strong_colors() -> None:
    cases = [replace(row, speedup=1.01) for row in rows(launches=SWEEP)]
    page = heatmap.draw(subject(cases))
    mesh = page.figure.axes[0].collections[0]
    assert mesh.norm.vmax == pytest.approx(log2(1.5))
    assert [label.get_text() for label in page.figure.axes[-1].get_xticklabels()] == ["0.667×", "1×", "1.5×"]


def test_each_variant_but_the_baseline_has_a_panel_and_unsafe_ones_say_so() -> None:
    shown = texts(heatmap.draw(subject(rows(launches=SWEEP))))
    headings = {"smem-double", "smem-syncwarp", "smem-unsafe (UNSAFE)", "smem-deck (UNSAFE)", "shfl"}
    assert headings <= set(shown)
    assert "smem" not in shown


def test_a_cell_without_a_number_says_why() -> None:
    cases = rows(launches=SWEEP)
    last = len(cases) - 1
    cases[last] = untimed(cases[last], Status.FAILED, "crashed")
    cases[5] = replace(cases[5], speedup=None)  # its baseline has no time
    page = heatmap.draw(subject(cases))
    cells = [text.get_text() for text in page.figure.axes[0].texts]
    assert (cells[0], cells[-1]) == ("no ratio", "failed")
    assert "No time for shfl (f32, 2*sms x 1024): failed: crashed" in texts(page)


def test_large_numbers_keep_to_their_cell() -> None:
    assert [heatmap.cell_text(value) for value in (0.5, 4.694, 10.68)] == ["0.50", "4.69", "10.7"]


def test_only_launches_that_differ_in_blocks_and_threads_make_a_map() -> None:
    assert [chart.kind + chart.part for chart in heatmap.charts(subject(rows(launches=SWEEP)))] == ["speedup-by-launch"]
    assert not list(heatmap.charts(subject(rows())))
    assert not list(heatmap.charts(subject(rows(launches=("26x1024", "132x1024", "264x1024", "528x1024")))))


def test_passes_over_data_have_no_map_because_their_launch_is_their_size() -> None:
    assert not list(heatmap.charts(subject(rows(pattern="struct-access", launches=SWEEP))))


def test_maps_of_many_settings_are_split() -> None:
    cases = rows("f32", "f64", "i32", launches=SWEEP)
    assert [chart.kind + chart.part for chart in heatmap.charts(subject(cases))] == [
        "speedup-by-launch-f32",
        "speedup-by-launch-f64",
        "speedup-by-launch-i32",
    ]
