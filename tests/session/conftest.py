"""Runs on a scripted GPU, without the command line."""

from collections.abc import Callable
from pathlib import Path

import pytest

from shflbench.core.model import Overrides
from shflbench.cuda.compile.toolchain import find
from shflbench.session import Plan
from shflbench.session.plan import run_info
from shflbench.store import RunFolder, RunInfo
from shflbench.suite import load
from tests.fakes.backend import FakeBackend
from tests.fakes.executor import FreshProcessExecutor
from tests.session.once import do_once

Planner = Callable[[FakeBackend | None], Plan]  # a plan for a device


@pytest.fixture(autouse=True)
def _same_work_once(monkeypatch: pytest.MonkeyPatch) -> None:
    do_once(monkeypatch)


@pytest.fixture
def plan(request: pytest.FixtureRequest, tmp_path: Path, kernel_cache: Path) -> Planner:
    """Return what plans a run of the test file's SUITE on a device."""
    path = tmp_path / "demo.yaml"
    path.write_text(request.module.SUITE, encoding="utf-8")
    suite = load(path)

    def make(backend: FakeBackend | None) -> Plan:
        executor = FreshProcessExecutor(backend) if backend else None
        return Plan(suite, find(), "sm_90", executor, kernel_cache, 132, seed=1)

    return make


def about(plan: Plan) -> RunInfo:
    return run_info(plan, Overrides(), ["shflbench", "run"])


def started(plan: Plan, path: Path) -> RunFolder:
    return RunFolder.create_at(about(plan), path)
