"""Time kernels of public repositories with their own programs and with `shflbench bench`, and compare the ratios.

    python -m benchmarks bench_pairs --run SOURCES PROGRAMS [--clean DIR]    measure, and keep the ratios in record.json
    python -m benchmarks bench_pairs                                         write benchmarks/bench_pairs.md of it

SOURCES has the files of the list below the names that it gives, and PROGRAMS the compiled programs. --clean has
programs that empty the L2 cache without leaving dirty lines. Measuring needs a GPU; what record.json has is not
measured again.
"""

from __future__ import annotations

import tempfile
from datetime import UTC, datetime
from pathlib import Path

from benchmarks.bench_pairs.page import text
from benchmarks.bench_pairs.pairs import make_contents, pairs, run_bench, run_own
from benchmarks.common.pages import program
from benchmarks.common.records import read_json, write_json
from shflbench.store.surroundings import checkout, package_source
from shflbench.version import __version__

HERE = Path(__file__).parent
RECORD = HERE / "record.json"
PAGE = HERE.with_name("bench_pairs.md")


def main() -> None:
    """Measure, or write the page."""
    parser = program(__doc__)
    parser.add_argument("--run", nargs=2, type=Path, metavar=("SOURCES", "PROGRAMS"))
    parser.add_argument("--clean", type=Path)
    wanted = parser.parse_args()
    if wanted.run:
        sources, programs = (folder.resolve() for folder in wanted.run)
        measure(sources, programs, wanted.clean and wanted.clean.resolve())
    else:
        PAGE.write_text(text(read_json(RECORD)), encoding="utf-8")


def measure(sources: Path, programs: Path, clean: Path | None) -> None:
    """Add the ratios of each pair that the record lacks."""
    commit = checkout(HERE.parents[1])[0] or f"source {package_source()}"
    about = {"device": None, "version": __version__, "commit": commit, "day": datetime.now(UTC).date().isoformat()}
    record = read_json(RECORD) if RECORD.exists() else {**about, "pairs": []}
    known = {item["id"] for item in record["pairs"]}
    with tempfile.TemporaryDirectory() as folder:
        make_contents(Path(folder))
        for pair in (pair for pair in pairs() if pair.id not in known):
            builds = {name: build for name, build in (("own", programs), ("clean", clean)) if build}
            own = {name: run_own(pair, build) for name, build in builds.items() if (build / pair.program).exists()}
            bench = run_bench(pair, sources, Path(folder))
            record["pairs"].append({"id": pair.id, **own, "bench": bench})
            record["device"] = bench.get("device") or record["device"]
            write_json(RECORD, record)
