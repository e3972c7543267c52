"""Delete each barrier of the safe kernels in turn: the race rules must find each deletion."""

import re
from collections.abc import Iterator
from dataclasses import replace

import pytest

from shflbench.core.model import WARP
from shflbench.emulator.explore import explore
from shflbench.emulator.link.linker import link
from shflbench.emulator.machine.launch import EmulatedLaunch
from shflbench.emulator.machine.policies import LOCKSTEP
from shflbench.emulator.ptx.parse import parse
from tests import kernels
from tests.emulator.breaking import breaking

BARRIER = re.compile(r"\t(?:bar|barrier)\.(?:warp\.)?sync[^;]*;")
SAFE = [name for name in kernels.with_one_dtype() if kernels.variant_of(name).safe]
MEMORY = [name for name in SAFE if kernels.variant_of(name).name.startswith("smem")]
MODELS = [name for name in MEMORY if name.startswith(("neighbor/", "reduce/"))]
QUICK = [name for name in MODELS if name.startswith(("neighbor/", "reduce/smem-double/"))]
# A mutant may be harmless only where no other thread can see what follows: (kernel, barrier) → reason.
EQUIVALENT: dict[tuple[str, int], str] = {
    (
        "bitonic-sort/smem/f32/payload=none",
        89,
    ): "the last barrier of the remaining iteration, of which there is one at most",
    ("bitonic-sort/smem-syncwarp/f32/payload=none", 89): "likewise",
    ("batched-reduce/smem/f32/sums=32/result=own", 5): "likewise",
    ("convert-layout/smem/i32/bits=3", 5): "likewise",
    ("convert-layout/smem-wide/i32/bits=3", 5): "likewise",
    ("convert-layout/smem-stmatrix/i32/bits=3", 5): "likewise",
    ("stream-filter/smem-scan/f32/order=ordered/keep=0.5", 47): "the last barrier of the strip",
    **{
        ("block-reduce/smem-syncwarp/f32/result=all", number): "the last barrier of a warp before one of the block"
        for number in range(7, 50, 10)
    },
    ("block-scan/smem-syncwarp/f32/kind=inclusive", 0): "a warp reads only its own zeros, after a warp barrier",
    **{
        ("block-scan/smem-syncwarp/f32/kind=inclusive", number): "the last barrier of a warp before one of the block"
        for iteration in range(0, 80, 16)
        for number in (iteration + 10, iteration + 15)
    },
    ("device-reduce/smem/f32/per_thread=8/order=block", 7): "thread 0 reads only what it wrote itself",
    ("device-reduce/smem-vector/f32/per_thread=8/order=block", 7): "likewise",
}
EXCHANGES_EVERY_32 = "warp-value/smem-ahead/i32/work=8"  # iterations


def mutants(launch: EmulatedLaunch, text: str) -> Iterator[EmulatedLaunch]:
    """Yield the launch of a kernel's PTX without one barrier, for each barrier."""
    for barrier in BARRIER.finditer(text):
        mutant = text[: barrier.start()] + text[barrier.end() :]
        yield replace(launch, program=link(parse(mutant), launch.program.symbol))


def survivors(name: str) -> list[int]:
    """Return which barriers can be deleted without a finding."""
    kernel = kernels.kernel(name)
    declared, case = kernels.subjects()[name].pattern.declaration, kernels.subjects()[name].case
    iterations = 1 if declared.one_pass else 2 * declared.unroll + 3  # the unrolled body twice, and a remainder
    if name == EXCHANGES_EVERY_32:
        iterations = 2 * WARP + 3
    block = case.launch.block if declared.static_block else 64  # two warps, unless the kernel knows its block size
    launch, _ = kernels.launch(name, kernel, iterations, f"1x{block}")
    reports = [explore(mutant, (LOCKSTEP,)) for mutant in mutants(launch, kernel.ptx)]
    return [number for number, report in enumerate(reports) if not breaking(report) and not report.errors]


@pytest.mark.parametrize("name", MODELS)
def test_there_are_barriers_to_delete(name: str) -> None:
    assert len(BARRIER.findall(kernels.kernel(name).ptx)) > 4


@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=() if name in QUICK else pytest.mark.archs) for name in MEMORY]
)
def test_every_deleted_barrier_is_found(name: str) -> None:
    assert survivors(name) == [number for kernel, number in EQUIVALENT if kernel == name]
