"""What of the CUDA backend needs no GPU; the rest is in tests/gpu."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

from shflbench.backends.cuda import HARNESS, import_cupy
from shflbench.compile.nvrtc import compile_kernel
from shflbench.compile.source import Source
from shflbench.compile.toolchain import find
from shflbench.errors import DeviceError

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def cupy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the file that `import cupy` reads, wherever another cupy is installed."""
    monkeypatch.setitem(sys.modules, "cupy", None)  # so that afterwards all is as it was
    monkeypatch.delitem(sys.modules, "cupy")
    monkeypatch.syspath_prepend(tmp_path)
    return tmp_path / "cupy.py"


def refusal() -> DeviceError:
    with pytest.raises(DeviceError) as caught:
        import_cupy()
    assert caught.value.exit_code == 4
    return caught.value


def test_working_cupy_is_returned(cupy: Path) -> None:
    cupy.write_text("__version__ = '14.0.0'\n", encoding="utf-8")
    assert import_cupy().__version__ == "14.0.0"


def test_missing_cupy_names_the_extras(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "cupy", None)
    error = refusal()
    assert error.message == "cupy is not installed, so no GPU can be used"
    assert error.advice == "Install `shflbench[cuda13]` (driver 580 or newer) or `[cuda12]`."


def test_cupy_that_lacks_a_module_is_broken_and_not_missing(cupy: Path) -> None:
    cupy.write_text("import cupy_backends_that_nobody_has\n", encoding="utf-8")
    error = refusal()
    assert error.message == "cupy is installed but broken: its module cupy_backends_that_nobody_has is missing"
    assert "--force-reinstall" in error.advice


@pytest.mark.parametrize("kind", ["ImportError", "RuntimeError", "OSError"])
def test_cupy_that_raises_at_import_is_broken(cupy: Path, kind: str) -> None:
    cupy.write_text(f"raise {kind}('libcudart.so.12 is missing')\n", encoding="utf-8")
    error = refusal()
    assert error.message == "cupy is installed but broken: libcudart.so.12 is missing"
    assert error.advice == "Keep exactly one of cupy-cuda12x and cupy-cuda13x, and reinstall it."


@pytest.mark.parametrize("arch", ["sm_75", "sm_90", "sm_120"])
def test_kernels_of_the_harness_compile_under_their_plain_names(arch: str) -> None:
    source = Source(HARNESS.name, HARNESS.read_text(encoding="utf-8"), {}, "stamp")
    compiled = compile_kernel(source, arch, find())
    assert all(f".entry {name}(" in compiled.ptx for name in ("delay", "stamp", "busy"))
