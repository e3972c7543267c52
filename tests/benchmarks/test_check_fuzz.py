from pathlib import Path

import pytest

from benchmarks.check_fuzz_mutants import mutant
from benchmarks.check_fuzz_outcome import WITH_REPORT, WITHOUT_REPORT, outcome_of, problems

SEED = 16
CODES = WITH_REPORT | WITHOUT_REPORT


@pytest.mark.parametrize(
    "first", [*range(0, 20, 10), *(pytest.param(first, marks=pytest.mark.archs) for first in range(20, 80, 10))]
)
def test_damaged_files_end_in_a_verdict_or_in_one_sentence(first: int, tmp_path: Path) -> None:
    outcomes = {number: outcome_of(mutant(SEED, number), tmp_path) for number in range(first, first + 10)}
    assert {number: item.problem for number, item in outcomes.items() if item.problem} == {}


def test_a_number_always_gives_the_same_mutant() -> None:
    assert mutant(SEED, 3) == mutant(SEED, 3)
    assert mutant(SEED, 3) != mutant(SEED, 5)


@pytest.mark.parametrize(
    ("code", "out", "err", "problem"),
    [
        (70, "", "error: shflbench itself failed: KeyError: 'x'\n", "exit 70"),
        (3, "", "", "exit 3 with 0 sentences"),
        (3, "{}", "error: k.cu is empty\n", "exit 3 with output"),
        (2, "", "error: one\nerror: two\n", "exit 2 with 2 sentences"),
        (1, "", "", "exit 1 without output"),
        (0, '{"files": [{"kernels": []}]}', "", "exit 0 without a verdict"),
        (0, '{"files": [{"kernels": [{"verdict": "fine", "sentence": "no hazard"}]}]}', "", "the verdict fine"),
        (0, '{"files": [{"kernels": [{"verdict": "clean", "sentence": ""}]}]}', "", "an empty sentence"),
        (5, "", "Traceback (most recent call last):\n", "a traceback"),
        (3, "", "error: \x1b[31m is no PTX\n", "a sentence with characters that are not printable"),
    ],
)
def test_the_program_notices_each_kind_of_failure(code: int, out: str, err: str, problem: str) -> None:
    assert next(problems(code, out, err, "json")) == problem
