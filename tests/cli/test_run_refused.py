"""What keeps `shflbench run` from running, and what to do about it."""

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from shflbench.store import read_run
from tests.cli.demo import SCRIPTS, Plug
from tests.conftest import Command
from tests.fakes.backend import FakeBackend


@pytest.fixture
def own_cupy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Give this machine, and the worker processes on it, a cupy that is imported by this code."""

    def install(code: str) -> None:
        folder = tmp_path / "packages" / "cupy"
        folder.mkdir(parents=True)
        (folder / "__init__.py").write_text(code, encoding="utf-8")
        monkeypatch.syspath_prepend(folder.parent)

    return install


def test_asking_for_a_gpu_where_cupy_is_missing_exits_4_with_the_remedy(
    run: Command, own_cupy: Callable[[str], None]
) -> None:
    own_cupy("raise ModuleNotFoundError('No module named cupy', name='cupy')")
    outcome = run("demo.yaml", "--device", "cuda")
    assert (outcome.code, outcome.out) == (4, "")
    assert outcome.err == (
        "error: cupy is not installed, so no GPU can be used\n"
        "Install `shflbench[cuda13]` (driver 580 or newer) or `[cuda12]`\n"
    )


def test_broken_cupy_is_told_from_a_missing_one(run: Command, own_cupy: Callable[[str], None]) -> None:
    own_cupy("raise ImportError('libcudart.so.12: cannot open shared object file')")
    outcome = run("demo.yaml", "--device", "cuda")
    assert outcome.code == 4
    assert outcome.err.startswith(
        "error: cupy is installed but broken: libcudart.so.12: cannot open shared object file\n"
    )


def test_unwritable_results_are_refused_before_anything_is_measured(run: Command, plug: Plug) -> None:
    device = plug(FakeBackend(SCRIPTS))
    Path("taken").touch()
    outcome = run("demo.yaml", "--results", "taken/results")
    assert (outcome.code, outcome.out) == (3, "")
    assert "taken/results" in outcome.err
    assert device.launched == []


def test_cache_that_cannot_be_written_is_a_warning(run: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("taken").touch()
    monkeypatch.setenv("SHFLBENCH_CACHE", "taken/kernels")
    outcome = run("demo.yaml", "--variant", "shfl", "--pattern", "neighbor")
    assert outcome.code == 0
    note = "compiled kernels cannot be kept in taken/kernels: Not a directory"
    assert f"warning: {note}\n" in outcome.err
    assert read_run(Path(outcome.out.strip())).info.notes == (note,)


def test_no_suite_names_the_command_that_lists_them(run: Command) -> None:
    outcome = run()
    assert outcome.code == 2
    assert outcome.err == "error: no suite given\n`shflbench list suites` names those that come with shflbench\n"


def test_missing_compiler_exits_4_with_the_remedy(run: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "cuda.bindings", None)
    outcome = run("demo.yaml")
    assert (outcome.code, outcome.out) == (4, "")
    assert outcome.err.startswith("error: the CUDA compiler is not installed (")
    assert "`shflbench doctor` says what to install" in outcome.err
