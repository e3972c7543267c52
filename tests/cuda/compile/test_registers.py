"""The launch bounds of shipped kernels leave the compiler the registers that it can use."""

from collections.abc import Callable, Iterator, Mapping, Sequence

import pytest

from shflbench.analysis.limits.prediction import PredictedLaunch, predict
from shflbench.core.launch import parse_launch
from shflbench.core.model import Case, Kernel, Mechanism
from shflbench.cuda.compile import build
from shflbench.cuda.compile.build import Builder
from shflbench.cuda.compile.launch_bounds import CompiledBounds, launch_bounds
from shflbench.cuda.compile.timed_code import timed_code
from shflbench.kernel_facts.residency import occupancy_of
from shflbench.measure.workload import setting_of, shared_bytes
from shflbench.patterns.declare import Pattern
from tests import kernels

Bounds = Callable[[Pattern, Case, str], CompiledBounds | None]
ARCH = "sm_90"  # the predicted one
BLOCKS = {"sms": 1, "4*sms": 4}  # expressions of a grid, and the blocks per SM
BLOCK = 256
FASTER = 1.03
MANY_REGISTERS = [  # kernels of further options, which keep more values at a time
    name
    for name in kernels.with_every_option()
    if name.startswith("batched-reduce/") and "sums=64" in name and "/cub" not in name
]
LOOPS = [
    name
    for name in (*kernels.with_one_dtype(), *MANY_REGISTERS)
    if not kernels.subjects()[name].pattern.declaration.one_pass
    and kernels.subjects()[name].pattern.declaration.launch_bounds
    and kernels.subjects()[name].case.launch.dims is None
    and kernels.variant_of(name).mechanism not in {Mechanism.LIBRARY, Mechanism.CLUSTER}
]
PATTERNS = sorted({name.partition("/")[0] for name in LOOPS})
# Kernels that are shipped as they were measured. With bounds, the compiler gives the first 54 of its 64 registers. The
# second gets 56 with bounds for any number of blocks, and is predicted 3.2% faster with the 64 which it gets without.
KNOWN = {
    ("top-k", "4*sms"): {"top-k/merge/i32/elements=256/k=8"},
    ("batched-reduce", "sms"): {"batched-reduce/redux/i32/sums=32/result=own"},
}


def case_of(name: str, grid: str) -> Case:
    """Return the case of a kernel in blocks of 256 threads, or of the size nearest to that which the pattern has."""
    subject = kernels.subjects()[name]
    sizes = subject.pattern.declaration.block_sizes or (BLOCK,)
    block = min(sizes, key=lambda size: abs(size - BLOCK))
    old = subject.case
    return Case(old.pattern, old.variant, old.dtype, parse_launch(f"{grid} x {block}"), old.iterations, old.options)


def resident_blocks(name: str, case: Case, kernel: Kernel) -> int:
    """Return how many blocks of a kernel fit on an SM."""
    shared = kernel.resources.shared_bytes + shared_bytes(
        kernels.subjects()[name].variant, case, setting_of(case, grid=1)
    )
    resident = occupancy_of(ARCH, kernel.resources.registers, shared, case.launch.block)
    return resident.blocks if resident else 0


def predicted(case: Case, kernel: Kernel, blocks: int) -> float | None:
    """Return the predicted cycles per iteration of so many resident blocks; None without a prediction."""
    code, local = timed_code(kernel), kernel.resources.local_bytes
    if code is None:
        return None
    return predict(code, PredictedLaunch(blocks, case.launch.block, 1, blocks, clock_mhz=1.0, local_bytes=local)).cycles


def built(names: Sequence[str], grid: str, bounds: Bounds = launch_bounds) -> dict[str, Kernel]:
    """Return the kernels as `bounds` has them compiled."""
    builder = Builder(kernels.tools(), ARCH, kernels.CACHE)
    with pytest.MonkeyPatch.context() as monkeypatch:
        monkeypatch.setattr(build, "launch_bounds", bounds)
        requests = {name: builder.request(kernels.subjects()[name].pattern, case_of(name, grid)) for name in names}
    return {name: kernel for name, kernel in builder.build_all(requests) if isinstance(kernel, Kernel)}


def blocks_at_once(blocks: int) -> Bounds:
    """Return bounds of the same largest block, and of another number of blocks per SM; 0 leaves it to the compiler."""

    def bounds(pattern: Pattern, case: Case, arch: str) -> CompiledBounds | None:
        own = launch_bounds(pattern, case, arch)
        return own and CompiledBounds(own.threads, blocks)

    return bounds


def slower(shipped: Mapping[str, Kernel], others: Mapping[str, Kernel], grid: str) -> Iterator[str]:
    """Yield each shipped kernel that more registers, with as many resident blocks, make faster."""
    for name in shipped.keys() & others.keys():
        one, other, case = shipped[name], others[name], case_of(name, grid)
        if other.resources.registers <= one.resources.registers or not (resident := resident_blocks(name, case, one)):
            continue
        wanted = min(BLOCKS[grid], resident)
        if resident_blocks(name, case, other) >= wanted:
            cycles, fewer = (predicted(case, kernel, wanted) for kernel in (one, other))
            if cycles and fewer and cycles > FASTER * fewer:
                registers = f"{one.resources.registers} and {other.resources.registers} registers"
                yield f"{name}: {cycles:.1f} and {fewer:.1f} cycles with {registers}"


@pytest.mark.one_in(8)
@pytest.mark.archs
@pytest.mark.parametrize("grid", BLOCKS)
@pytest.mark.parametrize("pattern", PATTERNS)
def test_more_registers_at_the_same_residency_make_no_kernel_faster(pattern: str, grid: str) -> None:
    names = [name for name in LOOPS if name.startswith(f"{pattern}/")]
    shipped = built(names, grid)
    found = [
        text
        for blocks in range(BLOCKS[grid])  # the bounds of the launch have more
        for text in slower(shipped, built(names, grid, blocks_at_once(blocks)), grid)
    ]
    assert {text.partition(":")[0] for text in found} == KNOWN.get((pattern, grid), set()), found


@pytest.mark.archs
def test_bounds_for_more_blocks_than_the_launch_needs_are_found() -> None:
    name = "batched-reduce/butterflies/f32/sums=64/result=own"
    shipped, others = (built([name], "sms", blocks_at_once(blocks)) for blocks in (3, 1))
    assert [text.partition(":")[0] for text in slower(shipped, others, "sms")] == [name]
