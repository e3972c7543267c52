"""Print the JSON Schema of suite files."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from shflbench.cli.console import Console


@click.command()
@click.pass_obj
def command(console: Console) -> None:
    """Print the JSON Schema of suite files, for editors.

    With `shflbench schema > suite.schema.json`, and `# yaml-language-server: $schema=suite.schema.json` as the first
    line of a suite, editors complete its keys and mark what is wrong.
    """
    from shflbench.suite import json_schema

    console.data(json.dumps(json_schema(), indent=2, ensure_ascii=False))
