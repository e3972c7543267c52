"""Write the first page of the documentation, docs/index.md, from its template and the committed runs: `make plots`.

The sentences are in `first_page.md.j2`, which takes each figure from a run. A test checks that the page is current.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from shflbench.model import Mechanism
from shflbench.store import find_runs, read_run

if TYPE_CHECKING:
    from collections.abc import Mapping

    from shflbench.store import Row

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "index.md"
CLAIMS = ROOT / "docs" / "explanation" / "claims.md"  # its counts are repeated: judging takes seconds
TEMPLATE = Path(__file__).with_name("first_page.md.j2")
DEVICE = "nvidia-h200"
OVERVIEW = "quick"  # the suite whose cases are those of other suites with fewer iterations
TIE = 1.01  # a difference below 1% decides nothing: choose the simpler variant


@dataclass(frozen=True, slots=True)
class Setting:
    """The timed rows of a suite that differ in variant only, by variant, in the order of the run."""

    rows: Mapping[str, Row]

    def best(self) -> list[str]:
        """Return the fastest safe variants: those that tie with the fastest."""
        safe = [row for row in self.rows.values() if row.safe]
        fastest = min(safe, key=_time)
        return [row.variant for row in safe if is_tie(row, fastest)]

    def ratio(self, slow: str, fast: str | None = None) -> float:
        """Return the time of `slow` divided by that of `fast`, by default the fastest safe variant."""
        best = min((row for row in self.rows.values() if row.safe), key=_time)
        return _time(self.rows[slow]) / _time(self.rows[fast] if fast else best)

    def fastest(self, mechanism: Mechanism) -> Row | None:
        """Return the fastest safe variant of a mechanism; None if there is none."""
        rows = (row for row in self.rows.values() if row.safe and row.mechanism == mechanism.value)
        return min(rows, key=_time, default=None)

    def factors(self) -> list[str]:
        """Return the speed of the fastest safe variant relative to `smem`, to `smem-syncwarp` and to shuffles."""
        shuffle = self.fastest(Mechanism.SHFL)
        others = ("smem", "smem-syncwarp", shuffle.variant if shuffle else "")
        best = self.best()
        return ["–" if name in best or name not in self.rows else times(self.ratio(name)) for name in others]

    def faster(self) -> str | None:
        """Return which mechanism has the faster safe variant: `shfl`, `smem` or `tie`; None unless both have one."""
        shfl, smem = self.fastest(Mechanism.SHFL), self.fastest(Mechanism.SMEM)
        if shfl is None or smem is None:
            return None
        if is_tie(*sorted((shfl, smem), key=_time, reverse=True)):
            return "tie"
        return "shfl" if _time(shfl) < _time(smem) else "smem"


def _time(row: Row) -> float:
    if row.time_us is None:
        raise ValueError(row.case_id)  # `settings` has only timed rows
    return row.time_us


def is_tie(slow: Row, fast: Row) -> bool:
    """Return whether two times differ too little to choose: by less than 1%, or their 95% intervals overlap."""
    return _time(slow) < TIE * _time(fast) or (slow.time_low_us or 0) <= (fast.time_high_us or 0)


@cache
def settings() -> dict[str, Setting]:
    """Return the settings of the reference runs, each by a text such as `gtc2013 reduce f32 26x1024 width=32`."""
    groups: dict[str, dict[str, Row]] = defaultdict(dict)
    for folder in find_runs([ROOT / "results"]):
        run = read_run(folder)
        if folder.name != DEVICE or run.info.suite.name == OVERVIEW:
            continue
        for row in run.rows:
            name = " ".join((run.info.suite.name, row.pattern, row.dtype, row.launch, *row.option_texts))
            if row.time_us is not None:
                groups[name][row.variant] = row
    return {name: Setting(rows) for name, rows in groups.items()}


def counts() -> Counter[str]:
    """Return in how many settings shuffles are faster than shared memory, slower, or neither."""
    return Counter(faster for setting in settings().values() if (faster := setting.faster()))


def unsafe_gain() -> float:
    """Return the largest speed of shared memory without barriers relative to that with warp barriers."""
    both = [it for it in settings().values() if {"smem-unsafe", "smem-syncwarp"} <= it.rows.keys()]
    return max(it.ratio("smem-syncwarp", "smem-unsafe") for it in both)


def verdicts() -> dict[str, int]:
    """Return how many claims have each verdict, as the page on claims says."""
    text = CLAIMS.read_text(encoding="utf-8") if CLAIMS.is_file() else ""
    words = "confirmed|refuted|depend|inconclusive|untestable"
    return {word: int(number) for number, word in re.findall(rf"(\d+)\s+(?:are\s+)?\*\*({words})\*\*", text)}


def times(value: float) -> str:
    """Return a ratio as text: `5.3×`."""
    return f"{value:.1f}×" if value < 100 else f"{value:.0f}×"  # noqa: PLR2004  (three digits say enough)


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
    environment.filters["times"] = times
    return environment.get_template(TEMPLATE.name).render(
        at=settings(), counts=counts(), unsafe_gain=unsafe_gain(), verdicts=verdicts()
    )


def main() -> None:
    """Write the page, and print its path if it changed."""
    text = render()
    if not PAGE.is_file() or PAGE.read_text(encoding="utf-8") != text:
        PAGE.write_text(text, encoding="utf-8")
        print(PAGE)


if __name__ == "__main__":
    main()
