"""List suites, patterns, variants and devices."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from shflbench.cli.help import Command, add_heading
from shflbench.cli.layout import Line, Table
from shflbench.cli.parameters import OUTPUT_FILE, format_option
from shflbench.core.json_objects import objects_of
from shflbench.errors import DeviceError
from shflbench.schemas.list import SCHEMA, ListedDevice

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from shflbench.cli.console import Console
    from shflbench.schemas.list import ListedPattern, ListedSuite, ListedVariantOfPattern

    Record = Mapping[str, object]


@click.command("list", cls=Command)
@click.argument("what", type=click.Choice(["suites", "patterns", "variants", "devices"]), required=False)
@click.argument("pattern", required=False)
@add_heading("Options", format_option(("table", "json")), OUTPUT_FILE)
@click.pass_obj
def command(console: Console, what: str | None, pattern: str | None, form: str) -> None:
    """List suites, patterns, variants and devices.

    Lists all four by default. `list patterns PATTERN` prints one pattern with its claims and variants.
    """
    if pattern is not None and what != "patterns":
        raise click.UsageError("only patterns can be listed by name: shflbench list patterns NAME")
    if what == "patterns":
        _print_patterns(pattern, form, console)
        return
    kinds = [what] if what else list(LISTINGS)
    records = {kind: LISTINGS[kind](console) for kind in kinds}
    if form == "json":
        console.json(_as_json(_numbered(records[what]) if what else {"schema": SCHEMA, **records}))
        return
    tables = [_table("" if what else kind, listing) for kind, listing in records.items() if listing]
    for number, table in enumerate(tables):
        if number:
            console.data("")
        console.table(table, data=True)


def _print_patterns(pattern: str | None, form: str, console: Console) -> None:
    """Print all patterns, or the one of this name."""
    from shflbench.cli.list.patterns import briefly, find_record, in_full

    listed = patterns(console)
    if pattern is not None:
        listed = [find_record(pattern, listed)]
    if form == "json":
        console.json(_as_json(_numbered(listed)))
        return
    text = in_full if pattern else briefly
    width = console.width(data=True)
    console.data("\n\n".join(text(record, width) for record in listed))


def _numbered(listing: Sequence[Record]) -> list[Record]:
    """Return the objects of one listing with the number of their form, which a list cannot have."""
    return [{"schema": SCHEMA, **record} for record in listing]


def _as_json(document: object) -> str:
    return json.dumps(document, indent=2, ensure_ascii=False)


def suites(_: Console) -> list[ListedSuite]:
    """Return the suites that come with shflbench."""
    from shflbench.suite import find_shipped, load

    records: list[ListedSuite] = []
    for name, path in find_shipped().items():
        suite = load(path)
        records.append({"name": name, "cases": len(suite.cases), "title": suite.title, "path": _shown(path)})
    return records


def _shown(path: Path) -> str:
    """Return a path as a user types it here: relative to the current folder if it lies below it."""
    folder = Path.cwd()
    return str(path.relative_to(folder) if path.is_relative_to(folder) else path)


def patterns(_: Console) -> list[ListedPattern]:
    """Return the patterns that come with shflbench."""
    from shflbench.cli.list.patterns import records

    return records()


def variants(_: Console) -> list[ListedVariantOfPattern]:
    """Return every variant of every pattern."""
    from shflbench.cli.list.patterns import variant_records
    from shflbench.patterns.discover import builtin, load

    return [
        {"pattern": name, **record}
        for name, folder in builtin().items()
        for record in variant_records(load(folder).declaration)
    ]


def devices(console: Console) -> list[ListedDevice]:
    """Return the GPUs of this machine; none, and the reason on stderr, where there is no driver."""
    from shflbench.cuda.backends.gpus import find

    try:
        return objects_of(ListedDevice, find())
    except DeviceError as error:
        console.say(f"no devices: {error.message}")
        return []


LISTINGS: Mapping[str, Callable[[Console], Sequence[Record]]] = {
    "suites": suites,
    "patterns": patterns,
    "variants": variants,
    "devices": devices,
}
SHORT = ("name", "dtypes", "variants", "summary")  # columns of a pattern in the table of everything
KEYS = {"name", "pattern"}  # columns that identify a line


def _table(title: str, records: Sequence[Record]) -> Table:
    shown = [{name: record[name] for name in SHORT} for record in records] if title == "patterns" else records
    body = tuple(Line(tuple(_cell(value) for value in record.values())) for record in shown)
    key = max(1, sum(name in KEYS for name in shown[0]))
    return Table(title, tuple(name.replace("_", " ") for name in shown[0]), body, key)


def _cell(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return str(len(value)) if value and isinstance(value[0], dict) else " ".join(map(str, value))
    return str(value)
