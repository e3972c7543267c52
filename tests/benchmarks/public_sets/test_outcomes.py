"""The worth of a verdict, given the truth."""

import pytest

from benchmarks.public_sets.job import JobResult, KernelResult
from benchmarks.public_sets.truth import Kind, Outcome, Truth, compare

SOUND = Truth(Kind.SOUND, "no memory is shared.")
RACE = Truth(Kind.RACE, "all threads write their number to p[0].")
EQUAL = Truth(Kind.RACE, "equal values: all threads write 0 to p[0].")
UNUSED = Truth(Kind.OTHER, "uninitialized, in no output: a value that nothing reads.")
OUT_OF_BOUNDS = Truth(Kind.OUT_OF_BOUNDS, "thread 64 writes p[64].")


def result(*verdicts: str, sentence: str = "reason", notes: tuple[str, ...] = ()) -> JobResult:
    return JobResult(tuple(KernelResult("k", verdict, sentence) for verdict in verdicts), notes)


@pytest.mark.parametrize(
    ("truth", "verdict", "outcome"),
    [
        (SOUND, "clean", Outcome.RIGHT),
        (SOUND, "schedule-dependent", Outcome.RIGHT),
        (SOUND, "doubtful", Outcome.SOUND_DOUBTFUL),
        (SOUND, "broken", Outcome.SOUND_BROKEN),
        (RACE, "broken", Outcome.RIGHT),
        (RACE, "doubtful", Outcome.BUG_DOUBTFUL),
        (RACE, "clean", Outcome.BUG_CLEAN),
        (RACE, "schedule-dependent", Outcome.BUG_CLEAN),
        (EQUAL, "doubtful", Outcome.RIGHT),
        (EQUAL, "broken", Outcome.RIGHT),
        (EQUAL, "clean", Outcome.BUG_CLEAN),
        (UNUSED, "doubtful", Outcome.RIGHT),
        (UNUSED, "clean", Outcome.BUG_CLEAN),
        (SOUND, "needs arguments", Outcome.NEEDS_ARGUMENTS),
        (RACE, "needs arguments", Outcome.NEEDS_ARGUMENTS),
        (SOUND, "not compiled", Outcome.NOT_CHECKED),
        (RACE, "not checked", Outcome.NOT_CHECKED),
    ],
)
def test_the_outcome_compares_the_verdict_with_the_truth(truth: Truth, verdict: str, outcome: Outcome) -> None:
    assert compare("a.cu", truth, result(verdict)).outcome is outcome


def test_the_verdict_on_a_file_is_the_worst_of_its_kernels() -> None:
    assert compare("a.cu", RACE, result("clean", "broken", "not checked")).outcome is Outcome.RIGHT
    assert compare("a.cu", SOUND, result("clean", "not checked")).outcome is Outcome.NOT_CHECKED
    assert compare("a.cu", SOUND, result("clean", "doubtful")).outcome is Outcome.SOUND_DOUBTFUL


def test_a_bug_called_clean_is_wrong_even_if_the_report_names_stores_that_the_compiler_removed() -> None:
    said = result("clean", notes=("removed-store: a.cu:6 stores to y, which nothing reads",))
    assert compare("a.cu", RACE, said).outcome is Outcome.BUG_CLEAN


@pytest.mark.parametrize(
    ("truth", "kinds", "differs"),
    [
        (RACE, ("WAR", "UNINITIALIZED"), False),
        (RACE, ("OUT_OF_BOUNDS",), True),
        (OUT_OF_BOUNDS, ("MISALIGNED",), False),
        (OUT_OF_BOUNDS, ("RAW",), True),
        (Truth(Kind.OTHER, "calls a null pointer."), ("TRAPPED",), False),
    ],
)
def test_a_bug_that_shows_as_another_kind_is_right_and_marked(
    truth: Truth, kinds: tuple[str, ...], *, differs: bool
) -> None:
    outcome = compare("a.cu", truth, JobResult((KernelResult("k", "broken", "reason", kinds=kinds),)))
    assert outcome.outcome is Outcome.RIGHT
    assert outcome.differs_in_kind is differs


def test_a_crash_is_a_file_that_was_not_checked() -> None:
    outcome = compare("a.cu", SOUND, JobResult(error="no verdict after 60 s"))
    assert (outcome.outcome, outcome.reason) == (Outcome.NOT_CHECKED, "no verdict after 60 s")
