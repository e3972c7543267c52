import pytest

from shflbench.analysis.compare.comparison import Outcome
from shflbench.analysis.compare.draws import count_disjoint_pairs, draw_pairs, judge_pair
from shflbench.analysis.compare.noise import NoiseModel
from shflbench.analysis.compare.noise_learning import observe_noise
from shflbench.analysis.compare.pool import judgments
from shflbench.core.thresholds import Threshold, Thresholds
from tests.fakes.pools import generated, recorded_some, shifted

ONE_RUN = [(0, process) for process in range(12)]
DAYS = [(day, process) for day in range(4) for process in range(3)]
ALARMS = {Outcome.SLOWER, Outcome.FASTER}
OPEN = {Outcome.SUSPECTED, Outcome.INCONCLUSIVE}


def test_sides_share_no_process_and_no_pair_comes_twice() -> None:
    drawn = draw_pairs(ONE_RUN, 3, 100)
    assert len(drawn) == 100
    assert all(len({*base, *new}) == 6 for base, new in drawn)
    assert len({frozenset((frozenset(base), frozenset(new))) for base, new in drawn}) == 100


def test_all_pairs_are_drawn_if_processes_are_few() -> None:
    assert len(draw_pairs(ONE_RUN[:4], 1, 100)) == 6
    assert len(draw_pairs(ONE_RUN[:4], 2, 100)) == 3
    assert draw_pairs(ONE_RUN[:4], 3, 100) == []


def test_runs_of_different_days_are_on_different_sides() -> None:
    for base, new in draw_pairs(DAYS, 3, 50):
        assert len({day for day, _ in base}) == len({day for day, _ in new}) == 1
        assert base[0][0] != new[0][0]


def test_pairs_without_a_common_process_are_counted() -> None:
    assert [count_disjoint_pairs(ONE_RUN, processes) for processes in (1, 2, 3, 5)] == [6, 3, 2, 1]
    assert [count_disjoint_pairs(DAYS, processes) for processes in (1, 2, 3, 5)] == [6, 2, 2, 1]
    assert count_disjoint_pairs([*ONE_RUN, (1, 0), (1, 1), (1, 2)], 3) == 1


def test_processes_of_several_runs_are_mixed_if_no_run_has_enough_for_a_side() -> None:
    assert any(len({day for day, _ in base}) > 1 for base, _ in draw_pairs(DAYS, 5, 50))


@pytest.mark.parametrize("processes", [1, 2, 3])
@pytest.mark.parametrize("learned", [True, False])
def test_a_draw_has_the_verdicts_of_compare_at_every_threshold(processes: int, *, learned: bool) -> None:
    pool = slower = recorded_some()
    for percent, (case_id, own) in enumerate(pool.cases.items()):
        slower = shifted(slower, case_id, percent / 100 * own.values)
    noise = observe_noise(pool) if learned else None
    seen = set()
    for before, after in draw_pairs(pool.processes, processes, 8):
        base, new = pool.select(before), slower.select(after)
        drawn = judge_pair(base, new, noise)
        assert drawn is not None
        for threshold in (0.0025, 0.01, 0.02, 0.05):
            found = judgments(base, new, Thresholds(Threshold(threshold)), noise)
            assert drawn.alarms(threshold).tolist() == [finding.outcome in ALARMS for finding in found]
            assert drawn.undecided(threshold).tolist() == [finding.outcome in OPEN for finding in found]
            if processes == 3:
                assert drawn.detectable(threshold) == pytest.approx([finding.detectable for finding in found])
            seen |= {finding.outcome for finding in found}
    assert {Outcome.SAME, Outcome.INCONCLUSIVE, Outcome.SLOWER} <= seen


def test_trusted_noise_is_used_even_if_the_sides_contradict_it() -> None:
    pool = generated(20)
    quiet = NoiseModel(0.004, 2e-5, "far too quiet")
    fitted, trusted = (
        judge_pair(
            pool.select(pool.processes[:3]), pool.select(pool.processes[3:6]), quiet, trust_learned=trust_learned
        )
        for trust_learned in (False, True)
    )
    assert fitted is not None
    assert trusted is not None
    assert (trusted.half_widths != fitted.half_widths).all()
