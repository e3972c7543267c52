"""The check of a release: what it refuses, and how it breaks an installation."""

import io
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

from shflbench.version import __version__
from tools.release import artifacts, damage
from tools.release.artifacts import NEEDED, ReleaseError
from tools.release.installation import Installation


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    path = tmp_path / "shflbench-1.tar.gz"
    with tarfile.open(path, "w:gz") as file:
        file.addfile(tarfile.TarInfo("shflbench-1/PKG-INFO"), io.BytesIO())
    return path


def wheel_of(folder: Path, *names: str) -> Path:
    path = folder / "shflbench-1-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as file:
        for name in names:
            file.writestr(name, "")
    return path


def test_files_are_counted(tmp_path: Path, archive: Path) -> None:
    text = artifacts.contents(wheel_of(tmp_path, *NEEDED), archive)
    assert "5 files with 1 patterns and 1 suites, none of tests; shflbench-1.tar.gz 0.0 MB, 1 files" in text


@pytest.mark.parametrize(
    ("names", "words"),
    [
        (NEEDED[1:], "lacks shflbench/__main__.py"),
        ((*NEEDED, "tests/conftest.py"), "contains tests/conftest.py"),
        ((*NEEDED, "shflbench/core/test_model.py"), "contains shflbench/core/test_model.py"),
        ((*NEEDED, "shflbench/core/__pycache__/model.cpython-311.pyc"), "one of 1 files that do not belong there"),
    ],
)
def test_a_wheel_of_other_files_is_refused(tmp_path: Path, archive: Path, names: tuple[str, ...], words: str) -> None:
    with pytest.raises(ReleaseError, match=words):
        artifacts.contents(wheel_of(tmp_path, *names), archive)


def test_a_build_that_differs_is_refused(tmp_path: Path, archive: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first, again = tmp_path / "first", tmp_path / "again"
    first.mkdir()
    again.mkdir()
    files, others = (wheel_of(first, "a"), archive), (wheel_of(again, "a"), archive)
    monkeypatch.setattr(artifacts, "build", lambda _: others)
    assert artifacts.same_again(files, again) == "two builds are the same byte for byte"
    wheel_of(again, "b")
    with pytest.raises(ReleaseError, match="differs when it is built again"):
        artifacts.same_again(files, again)


def test_the_version_stands_in_the_package_the_changelog_and_the_citation(monkeypatch: pytest.MonkeyPatch) -> None:
    assert artifacts.description().startswith(f"{__version__} of 20")
    monkeypatch.setattr(artifacts, "__version__", "99.0.0")
    with pytest.raises(ReleaseError, match=r"CHANGELOG\.md has no dated section of version 99\.0\.0"):
        artifacts.description()


def test_a_command_that_fails_is_named_with_its_last_line() -> None:
    with pytest.raises(ReleaseError, match=r"^`python.* ends with 3: why"):
        artifacts.run(sys.executable, "-c", "import sys; print('why'); sys.exit(3)")
    assert artifacts.run(sys.executable, "-c", "raise SystemExit(3)", codes=(3,)).returncode == 3


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """Return the packages of an environment: shflbench, and what it requires."""
    folder = tmp_path / "environment" / "lib" / "python3.11" / "site-packages"
    (folder / "shflbench-1.dist-info").mkdir(parents=True)
    (folder / "shflbench-1.dist-info" / "METADATA").write_text(
        "Requires-Dist: click>=8.2\nRequires-Dist: nvidia-cuda-crt>=13; sys_platform == 'linux'\n"
        "Requires-Dist: dask>=1; extra == 'fleet'\n",
        encoding="utf-8",
    )
    for name, file in {"click": "click/__init__.py", "nvidia_cuda_crt": "nvidia/cu13/mma.h"}.items():
        metadata = folder / f"{name}-9.0.dist-info"
        metadata.mkdir()
        (metadata / "METADATA").write_text("Version: 9.0\n", encoding="utf-8")
        (metadata / "RECORD").write_text(f"{file},sha256=1,2\n", encoding="utf-8")
        (folder / file).parent.mkdir(parents=True)
        (folder / file).write_text(name, encoding="utf-8")
    return folder


def contents_of(folder: Path) -> dict[str, str]:
    return {str(path): path.read_text(encoding="utf-8") for path in folder.rglob("*") if path.is_file()}


def test_every_package_is_broken_in_each_way_and_repaired(
    tmp_path: Path, site: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before, seen = contents_of(site), []

    def call(_: Installation, *words: str, codes: tuple[int, ...]) -> str:
        seen.append((words[0], codes, str(contents_of(site))))
        return "error: two packages\nRun: pip install click nvidia-cuda-crt\n"

    monkeypatch.setattr(Installation, "call", call)
    text = damage.break_all(Installation(tmp_path / "environment", tmp_path))
    assert text == "5 broken installations end in one sentence with a remedy, by doctor and check"
    assert len({content for *_, content in seen}) == 5
    assert contents_of(site) == before


def test_an_installation_that_names_no_remedy_is_refused(
    tmp_path: Path, site: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = contents_of(site)
    monkeypatch.setattr(Installation, "call", lambda *_, **__: "Traceback: click\n")
    with pytest.raises(ReleaseError, match="with click removed: `doctor` prints: Traceback: click"):
        damage.break_all(Installation(tmp_path / "environment", tmp_path))
    assert contents_of(site) == before


def test_shflbench_of_an_environment_runs_without_the_toolkit_of_the_machine(tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    program = tmp_path / "bin" / "shflbench"
    program.write_text('#!/bin/sh\necho "$PATH $HOME $SHFLBENCH_CACHE"; echo "$@" >&2\n', encoding="utf-8")
    program.chmod(0o755)
    printed = Installation(tmp_path, tmp_path).call("doctor", "-q")
    assert printed == f"{tmp_path}/bin:/usr/bin:/bin {tmp_path}/cache {tmp_path}/cache\ndoctor -q\n"
    printed = Installation(tmp_path, tmp_path, home="/proc").call("list")
    assert printed == f"{tmp_path}/bin:/usr/bin:/bin /proc \nlist\n"


def test_the_addresses_are_those_of_the_repository_that_builds() -> None:
    script = (
        "import sys\n"
        "from types import SimpleNamespace\n"
        "names = 'hatchling hatchling.metadata hatchling.metadata.plugin hatchling.metadata.plugin.interface'\n"
        "sys.modules |= {name: SimpleNamespace(MetadataHookInterface=object) for name in names.split()}\n"
        "from tools.project_urls import ProjectUrls\n"
        "metadata = {}\n"
        "ProjectUrls().update(metadata)\n"
        "print(metadata.get('urls', {}).get('Issues'))\n"
    )
    known = {"GITHUB_SERVER_URL": "https://github.com", "GITHUB_REPOSITORY": "someone/shflbench"}
    for variables, address in ((known, "https://github.com/someone/shflbench/issues"), ({}, "None")):
        printed = subprocess.run(
            [sys.executable, "-c", script],
            cwd=artifacts.REPOSITORY,
            env=variables,
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        assert printed.strip() == address
