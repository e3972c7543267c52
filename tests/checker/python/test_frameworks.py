"""Kernels that Triton and Numba compile here; the other tests of both use recordings and need neither."""

import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import shflbench
from shflbench.errors import UsageError
from tests.checker.python.recordings import FOLDER


@pytest.fixture
def kernels(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Any]:
    """Return the module with the kernels of one package; skip without the package."""
    name = request.param
    pytest.importorskip({"triton": "triton", "numba": "numba.cuda"}[name], reason=f"{name} is not installed")
    monkeypatch.syspath_prepend(FOLDER)
    monkeypatch.setenv("TRITON_CACHE_DIR", str(tmp_path))
    monkeypatch.setenv("TRITON_DEFAULT_FP_FUSION", "1")  # Triton 3.9 warns where it is unset
    yield import_module(f"{name}_kernels")
    sys.modules.pop(f"{name}_kernels")


def ones(*shape: int) -> np.ndarray:
    return np.ones(shape, np.float32)


@pytest.mark.parametrize("kernels", ["triton"], indirect=True)
def test_function_of_triton_is_compiled_for_sm_80_and_checked(kernels: Any) -> None:
    args = {"x": ones(600), "y": ones(600), "out": np.zeros(600, np.float32), "n": 600, "block": 256}
    result = shflbench.check(kernels.vector_add, grid=lambda meta: (-(-meta["n"] // meta["block"]),), args=args)
    assert (result.verdict, result.notes) == ("clean", ("compiled by Triton for sm_80",))
    np.testing.assert_array_equal(result.outputs["out"], np.full(600, 2))


@pytest.mark.parametrize("kernels", ["triton"], indirect=True)
def test_pipelined_matmul_copies_asynchronously_and_is_clean(kernels: Any) -> None:
    a = np.ones((64, 64), np.float16)
    args = [a, a, np.zeros((64, 64), np.float32), 64, 64, 64, 32, 32, 32]
    result = shflbench.check(kernels.matmul, grid=(2, 2), args=args, options={"num_stages": 3})
    assert result.verdict == "clean", result
    np.testing.assert_array_equal(result.outputs[2], np.full((64, 64), 64))


@pytest.mark.parametrize("kernels", ["triton"], indirect=True)
def test_matmul_for_sm_90_is_not_checked_and_names_wgmma(kernels: Any) -> None:
    a = np.ones((64, 64), np.float16)
    args = [a, a, np.zeros((64, 64), np.float32), 64, 64, 64, 64, 64, 32]
    result = shflbench.check(kernels.matmul, grid=(1, 1), args=args, arch="sm_90")
    assert result.verdict == "not checked"
    assert "wgmma" in result.sentence


@pytest.mark.parametrize("kernels", ["triton"], indirect=True)
def test_missing_constant_is_an_error_in_one_sentence(kernels: Any) -> None:
    with pytest.raises(UsageError, match="vector_add needs a value for block"):
        shflbench.check(kernels.vector_add, grid=3, args=[ones(3), ones(3), ones(3), 3])


@pytest.mark.parametrize("kernels", ["triton"], indirect=True)
def test_options_that_triton_rejects_are_a_verdict(kernels: Any) -> None:
    args = [ones(3), ones(3), ones(3), 3, 256]
    result = shflbench.check(kernels.vector_add, grid=1, args=args, options={"num_warps": 3})
    assert result.verdict == "not compiled"
    assert result.sentence == "Triton rejects vector_add: num_warps must be a power of 2"


@pytest.mark.parametrize("kernels", ["numba"], indirect=True)
def test_function_of_numba_is_compiled_for_its_arguments_and_checked(kernels: Any) -> None:
    args = {"x": np.arange(6.0).reshape(2, 3), "out": np.zeros((3, 2))}
    result = shflbench.check(kernels.transpose, launch=(1, (16, 16)), args=args)
    assert result.verdict == "clean", result
    np.testing.assert_array_equal(result.outputs["out"], args["x"].T)


@pytest.mark.parametrize("kernels", ["numba"], indirect=True)
def test_arguments_that_numba_cannot_compile_for_are_a_verdict(kernels: Any) -> None:
    result = shflbench.check(kernels.transpose, launch=(1, (16, 16)), args=[3, 4])
    assert result.verdict == "not compiled"
    assert result.sentence.startswith("Numba rejects transpose: ")
