"""Print the JSON Schema of suite files, for editors."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import click

from shflbench.cli.help import Command, add_heading
from shflbench.cli.parameters import OUTPUT_FILE

if TYPE_CHECKING:
    from shflbench.cli.console import Console


@click.command(cls=Command)
@add_heading("Options", OUTPUT_FILE)
@click.pass_obj
def command(console: Console) -> None:
    """Print the JSON Schema of suite files, for editors.

    Run `shflbench schema > suite.schema.json`, and start a suite with the line
    `# yaml-language-server: $schema=suite.schema.json`: editors then complete its keys and mark errors.
    """
    from shflbench.suite import json_schema

    console.json(json.dumps(json_schema(), indent=2, ensure_ascii=False))
