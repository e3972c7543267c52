"""The report of a history in a browser: charts fit their place in both themes, and nothing is requested."""

from collections.abc import Callable
from pathlib import Path

import pytest

from shflbench.output.export.history.page import render
from tests.browser.conftest import DESKTOP, PHONE, Opened
from tests.output.export.history.made import DRIFTING, QUIET, made
from tests.output.export.history.test_page import HOSTILE, hostile

pytestmark = pytest.mark.browser
Open = Callable[..., Opened]
WIDTH = "document.documentElement.scrollWidth"
STROKE = "getComputedStyle(document.querySelector('.history .level')).stroke"


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("report") / "history.html"
    path.write_text(render([made()]), encoding="utf-8")
    return path


@pytest.mark.parametrize("size", [DESKTOP, PHONE])
@pytest.mark.parametrize("dark", [False, True])
def test_the_page_fits_and_everybody_can_read_it(
    report: Path, open_page: Open, size: tuple[int, int], *, dark: bool
) -> None:
    opened = open_page(report, size, dark=dark)
    assert opened.page.evaluate(WIDTH) == size[0]
    assert opened.violations() == []
    assert (opened.requests, opened.errors) == ([], [])


def test_a_chart_has_the_size_of_its_place_and_its_points_are_dots(report: Path, open_page: Open) -> None:
    page = open_page(report).page
    box = page.locator(".history .plot").first.bounding_box()
    points = page.locator(".history .points").first.bounding_box()
    assert box is not None
    assert points is not None
    assert box["width"] > 800
    assert 0.8 * box["width"] < points["width"] <= box["width"]
    assert points["height"] > 0.5 * box["height"]


def test_a_level_has_the_color_of_the_text(report: Path, open_page: Open) -> None:
    strokes = {open_page(report, dark=dark).page.evaluate(STROKE) for dark in (False, True)}
    assert strokes == {"rgb(31, 31, 31)", "rgb(230, 231, 234)"}


def test_a_link_opens_the_chart_that_it_leads_to(report: Path, open_page: Open) -> None:
    page = open_page(report).page
    target = page.locator("figure", has_text=DRIFTING)
    assert not target.is_visible()
    page.locator(".event a", has_text=DRIFTING).click()
    assert target.is_visible()


def test_the_table_of_cases_is_filtered(report: Path, open_page: Open) -> None:
    opened = open_page(report)
    opened.page.get_by_label("Filter cases").fill("scan smem")
    assert opened.texts("#cases-1 tbody th") == [QUIET]


def test_planted_markup_does_nothing(tmp_path: Path, open_page: Open) -> None:
    path = tmp_path / "history.html"
    path.write_text(render(hostile(), HOSTILE), encoding="utf-8")
    opened = open_page(path)
    assert (opened.requests, opened.errors) == ([], [])
