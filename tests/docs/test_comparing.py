"""The pages on comparing show what `compare` prints of recorded runs, and quote figures and constants as they are."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from benchmarks.compare_power.batch import load
from benchmarks.compare_power.runs import write
from shflbench.analysis.compare import Outcome, evidence, noise, noise_learning, offset, rule
from shflbench.analysis.compare.metrics import PASSES
from shflbench.store import noise_file
from tests.conftest import Command

ROOT = Path(__file__).parents[2]
RECORDED = ROOT / "tests" / "data" / "compare" / "h200-1.npz"
GATE = (ROOT / "docs" / "how-to" / "performance-gate-in-ci.md").read_text(encoding="utf-8")
HOW_WE_COMPARE = (ROOT / "docs" / "explanation" / "how-we-compare.md").read_text(encoding="utf-8")
FIGURES = (ROOT / "benchmarks" / "compare_power.md").read_text(encoding="utf-8").splitlines()

SLOWED = ("neighbor/shfl/", "reduce/shfl/")  # on the new side of the example, by 2 % more iterations
DESCRIBED = {"verdict", "why"}  # heads of the tables that hold no figures


@pytest.fixture
def before_and_after(shflbench: Command) -> Command:
    """Return the command line in a folder with two runs, of three processes of an H200 each."""
    (batch,) = load([RECORDED])
    both = batch.processes(2)
    slowed = [row.case_id for row in batch.recording.rows if row.case_id.startswith(SLOWED)]
    assert (len(slowed), len(batch.recording.rows)) == (5, 54)  # as the page says
    write(Path("before"), batch, [process for process in batch.processes(0) if process not in both][:3])
    write(Path("after"), batch, both[:3], 2, slowed)
    return shflbench


def test_example_of_the_page_is_what_compare_prints_of_the_recorded_runs(before_and_after: Command) -> None:
    outcome = before_and_after("compare", "before", "after")
    blocks = re.findall(r"^```\w*\n(.*?)^```", GATE, re.MULTILINE | re.DOTALL)
    (example,) = [block.splitlines() for block in blocks if "base: before: " in block]
    shown = [line for line in example if line != "…" and not line.startswith("$ ")]
    assert outcome.code == 1
    assert [line for line in shown if line not in outcome.out.splitlines()] == []
    slower = [line for line in outcome.out.splitlines() if line.startswith("slower")]
    assert len(slower) == 4
    assert set(slower) < set(shown)


def tables(page: str) -> Iterator[tuple[str, list[str]]]:
    """Yield the first head of each table, and its lines."""
    for table in re.findall(r"(?:^\|.*\n)+", page, re.MULTILINE):
        yield table.split("|")[1].strip(), table.splitlines()


def table_of(head: str, page: str) -> list[str]:
    return dict(tables(page))[head]


def test_each_table_of_figures_in_the_explanation_is_that_of_the_benchmark() -> None:
    quoted = [(head, lines) for head, lines in tables(HOW_WE_COMPARE) if head not in DESCRIBED]
    assert len(quoted) >= 7
    assert [line for _, lines in quoted for line in lines if line not in FIGURES] == []


def test_every_requirement_stands_in_the_explanation_with_what_came_of_it() -> None:
    asked = [line for line in FIGURES if line.startswith(("- reached", "- **missed**"))]
    assert len(asked) >= 8
    assert [line for line in HOW_WE_COMPARE.splitlines() if line.startswith(("- reached", "- **missed**"))] == asked


def test_other_rules_stand_beside_ours() -> None:
    begin = next(number for number, line in enumerate(FIGURES) if line.startswith("| rule |"))
    rows = FIGURES[begin : FIGURES.index("", begin)]
    assert table_of("rule", HOW_WE_COMPARE) == rows


def test_every_outcome_is_explained() -> None:
    cells = [row.split("|")[1] for row in table_of("verdict", HOW_WE_COMPARE)[2:]]
    assert sorted(re.findall(r"`([\w-]+)`", " ".join(cells))) == sorted(Outcome)


def percent(part: float) -> str:
    return f"{100 * part:g} %"


WORDS = {1: "one", 3: "three", 50: "fifty"}


@pytest.mark.parametrize(
    ("sentence", "of_the_code"),
    [
        ("moved the same way by more than {}", percent(offset.MOVED)),
        ("s² = max(a² + (b·t)², {}·a² + J)", f"{rule.JACKKNIFE_FLOOR}"),
        ("k = ({})·z", f"{rule.TAILS} + {rule.FEW}/ν"),  # noqa: RUF001  (degrees of freedom, in Greek)
        ("errors in {} of 100 *suites*", f"{100 * rule.FAMILY_ERROR:g}"),
        ("with errors of {} instead", percent(rule.MISSED)),
        ("only one in {} would be that far off", WORDS[round(1 / rule.MISSED)]),
        ("fewer than {} rounds a process", WORDS[rule.FEWEST_ROUNDS]),
        ("one case in {}", {20: "twenty"}[round(1 / rule.CHANCE)]),
        ("a single process is {} slower than every other", percent(rule.OUTLIER)),
        ("of both sides and {:g} standard deviations besides", rule.OUTLIER_SURE),
        ("with {} processes a side or more", WORDS[rule.FEWEST_FOR_OUTLIER]),
        ("counts with {} the additive noise", {2.0: "twice"}[PASSES]),
        ("T is {} unless", percent(evidence.USUAL_THRESHOLD.amount)),
        ("a threshold is {} at least", percent(evidence.QUICK_THRESHOLD.amount)),
        ("| one process a side | {:g} thresholds", evidence.FEW_PROCESSES[0]),
        ("| three or four processes on both sides together | {:g} thresholds", evidence.FEW_PROCESSES[2]),
        ("| two GPUs of one model | {} |", percent(evidence.OTHER_GPU)),
        ("the same sentinels | {} |", percent(evidence.CRUDE)),
        ("count {} threshold less", WORDS[round(evidence.LEARNED)]),
        ("takes {} processes and more", noise_learning.FEWEST),
        ("at a threshold of {}", percent(noise_learning.STRICT)),
        ("more than {} of those comparisons alarm", percent(noise_file.ALARMS)),
        ("more than {:g} times what it says", evidence.MISFIT),
    ],
)
def test_constants_of_the_explanation_are_those_of_the_code(sentence: str, of_the_code: object) -> None:
    assert sentence.format(of_the_code) in " ".join(HOW_WE_COMPARE.split())


def test_noise_that_is_assumed_is_half_as_much_again() -> None:
    assert "half as much again as on an H200" in " ".join(HOW_WE_COMPARE.split())
    assert noise.ASSUMED.a_us / noise.USUAL.a_us == pytest.approx(1.5, abs=0.11)
    assert noise.ASSUMED.b / noise.USUAL.b == pytest.approx(1.5, abs=0.11)
