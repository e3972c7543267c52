"""The page on steps and drifts quotes the constants of the rule and the figures of its benchmark as they are."""

import re
from pathlib import Path

import pytest

from shflbench.analysis.history import drift, reference, rule

ROOT = Path(__file__).parents[2]
TEXT = " ".join((ROOT / "docs" / "explanation" / "history.md").read_text(encoding="utf-8").split())
FIGURES = (ROOT / "benchmarks" / "history_rule.md").read_text(encoding="utf-8")
ROWS = [
    [cell.strip() for cell in line.strip("|").split("|")]
    for line in FIGURES.splitlines()
    if line.startswith("| ") and "---" not in line and "--:" not in line
]
KINDS = [cells[0] for cells in ROWS if len(cells) == 2 and cells[0] != "kind"]
WORDS = {3: "three", 4: "four", 5: "five", 0.75: "three quarters", 0.5: "half"}


@pytest.mark.parametrize(
    ("sentence", "of_the_code"),
    [
        ("a robust mean of the last {} runs", reference.MEMORY),
        ("how far the last {} runs were", reference.MEMORY),
        ("- {:.0%};", rule.LEAST),
        ("- {:g} times the median difference (MAD)", reference.MADS),
        ("which is {:.1f} standard deviations", reference.MADS / reference.SD_OF_MAD),
        ("- {:g} times the MAD of the last", reference.RECENT_MADS),
        ("the MAD of the last {} runs, because", reference.RECENT),
        ("- {:g} times the difference that", reference.TAILS),
        ("the difference that {:.0%} of the last", reference.TAIL),
        ("looks back up to {} runs", WORDS[rule.BACK]),
        ("has fewer than {} known differences", rule.YOUNG[0][0]),
        ("It needs {} runs. With", "{1}, {2} or {3}".format(*(runs for _, runs in rule.YOUNG))),
        ("With fewer than {}, it has hardly a level", rule.YOUNG[-1][0]),
        ("{} runs elsewhere replace it", f"{rule.QUIET} to {rule.FEWEST_RUNS - 2}"),
        ("only if the change exceeds {:.0%} and", rule.LARGE),
        ("and {} times the spread", rule.LARGE_SPREADS),
        ("Within the first {} runs of the new level", rule.SETTLED),
        ("of which the slope explains less than {:.0%}", 1 - rule.ABRUPT),
        ("The {} runs on both sides show it", WORDS[rule.BESIDE]),
        ("were as far from the level as {} of the present change", WORDS[rule.AS_FAR]),
        ("in a row are needed, up to {}", rule.MOST),
        ("until {} runs of the level are known", reference.MEMORY),
        ("The runs of {} days become one point", drift.PERIOD_DAYS),
        ("Windows of {} weeks", "{:g}, {:g}, {:g}, {:g} and {:g}".format(*(length / 2 for length in drift.WINDOWS))),
        ("changes by at least {:.0%}", drift.LEAST),
        ("by {:g} of its standard errors", drift.ERRORS),
        ("by {:g} times the scatter", drift.SCATTERS),
        ("With fewer than {} such runs", drift.FEWEST_BEFORE),
        ("less than {} of the slope", WORDS[drift.STILL]),
    ],
)
def test_constants_of_the_page_are_those_of_the_code(sentence: str, of_the_code: object) -> None:
    assert sentence.format(of_the_code) in TEXT


def test_three_runs_are_a_step() -> None:
    assert f"**{WORDS[rule.FEWEST].capitalize()} runs in a row beyond the margin" in TEXT


def test_figures_of_the_page_are_those_of_the_benchmark() -> None:
    false = {row[0]: float(row[1]) for row in ROWS if len(row) == 5 and row[0] in KINDS}
    found = {row[0]: [share(cell) for cell in row] for row in ROWS if len(row) == 10 and row[0] in KINDS}
    assert len(false) == len(found) == len(KINDS) == 11
    worst = max(false, key=false.__getitem__)
    assert f"at most {false[worst]:.2f} false alarms per 100 cases and year, in the kind *{worst}*" in TEXT
    steady = {kind: row for kind, row in found.items() if row[2] is not None}
    seen = min(row[2] or 0 for row in steady.values())
    assert f"at least {seen:g}% of the steps of 2% are seen within three runs" in TEXT
    named = {kind: row[5] or 0 for kind, row in steady.items()}
    slowest = min(named, key=named.__getitem__)
    assert slowest == "wandering, 0.8"
    others = min(share for kind, share in named.items() if kind != slowest)
    assert f"at least {others:g}% of the ramps of 1% per month are named within 8 weeks" in TEXT
    assert f"in that kind, {named[slowest]:g}%" in TEXT
    missed = re.findall(r"^- \*\*missed\*\*: \*([^*]+)\*.* (false alarms|ramps)", FIGURES, re.MULTILINE)
    assert {kind for kind, of in missed if of == "false alarms"} == {"wandering, 0.8"}
    assert {kind for kind, of in missed if of == "ramps"} == {"wandering, 0.5", "wandering, 0.8"}


def test_rates_of_other_programs_are_those_of_the_benchmark() -> None:
    (start,) = [place for place, row in enumerate(ROWS) if row[:3] == ["kind", "shflbench", "Otava"]]
    rates = [[int(cell) for cell in row[2:5]] for row in ROWS[start + 1 : start + 1 + len(KINDS)]]
    otava, strict, ruptures = ((min(column), max(column)) for column in zip(*rates, strict=True))
    assert f"Apache Otava as installed raises {otava[0]} to {otava[1]} per 100 cases and year" in TEXT
    assert f"{strict[0]} to {strict[1]} with stricter settings, and ruptures {ruptures[0]} to {ruptures[1]}" in TEXT


def share(cell: str) -> float | None:
    return float(cell.removesuffix("%")) if cell.endswith("%") else None
