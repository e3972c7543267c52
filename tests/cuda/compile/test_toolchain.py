import sys
from dataclasses import replace
from pathlib import Path
from typing import Any, NoReturn

import pytest

from shflbench.core.model import Target
from shflbench.cuda.compile.toolchain import INSTALL, Toolchain, find
from shflbench.errors import CompilerError


def test_toolchain_of_this_environment_is_complete(toolchain: Toolchain) -> None:
    assert toolchain.nvrtc >= (12, 9)
    assert toolchain.version == f"{toolchain.nvrtc[0]}.{toolchain.nvrtc[1]}"
    assert toolchain.nvdisasm is not None
    assert toolchain.nvdisasm.is_file()
    for header in ("cuda_runtime_api.h", "cub/cub.cuh", "cooperative_groups.h"):
        assert any((folder / header).is_file() for folder in toolchain.headers), header
    for part in (f"nvrtc {toolchain.version} ", "CUDART_VERSION ", "CCCL_VERSION "):
        assert part in toolchain.identity


@pytest.mark.parametrize("module", ["cuda.bindings", "cuda.pathfinder"])
def test_missing_package_is_named_with_advice(monkeypatch: pytest.MonkeyPatch, module: str) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(CompilerError) as caught:
        find()
    assert caught.value.message == f"the CUDA compiler is not installed ({module} is missing)"
    assert caught.value.advice == INSTALL
    assert caught.value.exit_code == 4


def test_missing_library_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_: str) -> NoReturn:
        raise RuntimeError('Failure finding "libnvrtc.so"\n  searched here\n  and there')

    monkeypatch.setattr("cuda.pathfinder.load_nvidia_dynamic_lib", fail)
    with pytest.raises(CompilerError) as caught:
        find()
    assert caught.value.message == ('NVRTC, the CUDA compiler library, cannot be loaded: Failure finding "libnvrtc.so"')
    assert caught.value.advice == INSTALL


def test_error_of_the_library_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    from cuda.bindings import nvrtc

    failed: Any = nvrtc.nvrtcResult.NVRTC_ERROR_INTERNAL_ERROR
    monkeypatch.setattr(nvrtc, "nvrtcVersion", lambda: (failed, 0, 0))
    with pytest.raises(CompilerError, match=r"^NVRTC returned NVRTC_ERROR_INTERNAL_ERROR for its version$"):
        find()


def test_toolchain_works_without_optional_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    for search in ("find_nvidia_binary_utility", "find_nvidia_header_directory"):
        monkeypatch.setattr(f"cuda.pathfinder.{search}", lambda _: None)
    assert (find().nvdisasm, find().headers, find().cccl) == (None, (), (0, 0))


def test_the_version_of_cccl_is_that_of_the_folder_that_is_searched_first(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for component, number in (("cudart", 3_004_001), ("cccl", 3_005_000)):
        header = tmp_path / component / "cuda" / "std" / "__cccl" / "version.h"
        header.parent.mkdir(parents=True)
        header.write_text(f"#define CCCL_VERSION {number}\n")
    monkeypatch.setattr("cuda.pathfinder.find_nvidia_header_directory", lambda name: str(tmp_path / name))
    assert find().target("sm_90") == Target("sm_90", (3, 4))


def test_what_was_compiled_without_a_header_of_the_compiler_is_compiled_again(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("cuda.pathfinder.find_nvidia_header_directory", lambda _: str(tmp_path))
    before = find().identity
    (tmp_path / "crt").mkdir()
    (tmp_path / "crt" / "mma.h").touch()
    assert find().identity != before


def test_the_build_changes_with_the_library_and_the_headers(toolchain: Toolchain) -> None:
    assert replace(toolchain, identity=f"{toolchain.identity} 1").build != toolchain.build
    assert replace(toolchain, headers=()).build == toolchain.build  # folders are of the machine


@pytest.mark.parametrize(("arch", "capability"), [("sm_90", 90), ("sm_90a", 90), ("sm_100f", 100)])
def test_supported_architecture_is_accepted(toolchain: Toolchain, arch: str, capability: int) -> None:
    assert capability in toolchain.architectures
    toolchain.require(arch)
    with pytest.raises(CompilerError):
        replace(toolchain, architectures=(75,)).require(arch)


@pytest.mark.parametrize("arch", ["sm_35", "sm_", "90", "hopper"])
def test_unsupported_architecture_is_an_error_that_lists_the_supported_ones(toolchain: Toolchain, arch: str) -> None:
    with pytest.raises(CompilerError) as caught:
        toolchain.require(arch)
    start = f"NVRTC {toolchain.version} does not compile for {arch}; it supports sm_"
    assert caught.value.message.startswith(start)
    assert ", sm_90, " in caught.value.message


@pytest.mark.parametrize(
    ("version", "remedy"),
    [((12, 9), "use a driver for CUDA 13"), ((13, 0), "pip install 'nvidia-cuda-nvrtc>=13.1'")],
)
def test_an_older_nvrtc_differs_from_nvcc(toolchain: Toolchain, version: tuple[int, int], remedy: str) -> None:
    older = replace(toolchain, nvrtc=version)
    assert older.difference_from_nvcc is not None
    assert older.difference_from_nvcc.startswith(f"NVRTC {older.version} computes addresses")
    assert older.newer.startswith(remedy)
    assert replace(toolchain, nvrtc=(13, 1)).difference_from_nvcc is None
