import os
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import NoReturn

import pytest

from shflbench.core.model import DTYPES, Kernel, Mechanism
from shflbench.cuda.compile.build import Builder, BuildRequest, MachineCode, machine_code
from shflbench.cuda.compile.rules import exchanges
from shflbench.cuda.compile.source import Source
from shflbench.cuda.compile.toolchain import Toolchain
from shflbench.errors import CompileError
from shflbench.patterns.declare import EXCHANGES
from tests import kernels
from tests.cuda.compile.planted import ROTATE, case, planted


@pytest.mark.one_in(6)
@pytest.mark.parametrize(
    "name",
    [
        name if name in kernels.in_every_run() else pytest.param(name, marks=pytest.mark.archs)
        for name in kernels.with_every_dtype()
    ],
)
def test_machine_code_of_every_kernel_is_what_its_pattern_declares(name: str) -> None:
    kernel, variant = kernels.kernel(name), kernels.variant_of(name)
    assert kernel.violations == ()
    assert kernel.resources.spill_bytes == 0
    assert kernel.resources.local_bytes == 0 or variant.mechanism is Mechanism.LOCAL
    declaration, case = kernels.subjects()[name].pattern.declaration, kernels.subjects()[name].case
    constants = declaration.constants(dict(case.options), case.launch.block)
    expected = variant.expected_counts(DTYPES[case.dtype], constants)
    if kernel.loop is not None and expected is not None:
        per_iteration = {opcode: count / declaration.unroll for opcode, count in exchanges(kernel.loop.counts).items()}
        assert per_iteration == {opcode: count for opcode, count in expected.items() if count and opcode in EXCHANGES}


def same(one: Kernel, other: Kernel) -> bool:
    """Whether two builds of a kernel agree in all that other kernels of the file do not change."""
    return replace(one, ptx="", cubin=b"") == replace(other, ptx="", cubin=b"")


@pytest.mark.archs
@pytest.mark.parametrize(
    "name", ["scan/shfl/f32/kind=inclusive", pytest.param("block-reduce/cub/i32/result=all", marks=pytest.mark.archs)]
)
def test_kernel_is_the_same_alone_and_with_others(name: str, toolchain: Toolchain) -> None:
    subject = kernels.subjects()[name]
    (unit,) = (names for names in kernels.units() if name in names)
    assert len(unit) > 1
    joint = kernels.compiled(name)
    alone = Builder(toolchain, "sm_90", None).build(subject.pattern, subject.case)
    assert same(joint, alone)
    assert re.findall(r"[.]entry (\w+)", joint.ptx) == re.findall(r"[.]entry (\w+)", alone.ptx) == [alone.symbol]
    # On sm_90 a section for shared memory has 1 KiB, and ptxas may give every kernel of a file one.
    assert (b".nv.shared._Z" in joint.cubin) == (b".nv.shared._Z" in alone.cubin)
    # Beside others a kernel has other labels; `.loc` and `.file` number the files that any of them includes.
    debug = re.compile(r"\$L__\w+|\t[.](?:loc|file|section)\b.*")
    code = [debug.sub("", text[text.index(".entry") : text.index("\n}\n")]) for text in (joint.ptx, alone.ptx)]
    assert code[0] == code[1]


@pytest.mark.archs
def test_cub_s_integer_sum_is_one_redux(toolchain: Toolchain) -> None:
    subject = kernels.subjects()["reduce/cub/i32/width=32"]
    kernel = Builder(toolchain, "sm_90", None).build(subject.pattern, subject.case)
    assert kernel.loop is not None
    assert exchanges(kernel.loop.counts) == {
        "REDUX": 4
    }  # in 4 iterations; all lanes get its sum, so no shuffle is left


