"""Write a page whose text is made from runs or checks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jinja2 import Environment, FileSystemLoader, StrictUndefined

if TYPE_CHECKING:
    from pathlib import Path


def page_environment(folder: Path) -> Environment:
    """Return an environment for the templates of pages in a folder."""
    return Environment(
        loader=FileSystemLoader(folder),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,  # noqa: S701  (Markdown, of committed files)
    )


def generated_note(template: Path, root: Path) -> str:
    """Return the comment at the top of a page that is made from a template and the runs."""
    name = template.relative_to(root).as_posix()
    return f"<!-- Written by `make plots` from {name} and the runs in results/; do not edit. -->"


def write_page(page: Path, text: str) -> None:
    """Write a page, and print its path, if its text changed."""
    if not page.is_file() or page.read_text(encoding="utf-8") != text:
        page.write_text(text, encoding="utf-8")
        print(page)
