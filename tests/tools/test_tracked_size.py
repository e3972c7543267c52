"""The size of the repository: its total, and large files that are there twice."""

import subprocess
import sys
from pathlib import Path

import pytest

from tools import tracked_size

ROOT = Path(__file__).parents[2]


def write(path: Path, content: bytes) -> Path:
    path.write_bytes(content)
    return path


def test_small_files_and_equal_small_files_are_allowed(tmp_path: Path) -> None:
    files = [write(tmp_path / name, b"same") for name in ("one", "other")]
    assert list(tracked_size.problems([*files, tmp_path / "removed"])) == []


def test_a_large_file_that_is_there_twice_is_named(tmp_path: Path) -> None:
    one, other = (write(tmp_path / name, b"x" * tracked_size.LARGE_BYTES) for name in ("one", "other"))
    assert list(tracked_size.problems([one, other])) == [f"{other} has the content of {one}: keep one of them"]


def test_too_many_bytes_are_refused_with_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tracked_size, "MOST_BYTES", 3)
    (problem,) = tracked_size.problems([write(tmp_path / "large", b"four")])
    assert "docs/contributing/record-a-reference-run.md" in problem


def test_names_come_from_standard_input_and_a_problem_fails_the_build(tmp_path: Path) -> None:
    files = [write(tmp_path / name, b"x" * tracked_size.LARGE_BYTES) for name in ("a b", "ü")]
    outcome = subprocess.run(
        [sys.executable, "-m", "tools.tracked_size"],
        input="\0".join(map(str, files)),
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert outcome.returncode == 1
    assert "keep one of them" in outcome.stdout
