"""The heat map of a fleet."""

import pytest

from shflbench.analysis.fleet import rank
from shflbench.output.plot.fleet import MOST_DEVICES, draw
from shflbench.output.plot.page import Page
from shflbench.output.plot.style import house_style
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
    few = [record(number, model="NVIDIA A30") for number in range(900, 903)]
    slow = record(800, factors={"scan": 1.05}, sentinels=1.0)
    with house_style():
        return draw(rank([*many, slow, *few]))


def test_the_title_names_the_outlier_and_its_cell_is_framed(page: Page) -> None:
    assert page.title == "node:800 is an outlier among 69 devices: slow"
    cells = page.figure.axes[0].patches
    assert sum(cell.get_linewidth() > 0 for cell in cells) == 1
    assert len(cells) == MOST_DEVICES * 4


def test_outliers_are_always_shown_and_the_others_are_counted(page: Page) -> None:
    words = texts(page)
    assert {"node:800", "+5.0", "slow"} <= set(words)
    assert any(text.startswith("Devices not shown: 6, of which outliers: 0.") for text in words)
    assert "Too few devices to compare: NVIDIA A30 (3)." in words


def test_models_share_the_place_and_outliers_without_one_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shflbench.output.plot.fleet.MOST_DEVICES", 12)
    large = [record(number, factor=1 + 0.05 * (number < 14)) for number in range(40)]
    small = [record(number, model="NVIDIA A30") for number in range(100, 104)]
    with house_style():
        page = draw(rank([*large, *small]))
    panels = [[label.get_text() for label in axes.get_yticklabels()] for axes in page.figure.axes[:2]]
    assert [len(labels) for labels in panels] == [8, 4]
    assert set(panels[0]) < {f"node:{number}" for number in range(14)}
    assert any(text.startswith("Devices not shown: 32, of which outliers: 6.") for text in texts(page))
    assert "NVIDIA H200: 40 devices, outliers: 14" in texts(page)


def test_unprintable_characters_of_labels_are_escaped() -> None:
    hostile = [record(number, model="A\x1b[31m", label=f"node\x1b\n{number}") for number in range(4)]
    with house_style():
        words = texts(draw(rank(hostile)))
    assert all(text.isprintable() for text in words)
    assert any("node\\x1b 3" in text for text in words)
