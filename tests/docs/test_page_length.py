"""No page of the explanations is longer than a reader takes at once."""

from pathlib import Path

import pytest

PAGES = sorted((Path(__file__).parents[2] / "docs" / "explanation").rglob("*.md"))
MOST_WORDS = 1500  # as `wc -w` counts them, tables included


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_page_is_short(page: Path) -> None:
    """Divide a longer page into one per question of its readers."""
    words = len(page.read_text(encoding="utf-8").split())
    assert words <= MOST_WORDS, f"{words} words"


def test_there_are_pages() -> None:
    assert len(PAGES) > 50
