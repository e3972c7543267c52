from __future__ import annotations

import platform
import re
import subprocess
from importlib.metadata import version
from typing import TYPE_CHECKING

import shflbench
from shflbench.store.surroundings import checkout, host, utc_now, versions

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


def git(folder: Path, *arguments: str) -> str:
    identity = ("-c", "user.name=A", "-c", "user.email=a@example.org")
    done = subprocess.run(["git", "-C", str(folder), *identity, *arguments], capture_output=True, text=True, check=True)
    return done.stdout.strip()


def committed(folder: Path) -> str:
    """Make a checkout with one commit and return the commit."""
    git(folder, "init", "--quiet")
    (folder / "kernel.cu").write_text("one")
    git(folder, "add", "kernel.cu")
    git(folder, "commit", "--quiet", "--no-verify", "--message", "one")
    return git(folder, "rev-parse", "HEAD")


def test_the_time_is_utc_to_the_second() -> None:
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", utc_now())


def test_the_host_is_this_machine() -> None:
    here = host()
    assert here.name == platform.node()
    assert here.cpu
    assert here.cores >= 1


def test_versions_are_those_given_and_those_installed() -> None:
    found = versions(nvrtc="13.0.48", driver="580.159")
    assert (found.nvrtc, found.driver, found.cuda) == ("13.0.48", "580.159", None)
    assert found.shflbench == shflbench.__version__
    assert found.numpy == version("numpy")


def test_a_checkout_tells_its_commit_and_whether_tracked_files_changed(tmp_path: Path) -> None:
    commit = committed(tmp_path)
    (tmp_path / "results").mkdir()
    (tmp_path / "results" / "mine.csv").write_text("untracked")
    assert checkout(tmp_path) == (commit, False)
    (tmp_path / "kernel.cu").write_text("two")
    assert checkout(tmp_path) == (commit, True)


def test_a_folder_inside_another_checkout_is_not_mistaken_for_it(tmp_path: Path) -> None:
    committed(tmp_path)
    inner = tmp_path / "site-packages"
    inner.mkdir()
    assert checkout(inner) == (None, None)


def test_a_checkout_without_a_commit_or_without_git_is_unknown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    git(tmp_path, "init", "--quiet")
    assert checkout(tmp_path) == (None, None)
    monkeypatch.setenv("PATH", "")
    assert checkout(tmp_path) == (None, None)
