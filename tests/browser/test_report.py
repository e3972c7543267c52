"""A report in a browser: it renders, sorts, filters, needs no network, and everybody can read it."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from shflbench.cli.main import main
from tests.browser.conftest import PHONE, Opened
from tests.fakes.hostile_runs import PAYLOADS, REAL, plant
from tests.fakes.report_runs import two_of_one_suite

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.browser
RESULTS = Path(__file__).parents[2] / "results"
COMMITTED = sorted(RESULTS.glob("*/nvidia-h200"))
SMALL = [RESULTS / "moving-average" / "nvidia-h200"]  # axe takes seconds for each hundred cases
MOST_BYTES = 5_000_000  # of 4,433 rows in twelve runs, and the sources of their kernels
A4 = (794, 1123)  # pixels of CSS
WIDTH = "document.documentElement.scrollWidth"
OPEN_ALL = "document.querySelectorAll('details').forEach((part) => { part.open = true; })"
ANSWERS = "#answer-table tbody tr"
Open = Callable[..., Opened]


def write_report(path: Path, *runs: Path) -> Path:
    assert main(["report", *map(str, runs), "--output", str(path)]) == 0
    return path


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_report(tmp_path_factory.mktemp("whole") / "report.html", *COMMITTED)


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_report(tmp_path_factory.mktemp("small") / "report.html", *SMALL)


def test_a_report_of_all_committed_runs_is_small_and_shows_every_answer(whole: Path, open_page: Open) -> None:
    assert whole.stat().st_size < MOST_BYTES
    opened = open_page(whole)
    page = opened.page
    assert len(opened.texts(".lead li")) == 3
    assert page.locator(ANSWERS).count() > 40
    bars = page.locator(".chart rect.fill").all()
    assert len(bars) > 60
    assert all(bar.bounding_box()["width"] > 0 for bar in bars[:10])
    assert len(opened.texts("h3[id^=pattern-]")) > 15
    assert page.evaluate(WIDTH) == 1280
    assert (opened.requests, opened.errors) == ([], [])


def wait_until(page: "Page", condition: Callable[[], bool]) -> None:
    """Wait for a condition: the page's own policy forbids what Playwright's `wait_for_function` evaluates."""
    for _ in range(100):
        if condition():
            return
        page.wait_for_timeout(50)
    raise AssertionError("nothing happened in five seconds")


def test_a_click_on_a_heading_sorts_by_its_numbers_and_the_keyboard_turns_the_order(
    whole: Path, open_page: Open
) -> None:
    page = open_page(whole).page
    button = page.get_by_role("button", name="Speed over the next variant")
    keys = "[...document.querySelectorAll('#answer-table tbody tr')].map((row) => row.cells[5].dataset.sort || '')"
    unsorted = page.evaluate(keys)
    button.click()
    wait_until(page, lambda: page.evaluate(keys) != unsorted)
    ascending = [float(key) for key in page.evaluate(keys) if key]
    assert ascending == sorted(ascending)
    heading = page.locator("th[aria-sort]")
    assert heading.get_attribute("aria-sort") == "ascending"
    button.focus()
    page.keyboard.press("Enter")
    wait_until(page, lambda: page.evaluate(keys)[0] == max(unsorted, key=lambda key: float(key or 0)))
    assert heading.get_attribute("aria-sort") == "descending"


def test_a_filter_keeps_the_rows_that_contain_every_word(whole: Path, open_page: Open) -> None:
    opened = open_page(whole)
    everything = len(opened.texts(ANSWERS))
    opened.page.get_by_label("Filter answers").fill("f32 REDUCE")
    rows = opened.texts(ANSWERS)
    assert 0 < len(rows) < everything
    assert all("reduce" in row and "f32" in row for row in rows)
    assert opened.texts(".tools [role=status]")[0] == f"{len(rows)} of {everything} rows"
    opened.page.get_by_label("Filter answers").fill("")
    assert len(opened.texts(ANSWERS)) == everything


def test_a_sorted_table_stays_filtered(small: Path, open_page: Open) -> None:
    opened = open_page(small)
    opened.page.get_by_label("Filter answers").fill("f64")
    shown = sorted(opened.texts(ANSWERS))
    opened.page.get_by_role("button", name="Use", exact=True).click()
    opened.page.wait_for_timeout(50)
    assert sorted(opened.texts(ANSWERS)) == shown


@pytest.mark.parametrize("dark", [False, True])
def test_axe_finds_no_grave_violation_with_everything_open(small: Path, open_page: Open, *, dark: bool) -> None:
    opened = open_page(small, dark=dark)
    opened.page.evaluate(OPEN_ALL)
    assert opened.violations() == []


def test_the_page_follows_the_system_until_the_reader_chooses_a_theme(small: Path, open_page: Open) -> None:
    ground = "getComputedStyle(document.body).backgroundColor"
    light, dark = "rgb(255, 255, 255)", "rgb(22, 24, 29)"
    page = open_page(small, dark=True).page
    assert page.evaluate(ground) == dark
    page.locator("#theme").click()
    assert page.evaluate(ground) == light
    assert page.locator("#theme").inner_text() == "Dark"
    page.reload()
    assert page.evaluate(ground) == light
    assert open_page(small).page.evaluate(ground) == light


def test_a_phone_scrolls_in_one_direction_only(whole: Path, open_page: Open) -> None:
    opened = open_page(whole, PHONE)
    assert opened.page.evaluate(WIDTH) <= PHONE[0]
    opened.page.evaluate(OPEN_ALL)
    assert opened.page.evaluate(WIDTH) <= PHONE[0]
    assert opened.errors == []


def test_axe_finds_no_grave_violation_on_a_phone(small: Path, open_page: Open) -> None:
    assert open_page(small, PHONE, dark=True).violations() == []


def test_the_first_tab_leads_past_the_navigation(small: Path, open_page: Open) -> None:
    page = open_page(small).page
    page.keyboard.press("Tab")
    focused = page.locator(":focus")
    assert focused.inner_text() == "Skip to the answers"
    assert focused.bounding_box()["x"] >= 0
    page.keyboard.press("Enter")
    assert page.evaluate("location.hash") == "#answers"


def test_without_scripts_all_tables_are_there_and_no_filter_is(small: Path, open_page: Open) -> None:
    opened = open_page(small, scripts=False)
    assert len(opened.texts(ANSWERS)) == 4  # two patterns, in f32 and f64
    assert opened.texts("input, #theme") == []


def test_a_print_is_as_wide_as_paper(whole: Path, open_page: Open) -> None:
    page = open_page(whole, A4).page
    page.emulate_media(media="print")
    assert page.evaluate(WIDTH) <= A4[0]


def test_a_print_has_no_controls_and_is_light(small: Path, open_page: Open) -> None:
    opened = open_page(small, dark=True)
    opened.page.locator("#theme").click()
    opened.page.locator("#theme").click()
    opened.page.emulate_media(media="print", color_scheme="light")
    assert opened.texts("nav, .tools, details:not([open])") == []
    assert len(opened.texts(ANSWERS)) == 4  # two patterns, in f32 and f64
    assert opened.page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"


def test_code_is_side_by_side_and_colored(small: Path, open_page: Open) -> None:
    opened = open_page(small)
    opened.page.evaluate(OPEN_ALL)
    figures = opened.page.locator("section:has(#pattern-moving-average) .codes figure")
    boxes = [figure.bounding_box() for figure in figures.all()]
    assert len(boxes) >= 3
    assert len({round(box["y"]) for box in boxes if box}) == 1
    assert "__global__" in figures.first.inner_text()
    assert re.search(r"SASS\b", figures.first.inner_text())
    colors = "(kind) => getComputedStyle(document.querySelector(`pre .${kind}`)).color"
    assert len({opened.page.evaluate(colors, kind) for kind in "kcn"}) == 3


def test_runs_of_one_suite_are_side_by_side(tmp_path: Path, open_page: Open) -> None:
    opened = open_page(write_report(tmp_path / "report.html", *two_of_one_suite(tmp_path)))
    opened.page.evaluate(OPEN_ALL)
    headings = ["Run 1, µs", "Run 2, µs", "Correction 1 to 2, µs", "Judged change 1 to 2", "Verdict 1 to 2", "Why"]
    assert opened.texts("#series-1 thead th")[1:] == headings
    assert "slower" in opened.texts("#series-1 .badge")
    assert opened.violations() == []


def test_scripts_in_names_are_text_and_never_run(tmp_path: Path, open_page: Open) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("what nobody may read", encoding="utf-8")
    opened = open_page(write_report(tmp_path / "report.html", plant(REAL, tmp_path / "run", secret)))
    page = opened.page
    page.evaluate(OPEN_ALL)
    page.mouse.wheel(0, 3000)
    for row in page.locator("#cases-1 tbody tr").all()[:3]:
        row.hover()
    assert page.evaluate("window.planted") is None
    assert (opened.requests, opened.errors) == ([], [])
    text = page.locator("body").inner_text()
    for payload in PAYLOADS:
        assert payload in text
    assert "what nobody may read" not in page.content()
    assert page.locator("img, iframe, object, embed, form, link").count() == 0
    assert page.locator("script").count() == 1
    assert page.locator("a:not([href^='#'])").count() == 0


def test_the_policy_of_the_page_refuses_another_script(small: Path, open_page: Open) -> None:
    opened = open_page(small)
    opened.page.evaluate(
        "(() => { const one = document.createElement('script'); one.textContent = 'window.planted = 1';"
        " document.body.append(one); document.body.setAttribute('onclick', 'window.planted = 2'); })()"
    )
    opened.page.locator("h1").click()
    assert opened.page.evaluate("window.planted") is None
    assert all("Content Security Policy" in error for error in opened.errors)
    assert opened.errors
