from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest

from shflbench.analysis.compare.comparison import Outcome
from shflbench.output.plot.forest import draw
from shflbench.output.plot.forest_marks import COLORS, look_of
from tests.fakes.comparisons import rich, timed
from tests.output.plot.forests import bands, marks, of_verdicts
from tests.output.plot.subjects import texts
from tests.output.plot.test_style import SIGHT, contrast, lab, linear


def test_each_outcome_has_a_shape_of_its_own() -> None:
    shapes = {look_of(outcome, judged=True)["marker"] for outcome in COLORS}
    assert len(shapes) == len(COLORS)
    assert set(COLORS) | {Outcome.FAILED, Outcome.MISSING, Outcome.NEW} == set(Outcome)


@pytest.mark.parametrize("color", COLORS.values())
def test_every_color_stands_out_from_the_page(color: str) -> None:
    assert contrast(color, "#FFFFFF") >= 3


@pytest.mark.parametrize("sight", SIGHT)
def test_colors_differ_for_every_kind_of_sight(sight: str) -> None:
    seen = {outcome: lab(SIGHT[sight] @ linear(color)) for outcome, color in COLORS.items()}
    assert min(np.linalg.norm(seen[one] - seen[other]) for one, other in combinations(seen, 2)) > 15


def test_the_legend_counts_each_outcome_that_is_drawn() -> None:
    comparison = of_verdicts([timed(f"a/{n}", 300, change) for n, change in enumerate((0.02, 0.03, -0.02, 0.0))])
    (legend,) = draw(comparison).figure.legends
    title_text = [text.get_text() for text in legend.get_texts()]
    assert title_text == ["slower (2)", "faster (1)", "same (1)", "within the threshold (1%)"]


def test_a_report_without_verdict_says_so_and_gives_all_cases_one_look() -> None:
    comparison = replace(rich(), across=("the GPUs differ",))
    page = draw(comparison)
    assert page.title.startswith("Report without verdict: the time of ")
    assert not page.figure.legends
    assert not bands(page)
    drawn = marks(page)
    assert len(drawn) == sum(verdict.ratio is not None for verdict in comparison.verdicts)
    assert len({(mark.get_color(), mark.get_marker()) for mark in drawn}) == 1
    assert "Not comparable: the GPUs differ" in texts(page)
