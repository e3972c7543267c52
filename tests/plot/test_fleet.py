"""The heat map of a fleet."""

import pytest

from shflbench.analysis.fleet import rank
from shflbench.errors import ResultsError
from shflbench.plot.fleet import MOST_DEVICES, draw
from shflbench.plot.page import Page
from shflbench.plot.style import house_style
from tests.fakes.fleets import record


def texts(page: Page) -> list[str]:
    """Return all texts of a page."""
    return [
        *(text.get_text() for text in page.figure.texts),
        *(text.get_text() for axes in page.figure.axes for text in axes.texts),
        *(label.get_text() for axes in page.figure.axes for label in axes.get_yticklabels()),
    ]


@pytest.fixture(scope="module")
def page() -> Page:
    many = [record(number) for number in range(MOST_DEVICES + 5)]
    few = [record(number, model="NVIDIA A30") for number in range(90, 93)]
    slow = record(80, factors={"scan": 1.05}, sentinels=1.0)
    with house_style():
        return draw(rank([*many, slow, *few]))


def test_the_title_names_the_outlier_and_its_cell_is_framed(page: Page) -> None:
    assert page.title == "node:80 is an outlier among 39 devices: slow"
    cells = page.figure.axes[0].patches
    assert sum(cell.get_linewidth() > 0 for cell in cells) == 1
    assert len(cells) == MOST_DEVICES * 4


def test_outliers_are_always_shown_and_the_others_are_counted(page: Page) -> None:
    words = texts(page)
    assert {"node:80", "+5.0", "slow"} <= set(words)
    assert any(text.startswith("6 more devices are not shown") for text in words)
    assert "Too few devices to compare: NVIDIA A30." in words


def test_a_fleet_without_a_comparable_model_cannot_be_drawn() -> None:
    with pytest.raises(ResultsError, match="no model has four devices"):
        draw(rank([record(number) for number in range(3)]))
