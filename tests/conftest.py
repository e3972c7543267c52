"""Fixtures for all tests: the command line as a person uses it, and the GPU where there is one."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Protocol

import pynvml
import pytest

from shflbench.cli.gpus import NO_DRIVER
from shflbench.cli.main import main
from tests import kernels
from tests.trial import Tried, try_unit

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


@dataclass(frozen=True)
class Outcome:
    """What a command left behind: its exit code and all that it printed."""

    code: int
    out: str
    err: str


class Command(Protocol):
    """`shflbench`, called with words as in a shell."""

    def __call__(self, *words: str | Path) -> Outcome: ...


@pytest.fixture
def shflbench(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Command:
    """Run the real command line in this process, in an empty folder, with a cache of its own."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SHFLBENCH_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("NO_COLOR", raising=False)

    def call(*words: str | Path) -> Outcome:
        capsys.readouterr()
        code = main([str(word) for word in words])
        printed = capsys.readouterr()
        return Outcome(code, printed.out, printed.err)

    return call


@pytest.fixture(scope="session")
def kernel_cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Keep the compiled kernels of the whole session, so that each is compiled once."""
    return tmp_path_factory.mktemp("kernels")


@pytest.fixture(scope="session")
def tried(request: pytest.FixtureRequest) -> Mapping[str, Tried]:
    """Return what became of the built-in kernels that the tests of this session ask for as `built_in`."""
    parameters = [item.callspec.params for item in request.session.items if hasattr(item, "callspec")]
    wanted = {each["built_in"] for each in parameters if "built_in" in each}
    units = kernels.units(name for name in kernels.subjects() if name in wanted)
    names = [unit.names for unit in sorted(units, key=lambda unit: not unit.slow)]  # what takes long comes first
    return {name: item for made in kernels.spread(try_unit, names) for name, item in made.items()}


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
