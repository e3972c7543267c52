"""Shared parts of the tests of baselines."""

from pathlib import Path

import pytest

from shflbench.store.baselines import Baselines
from tests.fakes.kept_runs import quiet_run


@pytest.fixture
def kept(tmp_path: Path) -> Baselines:
    """Return baselines of which there are none yet."""
    return Baselines(tmp_path / "baselines")


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """Write a run worth keeping."""
    return quiet_run(tmp_path / "run")
