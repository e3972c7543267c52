"""Write the first page of the documentation, docs/index.md, from its template and the committed runs: `make plots`.

The sentences are in `first_page.md.j2`, which takes each figure from a run. A test checks that the page is current.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import dataclass
from functools import cache
from math import ceil
from pathlib import Path
from typing import TYPE_CHECKING

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from benchmarks.opponents import RECORD, timed
from shflbench.analysis.claims.times import RunTimes
from shflbench.analysis.contest import Contest, contests_of
from shflbench.model import Mechanism
from shflbench.store import find_runs, read_run
from tools.docs.page_file import write_page

if TYPE_CHECKING:
    from collections.abc import Mapping

    from shflbench.store import Row

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "index.md"
CLAIMS = ROOT / "docs" / "explanation" / "claims.md"  # its counts are repeated: judging takes seconds
OTHERS = CLAIMS.with_name("contradictions.md")  # likewise, of code bases
TEMPLATE = Path(__file__).with_name("first_page.md.j2")
DEVICE = "nvidia-h200"
WARP_BARRIERS = "smem-syncwarp"  # the usual best of shared memory, as the text says: the table names others only
MOSTLY = 2 / 3  # of the settings of a pattern
OPPONENTS = json.loads(RECORD.read_text(encoding="utf-8"))[-1]  # of an H200
OVERVIEW = "quick"  # the suite whose cases are those of other suites with fewer iterations


@dataclass(frozen=True, slots=True)
class Setting:
    """The contest between the variants of a setting: candidates and ties are those of every other answer."""

    contest: Contest
    is_quiet: bool = True  # whether the run was measured on a quiet GPU

    @property
    def mark(self) -> str:
        """Return the sign of figures that were not measured on a quiet GPU."""
        return "" if self.is_quiet else " †"

    @property
    def rows(self) -> Mapping[str, Row]:
        """The timed rows, by variant."""
        return {row.variant: row for row in self.contest.rows}

    def leaders(self) -> list[str]:
        """Return the fastest candidates, those that tie, in alphabetical order."""
        return list(self.contest.variants)

    def best(self) -> str:
        """Name the fastest candidates, those that tie, and library calls that are at least as fast."""
        contest = self.contest
        names = ", ".join(f"`{name}`" for name in self.leaders())
        calls = ", ".join(
            f"`{row.variant}`{'' if contest.tie(row, contest.fastest) else f' {times(1 / self.ratio(row.variant))}'}"
            for row in contest.libraries
        )
        return f"{names} (also {calls})" if calls else names

    def ratio(self, slow: str, fast: str | None = None) -> float:
        """Return the time of `slow` divided by that of `fast`, by default the fastest candidate."""
        return _time(self.rows[slow]) / _time(self.rows[fast] if fast else self.contest.fastest)

    def relative(self, other: str) -> str:
        """Return the speed of the fastest candidate relative to another one; a dash if that is among the fastest."""
        return "–" if other in self.leaders() else times(self.ratio(other))

    def fastest(self, mechanism: Mechanism) -> Row | None:
        """Return the fastest candidate of a mechanism; None if there is none."""
        rows = (row for row in self.contest.candidates if row.mechanism == mechanism.value)
        return next(rows, None)

    def over(self, mechanism: Mechanism) -> str:
        """Return the speed of the fastest over the best of a mechanism; a dash if that is among the fastest."""
        best = self.fastest(mechanism)
        if best is None or best in self.contest.leaders:
            return "–"
        named = f" `{best.variant}`" if mechanism is Mechanism.SMEM and best.variant != WARP_BARRIERS else ""
        return f"{times(self.ratio(best.variant))}{named}"

    def over_next(self, usual: Setting) -> str:
        """Return the speed over the best of another mechanism; named where another one leads than in `usual`."""
        best, other = self.contest.fastest, self.contest.next_mechanism
        if other is None or other.variant in self.leaders():
            return "–"
        name = "" if best.mechanism == usual.contest.fastest.mechanism else f"`{best.variant}` "
        return f"{name}{times(self.ratio(other.variant))}"

    def over_baseline(self, name: str = "smem") -> str:
        """Return the speed of the fastest candidate relative to the talk's baseline, or to that with padding."""
        return self.relative(name)

    def faster(self) -> str | None:
        """Return which mechanism has the faster safe variant: `shfl`, `smem` or `tie`; None unless both have one."""
        shfl, smem = self.fastest(Mechanism.SHFL), self.fastest(Mechanism.SMEM)
        if shfl is None or smem is None:
            return None
        if self.contest.tie(shfl, smem):
            return "tie"
        return "shfl" if _time(shfl) < _time(smem) else "smem"


