"""The pages on comparing show what `compare` prints of recorded runs, and quote figures and constants as they are."""

import math
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from benchmarks.compare_power.batch import load
from benchmarks.compare_power.suite import UNSTEADY
from shflbench.analysis.compare import (
    Outcome,
    evidence,
    machine_evidence,
    noise,
    noise_learning,
    offset,
    placement,
    rule,
)
from shflbench.analysis.compare.metrics import OF_SEVERAL_CONTEXTS, PASSES, SEVERAL_CONTEXTS
from shflbench.store import noise_file
from tests.conftest import Command
from tests.fakes.recorded_runs import write

ROOT = Path(__file__).parents[2]
RECORDED = ROOT / "tests" / "data" / "compare" / "h200-1.npz"
GATE = (ROOT / "docs" / "how-to" / "performance-gate-in-ci.md").read_text(encoding="utf-8")
COMPARISONS = {
    name: (ROOT / "docs" / "explanation" / f"{name}.md").read_text(encoding="utf-8")
    for name in ("how-we-compare", "when-a-change-is-suspected", "how-far-to-trust-a-comparison")
}
TEXT = " ".join(" ".join(COMPARISONS.values()).split())
FIGURES, CONTEXTS = (
    (ROOT / "benchmarks" / name).read_text(encoding="utf-8").splitlines()
    for name in ("compare_power.md", "compare_power_contexts.md")
)

SLOWED = ("neighbor/shfl/", "reduce/shfl/")  # on the new side of the example, by 2% more iterations
DESCRIBED = {"verdict", "reason"}  # heads of the tables, which hold no rates


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


@pytest.mark.archs
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


def cells_of(line: str) -> list[str]:
    return [*line.split("|"), "", "", ""]


def test_rates_stand_in_the_generated_page_and_the_explanation_has_the_method_alone() -> None:
    assert {head for page in COMPARISONS.values() for head, _ in tables(page)} == DESCRIBED
    assert "(../../benchmarks/compare_power.md)" in COMPARISONS["how-we-compare"]
    assert "(../docs/explanation/how-we-compare.md)" in " ".join(FIGURES)


def test_what_the_explanation_says_of_the_generated_page_follows_from_it() -> None:
    requirements = [line for line in FIGURES if line.startswith(("- met: ", "- **missed**: "))]
    missed = [line for line in requirements if line.startswith("- **missed**: ")]
    assert (len(requirements), len(missed)) == (9, 1)
    assert "with its result. One is missed:" in TEXT
    assert not any(line.startswith("- **missed**: ") for line in CONTEXTS)
    (found,) = [line for line in CONTEXTS if "1.9–2.5% more time" in line and "10 to 50 µs are found" in line]
    assert ": 100% of the cases" in found
    one, nine = (
        next(cells[2].strip() for cells in map(cells_of, lines) if "default: 3" in cells[1] and "%" in cells[2])
        for lines in (FIGURES, CONTEXTS)
    )
    assert f"finds 100%, and leaves {nine} instead of {one} of the cases below 10 µs open." in TEXT
    (alarms,) = [line for line in FIGURES if line.startswith("- default: ")]
    (case, *_) = re.findall(r"`([^`]+)` [0-9]+", alarms)
    assert not case.startswith(UNSTEADY)
    assert "No rule can separate the effect of pages from a change" in TEXT
    batches = [line for line in FIGURES if line.startswith("| `h200-") and " NVIDIA H200 " in line]
    assert len({line.split("|")[2] for line in batches}) == len(batches) == 8
    assert "The recordings are eight batches, each from a different H200" in TEXT
    (across,) = [line for line in FIGURES if line.startswith("Cases with alarms, and their number: ")]
    assert all(case.startswith(UNSTEADY) for case in re.findall(r"`([^`]+)`", across))
    assert "agree except for cases that wait for memory" in TEXT


