from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from shflbench.analysis.compare.learn import held_out, learn, shown
from shflbench.analysis.compare.noise import USUAL
from shflbench.errors import ResultsError
from tests.fakes.pools import generated, noisier, recorded, recorded_some, shifted
from tests.fakes.simulated import spread

CASE = next(case.id for case, time_us in spread().items() if time_us > 50)


def test_the_noise_that_was_generated_is_learned() -> None:
    model = learn(generated(40))
    for time_us in (5.0, 50.0, 2000.0):
        assert 0.7 < model.deviation(time_us) / USUAL.deviation(time_us) < 1.4


def test_the_noise_of_an_h200_is_learned() -> None:
    model = learn(recorded())
    assert 0.7 < model.a_us / USUAL.a_us < 1.4
    assert 0.7 < model.b / USUAL.b < 1.4
    assert {spread.freedom for spread in model.cases.values()} == {33}


def test_less_than_twenty_processes_are_refused_with_how_to_get_more() -> None:
    with pytest.raises(ResultsError, match=r"20 processes .* there are 19 ") as caught:
        learn(generated(19, cases=4))
    assert "--processes 20" in caught.value.advice


def test_a_wild_process_counts_in_its_case_and_nowhere_else() -> None:
    pool = generated(24)
    wild = learn(shifted(pool, CASE, [3.0, *[0.0] * 23]))
    plain = learn(pool)
    assert math.sqrt(wild.cases[CASE].variance) == pytest.approx(3 / math.sqrt(24), rel=0.1)
    assert (wild.a_us, wild.b) == pytest.approx((plain.a_us, plain.b), rel=0.15)
    assert {name for name in plain.cases if plain.cases[name] != wild.cases[name]} == {CASE}


def test_the_offsets_of_the_processes_are_no_noise() -> None:
    pool = generated(24)
    offsets = np.linspace(-1, 1, 24)
    moved = replace(
        pool,
        cases={name: replace(own, values=own.values + offsets) for name, own in pool.cases.items()},
        sentinels={name: replace(own, values=own.values + offsets) for name, own in pool.sentinels.items()},
    )
    assert learn(moved).a_us == learn(pool).a_us
    assert learn(moved).cases[CASE].variance == pytest.approx(learn(pool).cases[CASE].variance)


def test_a_case_of_two_suites_is_as_noisy_as_in_the_noisier_one() -> None:
    quiet, noisy = generated(24), shifted(generated(24, seed=12), CASE, [3.0, *[0.0] * 23])
    for both in (learn(quiet, noisy), learn(noisy, quiet)):
        assert both.cases[CASE] == learn(noisy).cases[CASE]


def test_processes_without_sentinels_are_refused() -> None:
    few = dict(list(generated(20, cases=4).sentinels.items())[:2])
    with pytest.raises(ResultsError, match="too few sentinels"):
        shown(replace(generated(20, cases=4), sentinels=few))


def test_one_process_shows_no_noise() -> None:
    pool = generated(20, cases=4)
    with pytest.raises(ResultsError, match="one process"):
        shown(pool.picked(pool.processes[:1]))


def test_noise_that_stays_the_same_holds_for_processes_that_were_held_back() -> None:
    checks = held_out(generated(20, cases=12))
    assert list(checks) == [1, 2, 3]
    assert max(check.alarmed for check in checks.values()) <= 0.02
    assert all(0.01 < check.undecided < 0.5 for check in checks.values())


def test_what_was_learned_on_too_quiet_a_machine_alarms_on_the_rest() -> None:
    checks = held_out(noisier(generated(20, cases=12), 0.01, slice(10, 20)))
    assert min(check.alarmed for check in checks.values()) > 0.1


def test_recorded_processes_alarm_by_one_process_that_is_wild_where_there_is_one_a_side() -> None:
    one, two, three = held_out(recorded_some()).values()
    assert one.alarmed > 0.02
    assert max(two.alarmed, three.alarmed) <= 0.02
