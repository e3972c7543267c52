"""The parts of the CUDA backend that need no GPU; tests/gpu has the others."""

import sys
from pathlib import Path

import pytest

from shflbench.cuda.backends.cuda import CudaBackend, import_cupy, open_backend
from shflbench.cuda.backends.cuda_harness import harness_source
from shflbench.cuda.compile.nvrtc import compile_kernel
from shflbench.cuda.compile.toolchain import Toolchain, find
from shflbench.errors import DeviceError


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
    assert error.advice == "Install the extra `cuda13` (driver 580 or newer) or `cuda12` from your checkout or wheel."


def test_cupy_without_one_of_its_modules_is_broken_and_not_missing(cupy: Path) -> None:
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
    compiled = compile_kernel(harness_source(), arch, find())
    assert all(f".entry {name}(" in compiled.ptx for name in ("delay", "stamp", "busy", "read"))


def test_cache_is_read_in_whole_words_past_the_l1() -> None:
    ptx = compile_kernel(harness_source(), "sm_90", find()).ptx
    assert "ld.global.cg.v4" in ptx.partition(".entry read(")[2]


def test_worker_opens_a_gpu_by_its_number_and_finds_the_compiler_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[tuple[int, Toolchain]] = []
    monkeypatch.setattr(CudaBackend, "open_device", lambda *words: opened.append(words))
    open_backend("3")
    assert opened == [(3, find())]


def no_driver(cupy: Path, error: str) -> None:
    """Replace cupy by a module that finds no driver."""
    lines = (
        "class cuda:",
        "    class runtime:",
        "        def getDeviceCount():",
        f"            raise {error}",
    )
    cupy.write_text("\n".join(lines), encoding="utf-8")


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        ("RuntimeError('cudaErrorNoDevice: no CUDA-capable device is detected')", "cudaErrorNoDevice: no CUDA-capable"),
        ("RuntimeError('CuPy failed to load libcuda.so.1')", "CuPy failed to load libcuda.so.1"),
        ("MemoryError", "MemoryError"),
    ],
)
def test_gpu_that_cannot_be_opened_is_a_device_error(cupy: Path, error: str, reason: str) -> None:
    no_driver(cupy, error)
    with pytest.raises(DeviceError, match=f"^no usable GPU: {reason}") as caught:
        CudaBackend.open_device(0, find())
    assert caught.value.exit_code == 4


def test_unknown_gpu_number_names_how_many_there_are(cupy: Path) -> None:
    lines = ("class cuda:", "    class runtime:", "        getDeviceCount = lambda: 2")
    cupy.write_text("\n".join(lines), encoding="utf-8")
    with pytest.raises(DeviceError, match="there is no GPU 2; this machine has 2"):
        CudaBackend.open_device(2, find())
