from pathlib import Path

import pytest

from shflbench.environment import cache_folder, color_refused


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


@pytest.mark.parametrize(("value", "refused"), [("1", True), ("", False)])
def test_empty_no_color_has_no_effect(value: str, refused: bool, monkeypatch: pytest.MonkeyPatch) -> None:  # noqa: FBT001
    monkeypatch.setenv("NO_COLOR", value)
    assert color_refused() is refused
