"""Print the JSON Schema of what a command prints, or of suite files."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import click

from shflbench.cli.help import Command, add_heading
from shflbench.cli.layout import Line, Table
from shflbench.cli.parameters import OUTPUT_FILE
from shflbench.core.words import did_you_mean
from shflbench.errors import UsageError
from shflbench.schemas import about, commands, json_schema

if TYPE_CHECKING:
    from collections.abc import Iterator

    from shflbench.cli.console import Console

SUITE = "suite"
ABOUT_SUITE = "A suite file, for editors."


@click.command(cls=Command)
@click.argument("name", metavar="[COMMAND]", required=False)
@add_heading("Options", OUTPUT_FILE)
@click.pass_obj
def command(console: Console, name: str | None) -> None:
    """Print the JSON Schema of what a command prints, or of suite files.

    COMMAND is a command that has `--format json`, or `suite`; without it, all are listed. Each key of the JSON has its
    meaning and its unit. Keys may be added; where one is removed or changes, the number `schema` grows.

    Run `shflbench schema suite > suite.schema.json`, and start a suite with the line
    `# yaml-language-server: $schema=suite.schema.json`: editors then complete its keys and mark errors.
    """
    if name is None:
        console.table(Table("", ("command", "schema", "what it describes"), tuple(_lines())), data=True)
        return
    console.json(json.dumps(_schema(name), indent=2, ensure_ascii=False))


def _lines() -> Iterator[Line]:
    """Yield a line per schema; that of suite files comes last, because no command prints them."""
    for name in commands():
        number, text = about(name)
        yield Line((name, str(number), text))
    yield Line((SUITE, "1", ABOUT_SUITE))


def _schema(name: str) -> dict[str, Any]:
    """Return the schema of this name; UsageError, with the nearest name, if there is none."""
    if name == SUITE:
        from shflbench.suite import json_schema as suite_schema

        return suite_schema()
    known = (*commands(), SUITE)
    if name not in known:
        raise UsageError(f"there is no schema of `{name}`{did_you_mean(name, known)}", f"there are: {', '.join(known)}")
    return json_schema(name)
