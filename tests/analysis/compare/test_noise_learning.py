import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from shflbench.analysis.compare import Settings, Side, compare
from shflbench.analysis.compare.noise import USUAL
from shflbench.analysis.compare.noise_learning import (
    applies,
    held_out,
    learn,
    learn_from,
    model_of,
    observe_noise,
    pools_of,
)
from shflbench.errors import ResultsError
from shflbench.store import Run, RunSettings, SentinelSet, read_run
from shflbench.store.noise_file import HeldOutCheck, LearnedNoise
from tests.fakes.pools import generated, noisier, recorded, recorded_some, shifted
from tests.fakes.processes import Simulated, spread, write
from tests.fakes.runs import H200, info

CASE = next(case.id for case, time_us in spread().items() if time_us > 50)
FEW = spread(6)
SAMPLING: dict[str, Any] = {
    "precision": 0.005,
    "min_seconds": 1.0,
    "max_seconds": 2.0,
    "min_samples": 27,
    "max_samples": 2500,
}
ABOUT = replace(info(), settings=RunSettings(**SAMPLING))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two runs of unchanged code on two days, of 12 processes each."""
    folder = tmp_path_factory.mktemp("runs")
    for day, seed in (("20", 1), ("21", 2)):
        about = replace(ABOUT, started=f"2026-11-{day}T08:00:00Z")
        write(folder / day, Simulated(processes=12, cases=FEW, seed=seed), about=about)
    return folder


@pytest.fixture(scope="module")
def runs(folder: Path) -> list[Run]:
    return [read_run(folder / "21"), read_run(folder / "20")]  # in any order


@pytest.fixture(scope="module")
def record(runs: list[Run]) -> LearnedNoise:
    return learn_from(runs)


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> tuple[Run, Run]:
    """Two runs that are compared."""
    folder = tmp_path_factory.mktemp("pair")
    base, new = (
        read_run(write(folder / str(seed), Simulated(processes=2, cases=FEW, seed=seed), about=ABOUT))
        for seed in (3, 4)
    )
    return base, new


def why_not(record: LearnedNoise, pair: tuple[Run, Run], **changes: object) -> str:
    """Return why the record does not apply to a comparison whose new run's information has these changes."""
    base, new = pair
    changed = replace(new, info=replace(new.info, **changes))  # type: ignore[arg-type]
    return applies(record, Side.of([base]), Side.of([changed]))


@pytest.mark.archs
def test_learned_noise_names_its_source(record: LearnedNoise) -> None:
    assert (record.processes, record.suites) == (24, ("gtc2013",))
    assert (record.first, record.last) == ("2026-11-20T08:00:00Z", "2026-11-21T08:00:00Z")
    assert (record.device, record.uuid, record.settings) == (H200.name, H200.uuid, SAMPLING | {"places": 1})
    assert record.cases.keys() == {case.id for case in FEW}
    assert list(record.held_out) == [1, 2, 3]


@pytest.mark.archs
def test_processes_are_in_the_order_of_their_measurement(runs: list[Run]) -> None:
    early = pools_of([runs[1]])["gtc2013"]
    both = pools_of(runs)["gtc2013"]
    for case_id, own in both.cases.items():
        assert own.values[:12].tolist() == early.cases[case_id].values.tolist()


@pytest.mark.archs
def test_compare_uses_learned_noise(record: LearnedNoise, pair: tuple[Run, Run]) -> None:
    base, new = (Side.of([run]) for run in pair)
    assert applies(record, base, new) == ""
    noise = compare(base, new, Settings(noise=model_of(record))).noise
    assert noise is not None
    assert (noise.a_us, noise.b) == (record.a_us, record.b)
    assert noise.source == "learned from 24 processes on this GPU, 2026-11-21"


def test_learned_noise_does_not_apply_to_another_gpu_driver_or_sentinel(
    record: LearnedNoise, pair: tuple[Run, Run]
) -> None:
    versions = pair[1].info.versions
    assert "the GPUs differ" in why_not(record, pair, device=replace(H200, uuid="GPU-2"))
    assert "the drivers differ" in why_not(record, pair, versions=replace(versions, driver="999"))
    assert "the sentinels differ" in why_not(record, pair, sentinels=SentinelSet("other"))


@pytest.mark.parametrize(
    ("name", "looser", "stricter"),
    [("precision", 0.01, 0.001), ("min_seconds", 0.5, 2.0), ("max_seconds", 1.0, 9.0), ("min_samples", 9, 99)],
)
def test_learned_noise_does_not_apply_to_runs_with_less_sampling(
    record: LearnedNoise, pair: tuple[Run, Run], name: str, looser: float, stricter: float
) -> None:
    assert f"`{name}` was" in why_not(record, pair, settings=RunSettings(**SAMPLING | {name: looser}))
    assert why_not(record, pair, settings=RunSettings(**SAMPLING | {name: stricter})) == ""


