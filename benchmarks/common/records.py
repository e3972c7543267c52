"""Records of programs, and how they are read: lines of JSON that a run adds one by one, JSON files, and tables."""

from __future__ import annotations

import csv
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path


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
