"""Kernels are compiled for the blocks of their launch, and for as many per SM as it needs."""

import re
from dataclasses import replace

import pytest

from shflbench.core.launch import parse_launch
from shflbench.core.model import Case
from shflbench.cuda.compile.build import Builder
from shflbench.cuda.compile.cubin import most_registers
from shflbench.cuda.compile.launch_bounds import launch_bounds
from shflbench.cuda.compile.toolchain import Toolchain
from shflbench.patterns.discover import builtin, load

NEIGHBOR = load(builtin()["neighbor"])


def case(launch: str, variant: str = "shfl", pattern: str = "neighbor", **options: str) -> Case:
    return Case(pattern, variant, "f32", parse_launch(launch), 1, tuple(options.items()))


@pytest.mark.parametrize(
    ("launch", "arch", "bounds"),
    [
        ("26x1024", "sm_90", "__launch_bounds__(1024, 1)"),
        ("sms x 32", "sm_90", "__launch_bounds__(32, 1)"),
        ("4*sms x 256", "sm_90", "__launch_bounds__(256, 4)"),
        ("sms/8 x 64", "sm_90", "__launch_bounds__(64, 1)"),
        ("1024x256", "sm_90", "__launch_bounds__(256, 8)"),  # of 132 SMs
        ("1024x256", "sm_80", "__launch_bounds__(256)"),  # of 108 SMs, at most 8 blocks each: two waves
        ("2*sms x 1024", "sm_75", "__launch_bounds__(1024)"),  # an SM has 1024 threads
        ("fill x 256", "sm_90", "__launch_bounds__(256)"),
        ("4x4:16x16", "sm_90", "__launch_bounds__(256, 1)"),
        ("26x64", "sm_90a", "__launch_bounds__(64, 1)"),
        ("26x64", "sm_88", "__launch_bounds__(64)"),  # an architecture without figures
    ],
)
def test_bounds_are_those_of_the_launch(launch: str, arch: str, bounds: str) -> None:
    assert str(launch_bounds(NEIGHBOR.declaration, case(launch), arch)) == bounds


def test_a_pattern_that_does_not_ask_for_bounds_gets_none() -> None:
    assert launch_bounds(replace(NEIGHBOR.declaration, launch_bounds=False), case("26x64"), "sm_90") is None


def test_bounds_are_of_the_largest_block_of_a_variant_and_of_all_of_its_blocks() -> None:
    pattern = load(builtin()["cluster-exchange"]).declaration
    larger = case("sms x 64", "larger-block", "cluster-exchange", cluster="4")
    assert str(launch_bounds(pattern, larger, "sm_90")) == "__launch_bounds__(256, 1)"
    separate = case("sms x 64", "barrier", "cluster-exchange", cluster="4")
    assert str(launch_bounds(pattern, separate, "sm_90")) == "__launch_bounds__(64, 4)"


def test_the_compiler_gets_the_bounds(blind_toolchain: Toolchain) -> None:
    ptx = Builder(blind_toolchain, "sm_90", None).build(NEIGHBOR, case("4*sms x 128", mode="idx")).ptx
    assert re.search(r"\.maxntid 128", ptx)
    assert re.search(r"\.minnctapersm 4", ptx)


@pytest.mark.parametrize(("launch", "registers"), [("26x1024", 64), ("sms x 512", 128), ("sms x 32", 255)])
def test_the_cubin_says_how_many_registers_the_bounds_allow(
    blind_toolchain: Toolchain, launch: str, registers: int
) -> None:
    kernel = Builder(blind_toolchain, "sm_90", None).build(NEIGHBOR, case(launch, mode="idx"))
    assert most_registers(kernel.cubin, kernel.symbol) == registers
    assert most_registers(kernel.cubin, "another") is None


@pytest.mark.archs
def test_bounds_for_which_registers_do_not_suffice_are_for_half_the_blocks(blind_toolchain: Toolchain) -> None:
    pattern = load(builtin()["convert-layout"])
    full = Case("convert-layout", "smem", "i32", parse_launch("8*sms x 256"), 1, (("bits", "2"),))
    builder = Builder(blind_toolchain, "sm_90", None)
    kernel = builder.build(pattern, full)
    assert kernel.resources.spill_bytes == 0
    assert ".minnctapersm 2" in kernel.ptx  # of 8; 4 spill, too
    assert dict(builder.build_all({"": builder.request(pattern, full)})) == {"": kernel}


@pytest.mark.parametrize("name", builtin())
def test_every_kernel_of_every_pattern_has_bounds(name: str) -> None:
    pattern = load(builtin()[name])
    own = {"softmax", "row-norm"}  # bounds from the numbers that a thread keeps
    assert pattern.declaration.launch_bounds is (name not in own)
    for source in {variant.source for variant in pattern.declaration.variants}:
        text = (pattern.folder / source).read_text(encoding="utf-8")
        kernels = re.findall(r"__global__ void\s+(\S+)", text)
        assert kernels
        assert all(word == "LAUNCH_BOUNDS" or word.startswith("__launch_bounds__") for word in kernels)
