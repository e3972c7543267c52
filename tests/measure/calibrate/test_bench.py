from pathlib import Path

import numpy as np
import pytest

from shflbench.cuda.compile.toolchain import find
from shflbench.errors import LaunchError
from shflbench.measure.calibrate.bench import ProbeRunner, region_bytes, work_per_pass
from shflbench.measure.calibrate.estimate import LengthPair
from shflbench.measure.calibrate.probe import Formula, Place
from shflbench.measure.calibrate.probes import PROBES
from shflbench.measure.calibrate.rates import BUFFERS
from tests.fakes.calibrated import CLOCK_MHZ, LAUNCH_US, ScriptedDevice

BY_NAME = {probe.name: probe for probe in PROBES}
MIB, GIB = 1 << 20, 1 << 30
OVERHEAD = BY_NAME["launch_overhead_us"]


def one(pairs: tuple[LengthPair, ...]) -> LengthPair:
    """Return the pair of a figure whose kernel is opened once."""
    (pair,) = pairs
    return pair


def bench(device: ScriptedDevice, kernel_cache: Path) -> ProbeRunner:
    return ProbeRunner(device, find(), kernel_cache)


def test_figure_follows_from_the_times_of_two_lengths(kernel_cache: Path) -> None:
    shuffle_us = 64 * 32 / CLOCK_MHZ  # 64 shuffles of 32 warps, one per clock
    pair = one(bench(ScriptedDevice({"shuffle": shuffle_us}), kernel_cache).take(BY_NAME["shuffle"]))
    assert pair.value(Formula.WORK_PER_CLOCK) == pytest.approx(1)
    assert pair.long.time_us == pytest.approx(LAUNCH_US + 100, rel=0.02)
    assert pair.long.passes == pytest.approx(4 * pair.short.passes, abs=3)


def test_launch_overhead_is_the_time_without_the_loop(kernel_cache: Path) -> None:
    for pair in bench(ScriptedDevice(), kernel_cache).take(OVERHEAD):
        assert pair.value(Formula.INTERCEPT) == pytest.approx(LAUNCH_US)
        assert pair.long.time_us < 60


def test_launch_is_timed_with_several_kernels_each_at_lengths_of_its_own(kernel_cache: Path) -> None:
    device = ScriptedDevice()
    pairs = bench(device, kernel_cache).take(OVERHEAD)
    assert len({call.kernel.symbol for call in device.opened}) == 4
    assert len({(pair.long.passes, pair.short.passes) for pair in pairs}) == len(pairs) == 8


def test_atomic_additions_are_timed_in_several_buffers(kernel_cache: Path) -> None:
    device = ScriptedDevice()
    additions = bench(device, kernel_cache)
    assert len(additions.take(BY_NAME["atomic_global_distinct"])) == BUFFERS
    additions.take(BY_NAME["atomic_global_distinct"])
    assert len(device.opened) == BUFFERS  # which the second round uses again
    assert len(additions.take(BY_NAME["atomic_global_same"])) == 1


def test_slow_kernel_is_timed_with_few_passes(kernel_cache: Path) -> None:
    pair = one(bench(ScriptedDevice({"match": 500.0}), kernel_cache).take(BY_NAME["match_32"]))
    assert (pair.long.passes, pair.short.passes) == (8, 2)


def test_fast_kernel_is_timed_with_enough_passes_to_stand_out_from_the_noise_of_a_launch(kernel_cache: Path) -> None:
    device = ScriptedDevice({"loop_pass": 29 / CLOCK_MHZ})
    pair = one(bench(device, kernel_cache).take(BY_NAME["loop_pass"]))
    assert pair.value(Formula.CLOCKS_PER_WORK) == pytest.approx(29)
    assert max(device.passes) * 29 / CLOCK_MHZ == pytest.approx(100, rel=0.01)
    few, many = device.passes[-4:-2]  # the pilot's last, before the two lengths of the round
    assert (many - few) * 29 / CLOCK_MHZ >= 2.0


def test_round_that_the_host_disturbed_has_no_times(kernel_cache: Path) -> None:
    assert bench(ScriptedDevice(host_bound=True), kernel_cache).take(BY_NAME["vote"]) == ()


def test_kernel_that_takes_no_time_is_refused(kernel_cache: Path) -> None:
    with pytest.raises(LaunchError, match="a longer loop takes no more time"):
        bench(ScriptedDevice({"vote": 0.0}), kernel_cache).take(BY_NAME["vote"])


def test_launches_are_of_the_shape_that_the_figure_says(kernel_cache: Path) -> None:
    device = ScriptedDevice()
    all_figures = bench(device, kernel_cache)
    calls = {}
    for probe in PROBES:
        all_figures.take(probe)
        calls[probe.name] = device.opened[-1]
    sms = device.device.sms
    shape = {name: (call.grid, call.block) for name, call in calls.items()}
    assert shape["shuffle"] == (sms, 1024)
    assert shape["shfl_latency"] == (sms, 32)
    assert shape["barrier_8"] == (sms, 256)
    assert shape["barrier_2x32"] == (2 * sms, 1024)
    assert shape["l2_sm_bytes_per_clock"] == (1, 1024)
    assert shape["dram_read_bytes_per_s"] == (8 * sms, 256)
    assert {name for name, call in calls.items() if call.cold} == {"dram_read_bytes_per_s", "dram_copy_bytes_per_s"}
    assert calls["lds32_conflict_8"].arguments[-1] == np.int32(8)
    assert calls["atomic_global_distinct"].buffers[0].elements == 16 * sms * 1024  # a word for each addition of a pass


def test_dram_is_read_in_two_lengths_of_which_the_longer_reads_each_word_once(kernel_cache: Path) -> None:
    device = ScriptedDevice()
    pair = one(bench(device, kernel_cache).take(BY_NAME["dram_copy_bytes_per_s"]))
    words, copied = device.opened[0].buffers
    assert (words.name, copied.name) == ("words", "copied")
    assert pair.work * pair.long.passes <= words.nbytes + copied.nbytes
    assert pair.work * (pair.long.passes + 1) > words.nbytes + copied.nbytes


@pytest.mark.parametrize(
    ("place", "l2", "free", "size"),
    [
        (Place.DRAM, 60 * MIB, 140 * GIB, GIB),  # an H200
        (Place.DRAM, 60 * MIB, 4 * GIB, GIB // 2),  # little free memory
        (Place.DRAM, 4 * MIB, 8 * GIB, 128 * MIB),  # an RTX 2070 SUPER
        (Place.L2, 60 * MIB, 140 * GIB, 8 * MIB),
        (Place.L2, 4 * MIB, 8 * GIB, MIB),
        (Place.L2, None, 8 * GIB, MIB),
    ],
)
def test_regions_are_powers_of_two_by_the_size_of_the_l2_cache(
    place: Place, l2: int | None, free: int, size: int
) -> None:
    assert region_bytes(place, l2, free) == size


def test_work_is_that_of_an_sm_or_of_the_gpu_and_clocks_are_those_of_a_block() -> None:
    assert work_per_pass(BY_NAME["shuffle"], grid=132, blocks=1) == 64 * 32
    assert work_per_pass(BY_NAME["barrier_2x32"], grid=264, blocks=2) == 64
    assert work_per_pass(BY_NAME["dram_read_bytes_per_s"], grid=1056, blocks=8) == 8 * 16 * 256 * 1056
    assert work_per_pass(BY_NAME["l2_sm_bytes_per_clock"], grid=1, blocks=1) == 8 * 16 * 1024