def _time(row: Row) -> float:
    if row.time_us is None:
        raise ValueError(row.case_id)  # `settings` has only timed rows
    return row.time_us


@cache
def settings(device: str = DEVICE) -> dict[str, Setting]:
    """Return the settings of a GPU's reference runs, each by a text such as `gtc2013 reduce f32 26x1024 width=32`."""
    found: dict[str, Setting] = {}
    for folder in find_runs([ROOT / "results"]):
        run = read_run(folder)
        if folder.name != device or run.info.suite.name == OVERVIEW:
            continue
        for contest in contests_of(run.rows, RunTimes(run)):
            row = contest.fastest
            name = " ".join((run.info.suite.name, row.pattern, row.dtype, row.launch, *row.option_texts))
            found[name] = Setting(contest, is_quiet=run.info.noise is None or run.info.noise.quiet)
    return found


@cache
def by_pattern() -> dict[str, Counter[str]]:
    """Return in how many settings of a pattern shuffles are faster than shared memory, slower, or neither."""
    found: dict[str, Counter[str]] = {}
    for setting in settings().values():
        if faster := setting.faster():
            found.setdefault(setting.contest.fastest.pattern, Counter())[faster] += 1
    return dict(sorted(found.items()))


def patterns_where(faster: str) -> list[str]:
    """Return the patterns of whose settings more than two thirds have this outcome of `Setting.faster`."""
    return [f"`{name}`" for name, counts in by_pattern().items() if counts[faster] > MOSTLY * counts.total()]


def unsteady() -> list[str]:
    """Return the suites whose reference runs were not made on a quiet GPU; see `Setting.mark`."""
    infos = [read_run(folder).info for folder in find_runs([ROOT / "results"]) if folder.name == DEVICE]
    return [f"`{info.suite.name}`" for info in infos if info.noise and not info.noise.quiet]


def unsafe_gain() -> float:
    """Return the largest speed of shared memory without barriers relative to that with warp barriers."""
    both = [it for it in settings().values() if {"smem-unsafe", "smem-syncwarp"} <= it.rows.keys()]
    return ceil(10 * max(it.ratio("smem-syncwarp", "smem-unsafe") for it in both)) / 10  # it is called an upper bound


def verdicts(page: Path) -> dict[str, int]:
    """Return how many claims have each verdict, as a page on claims says."""
    text = page.read_text(encoding="utf-8") if page.is_file() else ""
    words = "confirmed|refuted|depend|inconclusive|untestable"
    return {word: int(number) for number, word in re.findall(rf"(\d+)\s+(?:are\s+)?\*\*({words})\*\*", text)}


def cycles(setting: str) -> str:
    """Return the cycles of the fastest variant at a setting of the suite `opponents`, and of `shfl`, on an H200."""
    fastest, *others = timed(OPPONENTS, setting)
    (shuffle,) = (one for one in others if one.variant == "shfl")
    return f"{fastest.cycles:.0f} cycles (`{fastest.variant}`) against {shuffle.cycles:.0f}"


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
        at=settings(),
        by_pattern=by_pattern(),
        patterns_where=patterns_where,
        SMEM=Mechanism.SMEM,
        SHFL=Mechanism.SHFL,
        unsteady=unsteady(),
        cycles=cycles,
        verdicts=verdicts(CLAIMS),
        others=sum(verdicts(OTHERS).values()),
    )


def main() -> None:
    """Write the page, and print its path if it changed."""
    write_page(PAGE, render())


if __name__ == "__main__":
    main()
