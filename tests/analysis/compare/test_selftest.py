from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from shflbench.analysis.compare.noise_learning import learn
from shflbench.analysis.compare.selftest import GateSetting, SelfTest, self_test
from shflbench.analysis.compare.spread_kind import SpreadKind
from shflbench.errors import ResultsError
from tests.fakes.pools import generated, noisier, recorded_some, shifted
from tests.fakes.simulated import spread

TIMES_US = {case.id: time_us for case, time_us in spread(12).items()}
LONG = [name for name, time_us in TIMES_US.items() if time_us > 50]
PROCESSES = 16


@cache
def plain() -> SelfTest:
    return self_test(generated(PROCESSES, cases=12))


def found(result: SelfTest, processes: int, threshold: float) -> GateSetting:
    return next(each for each in result.settings if (each.processes, each.threshold) == (processes, threshold))


def own_thresholds(result: SelfTest) -> dict[str, str]:
    return {case.case_id: str(case.own_threshold) for case in result.cases if case.own_threshold}


@pytest.mark.archs
def test_unchanged_code_raises_no_alarm_and_is_settled_by_more_processes_and_looser_thresholds() -> None:
    assert max(each.alarmed for each in plain().settings) <= 0.01
    by_threshold = [found(plain(), 3, threshold).undecided for threshold in (0.0025, 0.005, 0.01, 0.02, 0.03, 0.05)]
    assert by_threshold == sorted(by_threshold, reverse=True)
    by_processes = [found(plain(), processes, 0.01).undecided for processes in (2, 3, 5)]
    assert by_processes == sorted(by_processes, reverse=True)


def test_one_process_per_side_is_not_tried_below_its_smallest_threshold() -> None:
    assert [each.threshold for each in plain().settings if each.processes == 1] == [0.02, 0.03, 0.05]
    assert found(plain(), 1, 0.02).certain == pytest.approx(0.06)
    assert found(plain(), 3, 0.02).certain == 0.02


@pytest.mark.archs
def test_learned_noise_allows_every_threshold_with_one_process_per_side() -> None:
    noise = learn(generated(20, cases=12))
    result = self_test(generated(PROCESSES, cases=12), noise)
    assert found(result, 1, 0.01).certain < found(plain(), 1, 0.02).certain
    assert found(result, 1, 0.02).undecided < found(plain(), 1, 0.02).undecided


def test_the_setting_that_is_certain_of_the_smallest_change_is_recommended_with_the_fewest_processes() -> None:
    best = plain().recommended
    assert best is not None
    assert best.flags == f"--processes {best.processes} and --threshold {100 * best.threshold:g}%"
    assert best.undecided <= 0.05
    assert not any(each.good for each in plain().settings if each.certain < best.certain)
    same = [each.processes for each in plain().settings if each.good and each.certain == best.certain]
    assert best.processes == min(same)


def test_the_bound_from_disjoint_comparisons_is_reported() -> None:
    assert (found(plain(), 2, 0.01).disjoint, found(plain(), 5, 0.01).disjoint) == (4, 1)
    assert found(plain(), 2, 0.01).ceiling == pytest.approx(0.527, abs=0.001)
    assert found(plain(), 5, 0.01).ceiling == pytest.approx(0.95)


def test_sides_are_as_large_as_the_processes_allow() -> None:
    pool = generated(PROCESSES, cases=12)
    assert {each.processes for each in self_test(pool.select(pool.processes[:4])).settings} == {1, 2}


def test_less_than_four_processes_are_refused() -> None:
    pool = generated(PROCESSES, cases=12)
    with pytest.raises(ResultsError, match=r"have 3 processes .* needs 4$"):
        self_test(pool.select(pool.processes[:3]))


def test_a_case_on_two_levels_is_reported_and_gets_a_threshold_of_its_own() -> None:
    case, time_us = LONG[0], TIMES_US[LONG[0]]
    levels = [0.03 * time_us * (process % 2) for process in range(PROCESSES)]
    result = self_test(shifted(generated(PROCESSES, cases=12), case, levels))
    assert [(each.case_id, each.kind) for each in result.noisy] == [(case, SpreadKind.LEVELS)]
    assert own_thresholds(result)[case] in {"3%", "5%", "7%", "10%"}
    assert not own_thresholds(result).keys() & {*LONG[1:]}
    assert not own_thresholds(plain()).keys() & {*LONG}


def test_an_outlier_process_is_reported_by_its_number() -> None:
    result = self_test(shifted(generated(PROCESSES, cases=12), LONG[0], [0.0] * 5 + [5.0] + [0.0] * 10))
    (only,) = result.noisy
    assert (only.case_id, only.kind) == (LONG[0], SpreadKind.OUTLIERS)
    assert "in process 5;" in only.sentence


def test_a_quiet_machine_has_no_noisy_cases() -> None:
    assert plain().noisy == ()


def test_a_short_case_needs_a_larger_slowdown_than_a_long_one() -> None:
    cases = {case.case_id: case for case in plain().cases}
    short = min(TIMES_US, key=TIMES_US.__getitem__)
    for long in LONG:
        assert (cases[short].detectable or 0) > (cases[long].detectable or 1)
        assert (cases[short].settled or 0) > (cases[long].settled or 1)


def test_no_setting_is_recommended_if_none_is_good_enough() -> None:
    result = self_test(noisier(generated(PROCESSES, cases=12), 0.1, slice(None)))
    assert result.recommended is None
    assert own_thresholds(result).keys() == TIMES_US.keys()


def test_refused_comparisons_are_counted_separately() -> None:
    pool = generated(PROCESSES, cases=12)
    clock = np.array([1.02] * 2 + [1.0] * (PROCESSES - 2))
    moved = replace(
        pool,
        cases={name: replace(own, values=own.values * clock) for name, own in pool.cases.items()},
        sentinels={name: replace(own, values=own.values * clock) for name, own in pool.sentinels.items()},
    )
    setting = found(self_test(moved), 1, 0.05)
    assert setting.refused > 0
    assert setting.alarmed == 0


def test_the_noisy_cases_of_an_h200_are_found() -> None:
    ring, array = self_test(recorded_some()).noisy
    assert (ring.case_id.partition("/i32")[0], ring.kind) == ("memory-ladder/l2", SpreadKind.LEVELS)
    assert (array.case_id.partition("/f32")[0], array.kind) == ("private-array/local", SpreadKind.OUTLIERS)
