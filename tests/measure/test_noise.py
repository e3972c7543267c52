from collections.abc import Callable
from dataclasses import replace
from random import Random

import pytest

from shflbench.core.model import Sample
from shflbench.measure.noise import verdict
from tests.measure.samples import burst

STEADY = [1980.0 + number % 3 / 10 for number in range(100)]


def sentinel(
    factor: Callable[[int], float] = lambda _: 1.0, *, name: str = "long", time_us: float = 300.0, rounds: int = 200
) -> list[Sample]:
    """Return three samples in each round, 0.05% around `time_us`, times `factor` of the round's number."""
    source = Random(name)  # noqa: S311
    return [
        sample
        for number in range(rounds)
        for sample in burst(
            [time_us * factor(number) * source.gauss(1, 0.0005) for _ in range(3)],
            round_=number,
            case_id=f"sentinel/{name}",
        )
    ]


def slow_state(number: int) -> float:
    """Return the factor of an idle H200, which is 0.3% slower in one round of six."""
    return 1.003 if number % 6 == 0 else 1.0


def test_verdict_on_a_quiet_machine_states_its_figures() -> None:
    found = verdict(sentinel() + sentinel(name="other"), others=(0, 0), clocks_mhz=STEADY)
    assert (found.verdict, found.advice) == ("quiet", "")
    assert found.sentence.startswith("90% of the sentinels' rounds within 0.1")
    assert found.sentence.endswith("the SM clock within 0.01%")


def test_usual_slow_state_of_a_gpu_is_quiet() -> None:
    assert verdict(sentinel(slow_state)).verdict == "quiet"


def test_verdict_without_measurements_says_so() -> None:
    found = verdict()
    assert found.verdict == "quiet"
    assert found.sentence == "no disturbance was seen, without sentinels and without a clock"


@pytest.mark.parametrize(
    ("others", "sentence"),
    [
        ((1, 0), "another process computed on the GPU at the start of the run"),
        ((None, 3), "3 other processes computed on the GPU at the end of the run"),
    ],
)
def test_other_processes_make_a_busy_gpu(others: tuple[int | None, int | None], sentence: str) -> None:
    found = verdict(sentinel(), others=others, dropped=0.5)
    assert (found.verdict, found.sentence) == ("busy GPU", sentence)
    assert "nvidia-smi" in found.advice


def test_throttling_is_a_drifting_clock() -> None:
    found = verdict(sentinel(), dropped=0.03)
    assert (found.verdict, found.sentence) == (
        "drifting clock",
        "3% of the samples were taken while the GPU was throttled",
    )
    assert verdict(sentinel(), dropped=0.005).verdict == "quiet"


def test_moving_clock_is_reported_with_its_range() -> None:
    found = verdict(clocks_mhz=[1980.0] * 50 + [1920.0] * 50)
    assert (found.verdict, found.sentence) == ("drifting clock", "the SM clock moved between 1920 and 1980 MHz")


def test_one_outlier_of_the_clock_is_ignored() -> None:
    assert verdict(clocks_mhz=[*STEADY, 200.0]).verdict == "quiet"


@pytest.mark.parametrize(
    "factor",
    [
        pytest.param(lambda number: 1 + 0.01 * number / 200, id="all the time"),
        pytest.param(lambda number: 0.99 if number < 30 else 1.0, id="at the beginning"),
        pytest.param(lambda number: 1.01 if 100 <= number < 140 else 1.0, id="and back again"),
    ],
)
def test_long_sentinels_that_move_are_a_drifting_clock(factor: Callable[[int], float]) -> None:
    found = verdict(sentinel(factor) + sentinel(factor, name="other"), clocks_mhz=STEADY)
    assert found.verdict == "drifting clock"
    assert found.sentence.startswith("the times of all long sentinels moved by ")
    assert "lock its clock" in found.advice


def test_one_sentinel_that_moves_alone_is_not_the_clock() -> None:
    assert verdict(sentinel(lambda number: 1 + 0.006 * number / 200) + sentinel(name="other")).verdict != (
        "drifting clock"
    )


@pytest.mark.parametrize(
    ("factor", "sentence"),
    [
        (lambda number: 1.5 if number % 10 == 0 else 1.0, "over 1% slower than usual in 10% of their rounds"),
        (lambda number: 1.004 if number % 5 < 2 else 1.0, "over 0.15% slower than usual in 40% of their rounds"),
    ],
)
def test_many_slow_rounds_make_an_unsteady_gpu(factor: Callable[[int], float], sentence: str) -> None:
    found = verdict(sentinel(factor))
    assert (found.verdict, found.sentence) == ("unsteady GPU", f"the sentinels were {sentence}")
    assert "stop other programs" in found.advice


def test_slow_rounds_are_not_attributed_to_a_process_if_nvml_lists_none() -> None:
    slow = sentinel(lambda number: 1.5 if number % 10 == 0 else 1.0)
    alone = verdict(slow, others=(0, 0))
    assert alone.verdict == "unsteady GPU"
    assert alone.sentence.endswith("; NVML listed no other process")
    assert alone.advice == "run again, or choose another GPU with --gpu"
    assert "NVML" not in verdict(slow, others=(0, None)).sentence


def test_offsets_of_processes_in_short_sentinels_are_ignored() -> None:
    second = [replace(sample, process=1) for sample in sentinel(name="short", time_us=10.5)]
    assert verdict(sentinel(name="short", time_us=10.0) + second).verdict == "quiet"


def test_short_run_is_not_divided_into_parts() -> None:
    assert verdict(sentinel(lambda number: 1 + 0.005 * number / 17, rounds=17)).verdict != "drifting clock"
