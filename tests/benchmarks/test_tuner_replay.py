"""The replay of the tuner: its rules take a tenth of the GPU time, and choose within 1%, by calculation."""

import json

import pytest

from benchmarks import tuner, tuner_replay
from shflbench.tuner.rules import RUNGS

RECORDS = {
    (record["pattern"], setting["launch"]): setting
    for record in json.loads(tuner.RECORD.read_text(encoding="utf-8"))
    for setting in record.get("settings", ())
}
INPUTS = [pytest.param(one, id=f"{one['pattern']} {one['launch']}") for one in tuner_replay.SETTINGS]
PATTERNS = tuple(dict.fromkeys(one["pattern"] for one in tuner_replay.SETTINGS))


@pytest.fixture(scope="module")
def replays() -> dict[tuple[str, str], tuner_replay.Replay]:
    return {
        (pattern, noise): tuner_replay.replay(pattern, noise) for pattern in PATTERNS for noise in tuner_replay.NOISES
    }


def test_the_page_is_that_of_the_rules(replays: dict[tuple[str, str], tuner_replay.Replay]) -> None:
    assert tuner_replay.page(list(replays.values())) == tuner_replay.PAGE.read_text(encoding="utf-8")


def test_tuning_takes_at_most_a_tenth_of_the_time_of_all(
    replays: dict[tuple[str, str], tuner_replay.Replay],
) -> None:
    assert all(one.least_share >= 10 for one in replays.values())


def test_choices_are_within_one_percent_of_the_fastest(
    replays: dict[tuple[str, str], tuner_replay.Replay],
) -> None:
    for (pattern, _), one in replays.items():
        if pattern == "scan":  # of which no times are recorded
            assert sum(choice <= tuner_replay.WITHIN for choice in one.slowest_choices) >= 0.9 * tuner_replay.TRIALS
        else:
            assert max(one.slowest_choices) <= tuner_replay.WITHIN


@pytest.mark.parametrize("one", INPUTS)
def test_the_inputs_are_those_of_the_record(one: dict[str, object]) -> None:
    record = RECORDS.get((str(one["pattern"]), str(one["launch"])))
    candidates = one["candidates"]
    assert isinstance(candidates, list)
    if record is None:
        assert not any(measured for *_, measured in candidates)
        return
    assert len(candidates) == record["candidates"]
    ratios = [round(measured / predicted, 3) for *_, predicted, _, measured in candidates if predicted and measured]
    assert ratios == pytest.approx(record["predicted_ratios"], abs=0.0011)
    name, *_ = min(candidates, key=lambda candidate: candidate[-1])
    assert name in {record["fastest"], *record["chosen"]}


def test_a_quiet_gpu_takes_fewer_rounds_than_a_noisy_one() -> None:
    inputs = [one for one in tuner_replay.SETTINGS if one["pattern"] == "reduce"]
    quiet, noisy = (tuner_replay.Trial.of(inputs, 0, noise).time_all() for noise in (0.01, 1.0))
    assert quiet < noisy / 4


def test_a_rung_counts_the_warm_up_of_each_process() -> None:
    inputs = [one for one in tuner_replay.SETTINGS if one["pattern"] == "reduce"][:1]
    trial = tuner_replay.Trial.of(inputs, 0, 0.01)
    trial.measure("one", RUNGS[-1], {"sms x 32": ["shfl"]})
    assert trial.seconds["one"] > RUNGS[-1].processes * 0.25
