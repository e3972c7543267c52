"""Kernels with one known fault each: see cuda/broken.cu."""

import numpy as np
import pytest

from shflbench.emulator.explore import explore
from shflbench.emulator.machine.launch import execute
from shflbench.emulator.races.hazards import HazardKind
from shflbench.errors import EmulatorError
from tests.emulator.breaking import breaking
from tests.emulator.compiled import line_with, small, small_sources
from tests.emulator.outcomes import wrong_under

LANES = ("half-warp first", "odd lanes first", "lanes in order", "lanes at random")
WARPS = ("warps in reverse", "warps at random")


def line_of(text: str, kernel: str) -> int:
    return line_with(text, kernel, small_sources()["broken"].text)


# kernel, kinds found, (text of the later line, text of the earlier line), schedules that change the result
CASES = [
    ("one_barrier", {HazardKind.WAR, HazardKind.RAW}, ("slots[threadIdx.x] = x", "x = slots"), LANES[1:]),
    ("shuffle_after_continue", {HazardKind.EXITED}, ("__shfl_xor_sync", ""), ()),
    ("unlisted_source", {HazardKind.INACTIVE_SOURCE}, ("__shfl_sync", ""), ()),
    ("activemask_as_mask", {HazardKind.ACTIVEMASK, HazardKind.INACTIVE_SOURCE}, ("__activemask", ""), LANES),
    (
        "syncwarp_across_warps",
        {HazardKind.RAW, HazardKind.WAR, HazardKind.UNINITIALIZED},
        ("slots[threadIdx.x ^ 32]", "] = values"),
        WARPS,
    ),
    (
        "half_sync_crossing",
        {HazardKind.RAW, HazardKind.WAR, HazardKind.UNINITIALIZED},
        ("slots[threadIdx.x ^ 16]", "] = values"),
        (LANES[0], LANES[2]),
    ),
    ("half_sync_within", set(), ("", ""), ()),
    ("shuffle_as_fence", {HazardKind.RAW}, ("out[threadIdx.x ^ one]", "] = values"), ()),
    ("divergent_barrier", {HazardKind.DIVERGENT_WARP_BARRIER}, ("x += 2", "x += 1"), ()),
    ("never_written", {HazardKind.UNINITIALIZED}, ("in[threadIdx.x]", ""), ()),
    ("equal_writes", {HazardKind.SAME_VALUE}, ("slots[0] = 7", "slots[0] = 7"), ()),
]


@pytest.mark.parametrize(("kernel", "kinds", "lines", "wrong"), CASES, ids=[case[0] for case in CASES])
def test_each_fault_is_found_at_its_line(
    kernel: str, kinds: set[HazardKind], lines: tuple[str, str], wrong: tuple[str, ...]
) -> None:
    launch = small(kernel)
    report = explore(launch)
    assert report.errors == ()
    assert {item.kind for item in report.hazards} == kinds
    expected = tuple(None if not text else line_of(text, kernel) for text in lines)
    found = {tuple(None if place is None else place.line for place in item.locations) for item in report.hazards}
    assert not kinds or expected in found
    assert set(wrong) == set(wrong_under(report, execute(launch)))


def test_a_lane_that_passes_a_mask_without_itself_is_found() -> None:
    kinds = {item.kind for item in breaking(explore(small("foreign_mask")))}
    assert HazardKind.NOT_IN_OWN_MASK in kinds


def test_a_race_names_both_lines_and_both_threads() -> None:
    found = next(item for item in explore(small("shuffle_as_fence")).hazards if item.kind is HazardKind.RAW)
    later, earlier = line_of("out[threadIdx.x ^ one]", "shuffle_as_fence"), line_of("] = values", "shuffle_as_fence")
    assert str(found).startswith(
        f"RAW: emulator/broken.cu:{later}, after emulator/broken.cu:{earlier} "
        "(thread 0 of block 0 and thread 1 of block 0; "
    )


@pytest.mark.parametrize(
    ("kernel", "words"),
    [
        ("deadlock", "deadlock in deadlock: 128 threads wait at `bar.sync 0`"),
        ("endless", "endless did not end within 2000 instructions; 256 threads are at emulator/broken.cu:"),
        (
            "past_the_end",
            "thread 127 of block 1 reads out of bounds: byte 1024 of the 1024 bytes of buffer 0",
        ),
        (
            "shared_past_the_end",
            "thread 96 of block 0 reads out of bounds: byte 512 of the 512 bytes of `slots`",
        ),
        ("misaligned", "thread 5 of block 0 reads a misaligned address"),
    ],
)
def test_an_error_that_stops_a_kernel_is_one_sentence(kernel: str, words: str) -> None:
    with pytest.raises(EmulatorError) as caught:
        execute(small(kernel), step_limit=2000)
    assert words in caught.value.message
    assert "broken.cu:" in caught.value.message
    assert "\n" not in caught.value.message
    assert caught.value.advice


def test_an_error_under_one_schedule_is_part_of_the_result() -> None:
    report = explore(small("deadlock"))
    assert len(report.errors) == len(report.results)


@pytest.mark.archs
def test_a_spin_lock_ends_because_the_scheduler_is_fair() -> None:
    launch = small("spin_lock", block=32)
    report = explore(launch)
    assert report.errors == ()
    assert breaking(report) == ()
    assert wrong_under(report, [(launch.inputs[0] + np.int32(32)).reshape(-1)]) == ()
