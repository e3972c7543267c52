"""Records of programs, as lines of JSON, JSON files and tables, and the files of public repositories that they name."""

from __future__ import annotations

import csv
import json
from argparse import ArgumentParser
from collections.abc import Callable, Iterable
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Protocol, TypeVar

import msgspec


class Keyed(Protocol):
    """An item of a list, with a name that no other one has."""

    @property
    def key(self) -> str:
        """The name."""


Row = TypeVar("Row")
Item = TypeVar("Item", bound=Keyed)


@dataclass(frozen=True, slots=True)
class JsonLines:
    """Records of a run, a line of JSON each, so that a stopped run can be resumed."""

    path: Path

    def read(self) -> list[dict[str, Any]]:
        """Return the records; none if there is no such file. The half line of a stopped run is left out."""
        if not self.path.exists():
            return []
        return [json.loads(line) for line in self.path.read_text(encoding="utf-8").split("\n")[:-1]]

    def add(self, record: dict[str, Any]) -> None:
        """Add a record."""
        with self.path.open("a", encoding="utf-8") as lines:
            lines.write(json.dumps(record, ensure_ascii=False) + "\n")

    def add_all(self, items: Iterable[Item], work: Callable[[Item], dict[str, Any]], name: str = "file") -> None:
        """Add what `work` says of each item that has no record yet; `name` is the field of the item's key."""
        known = {record[name] for record in self.read()}
        for item in items:
            if item.key not in known:
                self.add({name: item.key, **work(item)})


def read_json(path: Path) -> Any:  # noqa: ANN401  (what a file has)
    """Return the content of a JSON file."""
    return json.loads(path.read_text(encoding="utf-8"))


def write_json(path: Path, record: object) -> None:
    """Write a JSON file that people can read."""
    path.write_text(json.dumps(record, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def read_table(path: Path) -> list[dict[str, str]]:
    """Return the rows of a file with tabs between its columns, whose first line names them."""
    with path.open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE))


def read_rows(path: Path, kind: type[Row]) -> list[Row]:
    """Return the rows of such a file as a dataclass, whose fields are the columns in their order."""
    names = [field.name for field in fields(kind)]  # type: ignore[arg-type]  # a dataclass
    rows = (dict(zip(names, row.values(), strict=True)) for row in read_table(path))
    return [msgspec.convert(row, kind, strict=False) for row in rows]


@dataclass(frozen=True, slots=True)
class PublicFile:
    """One file of a sample."""

    repository: str  # owner/name
    commit: str
    path: str

    @property
    def key(self) -> str:
        """The name of the file in all tables."""
        return f"{self.repository}/{self.path}"

    def checkout(self, checkouts: Path) -> Path:
        """Return the checkout of its repository."""
        return checkouts / self.repository.replace("/", "+")

    def below(self, checkouts: Path) -> Path:
        """Return the path of the file in that checkout."""
        return self.checkout(checkouts) / self.path


def add_run_option(parser: ArgumentParser) -> None:
    """Add `--run`, which goes on behind the last file of a stopped run."""
    parser.add_argument(
        "--run", nargs=2, type=Path, metavar=("FOLDER", "OUT"), help="run on the files of the checkouts in FOLDER"
    )
