"""The table of predictions against measurements."""

from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks.prediction import LATER_PATTERNS, Predicted, page, predict_run
from shflbench.analysis.limits.constants import is_fitted
from shflbench.analysis.limits.prediction import Prediction
from shflbench.patterns.discover import builtin
from shflbench.store import read_run
from shflbench.suite import load as load_suite

ROOT = Path(__file__).parents[2]
ROW = read_run(ROOT / "results" / "launch-sweep" / "nvidia-h200").rows[0]


def predicted(variant: str, time_us: float, us: float | None, pattern: str = "scan", reason: str = "") -> Predicted:
    case_id = f"{pattern}/{variant}/f32/sms x 96/700"
    row = replace(ROW, case_id=case_id, pattern=pattern, variant=variant, time_us=time_us)
    return Predicted("unseen", row, Prediction(us, 10.0, reason), warps=3, waves=1)


ROWS = [
    predicted("smem", 100, 99),
    predicted("shfl", 50, 52),
    predicted("cub", 52, 51),
    predicted("cg", 60, None, reason="its warps may diverge"),
]


def test_errors_and_pairs_are_of_the_rows_that_have_a_prediction() -> None:
    text = page(ROWS, [], ["NVIDIA H200"], "documents")
    assert "| test | 4 | 75% | 1.9% | 3.6% | 4.0% |" in text
    assert "| 3 to 4 | 4 | 75% | 1.9% | 3.6% | 4.0% |" in text
    assert "The first is reached, the second is reached." in text
    assert "Rows of the test half without a prediction: its warps may diverge (1)." in text
    assert "| 3 to 10% | 1 | 0.0% | 85.0% |" in text
    assert "| above 30% | 2 | 100.0% | 99.5% |" in text


def test_rows_of_the_fitted_half_do_not_count_as_test() -> None:
    assert is_fitted("neighbor")
    text = page([*ROWS, predicted("smem", 100, 200, pattern="neighbor")], [], ["NVIDIA H200"], "documents")
    assert "| test | 4 | 75% | 1.9% | 3.6% | 4.0% |" in text
    assert "| fitted to | 1 | 100% | 100.0% | 100.0% | 100.0% |" in text


def test_a_suite_that_was_measured_later_has_a_table_of_its_own() -> None:
    assert "None was measured yet." in page(ROWS, [], ["NVIDIA H200"], "documents")
    text = page(ROWS, [predicted("smem", 100, 107)], ["NVIDIA H200"], "documents")
    assert "| all | 1 | 100% | 7.0% | 7.0% | 7.0% |" in text


def test_rows_of_a_pattern_that_came_later_belong_to_no_half() -> None:
    new, old = predicted("smem", 100, 107, pattern="softmax"), predicted("smem", 100, 107, pattern="neighbor")
    assert (new.is_later, old.is_later) == (True, False)
    assert "| softmax (new) | 1 | 100% | 7.0% | 7.0% | 7.0% |" in page(ROWS, [new], ["NVIDIA H200"], "documents")
    assert builtin().keys() >= LATER_PATTERNS


def test_every_timed_row_of_a_run_is_there_with_its_warps() -> None:
    run = read_run(ROOT / "results" / "moving-average" / "nvidia-h200")
    rows = list(predict_run(run, {}))
    assert [one.row.case_id for one in rows] == [row.case_id for row in run.rows]
    assert {one.warps for one in rows if one.row.launch == "16384x1024"} == {64}


@pytest.mark.parametrize("iterations", [256, 512, 1024, 4096, 16384])
def test_the_suite_of_its_own_has_iteration_counts_of_no_other_suite(iterations: int) -> None:
    suite = load_suite(ROOT / "benchmarks" / "unseen.yaml")
    assert iterations not in {case.iterations for case in suite.cases}
    assert {is_fitted(case.pattern) for case in suite.cases} == {True, False}
