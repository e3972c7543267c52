"""Write the pages with the verdicts on what code bases say of blocks and rows, in docs/explanation: `make plots`.

The sentences are in the folder `contradictions`, a template per page; `common.md.j2` has what they share. They take
each figure from a verdict. A test checks the pages.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from shflbench.analysis.ranking import times as precise_times
from tools.docs.claims_page import Verdicts, cell, finding, measured, share, verdicts
from tools.docs.measured import ROOT, settings, unsteady
from tools.docs.page_file import generated_note, page_environment, write_page
from tools.docs.wrap import wrap_page

if TYPE_CHECKING:
    from collections.abc import Mapping

PAGE = ROOT / "docs" / "explanation" / "contradictions.md"
TEMPLATES = Path(__file__).with_name("contradictions")
NAMES = (PAGE.stem, "contradictions-about-sums", "contradictions-about-cub", "contradictions-about-rows")
SUITES = ("`blocks`", "`rows`")
LETTERS = "BR"  # of the ids of their claims

TOPICS: Mapping[str, tuple[str, ...]] = {
    "block": ("B10", "B11", "B12", "B13", "B15", "B16", "B29"),
    "array": ("B06", "B07", "B17", "B18", "B08", "B09"),
    "guide": ("B01", "B02", "B03", "B04", "B05"),
    "cub": ("B19", "B20", "B21", "B22", "B23", "B24", "R01", "R02", "R03", "R04", "R05"),
    "rows": ("R06", "R07", "R08", "R09", "R11"),
    "columns": ("B25", "B26", "B27", "B28"),
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


def about(*topics: str) -> Verdicts:
    """Return the verdicts on the claims of topics, in their order."""
    by_id = verdicts(LETTERS).by_id
    return Verdicts({name: by_id[name] for topic in topics for name in TOPICS[topic]})


def pages() -> dict[Path, str]:
    """Return the text of each page."""
    environment = page_environment(TEMPLATES)
    environment.filters.update(cell=cell, finding=finding, linked=linked, measured=measured, share=share)
    found = {}
    for name in NAMES:
        template = f"{name}.md.j2"
        text = environment.get_template(template).render(
            about=about,
            rows_of_64=rows_of_64,
            speed=speed,
            topics=TOPICS,
            unsteady=[suite for suite in unsteady() if suite in SUITES],
            verdicts=verdicts(LETTERS),
        )
        note = generated_note(TEMPLATES / template, ROOT)
        found[PAGE.with_name(f"{name}.md")] = wrap_page(f"{note}\n\n{text.rstrip()}\n")
    return found


def main() -> None:
    """Write the pages, and print the paths of those that changed."""
    for page, text in pages().items():
        write_page(page, text)


if __name__ == "__main__":
    main()
