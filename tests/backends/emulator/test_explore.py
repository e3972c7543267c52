from __future__ import annotations

from itertools import pairwise

import pytest

from shflbench.backends.emulator.explore import Report, explore
from shflbench.backends.emulator.findings import Kind
from shflbench.measure.verify import mismatch
from shflbench.model import DTYPES
from tests.backends.emulator.compiled import Compiled, compiled_patterns

EVERY = [item for item in compiled_patterns() if item.dtype in {"f32", "i64"} or item.variant.name == "redux"]
SAFE = [item for item in EVERY if item.variant.safe]
UNSAFE = [item for item in EVERY if not item.variant.safe]


def trips(kernel: Compiled) -> int:
    return 2 * kernel.pattern.declaration.unroll + 1


REPORTS: dict[str, Report] = {}


def report(kernel: Compiled) -> Report:
    """Return what all schedules show; each kernel is explored once."""
    if kernel.name not in REPORTS:
        REPORTS[kernel.name] = explore(kernel.launch(trips(kernel))[0])
    return REPORTS[kernel.name]


def wrong_policies(kernel: Compiled) -> list[str]:
    expected = kernel.launch(1)[1].expected(0, trips(kernel))
    tolerance = kernel.pattern.tolerance(DTYPES[kernel.dtype], trips(kernel))
    return [item.policy for item in report(kernel).outcomes if mismatch(item.outputs, expected, tolerance)]


@pytest.mark.parametrize("kernel", SAFE, ids=lambda kernel: kernel.name)
def test_safe_kernels_are_right_and_clean_under_every_schedule(kernel: Compiled) -> None:
    assert report(kernel).errors == ()
    assert report(kernel).findings == ()
    assert wrong_policies(kernel) == []


@pytest.mark.parametrize("kernel", UNSAFE, ids=lambda kernel: kernel.name)
def test_unsafe_kernels_are_right_in_lock_step_and_wrong_under_every_order_of_lanes(kernel: Compiled) -> None:
    lanes = ["half-warp first", "odd lanes first", "lanes in order", "lanes at random"]
    assert wrong_policies(kernel) == lanes


@pytest.mark.parametrize("kernel", UNSAFE, ids=lambda kernel: kernel.name)
def test_unsafe_kernels_are_flagged_at_the_line_of_the_exchange(kernel: Compiled) -> None:
    source = (kernel.pattern.folder / kernel.variant.source).read_text().splitlines()
    start = next(
        number
        for number, line in enumerate(source)
        if f"void {kernel.pattern.name}_{kernel.variant.name}".replace("-", "_") in line
    )
    end = next(number for number in range(start, len(source)) if source[number] == "}")
    uses = {number + 1 for number in range(start, end) if "slots[" in source[number]}
    races = [item for item in report(kernel).hazards if item.other is not None]
    assert {item.kind for item in races} == {Kind.RAW, Kind.WAR}
    for item in races:
        for location in item.locations:
            assert location is not None
            assert location.outermost.file.endswith(kernel.variant.source)
            assert location.outermost.line in uses


def test_the_random_schedules_depend_on_the_seed_alone() -> None:
    kernel = next(item for item in UNSAFE if item.variant.name == "smem-deck")
    runs = [explore(kernel.launch(5)[0], seed=seed).outcomes for seed in (1, 1, 2)]
    random = [[item.outputs[0].tobytes() for item in outcomes if item.policy == "lanes at random"] for outcomes in runs]
    assert [first == second for first, second in pairwise(random)] == [True, False]