def test_without_a_disassembler_the_machine_code_is_unknown(blind_toolchain: Toolchain, tmp_path: Path) -> None:
    blind = Builder(blind_toolchain, "sm_90", None)
    kernel = blind.build(planted(tmp_path, "x = x + T(1);", per_iteration={"SHFL": 1}), case())
    assert (kernel.sass, kernel.loop, kernel.violations) == (None, None, ())
    assert kernel.resources.registers > 0
    assert kernel.symbol == "_Z14planted_kernelIfEvPKT_PS0_i"
    assert ".target sm_90" in kernel.ptx


def test_options_of_a_case_reach_the_kernel(blind_toolchain: Toolchain, tmp_path: Path) -> None:
    build = Builder(blind_toolchain, "sm_90", None).build
    loop = "REPEAT(iterations) x = __shfl_sync(FULL_WARP, x, (lane() + OPTION_HOW_FAR) % WARP);"
    pattern = planted(tmp_path, loop, options={"how-far": ("1", "9")})
    near, far = (build(pattern, replace(case(), options=(("how-far", distance),))) for distance in ("1", "9"))
    assert near.cubin != far.cubin


THREE = ("f32", "f64", "i32")


def requests(builder: Builder, folder: Path, loop: str = ROTATE) -> dict[str, BuildRequest]:
    pattern = planted(folder, loop)
    return {dtype: builder.request(pattern, case(dtype)) for dtype in THREE}


def crash_on_f64(
    units: Sequence[Sequence[Source]], arch: str, toolchain: Toolchain
) -> list[list[MachineCode | CompileError]]:
    """Stand in for a compiler that takes its process along."""
    if any("double" in source.expression for unit in units for source in unit):
        os._exit(1)
    return machine_code(units, arch, toolchain)


def refuse(*_: object, **__: object) -> NoReturn:
    raise AssertionError("a worker was started")


@pytest.mark.archs
def test_kernels_compiled_together_equal_those_compiled_alone(toolchain: Toolchain, tmp_path: Path) -> None:
    builder = Builder(toolchain, "sm_90", None)
    built = dict(builder.build_all(requests(builder, tmp_path)))
    assert set(built) == set(THREE)
    assert len({kernel.cubin for kernel in built.values() if isinstance(kernel, Kernel)}) == 1
    for dtype, kernel in built.items():
        assert isinstance(kernel, Kernel)
        assert same(kernel, builder.build(planted(tmp_path), case(dtype)))


def test_cached_kernels_start_no_worker(
    blind_toolchain: Toolchain, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = Builder(blind_toolchain, "sm_90", tmp_path / "cache")
    built = dict(first.build_all(requests(first, tmp_path / "source")))
    monkeypatch.setattr("shflbench.core.processes.JobProcess", refuse)
    again = Builder(blind_toolchain, "sm_90", tmp_path / "cache")
    assert dict(again.build_all(requests(again, tmp_path / "source"))) == built


def test_kernel_that_does_not_compile_does_not_affect_the_others(blind_toolchain: Toolchain, tmp_path: Path) -> None:
    builder = Builder(blind_toolchain, "sm_90", None)
    loop = (
        "static_assert(T(1) / T(2) != T(0) || sizeof(T) == 8); REPEAT(iterations) x = __shfl_xor_sync(FULL_WARP, x, 1);"
    )
    built = dict(builder.build_all(requests(builder, tmp_path, loop)))
    refused = built.pop("i32")
    assert isinstance(refused, CompileError)
    assert refused.message.startswith(
        "planted_kernel<int> for sm_90 does not compile: planted/kernels.cu:5: static assertion"
    )
    assert all(isinstance(kernel, Kernel) for kernel in built.values())


@pytest.mark.archs
def test_crash_of_the_compiler_fails_only_its_kernel(
    blind_toolchain: Toolchain, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("shflbench.cuda.compile.build.machine_code", crash_on_f64)
    builder = Builder(blind_toolchain, "sm_90", None)
    built = dict(builder.build_all(requests(builder, tmp_path)))
    crashed = built.pop("f64")
    assert isinstance(crashed, CompileError)
    assert crashed.message == "the compiler crashed on planted_kernel<double>"
    assert [type(kernel) for kernel in built.values()] == [Kernel, Kernel]
