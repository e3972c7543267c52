import shutil
from pathlib import Path

import pytest

from shflbench.core.environment import cache_folder, color_choice, nvcc
from tests.conftest import without_nvcc
from tests.scripts import write_script


@pytest.mark.parametrize(
    ("variables", "folder"),
    [
        ({"SHFLBENCH_CACHE": "/fast/kernels", "XDG_CACHE_HOME": "/xdg"}, "/fast/kernels"),
        ({"XDG_CACHE_HOME": "/xdg"}, "/xdg/shflbench"),
        ({"XDG_CACHE_HOME": ""}, "/home/ada/.cache/shflbench"),
        ({}, "/home/ada/.cache/shflbench"),
    ],
)
def test_cache_folder_follows_the_environment(
    variables: dict[str, str], folder: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("SHFLBENCH_CACHE", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", "/home/ada")
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert cache_folder() == Path(folder)


@pytest.mark.parametrize(
    ("refused", "forced", "choice"),
    [
        ("", "", None),
        ("1", "", False),
        ("", "1", True),
        ("", "0", True),  # as https://force-color.org says: whatever the value
        ("1", "1", False),
    ],
)
def test_variables_choose_color_unless_they_are_empty(
    refused: str,
    forced: str,
    choice: bool | None,  # noqa: FBT001
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("NO_COLOR", refused)
    monkeypatch.setenv("FORCE_COLOR", forced)
    assert color_choice() is choice


def test_tests_find_no_nvcc_and_all_other_programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert nvcc() is None
    (tmp_path / "bin").mkdir()
    (tmp_path / "programs").mkdir()
    for name in ("nvcc", "git"):
        write_script(tmp_path / "bin" / name, "")
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    assert nvcc() is not None
    monkeypatch.setenv("PATH", str(without_nvcc(tmp_path / "bin", tmp_path / "programs")))
    assert (nvcc(), shutil.which("git")) == (None, str(tmp_path / "programs" / "git"))
