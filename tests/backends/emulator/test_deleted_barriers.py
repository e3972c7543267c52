"""Delete each barrier of every safe kernel in turn: what has become wrong must be found, and nothing else may be."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from shflbench.backends.emulator.explore import explore
from shflbench.backends.emulator.link import link
from shflbench.backends.emulator.parse import parse
from shflbench.backends.emulator.policies import LOCK_STEP
from tests.backends.emulator.compiled import Compiled, compiled_patterns, ptx

BARRIER = re.compile(r"\t(?:bar|barrier)\.(?:warp\.)?sync[^;]*;")
KERNELS = [
    item
    for item in compiled_patterns()
    if item.variant.safe and item.dtype in {"f32", "i64"} and BARRIER.search(ptx(item.name))
]
# A mutant may do no harm only where nothing follows that another thread could see: (kernel, barrier) → reason.
EQUIVALENT: dict[tuple[str, int], str] = {}


def mutants(kernel: Compiled) -> list[tuple[int, str]]:
    """Return the kernel's PTX without one barrier, for each barrier."""
    text = ptx(kernel.name)
    return [
        (number, text[: barrier.start()] + text[barrier.end() :])
        for number, barrier in enumerate(BARRIER.finditer(text))
    ]


def survivors(kernel: Compiled) -> list[int]:
    """Return which barriers can be deleted without a finding."""
    trips = 2 * kernel.pattern.declaration.unroll + 3  # the unrolled body twice, and a remainder
    launch, _ = kernel.launch(trips, grid=1, block=64)
    found = []
    for number, text in mutants(kernel):
        mutant = replace(launch, program=link(parse(text), launch.program.name))
        report = explore(mutant, (LOCK_STEP,))
        if not report.hazards and not report.errors:
            found.append(number)
    return found


@pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: kernel.name)
def test_every_deleted_barrier_is_noticed(kernel: Compiled) -> None:
    assert survivors(kernel) == [number for name, number in EQUIVALENT if name == kernel.name]


def test_kernels_without_barriers_are_those_that_shuffle() -> None:
    without = {
        item.variant.name for item in compiled_patterns() if item.variant.safe and not BARRIER.search(ptx(item.name))
    }
    assert without <= {"shfl", "redux", "cub", "cg"}
    assert {item.variant.name for item in KERNELS} >= {"smem", "smem-double", "smem-syncwarp"}
