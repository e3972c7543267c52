"""No page of the explanations is longer than a reader takes at once, and no line of a page is too long for a review."""

from pathlib import Path

import pytest

from tools.docs.wrap import text_lines

DOCS = Path(__file__).parents[2] / "docs"
ALL_PAGES = sorted(DOCS.rglob("*.md"))
PAGES = sorted((DOCS / "explanation").rglob("*.md"))
MOST_WORDS = 1500  # as `wc -w` counts them, tables included
MOST_COLUMNS = 140  # `tools.docs.wrap` breaks lines at 120


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_page_is_short(page: Path) -> None:
    """Divide a longer page into one per question of its readers."""
    words = len(page.read_text(encoding="utf-8").split())
    assert words <= MOST_WORDS, f"{words} words"


def test_there_are_pages() -> None:
    assert len(PAGES) > 50


@pytest.mark.parametrize("page", ALL_PAGES, ids=lambda page: page.relative_to(DOCS).as_posix())
def test_no_line_of_a_page_is_long(page: Path) -> None:
    """Tables, code, headings and images cannot be broken; break other lines."""
    lines = page.read_text(encoding="utf-8").splitlines()
    numbers = text_lines(lines)
    assert [
        number + 1 for number in numbers if len(lines[number]) > MOST_COLUMNS and " " in lines[number].strip()
    ] == []
