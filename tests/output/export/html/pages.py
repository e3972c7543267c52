"""Read a report as a parser sees it: elements with their attributes, and the text."""

from dataclasses import dataclass
from functools import cache
from html.parser import HTMLParser
from pathlib import Path

from shflbench.output.export.html import collect, render
from shflbench.output.export.html.content import ClaimLine, ReportContent
from shflbench.store import read_run

RESULTS = Path(__file__).parents[4] / "results"


def real(suite: str) -> Path:
    """Return the committed run of a suite."""
    return RESULTS / suite / "nvidia-h200"


def content_of(*folders: Path, claims: tuple[ClaimLine, ...] = (), title: str = "") -> ReportContent:
    """Return the content of a report of runs, without learned noise."""
    return collect([read_run(folder) for folder in folders], Path("no-baselines"), title, claims)


@cache
def small() -> ReportContent:
    """Return the content of a report of a small committed run."""
    return content_of(real("moving-average"))


@dataclass(frozen=True)
class Element:
    """A tag with its attributes."""

    tag: str
    attributes: dict[str, str]


class Parsed(HTMLParser):
    """The elements of a page, and its text without style and script."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.elements: list[Element] = []
        self.text = ""
        self._inside = ""
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append(Element(tag, {name: value or "" for name, value in attrs}))
        self._inside = tag

    def handle_endtag(self, tag: str) -> None:
        self._inside = "" if tag in {"style", "script"} else self._inside

    def handle_data(self, data: str) -> None:
        if self._inside not in {"style", "script"}:
            self.text += data

    def tags(self, tag: str) -> list[Element]:
        """Return the elements with this tag."""
        return [element for element in self.elements if element.tag == tag]


def parsed(content: ReportContent) -> Parsed:
    """Return the page of a report as a parser sees it."""
    return Parsed(render(content))
