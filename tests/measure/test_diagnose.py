from collections.abc import Sequence
from dataclasses import replace
from random import Random

import pytest

from shflbench.core.model import Disturbance, Sample, Trouble
from shflbench.measure.diagnose import troubles
from shflbench.measure.rounds import SampledCase
from tests.measure.samples import ITERATIONS, burst, lined

ROUNDS = 20


def quiet(levels: Sequence[float], *, process: int = 0, noise: float = 0.0005, seed: int = 1) -> list[Sample]:
    """Return a round of five samples every 0.1 s for each of `levels`, in µs, with a little noise."""
    source = Random(seed)  # noqa: S311
    return [
        sample
        for number, level in enumerate(levels)
        for sample in burst(
            [round(level * source.gauss(1, noise), 3) for _ in range(5)],
            process=process,
            round_=number,
            seconds=number / 10,
        )
    ]


def only(samples: Sequence[Sample]) -> Trouble:
    (found,) = troubles(SampledCase.of(samples, ITERATIONS))
    assert found.advice
    return found


def test_quiet_case_has_no_trouble() -> None:
    assert troubles(SampledCase.of(quiet([100.0] * ROUNDS), ITERATIONS)) == ()
    assert troubles(SampledCase.of(lined([100.0] * ROUNDS), ITERATIONS)) == ()
    assert troubles(SampledCase.of([], ITERATIONS)) == ()


@pytest.mark.parametrize(("change", "verb"), [(0.01, "rose"), (-0.01, "fell")])
def test_drift_is_reported_with_its_size_and_its_time(change: float, verb: str) -> None:
    found = only(quiet([100 * (1 + change * number / (ROUNDS - 1)) for number in range(ROUNDS)]))
    assert found.kind == Disturbance.DRIFT
    assert found.size == pytest.approx(0.01, rel=0.1)
    assert found.sentence.startswith(f"its time {verb} by ")
    assert found.sentence.endswith("% over 1.9 s")


def test_drift_of_samples_without_seconds_is_given_per_rounds() -> None:
    samples = [replace(sample, seconds=None) for sample in quiet([100 + number / 10 for number in range(ROUNDS)])]
    assert only(samples).sentence.endswith(" over 19 rounds")


def test_clear_drift_that_is_too_small_to_matter_is_not_reported() -> None:
    assert (
        troubles(SampledCase.of(quiet([100 + number / 100 for number in range(ROUNDS)], noise=0.0001), ITERATIONS))
        == ()
    )


def test_drift_is_detected_within_processes_and_not_between_them() -> None:
    """Each process is 0.4% slower than the one before, and none moves."""
    samples = [
        sample
        for process in range(4)
        for sample in quiet([100.0 * (1 + 0.001 * process)] * 9, process=process, seed=process)
    ]
    assert troubles(SampledCase.of(samples, ITERATIONS)) == ()


def test_slow_rounds_are_counted() -> None:
    found = only(quiet([100.3 if number in {4, 5, 13} else 100.0 for number in range(ROUNDS)]))
    assert found.kind == Disturbance.SLOW_EPISODES
    assert found.size == pytest.approx(0.003, rel=0.1)
    assert found.sentence.startswith("3 of 20 rounds were 0.3")


def test_places_of_different_times_are_no_disturbance() -> None:
    levels = [100 + 2.0 * (number % 3 == 1) for number in range(3 * ROUNDS)]
    case = SampledCase.of(quiet(levels), ITERATIONS)
    assert [trouble.kind for trouble in troubles(case)] == [Disturbance.SLOW_EPISODES, Disturbance.TWO_LEVELS]
    assert troubles(case, places=3) == ()
    levels[10] = levels[20] = 103.0
    (found,) = troubles(SampledCase.of(quiet(levels), ITERATIONS), places=3)
    assert found.kind == Disturbance.SLOW_EPISODES
    assert found.sentence.startswith("2 of 60 rounds were ")


def test_one_slow_round_is_ignored() -> None:
    assert troubles(SampledCase.of(quiet([101.0, *[100.0] * (ROUNDS - 1)]), ITERATIONS)) == ()


def test_single_slow_launches_do_not_make_a_round_slow() -> None:
    samples = [
        replace(sample, time_us=130.0) if sample.sample < 2 and sample.round % 3 == 0 else sample
        for sample in quiet([100.0] * ROUNDS)
    ]
    assert troubles(SampledCase.of(samples, ITERATIONS)) == ()


def test_slow_rounds_of_a_drifting_case_are_reported_beside_its_drift() -> None:
    levels = [100 + number / 20 + (0.5 if number in {8, 9} else 0) for number in range(ROUNDS)]
    assert [found.kind for found in troubles(SampledCase.of(quiet(levels), ITERATIONS))] == [
        Disturbance.DRIFT,
        Disturbance.SLOW_EPISODES,
    ]


