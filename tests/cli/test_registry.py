from importlib import import_module

import click
import pytest

from shflbench.cli.registry import COMMANDS


@pytest.mark.parametrize("name", COMMANDS)
def test_registry_and_command_describe_it_alike(name: str) -> None:
    module, summary = COMMANDS[name]
    command = import_module(module).command
    assert isinstance(command, click.Command)
    assert (command.help or "").splitlines()[0] == summary
