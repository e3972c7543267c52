"""Pages in Markdown: the option that writes them, what they say of their program, and their tables."""

from __future__ import annotations

from argparse import ArgumentParser, RawDescriptionHelpFormatter
from collections.abc import Iterable, Sequence
from pathlib import Path

UNKNOWN = "–"  # a cell without a figure


def program(doc: str | None, page: Path | None = None) -> ArgumentParser:
    """Return the parser of a program's words, with `--record` if it writes a page."""
    parser = ArgumentParser(description=doc, formatter_class=RawDescriptionHelpFormatter)
    if page:
        parser.add_argument(
            "--record",
            type=Path,
            nargs="?",
            const=page,
            metavar="FILE",
            help=f"also write the page to a file (default: benchmarks/{page.name})",
        )
    return parser


def publish(text: str, file: Path | None) -> None:
    """Print a page, and write it if `--record` names a file."""
    print(text)
    if file:
        file.write_text(text, encoding="utf-8")


def written_by(command: str) -> str:
    """Return the first sentence of a page that a command writes."""
    return f"Written by `python -m benchmarks {command}`; do not edit."


def table_row(*cells: object) -> str:
    """Return a line of a table."""
    return f"| {' | '.join(map(str, cells))} |"


def table(head: Sequence[str], rows: Iterable[Sequence[object]], texts: int = 1) -> str:
    """Return a table whose first columns are texts, and whose others are figures, aligned to the right."""
    rule = ["---"] * texts + ["--:"] * (len(head) - texts)
    return "\n".join(table_row(*cells) for cells in (head, rule, *rows))


def bullets(lines: Iterable[str], none: str = "None.") -> str:
    """Return a list, or a sentence if it is empty."""
    return "\n".join(f"- {line}" for line in lines) or none


def met(requirements: Iterable[tuple[str, bool]]) -> str:
    """Return a list of requirements, each with whether it is met."""
    return bullets(f"{'met' if is_met else '**missed**'}: {sentence}" for sentence, is_met in requirements)
