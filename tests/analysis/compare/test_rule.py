import math
from dataclasses import replace
from statistics import NormalDist
from typing import Any, TypeAlias

import pytest

from shflbench.analysis.compare.comparison import Outcome, Reason
from shflbench.analysis.compare.noise import ASSUMED, NoiseModel, Spread, Weights
from shflbench.analysis.compare.rule import (
    Contrast,
    Doubt,
    JudgedChange,
    judge,
    judge_robustly,
    model_of,
    without_outlier,
)
from tests.fakes.estimated import estimated

Values: TypeAlias = tuple[float, ...]  # of the processes of a side, in µs

CASE = "neighbor/shfl/f32/26x1024/4096"
QUIET = NoiseModel(0.05, 0.0, "of the test")
QUIETER = NoiseModel(0.01, 0.0, "of the test")
AGREEING = (10.0, 10.005, 9.995)
SLOWER = tuple(1.02 * value for value in AGREEING)
WITH_OUTLIER = (10.0, 10.005, 10.45)
SWAPPED = {Outcome.FASTER: Outcome.SLOWER, Outcome.SLOWER: Outcome.FASTER}


def contrast(base: float, new: float, *, threshold: float = 0.05, processes: int = 3, **known: Any) -> Contrast:
    """Return a case of two sides whose processes agree."""
    before, after = (estimated(*[value] * processes, **known) for value in (base, new))
    return Contrast(CASE, before, after, Weights(1.0, base * new), threshold, threshold)


def judged(case: Contrast, model: NoiseModel = QUIET, cases: int = 1) -> JudgedChange:
    return judge([case] * cases, model)[0]


def half_us(finding: JudgedChange) -> float:
    """Return half the width of the interval, in µs."""
    return finding.base * (finding.ratio.high - finding.ratio.value)


# Three processes per side and 0.05 µs of noise: the interval is ± 0.13 µs, and 0.08 µs are too little in one of fifty.
@pytest.mark.parametrize(
    ("new", "threshold", "outcome", "reason"),
    [
        (10.0, 0.05, Outcome.SAME, Reason.WITHIN_THRESHOLD),
        (10.1, 0.05, Outcome.SAME, Reason.WITHIN_THRESHOLD),
        (10.3, 0.05, Outcome.SAME, Reason.BELOW_THRESHOLD),
        (9.7, 0.05, Outcome.SAME, Reason.BELOW_THRESHOLD),
        (10.45, 0.05, Outcome.INCONCLUSIVE, Reason.INTERVAL_TOO_WIDE),
        (9.6, 0.05, Outcome.INCONCLUSIVE, Reason.INTERVAL_TOO_WIDE),
        (10.5, 0.05, Outcome.SLOWER, Reason.BEYOND_THRESHOLD),
        (9.5, 0.05, Outcome.FASTER, Reason.BEYOND_THRESHOLD),
        (10.12, 0.01, Outcome.INCONCLUSIVE, Reason.INTERVAL_TOO_WIDE),
        (10.14, 0.01, Outcome.SLOWER, Reason.BEYOND_THRESHOLD),
        (10.0, 0.005, Outcome.INCONCLUSIVE, Reason.INTERVAL_TOO_WIDE),
    ],
)
def test_the_outcome_follows_from_the_interval_and_the_threshold(
    new: float, threshold: float, outcome: Outcome, reason: Reason
) -> None:
    finding = judged(contrast(10.0, new, threshold=threshold))
    assert (finding.outcome, finding.reason) == (outcome, reason)


@pytest.mark.parametrize("new", [8.0, 9.5, 9.53, 9.7, 9.9, 10.0, 10.12, 10.14, 10.3, 10.47, 10.5, 10.53, 12.0])
@pytest.mark.parametrize("threshold", [0.005, 0.01, 0.05])
def test_swapping_the_sides_swaps_slower_and_faster(new: float, threshold: float) -> None:
    there, back = judged(contrast(10.0, new, threshold=threshold)), judged(contrast(new, 10.0, threshold=threshold))
    assert back.outcome == SWAPPED.get(there.outcome, there.outcome)
    assert (back.reason, back.needs_processes) == (there.reason, there.needs_processes)
    assert half_us(there) == pytest.approx(half_us(back))


