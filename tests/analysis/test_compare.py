from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from shflbench.analysis import Comparison, Outcome, Reason, Verdict, compare
from shflbench.errors import ResultsError, UsageError
from shflbench.model import Case, Status
from shflbench.store import Row, Run, RunInfo, SuiteText, read_run
from tests.fakes.runs import H200, compiled, info, measured, untimed, write_run

SHFL = "neighbor/shfl/f32/26x1024/4096"
ROWS = measured(dtypes=["f32"], seed=1)[0]
AGAIN = measured(dtypes=["f32"], seed=2)[0]
FINISHED = replace(info(), finished="2026-11-20T08:00:30Z")


def run(rows: list[Row], about: RunInfo = FINISHED, folder: str = "base") -> Run:
    return Run(Path(folder), about, tuple(rows))


def with_row(rows: list[Row], status: Status | None, reason: str = "", case: str = SHFL) -> list[Row]:
    """Return the rows with one case in another state, or left out."""
    changed = [untimed(row, status, reason) if row.case_id == case and status else row for row in rows]
    return changed if status else [row for row in changed if row.case_id != case]


def verdict(base: list[Row], new: list[Row]) -> tuple[Comparison, Verdict]:
    comparison = compare(run(base), run(new, folder="new"))
    (found,) = (each for each in comparison.verdicts if each.case_id == SHFL)
    return comparison, found


def slowed(factor: float, noise: float = 0.001) -> list[Row]:
    def slowdown(case: Case) -> float:
        return factor if case.id == SHFL else 1.0

    return measured(dtypes=["f32"], seed=2, noise=noise, slowdown=slowdown)[0]


def test_unchanged_code_is_the_same_and_exits_0(tmp_path: Path) -> None:
    base = read_run(write_run(tmp_path / "base", *measured(seed=1)))
    new = read_run(write_run(tmp_path / "new", *measured(seed=2)))
    comparison = compare(base, new)
    assert {each.outcome for each in comparison.verdicts} == {Outcome.SAME}
    assert [each.case_id for each in comparison.verdicts] == [row.case_id for row in base.rows]
    assert (comparison.exit_code(), comparison.exit_code(strict=True)) == (0, 0)
    assert comparison.notes == ()


def test_a_slower_case_is_found_and_exits_1() -> None:
    comparison, found = verdict(ROWS, slowed(1.1))
    assert found.outcome is Outcome.SLOWER
    assert found.ratio is not None
    assert found.ratio.value == pytest.approx(1.1, rel=0.003)
    assert comparison.count(Outcome.SLOWER) == 1
    assert (comparison.exit_code(), comparison.exit_code(strict=True)) == (1, 1)


def test_a_faster_case_is_no_finding() -> None:
    comparison, found = verdict(ROWS, slowed(0.8))
    assert found.outcome is Outcome.FASTER
    assert comparison.exit_code(strict=True) == 0


def test_an_inconclusive_case_exits_6_only_where_certainty_is_asked_for() -> None:
    comparison, found = verdict(ROWS, [*with_row(AGAIN, None), replace(wide(), time_low_us=66.0, time_high_us=76.0)])
    assert found.outcome is Outcome.INCONCLUSIVE
    assert (comparison.exit_code(), comparison.exit_code(strict=True)) == (0, 6)


def wide() -> Row:
    return next(row for row in AGAIN if row.case_id == SHFL)


@pytest.mark.parametrize(
    ("base", "new", "outcome", "reason", "sentence", "codes"),
    [
        (
            ROWS, with_row(AGAIN, None), Outcome.MISSING, Reason.NOT_IN_NEW, "not in the new run", (1, 1),
        ),
        (
            ROWS, with_row(AGAIN, Status.SKIPPED, "needs sm_80"), Outcome.MISSING, Reason.NOT_TIMED_ANY_MORE,
            "skipped (needs sm_80) in the new run", (1, 1),
        ),
        (
            ROWS, with_row(AGAIN, Status.COMPILED), Outcome.MISSING, Reason.NOT_TIMED_ANY_MORE,
            "compiled in the new run", (1, 1),
        ),
        (
            ROWS, with_row(AGAIN, Status.FAILED, "it crashed"), Outcome.FAILED, Reason.CASE_FAILED,
            "failed (it crashed) in the new run", (1, 1),
        ),
        (
            ROWS, with_row(AGAIN, Status.INCORRECT, "lane 3 is wrong"), Outcome.FAILED, Reason.INCORRECT_RESULT,
            "incorrect (lane 3 is wrong) in the new run", (1, 1),
        ),
        (
            with_row(ROWS, None), AGAIN, Outcome.NEW, Reason.NOT_IN_BASE, "not in the base run", (0, 0),
        ),
        (
            with_row(ROWS, None), with_row(AGAIN, Status.FAILED, "it crashed"), Outcome.FAILED, Reason.CASE_FAILED,
            "failed (it crashed) in the new run", (1, 1),
        ),
        (
            with_row(ROWS, Status.FAILED, "it crashed"), AGAIN, Outcome.NOT_COMPARABLE, Reason.BASE_NOT_TIMED,
            "timed now; failed (it crashed) in the base run", (0, 6),
        ),
        (
            with_row(ROWS, Status.SKIPPED, "a"), with_row(AGAIN, Status.FAILED, "b"), Outcome.NOT_COMPARABLE,
            Reason.NEITHER_TIMED, "skipped (a) in the base run, failed (b) in the new one", (0, 6),
        ),
    ],
)  # fmt: skip
def test_a_case_that_one_side_did_not_time(
    base: list[Row], new: list[Row], outcome: Outcome, reason: Reason, sentence: str, codes: tuple[int, int]
) -> None:
    comparison, found = verdict(base, new)
    assert (found.outcome, found.reason, found.sentence) == (outcome, reason, sentence)
    assert (comparison.exit_code(), comparison.exit_code(strict=True)) == codes


