"""The files of a set, and the third that is held out."""

import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks.public_sets.sets import SETS, Part, fetch, part_of
from shflbench.errors import ResultsError


def test_about_a_third_of_the_paths_is_held_out_by_the_hash_of_the_path() -> None:
    parts = [part_of(f"examples/drf/{number}.cu") for number in range(3000)]
    assert 0.3 < parts.count(Part.HELD_OUT) / len(parts) < 0.37
    assert part_of("tutorial/saxpy.cu") is Part.TUNING
    assert part_of("examples/drf/drf-cav21.cu") is Part.HELD_OUT
    seen = "Samples/2_Concepts_and_Techniques/reduction/reduction_kernel.cu"  # before a rule changed
    assert part_of(seen) is Part.SEEN


def test_only_kernels_below_the_roots_are_files_of_a_set(tmp_path: Path) -> None:
    for path in ("examples/drf/a.cu", "tutorial/b.cu", "tutorial/README.md", "test/c.cu"):
        (tmp_path / "faial" / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "faial" / path).write_text("")
    assert list(SETS["faial"].files(tmp_path)) == ["examples/drf/a.cu", "tutorial/b.cu"]


def test_a_missing_clone_is_an_error_that_says_how_to_get_it(tmp_path: Path) -> None:
    with pytest.raises(ResultsError) as error:
        list(SETS["indigo"].files(tmp_path))
    assert "--fetch" in error.value.advice


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
