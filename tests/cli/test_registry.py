from pathlib import Path

import click
import pytest

from shflbench import cli
from shflbench.cli.registry import COMMANDS, module_of


@pytest.mark.parametrize("name", COMMANDS)
def test_registry_and_command_have_the_same_summary(name: str) -> None:
    command = module_of(name).command
    assert isinstance(command, click.Command)
    assert (command.help or "").splitlines()[0] == COMMANDS[name]


def test_every_command_is_registered() -> None:
    folder = Path(cli.__file__).parent
    files = {path.stem for path in folder.glob("*.py") if "\ndef command(" in path.read_text(encoding="utf-8")}
    assert files | {path.parent.name for path in folder.glob("*/command.py")} == set(COMMANDS)