def test_samples_on_two_levels_are_reported_with_their_distance_and_share() -> None:
    samples = [
        replace(sample, time_us=sample.time_us * 1.02) if sample.sample in {1, 3} else sample
        for sample in quiet([100.0] * ROUNDS)
    ]
    found = only(samples)
    assert found.kind == Disturbance.TWO_LEVELS
    assert found.size == pytest.approx(0.02, rel=0.05)
    assert found.sentence.startswith("40% of its samples take 2% longer")
    assert "--processes" not in found.advice  # the run may have had several


def test_bursts_with_slow_first_launches_are_not_two_levels() -> None:
    """As recorded on an H200: the first two launches after those of another kernel are slower."""
    settling = (
        [69.95, 69.76, 69.44, 69.38, 69.34, 69.38, 69.38, 69.34, 69.38, 69.38],
        [69.79, 69.76, 69.41, 69.38, 69.38, 69.34, 69.34, 69.34, 69.38, 69.54],
        [69.82, 69.76, 69.38, 69.38, 69.38, 69.54, 69.38, 69.38, 69.38, 69.38],
    )
    samples = [sample for number in range(9) for sample in burst(settling[number % 3], round_=number)]
    assert troubles(SampledCase.of(samples, ITERATIONS)) == ()


def test_two_adjacent_steps_of_the_timer_are_not_two_levels() -> None:
    """One step of 32 ns at 5 µs is 0.6%."""
    samples = [sample for number in range(ROUNDS) for sample in burst([5.0, 5.032, 5.032, 5.0, 5.032], round_=number)]
    assert troubles(SampledCase.of(samples, ITERATIONS)) == ()


def test_throttled_samples_are_reported_with_their_share() -> None:
    samples = quiet([100.0] * ROUNDS)
    found = only([replace(sample, dropped=sample.round in {3, 4}) for sample in samples])
    assert (found.kind, found.size) == (Disturbance.THROTTLED, 0.1)
    assert found.sentence == "10 of 100 samples were dropped: the GPU was throttled, or the host launched too late"


def test_case_without_a_kept_sample_is_only_throttled() -> None:
    assert only(burst([100.0], dropped=True)).size == 1.0


@pytest.mark.parametrize(("off", "word"), [(0.6, "more"), (-0.6, "less")])
def test_middle_off_the_line_is_nonlinear(off: float, word: str) -> None:
    found = only(lined([104.0, 104.1] * 10, also=lambda count: off if count == 50 else 0.0))
    assert found.kind == Disturbance.NONLINEAR
    assert found.size == pytest.approx(0.6 / 54, rel=0.05)
    assert found.sentence == f"at 50 iterations it takes 1.1% {word} than the line through 25 and 100 says"


def test_middle_a_little_off_the_line_is_not_nonlinear() -> None:
    assert (
        troubles(SampledCase.of(lined([104.0, 104.1] * 10, also=lambda count: 0.2 if count == 50 else 0.0), ITERATIONS))
        == ()
    )


def test_middle_off_the_line_by_noise_is_not_nonlinear() -> None:
    samples = [
        replace(sample, time_us=sample.time_us + (2.0 if sample.round % 3 else -2.0))
        if sample.iterations == 50
        else sample
        for sample in lined([104.0] * ROUNDS)
    ]
    assert troubles(SampledCase.of(samples, ITERATIONS)) == ()


def test_processes_disagree_if_not_even_their_rounds_overlap() -> None:
    steady = [
        quiet([level] * 9, process=process, seed=process) for process, level in ((1, 100.0), (2, 100.4), (7, 101))
    ]
    assert troubles(SampledCase.of(steady[0] + steady[1], ITERATIONS)) == ()  # too little to matter
    found = only([sample for samples in steady for sample in samples])
    assert found.kind == Disturbance.PROCESSES
    assert found.size == pytest.approx(0.01, rel=0.1)
    assert " longer in process 7 than in process 1; " in found.sentence


def test_processes_whose_rounds_overlap_do_not_disagree() -> None:
    noisy = quiet([100.0, 102.0, 98.0] * 3, process=0) + quiet([101.0, 103.0, 99.0] * 3, process=1, seed=2)
    assert troubles(SampledCase.of(noisy, ITERATIONS)) == ()


def test_too_few_rounds_show_only_throttling() -> None:
    assert troubles(SampledCase.of(quiet([100.0, 101.0, 102.0, 103.0, 104.0, 105.0, 106.0]), ITERATIONS)) == ()
