from __future__ import annotations

import pytest

from docs.generate import FOLDER, PAGES


@pytest.mark.parametrize("page", PAGES)
def test_committed_page_says_what_the_code_says(page: str) -> None:
    committed = (FOLDER / page).read_text(encoding="utf-8")
    assert committed == PAGES[page](), "run `make docs`"


def test_no_page_is_left_over() -> None:
    assert {path.name for path in FOLDER.iterdir()} == set(PAGES)
