"""Write docs/explanation/contradictions.md, the verdicts on what code bases say of blocks and rows: `make plots`.

The sentences are in `contradictions_page.md.j2`, which takes each figure from a verdict. A test checks the page.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from shflbench.analysis.contest import times as precise_times
from tools.docs.claims_page import cell, finding, measured, share, verdicts
from tools.docs.measured import ROOT, settings, unsteady
from tools.docs.page_file import write_page

if TYPE_CHECKING:
    from collections.abc import Mapping

PAGE = ROOT / "docs" / "explanation" / "contradictions.md"
TEMPLATE = Path(__file__).with_name("contradictions_page.md.j2")
SUITES = ("`blocks`", "`rows`")
LETTERS = "BR"  # of the ids of their claims

TOPICS: Mapping[str, tuple[str, ...]] = {
    "The sum of a block: shuffles or shared memory?": ("B10", "B11", "B12", "B13", "B15", "B16", "B29"),
    "The sum of a large array: does the mechanism matter?": ("B06", "B07", "B17", "B18", "B08", "B09"),
    "The steps of the classic guide": ("B01", "B02", "B03", "B04", "B05"),
    "CUB, or shuffles written by hand?": ("B19", "B20", "B21", "B22", "B23", "B24", "R01", "R02", "R03", "R04", "R05"),
    "Rows: shared memory, shuffles, and how many threads per row": ("R06", "R07", "R08", "R09", "R11"),
    "Columns, and values of a warp: exchange or recompute?": ("B25", "B26", "B27", "B28"),
}

_THREAD = re.compile(r"^(?P<repository>[\w.-]+/[\w.-]+), (?P<kind>pull request|issue) (?P<number>\d+)")
_ADDRESS = re.compile(r"(?P<host>[\w-]+(?:\.[\w-]+)+/[\w./-]+)$")


def linked(source: str) -> str:
    """Return a source with a link to its thread on GitHub, or to the address at its end."""
    if thread := _THREAD.match(source):
        path = "pull" if thread["kind"] == "pull request" else "issues"
        address = f"https://github.com/{thread['repository']}/{path}/{thread['number']}"
        return f"[{thread[0]}]({address}){source[thread.end() :]}"
    if address_at_end := _ADDRESS.search(source):
        title = source[: address_at_end.start()].removesuffix(", ")
        return f"[{title}](https://{address_at_end['host']})"
    return source


def speed(fast: str, slow: str) -> str:
    """Return the speed of one variant of the sum of a block of doubles relative to another: `1.04×`."""
    ratio = settings()["blocks block-reduce f64 fill x 256 result=all"].ratio_of_launches(slow, fast)
    return precise_times(ratio)


def rows_of_64(slow: str) -> str:
    """Return the speed of a warp per row relative to a variant with a block per row, in softmax of short rows."""
    ratio = settings()["rows softmax bf16 32768x256 length=64 load=vector"].ratio_of_launches(slow, "shfl-warp")
    return precise_times(ratio)


def render() -> str:
    """Return the page."""
    environment = Environment(
        loader=FileSystemLoader(TEMPLATE.parent),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,  # noqa: S701  (Markdown, of committed files)
    )
    environment.filters.update(cell=cell, finding=finding, linked=linked, measured=measured, share=share)
    return environment.get_template(TEMPLATE.name).render(
        rows_of_64=rows_of_64,
        speed=speed,
        topics=TOPICS,
        unsteady=[suite for suite in unsteady() if suite in SUITES],
        verdicts=verdicts(LETTERS),
    )


def main() -> None:
    """Write the page, and print its path if it changed."""
    write_page(PAGE, render())


if __name__ == "__main__":
    main()
