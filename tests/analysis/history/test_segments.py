"""The levels of a case between its changes."""

import numpy as np
import pytest

from shflbench.analysis.history.findings import SuiteHistory, history_of
from shflbench.analysis.history.segments import LevelSegment, segments_of
from tests.fakes.histories import history_run
from tests.output.export.history.made import DAYS, DRIFTING, GAP, QUIET, STEP, STEPPED, made


@pytest.fixture(scope="module")
def history() -> SuiteHistory:
    return made()


def levels(history: SuiteHistory, case: str) -> list[LevelSegment]:
    place = history.series.cases.index(case)
    return segments_of(history, place, [change for change in history.changes if change.case == case])


def test_a_step_separates_two_levels(history: SuiteHistory) -> None:
    before, after = levels(history, STEPPED)
    assert [before.time_us, after.time_us] == pytest.approx([10.0, 10.3], rel=1e-3)
    assert (before.first, before.last) == (0, STEP - len(GAP) - 1)
    assert (after.first, after.last) == (STEP - len(GAP), DAYS - len(GAP) - 1)
    assert before.line == ((before.first, before.time_us), (before.last, before.time_us))
    assert before.error is not None
    assert after.error is not None
    assert 0 < before.error < after.error < 0.001  # of more runs


def test_a_drift_has_a_course(history: SuiteHistory) -> None:
    drift = levels(history, DRIFTING)[-1]
    times = [time_us for _, time_us in drift.line]
    assert len(times) == 6
    assert times == sorted(times)
    assert times[-1] / times[0] > 1.03


def test_a_case_without_change_is_one_level_of_its_timed_runs(history: SuiteHistory) -> None:
    (level,) = levels(history, QUIET)
    assert level.time_us == pytest.approx(30.0, rel=1e-3)
    assert (level.first, level.last) == (0, DAYS - len(GAP) - 2)  # the last one failed


def test_a_case_that_was_never_timed_has_no_level_and_one_run_has_no_interval() -> None:
    (history,) = history_of([history_run(0, {"a": None, "b": 5.0})])
    assert segments_of(history, 0, ()) == []
    (level,) = segments_of(history, 1, ())
    assert (level.time_us, level.error, np.shape(level.line)) == (5.0, None, (2, 2))
