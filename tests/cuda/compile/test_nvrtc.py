from dataclasses import replace
from pathlib import Path

import pytest

from shflbench.cuda.compile.build import Builder
from shflbench.cuda.compile.nvrtc import compile_kernel
from shflbench.cuda.compile.source import Source
from shflbench.cuda.compile.toolchain import Toolchain
from shflbench.errors import CompileError, CompilerError
from shflbench.patterns.discover import LoadedPattern, builtin, load
from tests.cuda.compile.planted import case, planted


def refusal(
    toolchain: Toolchain, pattern: LoadedPattern, variant: str = "kernel", options: tuple[tuple[str, str], ...] = ()
) -> CompileError:
    wanted = replace(case(pattern=pattern.name, variant=variant), options=options)
    with pytest.raises(CompileError) as caught:
        Builder(toolchain, "sm_90", None).build(pattern, wanted)
    return caught.value


def test_error_shows_file_line_and_kernel(toolchain: Toolchain, tmp_path: Path) -> None:
    error = refusal(toolchain, planted(tmp_path, "int y = 3;\n    x = half_of(y);"))
    assert error.message == (
        "planted_kernel<float> for sm_90 does not compile: "
        'planted/kernels.cu:6: identifier "half_of" is undefined\n  6 | x = half_of(y);'
    )
    assert error.exit_code == 5


def test_error_in_a_header_shows_the_header_s_line(toolchain: Toolchain, tmp_path: Path) -> None:
    (tmp_path / "own.cuh").write_text(
        "#pragma once\n\n__device__ int twice(int x) { return 2 * y; }\n", encoding="utf-8"
    )
    error = refusal(toolchain, planted(tmp_path, includes='#include "own.cuh"\n'))
    assert error.message == (
        "planted_kernel<float> for sm_90 does not compile: "
        'own.cuh:3: identifier "y" is undefined\n  3 | __device__ int twice(int x) { return 2 * y; }'
    )


def test_missing_header_is_named_with_the_line_that_includes_it(toolchain: Toolchain, tmp_path: Path) -> None:
    error = refusal(toolchain, planted(tmp_path, includes="#include <own/missing.cuh>\n"))
    assert error.message == (
        "planted_kernel<float> for sm_90 does not compile: "
        'planted/kernels.cu:1: cannot open source file "own/missing.cuh"\n  1 | #include <own/missing.cuh>'
    )


def test_without_cuda_headers_only_the_variants_that_include_them_fail(toolchain: Toolchain) -> None:
    bare = replace(toolchain, headers=())
    pattern = load(builtin()["reduce"])
    whole = (("width", "32"),)
    shuffled = replace(case(pattern="reduce", variant="shfl"), options=whole)
    assert Builder(bare, "sm_90", None).build(pattern, shuffled).violations == ()
    message = refusal(bare, pattern, "cub", whole).message
    assert message.startswith(
        "reduce_cub<float> for sm_90 does not compile: copied/cub.cuh:1: could not open source file"
    )
    assert message.endswith("\n  1 | #include <cub/warp/warp_reduce.cuh>")


def test_missing_kernel_is_named(toolchain: Toolchain, tmp_path: Path) -> None:
    pattern = planted(tmp_path)
    (tmp_path / "kernels.cu").write_text("// empty\n", encoding="utf-8")
    message = refusal(toolchain, pattern).message
    assert message.startswith("planted_kernel<float> for sm_90 does not compile: ")
    assert "planted_kernel" in message.split(":", 1)[1]


def test_unsupported_architecture_is_one_sentence(toolchain: Toolchain) -> None:
    source = Source(
        "own/kernels.cu", "extern template <typename T> __global__ void own_kernel(T*);", {}, "own_kernel<int>"
    )
    with pytest.raises(CompileError) as caught:
        compile_kernel(source, "sm_70", toolchain)
    assert caught.value.message == (
        "own_kernel<int> for sm_70 does not compile: nvrtc: error: invalid value for --gpu-architecture (-arch)"
    )


def test_plain_kernel_keeps_its_name(toolchain: Toolchain) -> None:
    source = Source("own/kernels.cu", 'extern "C" __global__ void own(int* x) { *x = 1; }', {}, "own")
    compiled = compile_kernel(source, "sm_90", toolchain)
    assert compiled.symbol == "own"
    assert compiled.cubin.startswith(b"\x7fELF")
    assert ".entry own(" in compiled.ptx
    assert "Used " in compiled.log


def test_extern_c_kernel_in_a_namespace_is_named_by_its_symbol(toolchain: Toolchain) -> None:
    text = 'namespace library { extern "C" __global__ void own(int* x) { *x = 1; } }'
    compiled = compile_kernel(Source("own/kernels.cu", text, {}, "own"), "sm_90", toolchain)
    assert compiled.symbol == "own"
    with pytest.raises(CompileError, match="has no kernel `other`"):
        compile_kernel(Source("own/kernels.cu", text, {}, "other"), "sm_90", toolchain)


def test_error_of_the_compiler_itself_is_not_an_error_of_the_kernel(
    toolchain: Toolchain, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from cuda.bindings import nvrtc

    monkeypatch.setattr(nvrtc, "nvrtcCreateProgram", lambda *_: (nvrtc.nvrtcResult.NVRTC_ERROR_OUT_OF_MEMORY, None))
    with pytest.raises(CompilerError, match=r"^NVRTC returned NVRTC_ERROR_OUT_OF_MEMORY$"):
        Builder(toolchain, "sm_90", None).build(planted(tmp_path), case())


def test_addresses_in_shared_memory_are_as_long_as_the_toolchain_says(toolchain: Toolchain) -> None:
    text = """extern "C" __global__ void turned(float* x, int by) {
        __shared__ float s[32];
        s[threadIdx.x] = x[threadIdx.x];
        __syncthreads();
        x[threadIdx.x] = s[(threadIdx.x + by) % 32];
    }"""
    ptx = compile_kernel(Source("turned.cu", text, {}, "turned"), "sm_90", toolchain).ptx
    accesses = [line.strip() for line in ptx.splitlines() if ".shared.f32" in line]
    assert len(accesses) == 2
    is_long = all("[%rd" in line for line in accesses)
    assert is_long == (toolchain.difference_from_nvcc is not None)
