"""Time kernels of public repositories with their own programs and with `shflbench bench`, and compare the ratios.

    python -m benchmarks bench_pairs --sources DIR --programs DIR [--clean DIR] --record    measure; needs a GPU
    python -m benchmarks bench_pairs --page                                                write the page

DIR of --sources has the files of the list below the names that it gives, and DIR of --programs the compiled programs.
--clean has programs that empty the L2 cache without leaving dirty lines.
"""

from __future__ import annotations

import json
import tempfile
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.bench_pairs.page import text
from benchmarks.bench_pairs.pairs import Pair, pairs
from benchmarks.bench_pairs.runs import make_contents, run_bench, run_own
from benchmarks.common.pages import program
from benchmarks.common.records import read_json, write_json
from shflbench.store.surroundings import checkout, package_source
from shflbench.version import __version__

if TYPE_CHECKING:
    import argparse

HERE = Path(__file__).parent
RECORD = HERE / "record.json"
PAGE = HERE.with_name("bench_pairs.md")


def main() -> int:
    """Measure, or write the page; return the exit code."""
    parser = program(__doc__)
    parser.add_argument("--sources", type=Path)
    parser.add_argument("--programs", type=Path)
    parser.add_argument("--clean", type=Path)
    parser.add_argument("--only", default="", help="pairs by their ids, with commas")
    parser.add_argument("--limit", type=float, default=180, help="seconds per bench")
    parser.add_argument("--record", type=Path, nargs="?", const=RECORD)
    parser.add_argument("--page", action="store_true")
    wanted = parser.parse_args()
    if wanted.page:
        PAGE.write_text(text(read_json(RECORD)), encoding="utf-8")
        return 0
    if not wanted.sources or not wanted.programs:
        parser.error("give --sources and --programs, or --page")
    names = set(filter(None, wanted.only.split(",")))
    listed = [pair for pair in pairs() if not names or pair.id in names]
    record = _started(wanted.record)
    known = {item["id"] for item in record["pairs"]}
    with tempfile.TemporaryDirectory() as folder:
        contents = Path(folder)
        make_contents(contents)
        for pair in (pair for pair in listed if pair.id not in known):
            record["pairs"].append(measured := _measure(pair, wanted, contents))
            record["device"] = measured["bench"].get("device") or record["device"]
            print(json.dumps(measured), flush=True)
            if wanted.record:
                write_json(wanted.record, record)
    return 0


def _measure(pair: Pair, wanted: argparse.Namespace, contents: Path) -> dict[str, Any]:
    programs = {"own": wanted.programs, "clean": wanted.clean}
    own = {
        name: run_own(pair, folder.resolve())
        for name, folder in programs.items()
        if folder and (folder / pair.program).exists()
    }
    return {"id": pair.id, **own, "bench": run_bench(pair, wanted.sources.resolve(), contents, wanted.limit)}


def _started(file: Path | None) -> dict[str, Any]:
    """Return the record of a file that an earlier call wrote, whose pairs are not measured again, or an empty one."""
    if file and file.exists():
        record: dict[str, Any] = read_json(file)
        return record
    commit = checkout(HERE.parents[1])[0] or f"source {package_source()}"
    day = datetime.now(UTC).date().isoformat()
    return {"device": None, "version": __version__, "commit": commit, "day": day, "pairs": []}
