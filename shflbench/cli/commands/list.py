"""List suites, patterns, variants or devices."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from shflbench.cli.layout import Line, Table
from shflbench.errors import DeviceError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from shflbench.cli.console import Console
    from shflbench.patterns.discover import LoadedPattern

    Record = dict[str, object]


@click.command("list")
@click.argument("what", type=click.Choice(["suites", "patterns", "variants", "devices"]), required=False)
@click.option(
    "--format",
    "form",
    type=click.Choice(["table", "json"]),
    default="table",
    show_default=True,
    help="How to print it.",
)
@click.pass_obj
def command(console: Console, what: str | None, form: str) -> None:
    """List suites, patterns, variants or devices.

    Without a word, all of them.
    """
    kinds = [what] if what else list(LISTINGS)
    found = {kind: LISTINGS[kind](console) for kind in kinds}
    if form == "json":
        console.data(json.dumps(found[what] if what else found, indent=2, ensure_ascii=False))
        return
    tables = [_table("" if what else kind, records) for kind, records in found.items() if records]
    for number, table in enumerate(tables):
        if number:
            console.data("")
        console.table(table, data=True)


def suites(_: Console) -> list[Record]:
    """Return the suites that come with shflbench."""
    from shflbench.suite import load, shipped

    records: list[Record] = []
    for name, path in shipped().items():
        suite = load(path)
        records.append({"name": name, "cases": len(suite.cases), "title": suite.title, "path": str(path)})
    return records


def patterns(_: Console) -> list[Record]:
    """Return the patterns that come with shflbench."""
    return [
        {
            "name": pattern.name,
            "dtypes": list(pattern.declaration.dtypes),
            "variants": len(pattern.declaration.variants),
            "summary": pattern.declaration.summary,
        }
        for pattern in _loaded()
    ]


def variants(_: Console) -> list[Record]:
    """Return every variant of every pattern."""
    return [
        {
            "pattern": pattern.name,
            "name": variant.name,
            "mechanism": variant.mechanism.value,
            "safe": variant.safe,
            "dtypes": list(variant.dtypes or pattern.declaration.dtypes),
            "needs": variant.needs,
            "summary": variant.summary,
        }
        for pattern in _loaded()
        for variant in pattern.declaration.variants
    ]


def devices(console: Console) -> list[Record]:
    """Return the GPUs of this machine; none, and a sentence on stderr, where there is no driver."""
    from shflbench.cli.gpus import find

    try:
        return [asdict(gpu) for gpu in find()]
    except DeviceError as error:
        console.say(f"devices: none, because {error.message}")
        return []


LISTINGS: Mapping[str, Callable[[Console], list[Record]]] = {
    "suites": suites,
    "patterns": patterns,
    "variants": variants,
    "devices": devices,
}


def _loaded() -> list[LoadedPattern]:
    from shflbench.patterns.discover import builtin, load

    return [load(folder) for folder in builtin().values()]


def _table(title: str, records: list[Record]) -> Table:
    body = tuple(Line(tuple(_cell(value) for value in record.values())) for record in records)
    return Table(title, tuple(name.replace("_", " ") for name in records[0]), body)


def _cell(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return " ".join(map(str, value)) if isinstance(value, list) else str(value)
