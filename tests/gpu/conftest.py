"""Shared parts of tests on a real GPU. They are skipped where there is no GPU or no cupy; a broken one fails them."""

from importlib.util import find_spec
from pathlib import Path

import pytest

from shflbench.cuda.backends.cuda import CudaBackend
from shflbench.cuda.backends.gpus import find as find_gpus
from shflbench.cuda.compile.toolchain import Toolchain, find
from shflbench.measure.job_runner import warm_up
from shflbench.store import Run, read_run
from tests.conftest import Command, Outcome

PATTERNS = Path(__file__).parents[1] / "patterns"


@pytest.fixture(autouse=True)
def _gpu_and_cupy() -> None:
    if not find_gpus():
        pytest.skip("the driver lists no GPU")
    if find_spec("cupy") is None:
        pytest.skip("cupy is not installed")


@pytest.fixture
def run(shflbench: Command, kernel_cache: Path, monkeypatch: pytest.MonkeyPatch) -> Command:
    """Call `shflbench run` on the first GPU."""
    monkeypatch.setenv("SHFLBENCH_CACHE", str(kernel_cache))
    return lambda *words: shflbench("run", *words, "--device", "cuda")


@pytest.fixture(scope="session")
def toolchain() -> Toolchain:
    return find()


@pytest.fixture(scope="session")
def backend(toolchain: Toolchain) -> CudaBackend:
    """Return the first GPU, warm."""
    backend = CudaBackend.open_device(0, toolchain)
    warm_up(backend)
    return backend


def stored(outcome: Outcome) -> Run:
    """Return the run whose folder was printed."""
    return read_run(Path(outcome.out.strip()))
