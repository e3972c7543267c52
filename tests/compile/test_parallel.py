from __future__ import annotations

import os
from typing import TYPE_CHECKING, NoReturn

from shflbench.compile.build import Builder, MachineCode, machine_code
from shflbench.compile.parallel import build_all
from shflbench.errors import CompileError
from shflbench.model import Kernel
from tests.compile.planted import case, planted

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

    from shflbench.compile.build import Order
    from shflbench.compile.source import Source
    from shflbench.compile.toolchain import Toolchain

DTYPES = ("f32", "f64", "i32")


def orders(builder: Builder, folder: Path, loop: str | None = None) -> dict[str, Order]:
    pattern = planted(folder) if loop is None else planted(folder, loop)
    return {dtype: builder.order(pattern, case(dtype)) for dtype in DTYPES}


def crash_on_f64(source: Source, arch: str, toolchain: Toolchain) -> MachineCode:
    """Stand in for a compiler that takes its process along."""
    if "double" in source.expression:
        os._exit(1)
    return machine_code(source, arch, toolchain)


def refuse(*_: object, **__: object) -> NoReturn:
    raise AssertionError("a worker was started")


def test_kernels_are_those_that_one_after_the_other_gives(toolchain: Toolchain, tmp_path: Path) -> None:
    builder = Builder(toolchain, "sm_90", None)
    built = dict(build_all(builder, orders(builder, tmp_path)))
    assert built == {dtype: builder.build(planted(tmp_path), case(dtype)) for dtype in DTYPES}


def test_kernels_that_were_kept_start_no_worker(
    toolchain: Toolchain, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    builder = Builder(toolchain, "sm_90", tmp_path / "cache")
    first = dict(build_all(builder, orders(builder, tmp_path / "source")))
    monkeypatch.setattr("shflbench.compile.parallel.ProcessPoolExecutor", refuse)
    assert dict(build_all(builder, orders(builder, tmp_path / "source"))) == first


def test_kernel_that_does_not_compile_leaves_the_others_alone(toolchain: Toolchain, tmp_path: Path) -> None:
    builder = Builder(toolchain, "sm_90", None)
    loop = (
        "static_assert(T(1) / T(2) != T(0) || sizeof(T) == 8); REPEAT(iterations) x = __shfl_xor_sync(FULL_WARP, x, 1);"
    )
    built = dict(build_all(builder, orders(builder, tmp_path, loop)))
    refused = built.pop("i32")
    assert isinstance(refused, CompileError)
    assert refused.message.startswith(
        "planted_kernel<int> for sm_90 does not compile: planted/kernels.cu:5: static assertion"
    )
    assert all(isinstance(kernel, Kernel) for kernel in built.values())


def test_compiler_that_crashes_costs_kernels_and_not_the_run(
    toolchain: Toolchain, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("shflbench.compile.parallel.machine_code", crash_on_f64)
    builder = Builder(toolchain, "sm_90", None)
    built = dict(build_all(builder, orders(builder, tmp_path)))
    assert set(built) == set(DTYPES)
    lost = built["f64"]
    assert isinstance(lost, CompileError)
    assert lost.message == "the compiler crashed on planted_kernel<double> or beside it"
