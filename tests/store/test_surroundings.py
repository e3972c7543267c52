import platform
import re
import subprocess
from importlib.metadata import version
from pathlib import Path

import pytest

import shflbench
from shflbench.store.provenance import SuiteRevision
from shflbench.store.surroundings import checkout, host, revision, source_hash, utc_now, versions

IN_A_SHELL = (  # as docs/reference/run-json.md gives it
    "find . -name '*.py' -o -name '*.cu' -o -name '*.cuh' -o -name '*.cubin' |"
    " LC_ALL=C sort | xargs sha256sum | sha256sum | cut -c1-16"
)


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
    assert found.source == source_hash(Path(shflbench.__file__).parent)


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


def test_the_revision_of_a_file_is_the_commit_of_its_repository(tmp_path: Path) -> None:
    commit = committed(tmp_path)
    suite = tmp_path / "bench" / "mine.yaml"
    suite.parent.mkdir()
    suite.write_text("schema: 1")
    assert revision(suite) == SuiteRevision(commit, dirty=True)  # it is not in the commit
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "--quiet", "--no-verify", "--message", "two")
    assert revision(suite) == SuiteRevision(git(tmp_path, "rev-parse", "HEAD"), dirty=False)
    (tmp_path / "results.csv").write_text("untracked")
    assert revision(suite) == SuiteRevision(git(tmp_path, "rev-parse", "HEAD"), dirty=False)
    (tmp_path / "kernel.cu").write_text("two")
    assert revision(suite) == SuiteRevision(git(tmp_path, "rev-parse", "HEAD"), dirty=True)


def test_a_program_that_a_repository_names_does_not_run(tmp_path: Path) -> None:
    commit = committed(tmp_path)
    monitor = tmp_path / "monitor"
    monitor.write_text(f"#!/bin/sh\ntouch '{tmp_path}/ran'\n")
    monitor.chmod(0o755)
    git(tmp_path, "config", "core.fsmonitor", str(monitor))
    assert revision(tmp_path / "kernel.cu") == SuiteRevision(commit, dirty=False)
    assert not (tmp_path / "ran").exists()


def test_a_link_to_a_file_has_the_revision_of_the_file(tmp_path: Path) -> None:
    (tmp_path / "repository").mkdir()
    commit = committed(tmp_path / "repository")
    (tmp_path / "link.cu").symlink_to(tmp_path / "repository" / "kernel.cu")
    assert revision(tmp_path / "link.cu") == SuiteRevision(commit, dirty=False)


def test_a_file_of_a_package_within_a_checkout_has_no_revision(tmp_path: Path) -> None:
    committed(tmp_path)
    (tmp_path / ".gitignore").write_text(".venv/\n")
    suite = tmp_path / ".venv" / "suites" / "quick.yaml"
    suite.parent.mkdir(parents=True)
    suite.write_text("schema: 1")
    assert revision(suite) is None


def test_without_a_repository_a_commit_or_git_the_revision_is_unknown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    suite = tmp_path / "mine.yaml"
    suite.write_text("schema: 1")
    assert revision(suite) is None
    git(tmp_path, "init", "--quiet")
    assert revision(suite) is None
    monkeypatch.setenv("PATH", "")
    assert revision(suite) is None
    assert revision(tmp_path / "none" / "mine.yaml") is None


def package(folder: Path) -> Path:
    """Write a small package and return its folder."""
    for name, content in {
        "model.py": b"WARP = 32\n",
        "model_2.py": b"",
        "patterns/neighbor/kernels.cu": b"__global__ void k() {}\n",
        "patterns/common.cuh": b"#pragma once\n",
        "sentinels/sm_90.cubin": b"\x7fELF\xff\x00",
        "README.md": b"no source",
    }.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
    return folder


def test_source_hash_is_what_a_shell_makes_of_the_files(tmp_path: Path) -> None:
    folder = package(tmp_path)
    done = subprocess.run(["sh", "-c", IN_A_SHELL], cwd=folder, capture_output=True, text=True, check=True)
    assert source_hash(folder) == done.stdout.strip()
    page = Path(shflbench.__file__).parents[1] / "docs/reference/run-json.md"
    assert " ".join(page.read_text(encoding="utf-8").split()).count(IN_A_SHELL) == 1


def test_every_kind_of_source_file_changes_the_hash_and_nothing_else_does(tmp_path: Path) -> None:
    folder = package(tmp_path)
    seen = {source_hash(folder)}
    for count, name in enumerate(["model.py", "patterns/neighbor/kernels.cu", "patterns/common.cuh"], 2):
        (folder / name).write_bytes(b"changed")
        seen.add(source_hash(folder))
        assert len(seen) == count, name
    (folder / "sentinels/sm_90.cubin").rename(folder / "sentinels/sm_100.cubin")
    seen.add(source_hash(folder))
    assert len(seen) == 5
    (folder / "README.md").write_text("changed")
    (folder / "model.pyc").write_text("compiled")
    assert source_hash(folder) in seen


def test_source_that_cannot_be_read_has_no_hash(tmp_path: Path) -> None:
    (package(tmp_path) / "gone.py").symlink_to(tmp_path / "nowhere")
    assert source_hash(tmp_path) is None