def test_a_larger_threshold_never_finds_more() -> None:
    outcomes = [judged(contrast(10.0, 10.3, threshold=percent / 100)).outcome for percent in (0.1, 1, 2.9, 3.1, 4, 9)]
    assert outcomes == [Outcome.SLOWER] * 3 + [Outcome.INCONCLUSIVE] + [Outcome.SAME] * 2


def test_the_interval_is_as_wide_as_the_formula_says() -> None:
    z = NormalDist().inv_cdf(1 - 0.01 / 2 / 40)
    wide = judged(contrast(10.0, 10.0), cases=40)
    assert half_us(wide) == pytest.approx((1.1 + 0.5 / 4) * z * 0.05 * math.sqrt(2 / 3), rel=1e-4)
    single = judged(contrast(10.0, 10.0, processes=1), cases=40)
    assert half_us(single) == pytest.approx(1.1 * z * 0.05 * math.sqrt(2), rel=1e-4)


def test_the_interval_holds_for_all_cases_at_once() -> None:
    assert half_us(judged(contrast(10.0, 10.0), cases=100)) > 1.3 * half_us(judged(contrast(10.0, 10.0)))


def test_sides_of_different_sizes_count_by_their_processes() -> None:
    few = replace(contrast(10.0, 10.0, processes=2), new=estimated(*[10.0] * 6))
    even = contrast(10.0, 10.0, processes=4)
    assert half_us(judged(few)) == pytest.approx(half_us(judged(even)) * math.sqrt((1 / 2 + 1 / 6) / (2 / 4)))


def test_long_times_have_the_proportional_noise() -> None:
    model = NoiseModel(0.0, 0.001, "")
    assert half_us(judged(contrast(1000.0, 1000.0), model)) == pytest.approx(
        20 * half_us(judged(contrast(10.0, 10.0), QUIET)), rel=1e-3
    )


def test_the_spread_of_rounds_widens_the_interval_of_its_case() -> None:
    calm, restless = (judged(contrast(10.0, 10.0, variance=variance)) for variance in (1e-6, 0.01))
    assert half_us(restless) / half_us(calm) == pytest.approx(math.sqrt((0.3 * 0.05**2 + 0.01) / 0.05**2), rel=1e-3)


def test_a_process_of_one_round_does_not_affect_the_variance_of_others() -> None:
    known = contrast(10.0, 10.0, variance=0.01)
    partly = replace(known, base=replace(known.base, variances=known.base.variances * [1, float("nan"), 1]))
    assert half_us(judged(partly)) == pytest.approx(half_us(judged(known)))


def test_processes_that_differ_by_more_than_the_noise_widen_the_interval() -> None:
    calm = contrast(10.0, 10.0)
    usual, noisy = (replace(calm, base=estimated(10 - by, 10.0, 10 + by)) for by in (0.05, 1.0))
    assert half_us(judged(usual)) == half_us(judged(calm))
    assert half_us(judged(noisy)) > 10 * half_us(judged(calm))
    assert judged(replace(noisy, new=estimated(11.0, 11.0, 11.0))).outcome is Outcome.INCONCLUSIVE


def test_a_case_that_was_learned_to_be_noisy_is_noisy_with_one_process_too() -> None:
    single = contrast(10.0, 11.0, processes=1)
    learned = replace(QUIET, cases={CASE: Spread(0.3**2, 30)})
    assert judged(single).outcome is Outcome.SLOWER
    assert judged(single, learned).outcome is Outcome.INCONCLUSIVE
    assert judged(single, replace(QUIET, cases={"another/case": Spread(0.3**2, 30)})).outcome is Outcome.SLOWER


def test_learned_and_observed_spreads_are_weighted_by_degrees_of_freedom() -> None:
    seen = replace(contrast(10.0, 10.0), base=estimated(9.0, 10.0, 11.0))
    learned = replace(QUIET, cases={CASE: Spread(0.05**2, 200)})
    assert half_us(judged(seen, learned)) < 0.1 * half_us(judged(seen))


