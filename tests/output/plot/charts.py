"""Charts that are committed, and what their titles may claim, recomputed from results.csv.

Who leads is decided by the rule of every answer, `shflbench.analysis.ranking`; the rest is recomputed without it and
without `shflbench.output.plot`. What a title says of who wins is in `tests.output.plot.title_claims`.
"""

import csv
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import groupby
from pathlib import Path
from xml.etree import ElementTree as ET

import pandas as pd

from shflbench.analysis.claims.times import RunTimes
from shflbench.analysis.ranking import Ranking as Decided
from shflbench.analysis.ranking import rankings_of
from shflbench.store import read_run

ROOT = Path(__file__).parents[3]
LIST_ITEM = "{http://www.w3.org/1999/02/22-rdf-syntax-ns#}li"
SVG = "{http://www.w3.org/2000/svg}"


@dataclass(frozen=True)
class Timed:
    """One timed case."""

    group: str
    variant: str
    mechanism: str
    safe: bool
    is_baseline: bool
    time: float
    gb_per_s: float  # 0 if unknown
    setting: tuple[tuple[str, str], ...]  # factors by name
    traits: frozenset[str]  # by which a title may name its group

    @property
    def competes(self) -> bool:
        """Whether the case can win."""
        return self.safe and self.mechanism != "library"


@dataclass(frozen=True)
class Ranking:
    """The cases of one group, in which at least two compete."""

    cases: tuple[Timed, ...]  # competing ones, the fastest first
    libraries: tuple[Timed, ...]  # that are at least as fast as the fastest
    faster: tuple[Timed, ...]  # of these, those that beat it
    leaders: frozenset[str]  # the variants that win or tie
    baseline: Timed | None

    @property
    def best(self) -> Timed:
        """The fastest competing case."""
        return self.cases[0]

    @property
    def ratio(self) -> float | None:
        """How many times the speed of the baseline the fastest case reaches."""
        return self.baseline.time / self.best.time if self.baseline else None

    @property
    def traits(self) -> frozenset[str]:
        """By what a title may name the group."""
        return self.best.traits


@dataclass(frozen=True)
class Chart:
    """What a committed SVG says of itself."""

    path: Path
    run: Path  # its folder
    title: str
    scope: tuple[str, ...]
    texts: tuple[str, ...]

    @property
    def cases(self) -> list[Timed]:
        """The timed cases that the chart shows."""
        return [case for case in timed(self.run) if case.group in self.scope]


@cache
def charts() -> tuple[Chart, ...]:
    """Return every committed chart of a run: one of an answer shows several settings of the suite `opponents`."""
    paths = sorted((ROOT / "plots").glob("*/nvidia-*/*.svg"))
    return tuple(read_chart(path, ROOT / "results" / path.parent.relative_to(ROOT / "plots")) for path in paths)


def read_chart(path: Path, run: Path) -> Chart:
    """Return what the SVG of a run says of itself."""
    tree = ET.parse(path)  # noqa: S314  (our own files)
    titles = [item.text or "" for item in tree.iter("{http://purl.org/dc/elements/1.1/}title")]
    scope = tuple(item.text or "" for item in tree.iter(LIST_ITEM))
    return Chart(path, run, titles[0], scope, tuple(item.text or "" for item in tree.iter(f"{SVG}text")))


@cache
def timed(run: Path) -> tuple[Timed, ...]:
    """Return the timed cases of a run."""
    with (run / "results.csv").open(encoding="utf-8", newline="") as file:
        return tuple(_timed(row) for row in csv.DictReader(file) if row["time_us"])