def test_every_outcome_is_explained() -> None:
    cells = [row.split("|")[1] for row in table_of("verdict", COMPARISONS["how-we-compare"])[2:]]
    assert sorted(re.findall(r"`([\w-]+)`", " ".join(cells))) == sorted(Outcome)


def percent(part: float) -> str:
    return f"{100 * part:g}%"


WORDS = {3: "three"}


@pytest.mark.parametrize(
    ("sentence", "of_the_code"),
    [
        ("changed in the same direction by more than {}", percent(offset.MOVED)),
        ("s² = max(a² + (b·t)², {}·a² + J)", f"{rule.JACKKNIFE_FLOOR}"),
        ("k = ({})·z", f"{rule.TAILS} + {rule.FEW}/ν"),  # noqa: RUF001  (degrees of freedom, in Greek)
        ("a false alarm in 1 of {} *comparisons*", f"{1 / rule.FAMILY_ERROR:g}"),
        ("with an error of {} instead", percent(rule.MISSED)),
        ("the one-sided {} upper confidence bound", percent(1 - rule.MISSED)),
        ("fewer than {} rounds per process", WORDS[rule.FEWEST_ROUNDS]),
        ("χ² test, {} level", percent(rule.CHANCE)),
        ("a single process is {} and", percent(rule.OUTLIER)),
        ("and {:g} standard deviations slower than every other process of both sides", rule.OUTLIER_SURE),
        ("each side has at least {} processes", WORDS[rule.FEWEST_FOR_OUTLIER]),
        ("has {} the additive noise", {2.0: "twice"}[PASSES]),
        ("use {} [CUDA contexts]", {9: "nine"}[SEVERAL_CONTEXTS]),
        ("{} of a enters", {0.5: "half"}[OF_SEVERAL_CONTEXTS]),
        ("T is {} unless", percent(evidence.USUAL_THRESHOLD.amount)),
        ("where T is at least {}", percent(evidence.QUICK_THRESHOLD.amount)),
        ("| one process per side | {:g}T", evidence.FEW_PROCESSES[0]),
        ("| three or four processes on both sides together | {:g}T", evidence.FEW_PROCESSES[2]),
        ("| two GPUs of one model | {} |", percent(evidence.OTHER_GPU)),
        ("the kernel waits for memory | up to {}", percent(placement.MOST)),
        ("a pass by at most {} µs", f"{placement.OF_PASS_US:g}"),
        ("a chain of loads from L2 by at most {} of its time", percent(placement.OF_CHAIN)),
        ("by {:.2f} µs and", placement.OF_PASS_US * math.sqrt(2 / 3)),
        ("one of {} or more is certain", percent(placement.MOST)),
        ("the same sentinels | {} |", percent(machine_evidence.CRUDE)),
        ("the SM clock of the sides agrees within {}", percent(machine_evidence.CLOCK)),
        ("another tool: fewer than {} processes", WORDS[machine_evidence.FEWEST_PROCESSES]),
        ("counts as at least {:.3f} µs", PASSES * evidence.LEAST_WITH_OFFSETS_US),
        ("the first two limits are lower by {}T", f"{evidence.LEARNED:g}".removeprefix("1")),
        ("reads at least {} processes", noise_learning.FEWEST),
        ("at a threshold of {}", percent(noise_learning.STRICT)),
        ("more than {} of those comparisons raise an alarm", percent(noise_file.ALARMS)),
        ("more than {:g} times the learned noise", evidence.MISFIT),
    ],
)
def test_constants_of_the_explanation_are_those_of_the_code(sentence: str, of_the_code: object) -> None:
    assert sentence.format(of_the_code) in TEXT


def test_assumed_noise_is_one_and_a_half_times_that_of_an_h200() -> None:
    assert "the assumed noise, which is 1.5 times that of an H200" in TEXT
    assert noise.ASSUMED.a_us / noise.USUAL.a_us == pytest.approx(1.5, abs=0.11)
    assert noise.ASSUMED.b / noise.USUAL.b == pytest.approx(1.5, abs=0.11)
