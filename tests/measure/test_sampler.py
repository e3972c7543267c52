from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import pairwise
from random import Random
from statistics import median

import pytest

from shflbench.core.model import MeasureRules, Status
from shflbench.cuda.backends.base import Burst
from shflbench.errors import LaunchError
from shflbench.measure.events import BurstTaken, CaseFailed, Converged, JobEvent, RoundDone, SentinelFailed, StepStarted
from shflbench.measure.sampler import DeviceLostError, SampledKernel, Sampler
from shflbench.measure.workload import call_of
from tests import cases
from tests.fakes.backend import CALM, CLOCK_MHZ, HOT, ContextLostError, FakeBackend, Script
from tests.measure.prepared import AT_ONCE, NEIGHBOR, opened, sampled_kernel, workload

SHFL, SMEM = Script(base_us=4.0, ns_per_iteration=16.0), Script(base_us=4.0, ns_per_iteration=80.0)
BOTH = {"shfl": SHFL, "smem": SMEM}
SHORT = {"shfl": Script(base_us=4.0, ns_per_iteration=0.1), "smem": Script(base_us=100.0, ns_per_iteration=0.1)}
PROCESS, FIRST = 3, 10  # numbers of the process and its first round
START = 2.0  # seconds from the first round of the process to this one


def sentinel(device: FakeBackend, name: str = "shuffle") -> SampledKernel:
    call = call_of(NEIGHBOR, cases.case(), cases.kernel(f"sentinel_{name}"), workload().setting)
    return SampledKernel(f"sentinel/{name}", "", (device.open(call),), (864,))


class Sampled:
    """Groups that were sampled to their end on a scripted device: f32 is one group, f64 another."""

    def __init__(
        self,
        scripts: Mapping[str, Script],
        *,
        dtypes: Sequence[str] = ("f32",),
        iterations: int = 4096,
        rules: MeasureRules = AT_ONCE,
        seed: int = 1,
        throttled_rounds: Sequence[int] = (),
        watched: bool = False,
    ) -> None:
        self.device = FakeBackend(scripts, throttled_rounds=throttled_rounds)
        self.device.clock.advance(START)
        variants = [name for name in scripts if name in {"shfl", "smem"}]
        self.kernels = [sampled_kernel(self.device, name, iterations, dtype) for dtype in dtypes for name in variants]
        self.sentinels = [sentinel(self.device)] if watched else []
        random = Random(seed)  # noqa: S311
        sampler = Sampler(self.device, self.kernels, self.sentinels, rules, random)
        self.events: list[JobEvent] = []
        self.lost = False
        try:
            self.events.extend(sampler.rounds(PROCESS, FIRST, start=0.0))
        except DeviceLostError:
            self.lost = True

    @property
    def rounds(self) -> list[RoundDone]:
        return [event for event in self.events if isinstance(event, RoundDone)]

    @property
    def settled(self) -> dict[str, str]:
        """Return what ended the sampling of each case."""
        return {event.case_id: event.stopped_by for event in self.events if isinstance(event, Converged)}

    @property
    def ended(self) -> list[CaseFailed]:
        return [event for event in self.events if isinstance(event, CaseFailed)]

    def bursts(self, case_id: str, iterations: int = 4096) -> list[BurstTaken]:
        bursts = (burst for taken in self.rounds for burst in taken.bursts)
        return [burst for burst in bursts if (burst.case_id, burst.iterations) == (case_id, iterations)]


def name_of(variant: str, dtype: str = "f32", iterations: int = 4096) -> str:
    return f"neighbor/{variant}/{dtype}/2x64/{iterations}"


def order(taken: RoundDone) -> list[tuple[str, int]]:
    return [(burst.case_id, burst.iterations) for burst in taken.bursts]


def test_every_round_launches_every_case_at_each_of_its_iteration_counts() -> None:
    sampled = Sampled(BOTH)
    assert [(taken.process, taken.number) for taken in sampled.rounds] == [(PROCESS, FIRST + n) for n in range(9)]
    sizes = {("shfl", 4096): 10, ("shfl", 2048): 10, ("shfl", 1024): 10}
    sizes |= {("smem", 4096): 4, ("smem", 2048): 6, ("smem", 1024): 10}
    for taken in sampled.rounds:
        assert {(burst.case_id, burst.iterations): len(burst.times_us) for burst in taken.bursts} == {
            (name_of(variant), iterations): count for (variant, iterations), count in sizes.items()
        }
        assert taken.conditions == CALM
    assert {burst.sm_clock_mhz for taken in sampled.rounds for burst in taken.bursts} == {CLOCK_MHZ}
    medians = [median(burst.times_us) for burst in sampled.bursts(name_of("smem"))]
    assert medians == pytest.approx([SMEM.time_us(4096)] * 9, abs=0.016)
    assert sampled.settled == {name_of("shfl"): "precision", name_of("smem"): "precision"}