@pytest.mark.parametrize(
    ("new", "outcome"), [(10.6, Outcome.SUSPECTED), (11.4, Outcome.SUSPECTED), (11.6, Outcome.SLOWER)]
)
def test_a_doubted_change_must_be_larger(new: float, outcome: Outcome) -> None:
    doubt = Doubt(Reason.FEW_PROCESSES, factor=3.0)
    there, back = contrast(10.0, new), contrast(new, 10.0)
    found = judged(replace(there, doubt=doubt))
    assert found.outcome is outcome
    assert judged(replace(back, doubt=doubt)).outcome == SWAPPED.get(outcome, outcome)
    assert found.reason is (Reason.FEW_PROCESSES if outcome is Outcome.SUSPECTED else Reason.BEYOND_THRESHOLD)


def test_a_doubt_has_a_least_change_whatever_the_threshold() -> None:
    doubt = Doubt(Reason.OTHER_GPU, least=0.03)
    assert doubt.certain(0.001) == 0.03
    assert doubt.certain(0.04) == 0.04
    small = contrast(10.0, 10.25, threshold=0.01)
    assert judged(replace(small, doubt=doubt)).reason is Reason.OTHER_GPU
    assert judged(small).outcome is Outcome.SLOWER


def test_what_is_only_suspected_is_not_detected() -> None:
    plain = contrast(10.0, 10.0)
    doubted = judged(replace(plain, doubt=Doubt(Reason.FEW_PROCESSES, factor=3.0)))
    assert doubted.detectable - judged(plain).detectable == pytest.approx(2 * 0.05)


def test_doubt_does_not_affect_a_case_that_is_the_same() -> None:
    assert judged(replace(contrast(10.0, 10.1), doubt=Doubt(Reason.NO_SENTINELS, least=0.05))).outcome is Outcome.SAME


@pytest.mark.parametrize("rounds", [1, 2])
@pytest.mark.parametrize(
    ("new", "outcome"),
    [
        (20.0, Outcome.SUSPECTED),
        (5.0, Outcome.SUSPECTED),
        (10.0, Outcome.INCONCLUSIVE),
        (10.05, Outcome.INCONCLUSIVE),  # below the threshold
    ],
)
def test_fewer_than_three_rounds_in_any_process_are_never_certain(rounds: int, new: float, outcome: Outcome) -> None:
    case = contrast(10.0, new)
    short = replace(case, new=replace(case.new, rounds=(12, rounds, 12)))
    found = judged(short)
    assert (found.outcome, found.reason) == (outcome, Reason.TOO_FEW_ROUNDS)
    case = contrast(10.0, 20.0)
    assert judged(replace(case, new=replace(case.new, rounds=(12, 3, 12)))).outcome is Outcome.SLOWER


def test_a_table_has_an_interval_instead_of_rounds() -> None:
    assert judged(contrast(10.0, 20.0, processes=1, rounds=0)).outcome is Outcome.SLOWER


@pytest.mark.parametrize("new", [10.12, 10.02, 9.97])
def test_as_many_processes_as_it_needs_settle_a_case_and_one_less_does_not(new: float) -> None:
    needs = judged(contrast(10.0, new, threshold=0.01, processes=1)).needs_processes
    assert needs is not None
    assert needs > 1
    enough, short = (
        judged(contrast(10.0, new, threshold=0.01, processes=count)).outcome for count in (needs, needs - 1)
    )
    assert enough is not Outcome.INCONCLUSIVE
    assert short is Outcome.INCONCLUSIVE


def test_one_process_more_may_be_enough() -> None:
    assert judged(contrast(10.0, 10.0, threshold=0.012, processes=1)).needs_processes == 2


def test_no_number_of_processes_settles_a_change_of_exactly_the_threshold() -> None:
    assert judged(contrast(10.0, 10.0999, threshold=0.01, processes=2)).needs_processes is None
    assert judged(contrast(10.0, 12.0)).needs_processes is None  # settled as it is


def test_the_smallest_detectable_slowdown_is_found_even_where_chance_makes_it_look_smaller() -> None:
    for threshold in (0.001, 0.05):
        same = contrast(10.0, 10.0, threshold=threshold)
        found = judged(same)
        blur = 2.0537 * 0.05 * math.sqrt(2 / 3)  # 98 of 100 are less off
        at_worst = replace(same, new=estimated(*[10 * (1 + found.detectable) - blur + 1e-4] * 3))
        assert judged(at_worst).outcome is Outcome.SLOWER
        assert judged(replace(at_worst, new=estimated(*at_worst.new.values - 2e-3))).outcome is not Outcome.SLOWER


