"""Charts that are committed, and what their titles may claim, recomputed from results.csv.

Nothing here imports `shflbench.plot` or `shflbench.analysis`: who leads is what `shflbench show --best` prints, and the
rest is recomputed.
"""

import csv
import json
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import groupby
from pathlib import Path
from xml.etree import ElementTree as ET

import pandas as pd

from tests.plot.limit_claims import limit_errors

ROOT = Path(__file__).parents[2]
LIST_ITEM = "{http://www.w3.org/1999/02/22-rdf-syntax-ns#}li"
SVG = "{http://www.w3.org/2000/svg}"

NAME = r"[\w-]+"
NAMES = rf"{NAME}(?:, {NAME})*(?: and {NAME})?"
RATIO = r"[\d.]+×"
WINNERS = re.compile(
    rf"(?P<first>{NAME}) is the fastest safe variant at (?P<wins>\d+) of (?P<all>\d+) (?:setting|launch shape|size)s?"
    rf"(?P<others>(?:, {NAME} at \d+)*?)(?:, others at (?P<rest>\d+))?(?:, (?P<ties>\d+) ties?)?"
    rf"(?:; (?P<subject>{NAME}) runs at (?P<low>{RATIO})(?: to (?P<high>{RATIO}))? the speed of (?P<baseline>{NAME}))?"
)
ALL_TIE = re.compile(rf"(?P<who>different safe variants|{NAMES}) tie at (?P<ties>\d+) of (?P<all>\d+) \w+(?: \w+)?")
ALONE = re.compile(rf"(?P<who>{NAMES}), without a safe variant to compare with")
RANGE = re.compile(
    rf"(?P<first>{NAME}) runs at (?P<low>{RATIO}) \((?P<at_low>[^)]+)\) to (?P<high>{RATIO}) \((?P<at_high>[^)]+)\) "
    rf"the speed of (?P<baseline>{NAME})"
)
CLAUSE = re.compile(
    rf"(?P<who>{NAMES}) (?:runs at|tie at|tie|is the fastest safe variant)"
    rf"(?P<ratios>(?:(?:, | and | ){RATIO}(?: \([^)]+\))?)*)(?: \((?P<where>[^)]+)\))?"
    rf"(?: the speed of (?P<baseline>{NAME}))?"
)
SAMPLES = re.compile(
    r"the central 95% of a case's samples span at most (?P<span>[\d.]+)% "
    r"\((?:widest (?P<drawn>\d+) of )?(?P<all>\d+) cases\)"
)


@dataclass(frozen=True)
class Timed:
    """One timed case."""

    group: str
    variant: str
    competes: bool
    is_baseline: bool
    time: float
    traits: frozenset[str]  # by which a title may name its group


@dataclass(frozen=True)
class Outcome:
    """The leading variants of one group, and how many times the speed of the baseline they reach."""

    leaders: frozenset[str]
    ratio: float | None
    traits: frozenset[str]


@dataclass(frozen=True)
class Chart:
    """What a committed SVG says of itself."""

    path: Path
    title: str
    scope: tuple[str, ...]
    texts: tuple[str, ...]

    @property
    def run(self) -> Path:
        """The folder of the run that was drawn."""
        return ROOT / "results" / self.path.parent.relative_to(ROOT / "plots")


@cache
def charts() -> tuple[Chart, ...]:
    """Return every committed chart."""
    return tuple(map(_chart, sorted((ROOT / "plots").rglob("*.svg"))))


def _chart(path: Path) -> Chart:
    tree = ET.parse(path)  # noqa: S314  (our own files)
    titles = [item.text or "" for item in tree.iter("{http://purl.org/dc/elements/1.1/}title")]
    scope = tuple(item.text or "" for item in tree.iter(LIST_ITEM))
    return Chart(path, titles[0], scope, tuple(item.text or "" for item in tree.iter(f"{SVG}text")))


@cache
def timed(run: Path) -> tuple[Timed, ...]:
    """Return the timed cases of a run."""
    with (run / "results.csv").open(encoding="utf-8", newline="") as file:
        return tuple(_timed(row) for row in csv.DictReader(file) if row["time_us"])