def test_few_iterations_have_one_count() -> None:
    sampled = Sampled({"shfl": SHFL}, iterations=17)
    assert {iterations for taken in sampled.rounds for _, iterations in order(taken)} == {17}


def test_groups_and_sentinels_are_shuffled_together_in_every_round() -> None:
    rounds = [order(taken) for taken in Sampled(BOTH, dtypes=["f32", "f64"], watched=True).rounds]
    assert all(sorted(taken) == sorted(rounds[0]) for taken in rounds)
    assert Counter(name.split("/")[0] for name, _ in rounds[0]) == {"neighbor": 12, "sentinel": 1}
    assert len(set(map(tuple, rounds))) == len(rounds)
    kinds = [[name.split("/")[2] for name, _ in taken if "/f" in name] for taken in rounds]
    changes = [sum(one != other for one, other in pairwise(kind)) for kind in kinds]
    assert min(changes) >= 2  # without shuffling it would change once
    places = {[name for name, _ in taken].index("sentinel/shuffle") for taken in rounds}
    assert len(places) > 4


def test_same_seed_gives_the_same_order_and_another_seed_another() -> None:
    same, again, other = ([order(taken) for taken in Sampled(BOTH, seed=seed).rounds] for seed in (5, 5, 6))
    assert same == again
    assert same != other


def test_step_is_reported_before_each_burst() -> None:
    sampled = Sampled(BOTH, watched=True)
    doing = [event.case_id for event in sampled.events if isinstance(event, StepStarted)]
    taken = [name for one in sampled.rounds for name, _ in order(one)]
    assert doing[-len(taken) :] == taken
    assert {event.step for event in sampled.events if isinstance(event, StepStarted)} == {"timing"}


def test_group_ends_when_its_cases_converge_and_others_continue() -> None:
    noisy = Script(noise=0.05)
    device = FakeBackend({"shfl": SHFL, "smem": noisy})
    alone, longer = sampled_kernel(device), sampled_kernel(device, "smem", dtype="f64")
    events = list(Sampler(device, [alone, longer], [], AT_ONCE, Random(1)).rounds(0, 0, 0.0))  # noqa: S311
    rounds = [event for event in events if isinstance(event, RoundDone)]
    settled = [index for index, event in enumerate(events) if isinstance(event, Converged)]
    assert events[settled[0]] == Converged(name_of("shfl"), "precision")
    assert sum(isinstance(event, RoundDone) for event in events[: settled[0]]) == 9
    assert len(rounds) > 12
    assert {name for taken in rounds[9:] for name, _ in order(taken)} == {name_of("smem", "f64")}
    assert device.held == []  # finished groups free their memory


def test_all_cases_of_a_group_continue_until_the_last_converges() -> None:
    sampled = Sampled({"shfl": Script(noise=0.05), "smem": SMEM})
    assert len(sampled.rounds) > 12
    assert {len(order(taken)) for taken in sampled.rounds} == {6}
    assert sampled.settled == {name_of("shfl"): "precision", name_of("smem"): "precision"}


def test_rounds_are_spread_over_the_fewest_seconds() -> None:
    sampled = Sampled(BOTH, rules=MeasureRules(min_seconds=0.1))
    begins = [min(burst.seconds for burst in taken.bursts) for taken in sampled.rounds]
    assert len(begins) > 9
    assert begins[-1] - begins[0] < 0.1 <= sampled.device.clock() - START - (begins[0] - START)
    assert sampled.settled == {name_of("shfl"): "precision", name_of("smem"): "precision"}


def test_time_limit_is_distinguished_from_reached_precision() -> None:
    rules = MeasureRules(precision=0.0001, min_seconds=0.0, max_seconds=0.05)
    sampled = Sampled({"shfl": Script(noise=0.2), "smem": SMEM}, rules=rules)
    assert sampled.settled == {name_of("shfl"): "max_seconds", name_of("smem"): "precision"}
    noisy = sampled.kernels[0]
    assert 0.05 <= noisy.seconds < 0.06


def test_noisy_case_ends_at_the_largest_number_of_samples() -> None:
    rules = MeasureRules(precision=0.0001, min_seconds=0.0, max_samples=100)
    sampled = Sampled({"shfl": Script(noise=0.2)}, rules=rules)
    assert sampled.settled == {name_of("shfl"): "max_samples"}
    assert len(sampled.rounds) == 10  # of ten samples each


