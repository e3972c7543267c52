"""The page on steps and drifts quotes the constants of the rule and the figures of its benchmark as they are."""

from pathlib import Path

import pytest

from shflbench.analysis.history import drift, reference, rule

ROOT = Path(__file__).parents[2]
TEXT = " ".join((ROOT / "docs" / "explanation" / "history.md").read_text(encoding="utf-8").split())
FIGURES = (ROOT / "benchmarks" / "history_rule.md").read_text(encoding="utf-8")
ROWS = [[cell.strip() for cell in line.strip("|").split("|")] for line in FIGURES.splitlines() if line.startswith("| ")]
WORDS = {3: "three", 4: "four", 0.75: "three quarters", 0.5: "half"}


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
        ("With fewer than {}, it has no level yet", rule.YOUNG[-1][0]),
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
