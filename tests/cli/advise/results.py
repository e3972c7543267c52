"""Parts of committed runs, in folders of their own and without samples, so that tests are fast."""

import csv
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).parents[3] / "results"
Cells = dict[str, str]


def part_of(
    suite: str, folder: Path, keep: Callable[[Cells], bool], change: Callable[[Cells], None] | None = None
) -> Path:
    """Write the rows of a committed run that `keep` selects into a folder, each with its `change`."""
    source = RESULTS / suite / "nvidia-h200"
    folder.mkdir(parents=True)
    for name in ("run.json", "limits.csv"):
        shutil.copy(source / name, folder)
    with (source / "results.csv").open(newline="", encoding="utf-8") as file:
        reader = csv.DictReader(file)
        rows = [row for row in reader if keep(row)]
        columns = reader.fieldnames or []
    assert rows
    for row in rows if change else ():
        assert change
        change(row)
    with (folder / "results.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, columns, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    return folder


def reductions(folder: Path, *dtypes: str) -> Path:
    """Write the reductions of `gtc2013`, of some dtypes if any are given."""
    return part_of("gtc2013", folder, lambda row: row["pattern"] == "reduce" and (not dtypes or row["dtype"] in dtypes))


def set_in_record(folder: Path, change: Callable[[dict[str, Any]], None]) -> None:
    """Change what `run.json` says."""
    path = folder / "run.json"
    record = json.loads(path.read_text(encoding="utf-8"))
    change(record)
    path.write_text(json.dumps(record), encoding="utf-8")