def test_samples_of_a_group_have_the_launches_that_its_fastest_case_needs() -> None:
    device = FakeBackend({**SHORT, "neighbor/smem-double": SMEM})
    group = [sampled_kernel(device, "shfl"), sampled_kernel(device, "smem")]
    other = sampled_kernel(device, "smem-double", dtype="f64")
    watch = sentinel(device)
    list(Sampler(device, [*group, other], [watch], AT_ONCE, Random(1)).rounds(0, 0, 0.0))  # noqa: S311
    assert [each.launches for each in (*group, other, watch)] == [8, 8, 1, 1]


def test_burst_with_many_launches_per_sample_takes_a_millisecond() -> None:
    sampled = Sampled(SHORT)
    fast, slow = (sampled.bursts(name_of(variant))[0] for variant in ("shfl", "smem"))
    assert (fast.launches, len(fast.times_us)) == (8, 10)
    assert (slow.launches, len(slow.times_us)) == (8, 4)  # of 800 µs each
    assert median(fast.times_us) == pytest.approx(SHORT["shfl"].time_us(4096), abs=0.004)


def test_seconds_of_a_burst_count_from_the_first_round_of_the_process() -> None:
    sampled = Sampled(BOTH)
    seconds = [burst.seconds for taken in sampled.rounds for burst in taken.bursts]
    assert seconds == sorted(seconds)
    assert len(set(seconds)) == len(seconds)
    assert START < seconds[0] < START + 0.01
    first, second = sampled.rounds[0].bursts[:2]
    launch_us = BOTH[first.case_id.split("/")[1]].time_us(first.iterations)
    launched = (second.seconds - first.seconds) * 1e6 / launch_us
    assert launched == pytest.approx(len(first.times_us) + 2, abs=0.01)  # two are discarded


def test_throttled_rounds_are_dropped_and_repeated() -> None:
    sampled = Sampled(BOTH, throttled_rounds=[0, 4])
    assert [taken.number - FIRST for taken in sampled.rounds if all(burst.dropped for burst in taken.bursts)] == [0, 4]
    assert sum(burst.dropped for taken in sampled.rounds for burst in taken.bursts) == 2 * 6
    assert len(sampled.rounds) == 9 + 2


def test_throttling_at_one_end_of_a_round_is_enough_to_drop_it() -> None:
    device = FakeBackend({"shfl": SHFL})
    readings = iter([CALM, HOT])
    device.conditions = lambda: next(readings, CALM)  # type: ignore[method-assign]
    events = list(Sampler(device, [sampled_kernel(device)], [], AT_ONCE, Random(1)).rounds(0, 0, 0.0))  # noqa: S311
    rounds = [event for event in events if isinstance(event, RoundDone)]
    assert [all(burst.dropped for burst in taken.bursts) for taken in rounds] == [True] + [False] * 9
    assert rounds[0].conditions == HOT


def test_device_that_is_always_throttled_runs_out_of_time() -> None:
    sampled = Sampled(BOTH, throttled_rounds=range(10_000), rules=MeasureRules(min_seconds=0.0, max_seconds=0.1))
    assert sampled.settled == {name_of("shfl"): "max_seconds", name_of("smem"): "max_seconds"}
    assert all(burst.dropped for taken in sampled.rounds for burst in taken.bursts)


def test_only_the_host_bound_burst_is_dropped() -> None:
    later = range(3, 100)  # the first three choose the samples of each iteration count
    sampled = Sampled({"shfl": Script(host_bound=later[:2]), "smem": SMEM})
    dropped = [burst for taken in sampled.rounds for burst in taken.bursts if burst.dropped]
    assert [burst.case_id for burst in dropped] == [name_of("shfl")] * 2
    assert set(dropped) <= set(sampled.rounds[0].bursts)
    kept = [burst for burst in sampled.bursts(name_of("shfl")) if not burst.dropped]
    assert len(kept) == 9


# A case is launched once per iteration count to choose its samples, then at three counts per round.
@pytest.mark.parametrize("burst", [0, 1, 2, 3, 10, 28])
def test_crash_at_any_burst_fails_only_its_case(burst: int) -> None:
    crashing = Script(burst_raises={burst: LaunchError("shfl: illegal address")})
    sampled = Sampled({"smem": SMEM, "shfl": crashing}, watched=True)
    assert sampled.ended == [CaseFailed(name_of("shfl"), Status.FAILED, "shfl: illegal address")]
    assert sampled.settled == {name_of("smem"): "precision"}
    assert len(sampled.bursts(name_of("smem"))) == 9
    assert sum(name == "neighbor/shfl" for name, _ in sampled.device.launched) == burst + 1  # not launched again
    assert [kernel.name for kernel in sampled.device.held] == ["sentinel_shuffle"]