def test_one_process_per_side_uses_assumed_noise_and_several_their_own() -> None:
    assert model_of([contrast(10.0, 10.0, processes=1)]) is ASSUMED
    noisy = [replace(contrast(10.0, 10.0), base=estimated(9.0, 10.0, 11.0)) for _ in range(20)]
    assert model_of([*noisy, contrast(10.0, 10.0, processes=1)]).a_us > 0.3


def test_the_spread_is_within_the_sides_and_not_between_them() -> None:
    case = replace(contrast(10.0, 20.0), base=estimated(9.0, 11.0), new=estimated(20.0, 20.0, 23.0))
    assert (case.freedom, case.spread) == (3, Spread((2 + 6) / 3, 3))
    assert contrast(10.0, 20.0, processes=1).spread == Spread(0.0, 0)


def contrast_of(base: Values, new: Values) -> Contrast:
    before, after = estimated(*base), estimated(*new)
    return Contrast("case", before, after, Weights(1.0, 100.0), 0.01, 0.01)


def judged_robustly(base: Values, new: Values) -> JudgedChange:
    (found,) = judge_robustly([contrast_of(base, new)], QUIETER)
    return found


@pytest.mark.parametrize(
    ("base", "new", "outcome"),
    [
        (WITH_OUTLIER, SLOWER, Outcome.SLOWER),
        (SLOWER, WITH_OUTLIER, Outcome.FASTER),
        (AGREEING, (10.2, 10.205, 10.65), Outcome.SLOWER),
    ],
)
def test_an_outlier_process_on_either_side_does_not_hide_a_change(base: Values, new: Values, outcome: Outcome) -> None:
    (hidden,) = judge([contrast_of(base, new)], QUIETER)
    assert hidden.outcome is Outcome.INCONCLUSIVE
    found = judged_robustly(base, new)
    assert (found.outcome, found.reason) == (outcome, Reason.BEYOND_THRESHOLD)
    assert abs(found.new - found.base) == pytest.approx(0.2, abs=0.01)  # of those that are left
    assert found.outlier_excess == pytest.approx(max(*base, *new) / sorted((*base, *new))[-2] - 1)
    assert found.detectable == hidden.detectable


def test_nothing_becomes_the_same_by_leaving_a_process_out() -> None:
    """The one that is left out may be the change: a kernel that is slow in one process of three."""
    for base, new in ((AGREEING, WITH_OUTLIER), (WITH_OUTLIER, AGREEING)):
        found = judged_robustly(base, new)
        assert (found.outcome, found.outlier_excess) == (Outcome.INCONCLUSIVE, 0.0)


@pytest.mark.parametrize(
    ("base", "new"),
    [
        ((10.0, 10.005, 10.3), SLOWER),  # 1% slower than the next
        ((10.0, 10.005, 9.5), SLOWER),  # fast, not slow: nothing makes a kernel faster
        ((10.0, 10.45, 10.45), SLOWER),
        ((10.0, 10.45), SLOWER),
        (SLOWER[:2], WITH_OUTLIER),
    ],
)
def test_other_differences_are_no_outlier_process(base: Values, new: Values) -> None:
    assert without_outlier(contrast_of(base, new), QUIETER) is None


def test_an_outlier_is_far_off_by_the_noise_of_its_case() -> None:
    case = contrast_of(WITH_OUTLIER, SLOWER)
    others = without_outlier(case, NoiseModel(0.05, 0.0, ""))
    assert others is not None
    assert (others.base.processes, others.new.processes) == (case.base.processes[:2], case.new.processes)
    assert without_outlier(case, NoiseModel(0.07, 0.0, "")) is None


def test_a_case_without_its_outlier_is_judged_as_one_of_all_cases() -> None:
    quiet = contrast_of(AGREEING, AGREEING)
    cases = [contrast_of(WITH_OUTLIER, SLOWER), *[replace(quiet, case_id=f"{number}") for number in range(400)]]
    alone, among = judge_robustly(cases[:1], QUIETER)[0], judge_robustly(cases, QUIETER)[0]
    assert (alone.outcome, among.outcome) == (Outcome.SLOWER, Outcome.SLOWER)
    assert among.ratio.high > alone.ratio.high
