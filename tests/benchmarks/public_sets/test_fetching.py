"""Clone a set at its pinned commit."""

import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks.public_sets.fetching import fetch
from benchmarks.public_sets.sets import SETS
from shflbench.errors import ResultsError


@pytest.fixture
def origin(tmp_path: Path) -> Path:
    folder = tmp_path / "origin"
    folder.mkdir()
    (folder / "a.cu").write_text("__global__ void k() {}")
    _git(folder, "init", "--quiet")
    _git(folder, "add", "a.cu")
    _git(folder, "-c", "user.name=n", "-c", "user.email=e@x", "commit", "--quiet", "-m", "m")
    return folder


def _git(folder: Path, *words: str) -> str:
    return subprocess.run(["git", "-C", str(folder), *words], check=True, capture_output=True, text=True).stdout.strip()


def test_a_set_is_cloned_at_its_commit(origin: Path, tmp_path: Path) -> None:
    public = replace(SETS["faial"], repository=str(origin), commit=_git(origin, "rev-parse", "HEAD"))
    fetch([public], tmp_path / "sets")
    assert (tmp_path / "sets" / "faial" / "a.cu").read_text() == "__global__ void k() {}"
    fetch([replace(public, repository="nowhere")], tmp_path / "sets")  # it is there: nothing to fetch


def test_a_repository_that_git_cannot_read_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ResultsError, match="git fetch of"):
        fetch([replace(SETS["faial"], repository=str(tmp_path / "none"))], tmp_path / "sets")
    assert not (tmp_path / "sets" / "faial").exists()  # so that the next attempt fetches it
