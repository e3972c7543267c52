"""Fixtures for all tests: the command line as a person uses it, and the GPU where there is one."""

import gc
import os
import shutil
from collections.abc import Generator, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Protocol

import pynvml
import pytest
from xdist.scheduler import LoadFileScheduling  # type: ignore[import-untyped]

from shflbench.cli.main import main
from shflbench.cuda.backends.gpus import NO_DRIVER
from tests import kernels
from tests.disassembled import kept_listings
from tests.kept_ptx import kept_ptx
from tests.printed_json import check_printed
from tests.signals import deliver_to_children
from tests.thorough import leave_cases


@dataclass(frozen=True)
class Outcome:
    """The exit code of a command, and all that it printed."""

    code: int
    out: str
    err: str


class Command(Protocol):
    """`shflbench`, called with arguments as in a shell."""

    def __call__(self, *words: str | Path) -> Outcome: ...


@pytest.fixture(autouse=True, scope="session")
def _signals() -> None:
    deliver_to_children()


@pytest.fixture(autouse=True, scope="session")
def _no_forced_color() -> Iterator[None]:
    """Hide a variable that CI systems set, and that programs which a test starts would obey."""
    with pytest.MonkeyPatch.context() as monkeypatch:
        monkeypatch.delenv("FORCE_COLOR", raising=False)
        yield


@pytest.fixture(autouse=True, scope="session")
def _no_nvcc(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Hide the nvcc of this machine: other machines have none, or another one, and it takes longer than NVRTC."""
    folders = os.environ.get("PATH", "").split(os.pathsep)
    with pytest.MonkeyPatch.context() as monkeypatch:
        for number, folder in enumerate(folders):
            if shutil.which("nvcc", path=folder):
                folders[number] = str(without_nvcc(Path(folder), tmp_path_factory.mktemp("programs")))
        monkeypatch.setenv("PATH", os.pathsep.join(folders))
        yield


def without_nvcc(folder: Path, programs: Path) -> Path:
    """Fill the folder `programs` with links to all programs of another one but nvcc, and return it."""
    for program in folder.iterdir():
        if program.name != "nvcc":
            (programs / program.name).symlink_to(program)
    return programs


@pytest.fixture(autouse=True, scope="session")
def _compilations() -> Iterator[None]:
    with kept_listings(), kept_ptx():
        yield


@pytest.fixture
def shflbench(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Command:
    """Run the real command line in this process, in an empty folder, with a cache of its own."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SHFLBENCH_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("NO_COLOR", raising=False)

    def call(*words: str | Path) -> Outcome:
        capsys.readouterr()
        typed = [str(word) for word in words]
        # A run records it; two runs within a second with the same arguments and times would be the same run.
        monkeypatch.setattr("sys.argv", ["shflbench", *typed])
        code = main(typed)
        printed = capsys.readouterr()
        check_printed(typed, printed.out)
        return Outcome(code, printed.out, printed.err)

    return call


@pytest.fixture(scope="session")
def kernel_cache() -> Path:
    """Keep compiled kernels for all tests and processes, and for the next run of the tests."""
    return kernels.CACHE


class Scheduler(LoadFileScheduling):  # type: ignore[misc]  # it ships no types
    """Gives each process one file after another, and all files that need the GPU to one process."""

    def _split_scope(self, nodeid: str) -> str:
        file = nodeid.partition("::")[0]
        return "gpu" if "/gpu/" in file else file  # two processes on a GPU would disturb one another's times


# Not `--dist loadgroup`, which pytest-xdist 3.8 does by changing ids that pytest 9.2 does not let it change.
@pytest.hookimpl(optionalhook=True)  # there is none under `-p no:xdist`
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Scheduler | None:
    return Scheduler(config, log) if config.getoption("dist") == "loadfile" else None


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Let the garbage collector pass over what is collected, which lives to the end, and run less often.

    It takes a twelfth of the time of all tests otherwise.
    """
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.set_threshold(10_000)  # new objects; by default 700, which is for small programs
        gc.enable()


@pytest.hookimpl(tryfirst=True)  # before pytest selects by marks
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what slower commands run, and start with the longest tests, so that no process works alone at the end."""
    leave_cases(items)
    items.sort(key=lambda item: item.get_closest_marker("expensive") is None)


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip a test that needs a GPU if there is no driver; a broken driver fails the test."""
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
