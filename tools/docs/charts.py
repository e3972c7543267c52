"""Draw the charts of the committed runs in plots/: those of their suites, and those that a page shows: `make plots`.

Every other chart in the folders of these runs is deleted.
"""

from __future__ import annotations

import re
from pathlib import Path

from shflbench.output.plot import all_charts, default_charts, draw
from shflbench.store import find_runs, read_run

ROOT = Path(__file__).parents[2]
PLOTS = ROOT / "plots"
IMAGE = re.compile(r"!\[[^]]*\]\((?P<path>[^)\s]+\.svg)\)")


def shown_charts() -> dict[Path, Path]:
    """Return the charts that README and the documentation show, each with the first page that shows it."""
    shown: dict[Path, Path] = {}
    for page in (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))):
        for match in IMAGE.finditer(page.read_text(encoding="utf-8")):
            chart = (page.parent / match["path"]).resolve()
            if chart.is_relative_to(PLOTS):
                shown.setdefault(chart, page)
    return shown


def update(results: Path, plots: Path, shown: set[Path]) -> list[Path]:
    """Draw the charts of the timed runs in `results` to `plots`; return what changed, which includes deleted files."""
    changed: list[Path] = []
    for run in map(read_run, find_runs([results])):
        if not any(row.time_us is not None for row in run.rows):
            continue
        folder = plots / run.info.suite.name / run.folder.name
        every = all_charts(run)
        default = default_charts(run, every)
        charts = [chart for chart in every if chart in default or folder / f"{chart.file_name}.svg" in shown]
        before = {path: path.read_bytes() for path in folder.glob("*.svg")}
        drawn = draw(run, folder, charts=charts)
        changed += [path for path in drawn if before.get(path) != path.read_bytes()]
        for path in before.keys() - set(drawn):
            path.unlink()
            changed.append(path)
    return changed


def main() -> None:
    """Update plots/, and print the paths that changed."""
    for path in sorted(update(ROOT / "results", PLOTS, set(shown_charts()))):
        print(path)


if __name__ == "__main__":
    main()
