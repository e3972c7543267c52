"""`shflbench run` in a folder with a suite, with a scripted GPU or without any."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.checker.in_process import start_no_processes
from tests.checker.schedules import few_schedules
from tests.cli.demo import SCRIPTS, SUITE, Plug
from tests.conftest import Command, Outcome
from tests.fakes.backend import FakeBackend, plug_in, unplug
from tests.session.once import do_once

__all__ = ["few_schedules"]


@pytest.fixture(autouse=True)
def _same_work_once(monkeypatch: pytest.MonkeyPatch) -> None:
    do_once(monkeypatch)


@pytest.fixture
def process(tmp_path: Path, kernel_cache: Path, monkeypatch: pytest.MonkeyPatch) -> Command:
    """Call `shflbench` as a process, in an empty folder, on a machine without a GPU."""
    monkeypatch.chdir(tmp_path)
    environment = {**os.environ, "SHFLBENCH_CACHE": str(kernel_cache), "CUDA_VISIBLE_DEVICES": ""}

    def call(*words: str | Path) -> Outcome:
        command = [sys.executable, "-m", "shflbench", *map(str, words)]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        return Outcome(done.returncode, done.stdout, done.stderr)

    return call


@pytest.fixture
def one_core(monkeypatch: pytest.MonkeyPatch) -> None:
    """Compile, emulate and check in this process: for tests to which a process for each core adds nothing."""
    monkeypatch.setattr("os.cpu_count", lambda: 1)
    start_no_processes(monkeypatch)


@pytest.fixture
def demo(shflbench: Command, kernel_cache: Path, monkeypatch: pytest.MonkeyPatch, one_core: None) -> Command:
    """Call `shflbench` in a folder with the suite demo.yaml, on a machine of one core without a GPU."""
    del one_core  # only for the machine
    monkeypatch.setenv("SHFLBENCH_CACHE", str(kernel_cache))
    Path("demo.yaml").write_text(SUITE, encoding="utf-8")
    unplug(monkeypatch)
    return shflbench


@pytest.fixture
def run(demo: Command) -> Command:
    """Call `shflbench run` in the folder of `demo`."""
    return lambda *words: demo("run", *words)


@pytest.fixture
def gate(demo: Command) -> Command:
    """Call `shflbench gate` in the folder of `demo`."""
    return lambda *words: demo("gate", *words)


@pytest.fixture
def plug(monkeypatch: pytest.MonkeyPatch) -> Plug:
    """Give this machine a scripted GPU."""
    return lambda device: plug_in(monkeypatch, device)


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return where the first test that needs a baseline keeps it for the others."""
    return tmp_path_factory.mktemp("measured")


@pytest.fixture
def main(run: Command, plug: Plug, shflbench: Command, measured: Path) -> Path:
    """Save a run of the scripted kernels as the baseline `main`, and return the run's folder."""
    for name in ("base", "baselines"):
        if (measured / name).exists():
            shutil.copytree(measured / name, name)
    if not Path("base").exists():
        save_main(run, plug, shflbench, processes=3)
        for name in ("base", "baselines"):
            shutil.copytree(name, measured / name)
    return Path("base")


def save_main(run: Command, plug: Plug, shflbench: Command, processes: int) -> None:
    """Save a run of the scripted kernels, `base`, as the baseline `main`."""
    plug(FakeBackend(SCRIPTS))
    assert run("demo.yaml", "--processes", str(processes), "--output", "base").code == 0
    assert shflbench("baseline", "save", "main", "base").code == 0
