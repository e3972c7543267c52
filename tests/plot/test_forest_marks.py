from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest

from shflbench.analysis.compare.comparison import Outcome
from shflbench.plot.forest import draw
from shflbench.plot.forest_marks import COLOURS, look_of
from tests.fakes.comparisons import rich, timed
from tests.plot.forests import bands, marks, of_verdicts
from tests.plot.subjects import texts
from tests.plot.test_style import SIGHT, contrast, lab, linear


def test_each_outcome_has_a_shape_of_its_own() -> None:
    shapes = {look_of(outcome, judged=True)["marker"] for outcome in COLOURS}
    assert len(shapes) == len(COLOURS)
    assert set(COLOURS) | {Outcome.FAILED, Outcome.MISSING, Outcome.NEW} == set(Outcome)


@pytest.mark.parametrize("colour", COLOURS.values())
def test_every_colour_stands_out_from_the_page(colour: str) -> None:
    assert contrast(colour, "#FFFFFF") >= 3


@pytest.mark.parametrize("sight", SIGHT)
def test_colours_differ_for_every_kind_of_sight(sight: str) -> None:
    seen = {outcome: lab(SIGHT[sight] @ linear(colour)) for outcome, colour in COLOURS.items()}
    assert min(np.linalg.norm(seen[one] - seen[other]) for one, other in combinations(seen, 2)) > 15


def test_the_legend_counts_each_outcome_that_is_drawn() -> None:
    found = of_verdicts([timed(f"a/{n}", 300, change) for n, change in enumerate((0.02, 0.03, -0.02, 0.0))])
    (legend,) = draw(found).figure.legends
    said = [text.get_text() for text in legend.get_texts()]
    assert said == ["slower (2)", "faster (1)", "same (1)", "within the threshold (1 %)"]


def test_a_report_without_verdict_says_so_and_gives_all_cases_one_look() -> None:
    found = replace(rich(), across=("the GPUs differ",))
    page = draw(found)
    assert page.title.startswith("Report without verdict: the time of ")
    assert not page.figure.legends
    assert not bands(page)
    drawn = marks(page)
    assert len(drawn) == sum(verdict.ratio is not None for verdict in found.verdicts)
    assert len({(mark.get_color(), mark.get_marker()) for mark in drawn}) == 1
    assert "Not comparable: the GPUs differ" in texts(page)