def test_a_case_that_an_unfinished_run_lacks_says_so() -> None:
    comparison = compare(run(ROWS), run(with_row(AGAIN, None), info(), folder="new"))
    (found,) = (each for each in comparison.verdicts if each.outcome is Outcome.MISSING)
    assert (found.reason, found.sentence) == (Reason.RUN_UNFINISHED, "not in the new run, which stopped before its end")


def test_cases_keep_the_order_of_the_base_run_and_new_ones_follow() -> None:
    comparison = compare(run(with_row(ROWS, None)), run(list(reversed(AGAIN)), folder="new"))
    assert [each.case_id for each in comparison.verdicts] == [*(row.case_id for row in with_row(ROWS, None)), SHFL]


@pytest.mark.parametrize(
    ("about", "sentence"),
    [
        (replace(FINISHED, suite=SuiteText("quick", "", "", "")), "the suites differ (gtc2013, quick)"),
        (replace(FINISHED, device=replace(H200, name="NVIDIA B200")), "the GPUs differ (NVIDIA H200, NVIDIA B200)"),
        (replace(FINISHED, device=None), "the GPUs differ (NVIDIA H200, unknown)"),
        (replace(FINISHED, arch="sm_100"), "the architectures differ (sm_90, sm_100)"),
        (replace(FINISHED, backend="emulator"), "new has no times: its backend is emulator"),
        (replace(FINISHED, backend="none"), "new has no times: its backend is none"),
    ],
)
def test_runs_whose_times_say_nothing_about_each_other_are_refused(about: RunInfo, sentence: str) -> None:
    with pytest.raises(ResultsError) as caught:
        compare(run(ROWS), run(AGAIN, about, folder="new"))
    assert caught.value.message == f"base and new cannot be compared: {sentence}"
    assert caught.value.exit_code == 3


def test_runs_without_a_gpu_are_refused_on_either_side(tmp_path: Path) -> None:
    about = info(device=None, backend="none")
    base = read_run(write_run(tmp_path / "base", compiled(ROWS), about=about))
    with pytest.raises(ResultsError, match="base has no times: its backend is none"):
        compare(base, base)


def test_runs_with_no_case_in_common_are_refused() -> None:
    other = measured(dtypes=["f32"], launches=["132x256"])[0]
    with pytest.raises(ResultsError, match="they have no case in common"):
        compare(run(ROWS), run(other, folder="new"))


@pytest.mark.parametrize("threshold", [0.0, -0.05, float("nan"), float("inf")])
def test_a_threshold_that_is_no_fraction_is_refused(threshold: float) -> None:
    with pytest.raises(UsageError, match="is not above 0"):
        compare(run(ROWS), run(AGAIN), threshold)


def test_the_threshold_decides_what_is_slower() -> None:
    new = run(slowed(1.1), folder="new")
    assert compare(run(ROWS), new, 0.2).exit_code() == 0
    assert compare(run(ROWS), new, 0.02).exit_code() == 1


def test_what_else_changed_between_the_runs_is_noted() -> None:
    about = replace(
        FINISHED,
        suite=replace(FINISHED.suite, text="schema: 1\n"),
        device=replace(H200, uuid="GPU-9"),
        versions=replace(FINISHED.versions, driver="590.1", nvrtc=None),
    )
    new = Run(Path("new"), about, tuple(AGAIN), notes=("a note of the new run",))
    assert compare(run(ROWS), new).notes == (
        "a note of the new run",
        "the text of suite gtc2013 differs between the runs",
        "the runs were made on two different GPUs of the model NVIDIA H200",
        "NVRTC was 13.0.48, now unknown",
        "the driver was 580.159, now 590.1",
    )


def test_another_rule_can_judge_the_pairs() -> None:
    def stern(base: Row, _: Row, threshold: float) -> Verdict:
        return Verdict(base.case_id, Outcome.SLOWER, Reason.BEYOND_THRESHOLD, f"by rule, {threshold}")

    comparison = compare(run(ROWS), run(AGAIN), 0.03, judge=stern)
    assert {each.sentence for each in comparison.verdicts} == {"by rule, 0.03"}
