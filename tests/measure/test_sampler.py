from __future__ import annotations

from collections import Counter
from random import Random
from typing import TYPE_CHECKING

import pytest

from shflbench.errors import LaunchError
from shflbench.measure.sampler import GroupSampler, Subject
from shflbench.model import MeasureRules
from tests.fakes.backend import CALM, CLOCK_MHZ, HOT, FakeBackend, Script
from tests.fakes.runs import TICK_US
from tests.measure.prepared import subject

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from shflbench.model import Interval

SHFL, SMEM = Script(base_us=4.0, ns_per_iteration=16.0), Script(base_us=4.0, ns_per_iteration=80.0)
BOTH = {"shfl": SHFL, "smem": SMEM}
RULES = MeasureRules(precision=0.005, max_seconds=2.0)


class Sampled:
    """A group that was sampled to its end on a scripted device."""

    def __init__(
        self,
        scripts: Mapping[str, Script],
        *,
        iterations: int = 4096,
        rules: MeasureRules = RULES,
        seed: int = 1,
        throttled_rounds: Sequence[int] = (),
    ) -> None:
        self.device = FakeBackend(scripts, throttled_rounds=throttled_rounds)
        self.subjects = {name: subject(self.device, name, iterations) for name in scripts}
        random = Random(seed)  # noqa: S311
        self.sampler = GroupSampler(self.device, list(self.subjects.values()), rules, random, self.device.clock)
        self.rounds = list(self.sampler.rounds())

    def __getitem__(self, name: str) -> Subject:
        return self.subjects[name]


def ends(interval: Interval) -> tuple[float, float, float]:
    return interval.value, interval.low, interval.high


def test_times_of_a_script_come_out_exactly() -> None:
    group = Sampled(BOTH)
    timing = group.sampler.timing(group["shfl"])
    assert timing is not None
    assert timing.ns_per_iteration is not None
    assert timing.launch_overhead_us is not None
    usual, tick = SHFL.time_us(4096), TICK_US  # 69.536 µs are 2173 ticks
    assert ends(timing.time_us) == pytest.approx((usual, usual - tick / 2, usual + tick / 2))
    step = 1000 * tick / 2048
    assert ends(timing.ns_per_iteration) == pytest.approx((16.0, 16.0 - step, 16.0 + step))
    assert timing.launch_overhead_us == pytest.approx(4.0)
    assert (timing.sm_clock_mhz, timing.conditions) == (CLOCK_MHZ, CALM)
    assert (timing.stopped_by, timing.samples, timing.dropped) == ("precision", 90, 0)
    assert group.rounds == list(range(9))


def test_every_sample_is_kept_with_its_round_and_its_iterations() -> None:
    group = Sampled(BOTH)
    counted = Counter((sample.case_id, sample.round, sample.iterations) for sample in group.sampler.samples)
    expected = {("shfl", 4096): 10, ("shfl", 2048): 10, ("smem", 4096): 3, ("smem", 2048): 6}
    assert counted == {
        (f"neighbor/{name}/f32/2x64/4096", number, iterations): launches
        for number in range(9)
        for (name, iterations), launches in expected.items()
    }
    assert not any(sample.dropped for sample in group.sampler.samples)
    assert {sample.sm_clock_mhz for sample in group.sampler.samples} == {CLOCK_MHZ}


def test_few_iterations_give_a_time_and_no_slope() -> None:
    group = Sampled({"shfl": SHFL}, iterations=17)
    timing = group.sampler.timing(group["shfl"])
    assert timing is not None
    assert timing.time_us.value == pytest.approx(SHFL.time_us(17), abs=TICK_US)
    assert (timing.ns_per_iteration, timing.launch_overhead_us) == (None, None)


def test_noise_within_the_precision_stops_early_and_more_of_it_later() -> None:
    calm, noisy = (Sampled({"shfl": Script(noise=noise)}) for noise in (0.001, 0.05))
    assert len(calm.rounds) == 9
    assert len(noisy.rounds) > 12
    timing = noisy.sampler.timing(noisy["shfl"])
    assert timing is not None
    assert timing.stopped_by == "precision"
    assert timing.time_us.low <= Script().time_us(4096) <= timing.time_us.high