def _timed(row: dict[str, str]) -> Timed:
    pattern, variant, rest = row["case_id"].split("/", 2)
    competes = (
        row["safe"].lower() in {"true", "1", "yes"} and row["mechanism"] != "library" and row["status"] == "timed"
    )
    options = filter(None, row["options"].split(";"))
    launches = {row["launch"], f"{row['launch'].partition('x')[0].strip()} blocks", f"{row['block']} threads per block"}
    return Timed(
        group=f"{pattern}/{rest}",
        variant=variant,
        competes=competes,
        is_baseline=variant == row["baseline"],
        time=float(row["time_us"]),
        traits=frozenset({row["dtype"], f"{row['iterations']} iterations", *launches, *options}),
    )


def groups(chart: Chart) -> list[list[Timed]]:
    """Return the timed cases that the chart shows, group by group."""
    shown = sorted((case for case in timed(chart.run) if case.group in chart.scope), key=lambda case: case.group)
    return [list(cases) for _, cases in groupby(shown, lambda case: case.group)]


def outcomes(chart: Chart) -> list[Outcome]:
    """Return the outcome of each group in which at least two variants compete."""
    return [outcome for cases in groups(chart) if (outcome := _outcome(chart.run, cases))]


@cache
def best_of(run: Path) -> frozenset[tuple[str, str]]:
    """Return the group and the variant of each case that `show --best` names."""
    command = [sys.executable, "-m", "shflbench", "show", str(run), "--best", "--format", "json"]
    (shown,) = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    parts = (case["case_id"].split("/", 2) for case in shown["cases"])
    return frozenset((f"{pattern}/{rest}", variant) for pattern, variant, rest in parts)


def _outcome(run: Path, cases: list[Timed]) -> Outcome | None:
    competing = sorted((case for case in cases if case.competes), key=lambda case: case.time)
    if len(competing) < 2 or cases[0].group.startswith("memory-ladder/"):  # its variants read different memories
        return None
    best = competing[0]
    leaders = {case.variant for case in competing if (case.group, case.variant) in best_of(run)}
    baseline = next((case for case in cases if case.is_baseline), None)
    return Outcome(frozenset(leaders), baseline.time / best.time if baseline else None, best.traits)


def speedups(chart: Chart, variant: str) -> list[tuple[float, frozenset[str]]]:
    """Return the speed of a variant relative to the baseline in each group, with what the group is named by."""
    ratios = []
    for cases in groups(chart):
        times = {case.variant: case.time for case in cases}
        baseline = next((case for case in cases if case.is_baseline), None)
        if variant in times and baseline:
            ratios.append((baseline.time / times[variant], cases[0].traits))
    return ratios


def errors(chart: Chart, title: str) -> list[str]:
    """Return what is wrong with the title; a title that is not understood is wrong."""
    pattern, _, claim = title.partition(": ")
    if match := SAMPLES.fullmatch(claim):
        return list(_samples_errors(chart, match))
    if (of_limits := limit_errors(chart.run, chart.scope, claim)) is not None:
        return of_limits
    known = {group.partition("/")[0] for group in chart.scope}
    wrong = [] if known == {pattern} else [f"the chart shows {known}"]
    for form, check in (
        (WINNERS, _winners_errors),
        (ALL_TIE, _tie_errors),
        (RANGE, _range_errors),
        (ALONE, _alone_errors),
    ):
        if match := form.fullmatch(claim):
            return wrong + list(check(chart, match))
    return wrong + list(_clauses_errors(chart, claim))


def _winners_errors(chart: Chart, match: re.Match[str]) -> Iterator[str]:
    contests = outcomes(chart)
    wins = Counter(variant for outcome in contests if len(outcome.leaders) == 1 for variant in outcome.leaders)
    claimed = Counter({match["first"]: int(match["wins"])})
    claimed.update({name: int(count) for name, count in re.findall(rf", ({NAME}) at (\d+)", match["others"])})
    if int(match["all"]) != len(contests):
        yield f"there are {len(contests)} settings with two safe variants"
    if any(wins[variant] != count for variant, count in claimed.items()):
        yield f"the wins are {wins}"
    if claimed[match["first"]] < max(wins.values(), default=0):
        yield f"the first is not the most frequent winner: {wins}"
    if int(match["rest"] or 0) != wins.total() - claimed.total():
        yield f"others win {wins.total() - claimed.total()}"
    if int(match["ties"] or 0) != len(contests) - wins.total():
        yield f"there are {len(contests) - wins.total()} ties"
    if match["subject"]:
        yield from _span_errors(chart, match["subject"], match["low"], match["high"] or match["low"])
        yield from _baseline_errors(chart, match["baseline"])
        if match["subject"] != match["first"]:
            yield "the ratio is that of another variant"


