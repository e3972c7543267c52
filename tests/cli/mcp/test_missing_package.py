"""`shflbench mcp` where it cannot serve."""

from pathlib import Path

import pytest

from shflbench.cli.mcp import command
from tests.conftest import Command


def test_without_the_package_the_command_that_installs_it_is_named(
    shflbench: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(command, "find_spec", lambda _: None)
    outcome = shflbench("mcp")
    assert (outcome.code, outcome.out) == (4, "")
    assert "needs the package mcp, which is not installed" in outcome.err
    assert "pip install '.[mcp]'" in outcome.err


def test_a_folder_that_is_not_there_is_refused(shflbench: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command, "find_spec", lambda _: True)
    Path("file.cu").touch()
    for name in ("missing", "file.cu"):
        outcome = shflbench("mcp", name)
        assert (outcome.code, outcome.out) == (2, "")
        assert f"{name} is not a folder" in outcome.err
