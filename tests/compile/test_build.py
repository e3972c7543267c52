from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from shflbench.compile.build import Builder
from shflbench.compile.parallel import build_all
from shflbench.compile.rules import exchanges
from shflbench.errors import KernelError
from shflbench.model import DTYPES, Kernel, Mechanism
from shflbench.patterns.discover import builtin, load
from tests.compile.planted import case, planted

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from shflbench.compile.toolchain import Toolchain
    from shflbench.model import Case
    from tests.compile.conftest import Build

PATTERNS = {name: load(folder) for name, folder in builtin().items()}
LIBRARY_DTYPES = ("f32", "i32")  # a library kernel takes seconds to compile; the loops of the other two are the same


def every_kernel() -> Iterator[Case]:
    for name, pattern in PATTERNS.items():
        for variant in pattern.declaration.variants:
            library = variant.mechanism is Mechanism.LIBRARY
            for dtype in LIBRARY_DTYPES if library else variant.dtypes or pattern.declaration.dtypes:
                yield case(dtype, name, variant.name)


CASES = {f"{case.pattern}/{case.variant}/{case.dtype}": case for case in every_kernel()}


@pytest.fixture(scope="module")
def kernels(toolchain: Toolchain, kernel_cache: Path) -> dict[str, Kernel]:
    builder = Builder(toolchain, "sm_90", kernel_cache)
    orders = {name: builder.order(PATTERNS[case.pattern], case) for name, case in CASES.items()}
    built = dict(build_all(builder, orders))
    assert [error for error in built.values() if isinstance(error, KernelError)] == []
    return {name: kernel for name, kernel in built.items() if isinstance(kernel, Kernel)}


@pytest.mark.parametrize("name", CASES)
def test_machine_code_of_every_kernel_keeps_what_its_pattern_promises(kernels: dict[str, Kernel], name: str) -> None:
    kernel, declaration = kernels[name], PATTERNS[CASES[name].pattern].declaration
    promised = declaration.variant(CASES[name].variant).promised(DTYPES[CASES[name].dtype])
    assert kernel.violations == ()
    assert kernel.loop is not None
    assert kernel.loop.trips == declaration.unroll
    if promised is not None:
        a_trip = {opcode: count / declaration.unroll for opcode, count in exchanges(kernel.loop.counts).items()}
        assert a_trip == promised
    assert (kernel.resources.local_bytes, kernel.resources.spill_bytes) == (0, 0)
    assert kernel.arch == "sm_90"


def test_sum_of_64_bit_floats_shuffles_each_half(kernels: dict[str, Kernel]) -> None:
    loops = {dtype: kernels[f"reduce/shfl/{dtype}"].loop for dtype in ("f32", "f64")}
    assert {dtype: loop.counts["SHFL"] / loop.trips for dtype, loop in loops.items() if loop} == {"f32": 5, "f64": 10}


def test_cub_s_integer_sum_is_one_redux(kernels: dict[str, Kernel]) -> None:
    loop = kernels["reduce/cub/i32"].loop
    assert loop is not None
    assert exchanges(loop.counts) == {"REDUX": 4}  # in 4 trips; all lanes get its sum, so the shuffle that follows goes


def test_without_a_disassembler_nothing_is_claimed_about_the_machine_code(toolchain: Toolchain, tmp_path: Path) -> None:
    blind = Builder(replace(toolchain, nvdisasm=None), "sm_90", None)
    kernel = blind.build(planted(tmp_path, "x = x + T(1);", per_iteration={"SHFL": 1}), case())
    assert (kernel.sass, kernel.loop, kernel.violations) == (None, None, ())
    assert kernel.resources.registers > 0
    assert kernel.symbol == "_Z14planted_kernelIfEvPKT_PS0_i"
    assert ".target sm_90" in kernel.ptx


def test_options_of_a_case_reach_the_kernel(build: Build, tmp_path: Path) -> None:
    pattern = planted(tmp_path, "REPEAT(iterations) x = __shfl_sync(FULL_WARP, x, (lane() + OPTION_HOW_FAR) % WARP);")
    near, far = (build(pattern, replace(case(), options=(("how-far", distance),))) for distance in ("1", "9"))
    assert near.cubin != far.cubin
