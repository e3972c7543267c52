from importlib import import_module
from pathlib import Path

import click
import pytest

from shflbench import cli
from shflbench.cli.registry import COMMANDS


@pytest.mark.parametrize("name", COMMANDS)
def test_registry_and_command_have_the_same_summary(name: str) -> None:
    command = import_module(f"shflbench.cli.{name}.command").command
    assert isinstance(command, click.Command)
    assert (command.help or "").splitlines()[0] == COMMANDS[name]


def test_every_folder_of_a_command_is_registered() -> None:
    folders = {path.parent.name for path in Path(cli.__file__).parent.glob("*/command.py")}
    assert folders == set(COMMANDS)