def test_noise_of_several_contexts_does_not_apply_to_fewer(record: LearnedNoise, pair: tuple[Run, Run]) -> None:
    several = replace(record, settings={**record.settings, "places": 9.0})
    assert "`places` was 9 when it was learned, and is 1 in" in why_not(several, pair)
    assert why_not(record, pair, settings=RunSettings(**SAMPLING, places=9)) == ""


def test_an_unknown_setting_of_a_run_does_not_count_as_the_same(record: LearnedNoise, pair: tuple[Run, Run]) -> None:
    assert "`precision` was 0.005 when it was learned, and is unknown in" in why_not(
        record, pair, settings=RunSettings()
    )


def test_noise_learned_for_another_rule_is_refused(record: LearnedNoise, pair: tuple[Run, Run]) -> None:
    assert "another version of the rule" in why_not(replace(record, rule=0), pair)


def test_sides_need_as_many_processes_as_the_noise_was_good_enough_for(
    record: LearnedNoise, pair: tuple[Run, Run]
) -> None:
    good, bad = HeldOutCheck(200, 0.0, 0.2), HeldOutCheck(200, 0.03, 0.2)

    def reason(*checks: HeldOutCheck) -> str:
        return why_not(replace(record, held_out=dict(enumerate(checks, 1))), pair)

    assert "less than 3 processes per side" in reason(good, bad, good)
    assert reason(bad, good, good) == ""
    assert "false alarms when it was learned" in reason(good, good, bad)


def test_one_run_twice_is_no_more_than_one(runs: list[Run]) -> None:
    with pytest.raises(ResultsError, match="the same run"):
        learn_from([*runs, runs[0]])


@pytest.mark.parametrize(
    "changes",
    [
        {"device": replace(H200, uuid="GPU-2")},
        {"versions": replace(ABOUT.versions, driver="999")},
        {"settings": replace(ABOUT.settings, precision=0.1)},
        {"settings": replace(ABOUT.settings, places=9)},
    ],
)
def test_runs_with_other_settings_cannot_be_learned_from_together(runs: list[Run], changes: dict[str, object]) -> None:
    other = replace(runs[1], info=replace(runs[1].info, **changes))  # type: ignore[arg-type]
    with pytest.raises(ResultsError, match="cannot be learned from together"):
        learn_from([runs[0], other])


def test_runs_without_a_gpu_show_no_noise(runs: list[Run]) -> None:
    without = replace(runs[0], info=replace(runs[0].info, device=None))
    with pytest.raises(ResultsError, match="no GPU was used"):
        learn_from([without])


def test_too_few_processes_are_refused(runs: list[Run]) -> None:
    with pytest.raises(ResultsError, match="have 12 processes "):
        learn_from(runs[:1])


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
    with pytest.raises(ResultsError, match=r"have 19 processes .* needs 20$") as caught:
        learn(generated(19, cases=4))
    assert "--processes 20" in caught.value.advice


def test_an_outlier_process_counts_in_its_case_and_nowhere_else() -> None:
    pool = generated(24)
    noisy = learn(shifted(pool, CASE, [3.0, *[0.0] * 23]))
    plain = learn(pool)
    assert math.sqrt(noisy.cases[CASE].variance) == pytest.approx(3 / math.sqrt(24), rel=0.1)
    assert (noisy.a_us, noisy.b) == pytest.approx((plain.a_us, plain.b), rel=0.15)
    assert {name for name in plain.cases if plain.cases[name] != noisy.cases[name]} == {CASE}


def test_the_offsets_of_the_processes_do_not_count_as_noise() -> None:
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
        observe_noise(replace(generated(20, cases=4), sentinels=few))


def test_one_process_shows_no_noise() -> None:
    pool = generated(20, cases=4)
    with pytest.raises(ResultsError, match="one process"):
        observe_noise(pool.select(pool.processes[:1]))


def test_stationary_noise_raises_no_alarm_in_held_out_processes() -> None:
    checks = held_out(generated(20, cases=12))
    assert list(checks) == [1, 2, 3]
    assert max(check.alarmed for check in checks.values()) <= 0.02
    assert all(0.01 < check.undecided < 0.5 for check in checks.values())


def test_noise_learned_in_a_quiet_half_raises_alarms_in_the_other() -> None:
    checks = held_out(noisier(generated(20, cases=12), 0.01, slice(10, 20)))
    assert min(check.alarmed for check in checks.values()) > 0.1


@pytest.mark.archs
def test_one_outlier_raises_alarms_with_one_process_per_side() -> None:
    one, two, three = held_out(recorded_some()).values()
    assert one.alarmed > 0.02
    assert max(two.alarmed, three.alarmed) <= 0.02
