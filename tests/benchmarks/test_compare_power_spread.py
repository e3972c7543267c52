from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks.compare_power.batch import Batch
from benchmarks.compare_power.pack import packed
from benchmarks.compare_power.tables import Spread, spreads_of, worth_naming
from shflbench.store import read_run
from tests.fakes.processes import Simulated, spread, write

RUN = Simulated(cases=spread(8), rounds=6, processes=6)
SLOW = next(case.id for case in RUN.cases if RUN.cases[case] > 50)


@pytest.fixture
def batches(tmp_path: Path) -> list[Batch]:
    runs = [RUN, replace(RUN, seed=2, factors={SLOW: 1.02}, offset_us=0.1)]
    return [
        Batch(str(place), packed([read_run(write(tmp_path / str(place), run))]), place)
        for place, run in enumerate(runs)
    ]


def test_shift_of_one_case_between_batches_is_distinguished_from_an_offset_of_all(batches: list[Batch]) -> None:
    shifts = {each.case_id: each.shift for each in spreads_of(batches) if each.time_us > 50}
    assert shifts.pop(SLOW) == pytest.approx(0.02, abs=0.004)
    assert max(shifts.values()) < 0.004


def test_noisy_cases_are_named_and_the_rest_is_one_line(batches: list[Batch]) -> None:
    every = spreads_of(batches)
    named, widest, shifted = worth_naming(batches)
    quiet = [each for each in every if not each.noisy]
    assert named == [each for each in every if each.noisy]
    assert (widest, shifted) == (quiet[0], max(quiet, key=lambda each: each.shift))
    assert max(map(max, (each.deviations for each in quiet))) == max(widest.deviations)


def test_case_is_noisy_beyond_twice_the_usual_noise() -> None:
    usual = Spread("scan/shfl", 100.0, (0.0004, 0.0004), (0.001, 0.001), 0.0)  # sd 0.04 µs of 0.043 µs
    assert not usual.noisy
    assert usual._replace(deviations=(0.0004, 0.0009)).noisy