def test_time_that_runs_out_is_told_from_precision_that_was_reached() -> None:
    group = Sampled({"shfl": Script(noise=0.2), "smem": SMEM}, rules=MeasureRules(precision=0.0001, max_seconds=0.05))
    noisy, exact = (group.sampler.timing(group[name]) for name in ("shfl", "smem"))
    assert noisy is not None
    assert exact is not None
    assert (noisy.stopped_by, exact.stopped_by) == ("max_seconds", "precision")
    assert group["shfl"].seconds >= 0.05
    assert group["shfl"].seconds < 0.06


def test_all_cases_go_on_until_the_last_is_known() -> None:
    group = Sampled({"shfl": Script(noise=0.05), "smem": SMEM})
    assert len(group.rounds) > 12
    assert {len(subject.medians) for subject in group.subjects.values()} == {len(group.rounds)}


def test_throttled_rounds_are_dropped_and_counted() -> None:
    group = Sampled(BOTH, throttled_rounds=[0, 4])
    assert group.rounds == list(range(11))
    timing = group.sampler.timing(group["shfl"])
    assert timing is not None
    assert (timing.samples, timing.dropped) == (90, 20)
    assert {sample.round for sample in group.sampler.samples if sample.dropped} == {0, 4}
    assert len(group.sampler.samples) == 11 * (10 + 10 + 3 + 6)


def test_throttling_at_one_end_of_a_round_is_enough_to_drop_it() -> None:
    device = FakeBackend({"shfl": SHFL})
    readings = iter([CALM, HOT])
    device.conditions = lambda: next(readings, CALM)  # type: ignore[method-assign]
    only = subject(device)
    list(GroupSampler(device, [only], RULES, Random(1), device.clock).rounds())  # noqa: S311
    assert only.dropped == 10


def test_device_that_is_always_throttled_gives_no_time() -> None:
    group = Sampled(BOTH, throttled_rounds=range(10_000), rules=MeasureRules(max_seconds=0.1))
    assert group.sampler.timing(group["shfl"]) is None
    assert group["shfl"].dropped > 0
    assert group["shfl"].stopped_by == "max_seconds"
    assert all(sample.dropped for sample in group.sampler.samples)


# A case is asked once for each iteration count how long it takes, then twice a round.
@pytest.mark.parametrize("burst", [0, 1, 2, 3, 7, 19])
def test_crash_at_any_burst_costs_the_case_and_no_other(burst: int) -> None:
    crashing = Script(burst_raises={burst: LaunchError("shfl: illegal address")})
    group = Sampled({"smem": SMEM, "shfl": crashing})
    assert group.sampler.timing(group["shfl"]) is None
    assert group["shfl"].failure == "shfl: illegal address"
    timing = group.sampler.timing(group["smem"])
    assert timing is not None
    assert timing.time_us.value == pytest.approx(SMEM.time_us(4096))
    assert timing.samples == 27
    calls = [name for name, _ in group.device.launched if name == "neighbor/shfl"]
    assert len(calls) == burst + 1  # not launched again


def test_group_in_which_every_case_crashes_ends() -> None:
    crash = Script(burst_raises={3: LaunchError("illegal address")})
    group = Sampled({"smem": crash, "shfl": crash})
    assert group.rounds == [0]
    assert all(group.sampler.timing(subject) is None for subject in group.subjects.values())


def orders(group: Sampled) -> list[tuple[tuple[str, int], ...]]:
    """Return the order of the launches in each round."""
    launched = group.device.launched[4:]  # the first four ask how long each takes
    return [tuple(launched[start : start + 4]) for start in range(0, len(launched), 4)]


def test_every_round_launches_everything_in_an_order_of_its_own() -> None:
    rounds = orders(Sampled(BOTH))
    assert {frozenset(order) for order in rounds} == {frozenset(rounds[0])}
    assert len(rounds[0]) == 4
    assert len(set(rounds)) > 4


def test_order_is_repeated_by_the_same_seed_and_by_no_other() -> None:
    assert orders(Sampled(BOTH, seed=5)) == orders(Sampled(BOTH, seed=5))
    assert orders(Sampled(BOTH, seed=5)) != orders(Sampled(BOTH, seed=6))


def test_device_without_a_clock_leaves_it_unknown() -> None:
    group = Sampled({"shfl": Script(clock_mhz=None)})
    timing = group.sampler.timing(group["shfl"])
    assert timing is not None
    assert timing.sm_clock_mhz is None