def _timed(row: dict[str, str]) -> Timed:
    pattern, variant, rest = row["case_id"].split("/", 2)
    options = list(filter(None, row["options"].split(";")))
    grid = (
        row["launch"].partition("x")[0].strip()
        if "*" not in row["launch"]
        else row["launch"].rpartition("x")[0].strip()
    )
    setting = {
        "dtype": row["dtype"],
        "grid": row["launch"].rpartition("x")[0].strip(),
        "block": row["block"],
        **dict(option.split("=", 1) for option in options),
    }
    launches = {row["launch"], f"{grid} blocks", f"{row['block']} threads per block"}
    time, bandwidth = float(row["time_us"]), float(row["gb_per_s"] or 0)
    sizes = {size_words(bandwidth * time * 1000)} if bandwidth else set()
    return Timed(
        group=f"{pattern}/{rest}",
        variant=variant,
        mechanism=row["mechanism"],
        safe=row["safe"].lower() in {"true", "1", "yes"} and row["status"] == "timed",
        is_baseline=variant == row["baseline"],
        time=time,
        gb_per_s=bandwidth,
        setting=tuple({**setting, "size": next(iter(sizes), "")}.items()),
        traits=frozenset({row["dtype"], f"{row['iterations']} iterations", *launches, *options, *sizes}),
    )


def size_words(count: float) -> str:
    """Return bytes as `64 MiB`."""
    for unit in ("B", "KiB", "MiB"):
        if round(count) < 1024:
            return f"{count:.3g} {unit}"
        count /= 1024
    return f"{count:.3g} GiB"


def groups(chart: Chart) -> list[list[Timed]]:
    """Return the timed cases that the chart shows, group by group."""
    shown = sorted(chart.cases, key=lambda case: case.group)
    return [list(cases) for _, cases in groupby(shown, lambda case: case.group)]


def rankings(chart: Chart) -> list[Ranking]:
    """Return the groups in which at least two variants compete."""
    return [ranking for cases in groups(chart) if (ranking := _ranking(decided(chart.run), cases))]


@cache
def decided(folder: Path) -> Mapping[str, Decided]:
    """Return the rankings of a run by group."""
    run = read_run(folder)
    groups: dict[str, Decided] = {}
    for ranking in rankings_of(run.rows, RunTimes(run)):
        pattern, _, rest = ranking.fastest.case_id.split("/", 2)
        groups[f"{pattern}/{rest}"] = ranking
    return groups


def _ranking(by_group: Mapping[str, Decided], cases: list[Timed]) -> Ranking | None:
    known = by_group.get(cases[0].group)
    if known is None:
        return None
    competing = sorted((case for case in cases if case.competes), key=lambda case: case.time)
    level, faster = ({row.variant for row in rows} for rows in (known.libraries, known.faster_libraries))
    return Ranking(
        tuple(competing),
        tuple(case for case in cases if case.variant in level),
        tuple(case for case in cases if case.variant in faster),
        frozenset(known.variants),
        next((case for case in cases if case.is_baseline), None),
    )


def speedups(chart: Chart, variants: frozenset[str]) -> list[float]:
    """Return the speed of variants relative to the baseline in each group."""
    return [
        baseline.time / case.time
        for cases in groups(chart)
        for baseline in cases
        for case in cases
        if baseline.is_baseline and case.variant in variants
    ]


def samples_errors(chart: Chart, match: re.Match[str]) -> Iterator[str]:
    """Yield what is wrong with a title of samples."""
    widest, cases = _widest_span(chart.run)
    if f"{widest:.2f}" != match["span"]:
        yield f"the widest case spans {widest:.2f}%"
    if int(match["all"]) != cases:
        yield f"there are {cases} cases"
    if int(match["drawn"] or match["all"]) != min(20, cases):
        yield "20 cases are drawn"


@cache
def _widest_span(run: Path) -> tuple[float, int]:
    """Return what percentage of its median the samples of the widest case span, and the number of cases."""
    samples = pd.read_csv(run / "samples.csv.gz")
    with (run / "results.csv").open(encoding="utf-8", newline="") as file:
        iterations = {row["case_id"]: int(row["iterations"]) for row in csv.DictReader(file) if row["time_us"]}
    kept = samples[(samples["iterations"] == samples["case_id"].map(iterations)) & ~samples["dropped"].astype(bool)]
    times = kept.groupby("case_id")["time_us"]
    spans = 100 * (times.quantile(0.975) - times.quantile(0.025)) / times.median()
    return float(spans.max()), len(spans)
