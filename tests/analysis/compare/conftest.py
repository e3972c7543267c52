"""Shared parts of the tests of comparisons."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from shflbench.analysis.compare import noise_learning, selftest
from shflbench.store import Run, read_run
from tests.fakes.processes import write
from tests.fakes.three_cases import FEW


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write a run of three cases."""
    return write(tmp_path_factory.mktemp("runs") / "run", FEW)


@pytest.fixture
def run(folder: Path, tmp_path: Path) -> Run:
    """Return a copy of it, which a test may change."""
    return read_run(shutil.copytree(folder, tmp_path / "run"))


@pytest.fixture(autouse=True, scope="module")  # before the fixtures of a module that draw, too
def _fewer_draws() -> Iterator[None]:
    """Draw as few comparisons as show what a test is about: each takes milliseconds, and a user's hundreds take ten."""
    with pytest.MonkeyPatch.context() as patch:
        for module in (noise_learning, selftest):
            patch.setattr(module, "DRAWS", 30)
        yield
