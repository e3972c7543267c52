import os
from dataclasses import replace
from itertools import combinations, pairwise
from pathlib import Path

import pytest
from matplotlib.axes import Axes
from matplotlib.transforms import Bbox

from shflbench.analysis.compare.comparison import Outcome
from shflbench.errors import ResultsError, UsageError
from shflbench.output.plot.forest import draw, draw_forest
from shflbench.output.plot.style import house_style
from tests.fakes.comparisons import many, quiet, rich, timed
from tests.output.plot.forests import bands, marks, names, of, of_verdicts
from tests.output.plot.subjects import points, texts

LONG = "private-array/local/f32/8*sms x 64/1024/length=32/index=uniform/math=0/carveout=100"


def test_every_case_has_a_line_and_the_most_important_is_at_the_top() -> None:
    comparison = rich()
    page = draw(comparison)
    assert names(page) == [verdict.case_id for verdict in comparison.by_importance()]
    (axes,) = page.figure.axes
    heights = [axes.transData.transform((0, y))[1] for y in axes.get_yticks()]
    assert all(above > below for above, below in pairwise(heights))


def test_a_mark_is_at_the_change_and_its_bar_is_the_interval() -> None:
    (verdict,) = (comparison := of([0.02])).verdicts
    assert verdict.ratio
    page = draw(comparison)
    (mark,) = marks(page)
    assert points(mark)[0] == pytest.approx([2.0])
    ends = [100 * (verdict.ratio.low - 1), 100 * (verdict.ratio.high - 1)]
    assert any(points(line)[0] == pytest.approx(ends) for line in page.figure.axes[0].lines)


def test_the_band_of_each_case_is_its_own_threshold_and_the_same_size_of_step_both_ways() -> None:
    narrow, wide = timed("a/b", 300, 0.0), timed("c/d", 300, 0.0, threshold=0.25)
    page = draw(of_verdicts([narrow, wide]))
    assert sorted(bands(page)) == [pytest.approx((-20, 25)), pytest.approx((100 / 1.01 - 100, 1))]
    assert "within the threshold (1 to 25%, by case)" in texts(page)


def test_a_case_without_a_ratio_says_why_in_its_line() -> None:
    page = draw(rich())
    labels = texts(page)
    for verdict in rich().verdicts:
        if verdict.outcome in {Outcome.MISSING, Outcome.NEW}:
            assert f"{verdict.outcome}: {verdict.sentence}" in labels
    assert any(words.startswith("failed: incorrect (3 of 8 inputs matched") for words in labels)
    assert len(marks(page)) == sum(verdict.ratio is not None for verdict in rich().verdicts)


@pytest.mark.parametrize("cases", [5, 40, 430])
def test_no_label_overlaps_another_or_leaves_the_page(cases: int) -> None:
    several = many(cases, slower=min(cases // 2, 60)).verdicts
    with house_style():
        page = draw(replace(rich(), verdicts=(replace(several[0], case_id=LONG), *several[1:])))
        page.figure.draw_without_rendering()
        (axes,) = page.figure.axes
        labels = [*axes.get_yticklabels(), *(item for item in axes.texts if item.get_text())]
        boxes = [item.get_window_extent() for item in labels]
    assert len(boxes) >= 2 * min(cases, 60)
    assert not [(one, other) for one, other in combinations(boxes, 2) if overlap(one, other)]
    sheet = page.figure.bbox
    assert all(0 <= box.x0 < box.x1 <= sheet.width and 0 <= box.y0 < box.y1 <= sheet.height for box in boxes)


def overlap(one: Bbox, other: Bbox) -> bool:
    return bool(one.x0 < other.x1 and other.x0 < one.x1 and one.y0 < other.y1 and other.y0 < one.y1)


def test_the_longest_names_leave_room_for_the_lines() -> None:
    page = draw(of_verdicts([timed(LONG, 300, 0.02), timed("x" * 300, 300, 0.0)]))
    (axes,) = page.figure.axes
    assert names(page)[0] == LONG
    assert names(page)[1].endswith("x…")
    assert axes.get_position().width > 0.25


def test_a_case_that_failed_is_no_mark_even_if_its_value_is_known() -> None:
    failed = replace(timed("a/b", 300, 0.0), outcome=Outcome.FAILED, sentence="incorrect")
    page = draw(of_verdicts([failed]))
    assert "failed: incorrect" in texts(page)
    assert not marks(page)
    assert not page.figure.legends[0].get_texts()[1:]
    assert "not listed here" in texts(draw(of_verdicts([replace(failed, case_id=f"a/{n}") for n in range(101)])))


def test_a_tall_chart_is_labeled_above_too() -> None:
    assert above(draw(many(60, slower=1)).figure.axes[0])
    assert not above(draw(many(20, slower=1)).figure.axes[0])


def above(axes: Axes) -> bool:
    return bool(axes.xaxis.get_tick_params()["labeltop"])


@pytest.mark.parametrize("kind", ["svg", *(pytest.param(kind, marks=pytest.mark.archs) for kind in ("png", "pdf"))])
def test_an_unchanged_comparison_gives_the_same_bytes_and_leaves_the_file_alone(tmp_path: Path, kind: str) -> None:
    one, other = tmp_path / f"one.{kind}", tmp_path / "below" / f"other.{kind.upper()}"
    draw_forest(rich(), one)
    draw_forest(rich(), other)
    assert one.read_bytes() == other.read_bytes()
    assert one.read_bytes().startswith({"svg": b"<?xml", "png": b"\x89PNG", "pdf": b"%PDF"}[kind])
    os.utime(one, (1, 1))
    draw_forest(rich(), one)
    assert one.stat().st_mtime == 1
    draw_forest(quiet(), one)
    assert one.read_bytes() != other.read_bytes()
    assert [path.name for path in tmp_path.iterdir() if path.is_file()] == [one.name]


@pytest.mark.parametrize("name", ["forest.gif", "forest", "forest.", "folder/"])
def test_another_suffix_is_refused_with_those_allowed(tmp_path: Path, name: str) -> None:
    with pytest.raises(UsageError, match="has no suffix that names a format") as caught:
        draw_forest(quiet(), tmp_path / name)
    assert caught.value.advice == "give a file that ends in .svg, .png or .pdf"
    assert not list(tmp_path.iterdir())


def test_a_folder_that_cannot_be_made_gives_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "plots").write_text("a file")
    with pytest.raises(ResultsError, match=r"plots/forest\.svg cannot be written: ") as caught:
        draw_forest(quiet(), tmp_path / "plots" / "forest.svg")
    assert "--plot" in caught.value.advice
