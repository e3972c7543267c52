"""Limits that a file has, merged with calculated ones."""

from collections.abc import Collection
from dataclasses import replace

import pytest

from shflbench.kernel_facts.recorded_limits import current_limits, merge_limits, with_gaps
from shflbench.store import read_run
from shflbench.store.limits_file import CaseLimit
from tests.kernel_facts.test_run_limits import RESULTS, SHFL, only

RUN = only(read_run(RESULTS / "quick" / "nvidia-h200"), SHFL)
TIME = RUN.rows[0].time_us or 0.0


def limit(share: float, ceiling_us: float | None = None, model_us: float | None = None) -> CaseLimit:
    return CaseLimit(
        case_id=SHFL, limit_us=share * TIME, limit_fraction=share, ceiling_us=ceiling_us, model_us=model_us
    )


UNKNOWN = CaseLimit(case_id=SHFL, limit_reason="its machine code was not kept")
FILE = limit(0.8, ceiling_us=15.0)


@pytest.mark.parametrize(
    ("recorded", "calculated", "counted", "expected"),
    [
        pytest.param(FILE, limit(0.8, 16.0, 17.0), None, limit(0.8, 15.0, 17.0), id="only gaps are filled"),
        pytest.param(FILE, limit(0.5, 16.0, 17.0), None, FILE, id="values without requests do not join closer limits"),
        pytest.param(FILE, limit(0.9), None, limit(0.9, 15.0), id="the closer limit wins"),
        pytest.param(FILE, UNKNOWN, None, FILE, id="a known limit wins"),
        pytest.param(UNKNOWN, FILE, None, FILE, id="a limit that became known wins"),
        pytest.param(FILE, limit(0.8, 16.0), [], limit(0.8, 16.0), id="values that were calculated again win"),
        pytest.param(FILE, limit(0.5, 16.0), [], FILE, id="requests that could not be counted again are kept"),
        pytest.param(FILE, limit(0.5), [SHFL], limit(0.5, 15.0), id="limits with requests win"),
        pytest.param(limit(1.2), limit(0.5), [], limit(0.5), id="an impossible limit loses"),
    ],
)
def test_what_is_known_best_wins(
    recorded: CaseLimit, calculated: CaseLimit, counted: Collection[str] | None, expected: CaseLimit
) -> None:
    assert merge_limits(RUN, {SHFL: recorded}, [calculated], counted) == [expected]


def test_a_limit_belongs_to_the_time_that_it_was_calculated_for() -> None:
    assert current_limits(RUN, {SHFL: FILE}) == {SHFL: FILE}
    assert current_limits(RUN, {SHFL: replace(FILE, limit_fraction=0.7)}) == {}
    assert current_limits(RUN, {SHFL: UNKNOWN}) == {}


def test_only_cases_with_a_gap_are_calculated() -> None:
    assert with_gaps(RUN, {}, None) == RUN
    assert with_gaps(RUN, {SHFL: FILE}, None) == RUN
    assert not with_gaps(RUN, {SHFL: FILE}, None, predicts=False).rows
    assert not with_gaps(RUN, {SHFL: limit(0.8, model_us=17.0)}, None).rows
