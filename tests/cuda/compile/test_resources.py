from pathlib import Path

import pytest

from shflbench.core.model import Resources
from shflbench.cuda.compile.build import Builder
from shflbench.cuda.compile.resources import parse
from shflbench.cuda.compile.toolchain import Toolchain
from shflbench.errors import CompileError
from shflbench.patterns.discover import LoadedPattern
from tests.cuda.compile.planted import case, planted

# What ptxas of CUDA 13 reports of a kernel with static shared memory and spills.
REPORT = """\
ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function '_Z14planted_kernelIfEvPKT_PS0_i' for 'sm_90'
ptxas info    : Function properties for _Z14planted_kernelIfEvPKT_PS0_i
    72 bytes stack frame, 68 bytes spill stores, 40 bytes spill loads
ptxas info    : Used 32 registers, used 1 barriers, 72 bytes cumulative stack size, 512 bytes smem
ptxas info    : Compile time = 12.000 ms
"""


def test_report_is_read_completely() -> None:
    assert parse(REPORT) == Resources(registers=32, shared_bytes=512, local_bytes=72, spill_bytes=108)


def test_kernel_without_shared_memory_does_not_get_that_of_the_next_one() -> None:
    alone = REPORT.replace(", 512 bytes smem", "").replace("planted", "another")
    assert parse(alone + REPORT, "_Z14another_kernelIfEvPKT_PS0_i").shared_bytes == 0
    assert parse(alone + REPORT, "_Z14planted_kernelIfEvPKT_PS0_i").shared_bytes == 512


def test_each_of_several_kernels_has_its_own_report() -> None:
    log = "".join(
        f"ptxas info    : Compiling entry function '{name}' for 'sm_90'\n"
        f"ptxas         .     0 bytes stack frame, 0 bytes spill stores, {spilled} bytes spill loads\n"
        f"ptxas info    : Used {registers} registers, used 0 barriers, {shared} bytes smem\n"
        for name, spilled, registers, shared in (("one", 4, 20, 128), ("other", 0, 30, 64), ("one_more", 8, 40, 32))
    )
    assert parse(log, "one") == Resources(20, 128, 0, 4)
    assert parse(log, "other") == Resources(30, 64, 0, 0)
    assert parse(log, "one_more") == Resources(40, 32, 0, 8)


def test_missing_report_is_an_error_and_not_zero() -> None:
    with pytest.raises(CompileError, match="the compiler reports no registers and spills"):
        parse("ptxas info    : 0 bytes gmem\n")


def resources(toolchain: Toolchain, pattern: LoadedPattern) -> Resources:
    return Builder(toolchain, "sm_90", None).build(pattern, case()).resources


def test_static_shared_memory_is_counted(blind_toolchain: Toolchain, tmp_path: Path) -> None:
    loop = "__shared__ T kept[96]; kept[threadIdx.x] = x; __syncthreads(); x = kept[threadIdx.x ^ 1];"
    assert resources(blind_toolchain, planted(tmp_path, loop)).shared_bytes == 96 * 4


def test_array_that_stays_in_memory_is_counted(blind_toolchain: Toolchain, tmp_path: Path) -> None:
    loop = """\
T kept[64];
    for (int i = 0; i < 64; ++i) kept[i] = values[i];
    REPEAT(iterations) x += kept[(iteration * 7 + lane()) % 64];"""
    counted = resources(blind_toolchain, planted(tmp_path, loop))
    assert (counted.local_bytes, counted.spill_bytes) == (256, 0)


def test_registers_that_do_not_fit_are_spilled_and_counted(blind_toolchain: Toolchain, tmp_path: Path) -> None:
    loop = """\
T kept[64];
    _Pragma("unroll") for (int i = 0; i < 64; ++i) kept[i] = values[thread() + i * iterations];
    __syncthreads();
    _Pragma("unroll") for (int i = 0; i < 64; ++i) x = x * kept[i] + kept[63 - i];"""
    roomy = resources(blind_toolchain, planted(tmp_path / "roomy", loop))
    tight = resources(blind_toolchain, planted(tmp_path / "tight", loop, bounds="__launch_bounds__(1024, 2) "))
    assert roomy.spill_bytes == 0
    assert tight.registers <= 32 < roomy.registers
    assert tight.spill_bytes > 0