def _span_errors(chart: Chart, variant: str, low: str, high: str) -> Iterator[str]:
    ratios = [ratio for ratio, _ in speedups(chart, variant)]
    if not ratios or not (_is(low, min(ratios)) and _is(high, max(ratios))):
        yield f"{variant} has {min(ratios, default=0):.3f} to {max(ratios, default=0):.3f} times the speed"


def _baseline_errors(chart: Chart, name: str) -> Iterator[str]:
    baselines = {case.variant for cases in groups(chart) for case in cases if case.is_baseline}
    if baselines != {name}:
        yield f"the baseline is {baselines}"


def _tie_errors(chart: Chart, match: re.Match[str]) -> Iterator[str]:
    contests = outcomes(chart)
    if not int(match["ties"]) == int(match["all"]) == len(contests):
        yield f"there are {len(contests)} settings with two safe variants"
    if any(len(outcome.leaders) == 1 for outcome in contests):
        yield "some settings are no ties"
    leaders = {outcome.leaders for outcome in contests}
    expected = {_names(match["who"])} if match["who"] != "different safe variants" else leaders
    if leaders != expected or (match["who"] == "different safe variants" and len(leaders) == 1):
        yield f"the ties are between {leaders}"


def _range_errors(chart: Chart, match: re.Match[str]) -> Iterator[str]:
    ratios = speedups(chart, match["first"])
    yield from _span_errors(chart, match["first"], match["low"], match["high"])
    yield from _baseline_errors(chart, match["baseline"])
    for text, place in ((match["low"], match["at_low"]), (match["high"], match["at_high"])):
        named = set(place.replace(" ", "").split(","))  # `f64, sms x 1024, columns=16`
        there = [ratio for ratio, traits in ratios if named <= {trait.replace(" ", "") for trait in traits}]
        if not any(_is(text, ratio) for ratio in there):
            yield f"at {place} the ratio is {there}"


def _alone_errors(chart: Chart, match: re.Match[str]) -> Iterator[str]:
    if outcomes(chart):
        yield "there is something to compare with"
    competing = {case.variant for cases in groups(chart) for case in cases if case.competes}
    if competing != _names(match["who"]):
        yield f"the safe variants are {competing}"


def _clauses_errors(chart: Chart, claim: str) -> Iterator[str]:
    contests = outcomes(chart)
    clauses = [CLAUSE.fullmatch(clause) for clause in claim.split("; ")]
    if not contests or not all(clauses):
        yield "the title is not understood"
        return
    claimed = {_names(clause["who"]) for clause in clauses if clause}
    if claimed != {outcome.leaders for outcome in contests}:
        yield f"the leaders are {[outcome.leaders for outcome in contests]}"
        return
    for clause in filter(None, clauses):
        led = [outcome for outcome in contests if outcome.leaders == _names(clause["who"])]
        if clause["baseline"]:
            yield from _baseline_errors(chart, clause["baseline"])
        pairs = re.findall(rf"({RATIO})(?: \(([^)]+)\))?", clause["ratios"])
        if bool(pairs) != bool(clause["baseline"]):
            yield "a ratio needs a baseline"
        if any(not any(_is(text, outcome.ratio) for text, _ in pairs) for outcome in led if pairs):
            yield f"the ratios are {[outcome.ratio for outcome in led]}"
        for text, places in [*pairs, *([("", clause["where"])] if clause["where"] else [])]:
            there = [outcome for outcome in led if not text or _is(text, outcome.ratio)]
            if not there or any(_is_nowhere(place, there) for place in filter(None, places.split(", "))):
                yield f"{text} does not hold at {places or 'any setting'}"
            if not places and len(led) < len(contests):
                yield "the title does not say where"


def _is_nowhere(place: str, there: list[Outcome]) -> bool:
    return not any(place in outcome.traits for outcome in there)


def _samples_errors(chart: Chart, match: re.Match[str]) -> Iterator[str]:
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


def _names(text: str) -> frozenset[str]:
    return frozenset(re.split(r", | and ", text))


def _is(text: str, ratio: float | None) -> bool:
    """Return whether `4.7×` is the ratio, rounded."""
    number = text.rstrip("×")
    half = 0.5 * 10 ** -len(number.partition(".")[2])
    return ratio is not None and abs(float(number) - ratio) <= half * 1.001
