"""Write the figures of the committed runs into the tables of the explanations: `make plots`. A test checks them."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from shflbench.store import find_runs, read_run

if TYPE_CHECKING:
    from collections.abc import Mapping

    from shflbench.store import Row

ROOT = Path(__file__).parents[2]
PAGES = (
    "what-the-h200-shows.md",
    "what-transposes-and-structures-show.md",
    "what-the-other-suites-show.md",
    "what-moving-averages-and-filters-show.md",
    "what-unknown-indices-show.md",
    "what-block-sums-and-scans-show.md",
    "what-array-sums-show.md",
    "what-rows-show.md",
)
DEVICE = "nvidia-h200"
# Suites that these pages do not explain; some of their cases are those of other suites, measured again.
OTHERS = frozenset({"quick", "residency"})
COLUMN = {"µs": "time_us", "GB/s": "gb_per_s", "cycles": "cycles_per_iteration"}
LINE = re.compile(
    r"^(?P<begin>\| `(?P<case>[^`]+)` \| )(?P<figure>[\d.]+) (?P<unit>µs|GB/s|cycles)(?= \|)", re.MULTILINE
)


def measured() -> dict[str, Row]:
    """Return the rows of the reference runs by case."""
    runs = [read_run(folder) for folder in find_runs([ROOT / "results"]) if folder.name == DEVICE]
    return {row.case_id: row for run in runs if run.info.suite.name not in OTHERS for row in run.rows}


def refresh(text: str, rows: Mapping[str, Row]) -> str:
    """Return the page with the figure of each case that has a line, in as many decimals as before."""

    def line(match: re.Match[str]) -> str:
        value = getattr(rows[match["case"]], COLUMN[match["unit"]])
        return f"{match['begin']}{value:.{len(match['figure'].partition('.')[2])}f} {match['unit']}"

    return LINE.sub(line, text)


def main() -> None:
    """Refresh all pages, and print the paths of those that changed."""
    rows = measured()
    for name in PAGES:
        path = ROOT / "docs" / "explanation" / name
        text = path.read_text(encoding="utf-8")
        if (refreshed := refresh(text, rows)) != text:
            path.write_text(refreshed, encoding="utf-8")
            print(path)


if __name__ == "__main__":
    main()