def test_group_in_which_every_case_crashes_does_not_affect_the_others() -> None:
    crash = Script(burst_raises={3: LaunchError("illegal address")})
    device = FakeBackend({"shfl": crash, "smem": SMEM})
    kernels = [sampled_kernel(device), sampled_kernel(device, "smem", dtype="f64")]
    events = list(Sampler(device, kernels, [], AT_ONCE, Random(1)).rounds(0, 0, 0.0))  # noqa: S311
    assert [event.case_id for event in events if isinstance(event, CaseFailed)] == [name_of("shfl")]
    assert [event.case_id for event in events if isinstance(event, Converged)] == [name_of("smem", "f64")]


def test_window_ends_with_its_last_case_independently_of_the_sentinels() -> None:
    crash = Script(burst_raises={3: LaunchError("illegal address")})
    sampled = Sampled({"smem": crash, "shfl": crash}, watched=True)
    assert len(sampled.rounds) == 1
    assert [event.case_id for event in sampled.ended] != []


def test_sentinel_that_crashes_is_reported_and_not_timed() -> None:
    crash = Script(20.0, 0.0, burst_raises={4: LaunchError("illegal address")})
    sampled = Sampled({**BOTH, "sentinel": crash}, watched=True)
    assert [event for event in sampled.events if isinstance(event, SentinelFailed)] == [
        SentinelFailed("sentinel/shuffle", "illegal address")
    ]
    assert len(sampled.bursts("sentinel/shuffle", 864)) == 3  # the first burst chooses its samples
    assert set(sampled.settled) == {name_of("shfl"), name_of("smem")}
    assert sampled.sentinels[0].failure == "illegal address"


def test_lost_context_keeps_the_bursts_of_its_last_round() -> None:
    lost = Script(burst_raises={3 + 3 * 2: ContextLostError("shfl: illegal address")})  # in the third round
    sampled = Sampled({"smem": SMEM, "shfl": lost})
    assert sampled.lost
    *whole, last = sampled.rounds
    assert [len(taken.bursts) for taken in whole] == [6, 6]
    assert len(last.bursts) < 6
    assert name_of("shfl") not in {burst.case_id for burst in last.bursts}
    assert sampled.ended == [CaseFailed(name_of("shfl"), Status.FAILED, "shfl: illegal address")]
    assert sampled.events[-1] == last
    assert sampled.settled == {}


def test_context_that_is_lost_at_the_first_burst_leaves_no_rounds() -> None:
    sampled = Sampled({"shfl": Script(burst_raises={0: ContextLostError("illegal address")}), "smem": SMEM})
    assert sampled.lost
    assert sampled.rounds == []
    assert sampled.ended == [CaseFailed(name_of("shfl"), Status.FAILED, "illegal address")]


def test_device_without_a_clock_leaves_it_unknown() -> None:
    sampled = Sampled({"shfl": Script(clock_mhz=None)})
    assert {burst.sm_clock_mhz for taken in sampled.rounds for burst in taken.bursts} == {None}


def test_kernel_of_a_lost_context_can_be_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    device = FakeBackend()
    kernel = opened(device)
    calls: list[str] = []

    def refuse() -> None:
        calls.append("close")
        raise LaunchError("the context is gone")

    monkeypatch.setattr(kernel, "close", refuse)
    SampledKernel("a case", "its group", (kernel,), (1,)).close()
    assert calls == ["close"]


def test_first_sample_of_a_long_burst_is_discarded(monkeypatch: pytest.MonkeyPatch) -> None:
    device = FakeBackend()
    only = sampled_kernel(device, iterations=17)

    def numbered(_: int, samples: int, launches: int = 1) -> Burst:
        return Burst(tuple(50.0 + index for index in range(samples * launches)), None)

    monkeypatch.setattr(only.places[0], "burst", numbered)
    events = list(Sampler(device, [only], [], AT_ONCE, Random(1)).rounds(0, 0, 0.0))  # noqa: S311
    (times,) = {burst.times_us for taken in events if isinstance(taken, RoundDone) for burst in taken.bursts}
    assert times == tuple(51.0 + index for index in range(10))


@pytest.mark.parametrize("microseconds", [50, 150, 400])
def test_time_of_launches_that_take_two_times_in_turn_lies_halfway(
    monkeypatch: pytest.MonkeyPatch, microseconds: int
) -> None:
    only = sampled_kernel(FakeBackend(), iterations=17)

    def in_turn(_: int, samples: int, launches: int = 1) -> Burst:
        return Burst(tuple(microseconds + index % 2 * launches for index in range(samples)), None)

    monkeypatch.setattr(only.places[0], "burst", in_turn)
    list(Sampler(FakeBackend(), [only], [], AT_ONCE, Random(1)).rounds(0, 0, 0.0))  # noqa: S311
    assert set(only.medians) == {microseconds + 0.5}
