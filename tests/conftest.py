"""Fixtures for all tests: the command line as a person uses it, and the GPU where there is one."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, Protocol

import pynvml
import pytest
from xdist.scheduler import LoadFileScheduling  # type: ignore[import-untyped]

from shflbench.cli.gpus import NO_DRIVER
from shflbench.cli.main import main
from shflbench.processes import map_in_processes
from tests import kernels
from tests.signals import deliver_to_children
from tests.trial import Tried, try_unit

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

# Fixtures of a session that take many seconds and every core, among a test's parameters.
EXPENSIVE = re.compile(r"\b(?:tried|reports|planted): ")


@dataclass(frozen=True)
class Outcome:
    """What a command left behind: its exit code and all that it printed."""

    code: int
    out: str
    err: str


class Command(Protocol):
    """`shflbench`, called with words as in a shell."""

    def __call__(self, *words: str | Path) -> Outcome: ...


@pytest.fixture(autouse=True, scope="session")
def _signals() -> None:
    deliver_to_children()


@pytest.fixture
def shflbench(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Command:
    """Run the real command line in this process, in an empty folder, with a cache of its own."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SHFLBENCH_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("NO_COLOR", raising=False)

    def call(*words: str | Path) -> Outcome:
        capsys.readouterr()
        typed = [str(word) for word in words]
        # What a run keeps; two runs of one second that have the same words and times would be the same run.
        monkeypatch.setattr("sys.argv", ["shflbench", *typed])
        code = main(typed)
        printed = capsys.readouterr()
        return Outcome(code, printed.out, printed.err)

    return call


@pytest.fixture(scope="session")
def kernel_cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Keep the compiled kernels of the whole session, so that each is compiled once, whichever process asks first."""
    own = tmp_path_factory.getbasetemp()  # of one process: beside it lie those of the others
    return (own.parent if "PYTEST_XDIST_WORKER" in os.environ else own) / "kernels"


@pytest.fixture(scope="session")
def tried(request: pytest.FixtureRequest) -> Mapping[str, Tried]:
    """Return what became of the built-in kernels that the tests of this session ask for as `built_in`."""
    parameters = [item.callspec.params for item in request.session.items if hasattr(item, "callspec")]
    wanted = {each["built_in"] for each in parameters if "built_in" in each}
    units = kernels.units(name for name in kernels.subjects() if name in wanted)
    names = [unit.names for unit in sorted(units, key=lambda unit: not unit.slow)]  # what takes long comes first
    return {name: item for made in map_in_processes(try_unit, names) for name, item in made.items()}


class Scheduler(LoadFileScheduling):  # type: ignore[misc]  # it ships no types
    """Gives each process one group of files after the other."""

    def _split_scope(self, nodeid: str) -> str:
        return group(self.config.rootpath / nodeid.partition("::")[0])


# Not `--dist loadgroup`, which pytest-xdist 3.8 does by changing ids that pytest 9.2 does not let it change.
@pytest.hookimpl(optionalhook=True)  # there is none under `-p no:xdist`
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Scheduler:
    return Scheduler(config, log)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Start with what takes the longest."""
    items.sort(key=lambda item: group(item.path) != "kernels")


@cache
def group(file: Path) -> str:
    """Return what the tests of one process have in common: the GPU, fixtures that take long, or else their file."""
    if file.parent.name == "gpu":
        return "gpu"  # two processes on it would disturb one another's times
    return "kernels" if EXPENSIVE.search(file.read_text(encoding="utf-8")) else file.as_posix()


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip a test that needs a GPU where there is no driver; a driver that is broken fails the test."""
    if item.get_closest_marker("gpu") and _no_driver():
        pytest.skip("no NVIDIA driver is loaded")


@cache
def _no_driver() -> bool:
    try:
        pynvml.nvmlInit()
    except pynvml.NVMLError as error:
        if error.value in NO_DRIVER:
            return True
        raise
    pynvml.nvmlShutdown()
    return False
