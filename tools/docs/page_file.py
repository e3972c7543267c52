"""Write a page whose text is made from runs or checks."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


def write_page(page: Path, text: str) -> None:
    """Write a page, and print its path, if its text changed."""
    if not page.is_file() or page.read_text(encoding="utf-8") != text:
        page.write_text(text, encoding="utf-8")
        print(page)
