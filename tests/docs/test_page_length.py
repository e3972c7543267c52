"""No page of the explanations is longer than a reader takes at once."""

from pathlib import Path

import pytest

PAGES = sorted((Path(__file__).parents[2] / "docs" / "explanation").glob("*.md"))
MOST_WORDS = 1500  # as `wc -w` counts them, tables included
# Pages that are longer still. Divide a page into one per question of its readers, then delete its name here.
LONGER = {
    "what-blocks-and-rows-show",
}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_page_is_short_or_listed_as_too_long(page: Path) -> None:
    words = len(page.read_text(encoding="utf-8").split())
    assert (words > MOST_WORDS) == (page.stem in LONGER), f"{words} words"


def test_every_listed_page_exists() -> None:
    assert {page.stem for page in PAGES} >= LONGER
