"""Time the same work by shflbench's kernels and by the libraries that programs would otherwise call, on one GPU.

    python -m benchmarks.peers                                     print the table
    python -m benchmarks.peers --rows FILE                         also add the samples to a file, as JSON
    python -m benchmarks.peers --rows FILE --record PAGE           also write the page of all samples of the file
    python -m benchmarks.peers --rows FILE --record PAGE --no-gpu  write the page again, without a GPU

Compares sums, RMSNorm, LayerNorm and softmax with torch, and sums with CUB's `DeviceReduce` as cupy and `cuda.compute`
(package cuda-cccl) call it; libraries that are not installed are left out, and the page says so. The exit code is 1 if
a subject gave a wrong result or failed, and 2 after an error.
"""

from __future__ import annotations

import argparse
import json
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

sys.path.insert(0, str(Path(__file__).parent.parent))  # so that it also runs as a file

from benchmarks.peers_libraries import Libraries
from benchmarks.peers_table import PeerRow, RowError, comparisons, page, read, table, verdict, write
from benchmarks.peers_timer import Session
from benchmarks.peers_works import BANDWIDTH, FUNCTIONS, PlanError, works
from shflbench.backends.cuda import open_backend
from shflbench.compile.build import Builder
from shflbench.compile.toolchain import find
from shflbench.environment import cache_folder
from shflbench.errors import ShflbenchError
from shflbench.patterns.discover import builtin, load
from shflbench.store.surroundings import versions

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

LENGTHS = (64, 256, 1024, 4096, 16384)
WARM_UP_MS = 500.0
FACTS = ".facts.json"  # the device and the versions, beside the rows


def arguments(words: Sequence[str] | None) -> argparse.Namespace:
    """Return the parsed arguments."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--functions", nargs="+", choices=FUNCTIONS, default=list(FUNCTIONS))
    parser.add_argument("--dtypes", nargs="+", choices=["f32", "bf16", "i32"], default=["f32", "bf16", "i32"])
    parser.add_argument("--lengths", nargs="+", type=int, default=list(LENGTHS), help="elements of a row")
    parser.add_argument("--mib", nargs="+", type=int, default=[512], help="sizes of the array, in MiB")
    parser.add_argument("--blocks", nargs="+", type=int, default=[256, 512], help="threads per block of our kernels")
    parser.add_argument("--rounds", type=int, default=31, help="samples per subject")
    parser.add_argument("--gpu", type=int, default=0, help="index of the GPU in CUDA")
    parser.add_argument("--rows", type=Path, metavar="FILE", help="add the samples to this file")
    parser.add_argument("--record", type=Path, metavar="PAGE", help="write a Markdown page of all rows of --rows")
    parser.add_argument("--no-gpu", action="store_true", help="measure nothing; use the rows of --rows")
    wanted = parser.parse_args(words)
    if (wanted.record or wanted.no_gpu) and not wanted.rows:
        parser.error("--record and --no-gpu need --rows")
    if wanted.rounds < 1:
        parser.error("--rounds must be 1 or more")
    return wanted


def measured(wanted: argparse.Namespace) -> Iterator[list[PeerRow]]:
    """Yield the rows of each work; write the device and the versions beside the rows before."""
    backend = open_backend(str(wanted.gpu))
    libraries = Libraries(backend.harness.cupy)
    device, of = backend.device, versions()
    facts = {
        "device": device.name,
        "driver": device.driver,
        "cuda": device.cuda,
        "shflbench": f"{of.shflbench} at {(of.git_commit or 'an unknown commit')[:12]}"
        + ", changed" * bool(of.git_dirty),
        "libraries": ", ".join(f"{name} {version}" for name, version in libraries.versions().items()),
        "day": datetime.now(UTC).date().isoformat(),
    }
    if wanted.rows:
        _facts_file(wanted.rows).write_text(json.dumps(facts), encoding="utf-8")
    patterns = {name: load(builtin()[name]) for name in {BANDWIDTH, *(of[0] for of in FUNCTIONS.values())}}
    session = Session(backend.harness, Builder(find(), device.arch, cache_folder()), libraries, patterns)
    rng = np.random.default_rng(0)
    backend.keep_busy(WARM_UP_MS)
    for work in works(wanted.functions, wanted.dtypes, wanted.lengths, wanted.mib):
        print(work.name, file=sys.stderr)
        yield [
            PeerRow(
                function=work.function,
                dtype=work.dtype,
                length=work.length,
                array_bytes=work.nbytes,
                name=timed.name,
                kind=timed.kind,
                nbytes=timed.nbytes,
                samples_us=timed.samples_us,
                problem=timed.problem,
            )
            for timed in session.measure(work, wanted.blocks, wanted.rounds, rng)
        ]
        session.release()


def _facts_file(rows: Path) -> Path:
    return rows.with_name(rows.name + FACTS)


def main(words: Sequence[str] | None = None) -> int:
    """Measure, print the results and return the exit code."""
    wanted = arguments(words)
    rows: list[PeerRow] = []
    try:
        if not wanted.no_gpu:
            for of_work in measured(wanted):
                rows += of_work
                if wanted.rows:
                    with wanted.rows.open("a", encoding="utf-8") as file:
                        file.write(write(of_work))
        if wanted.rows:
            rows = read(wanted.rows.read_text(encoding="utf-8"))
        compared = comparisons(rows)
        print(table(compared), verdict(compared), sep="\n\n")
        if wanted.record:
            facts = json.loads(_facts_file(wanted.rows).read_text(encoding="utf-8"))
            wanted.record.write_text(page(rows, facts), encoding="utf-8")
    except (PlanError, RowError, ShflbenchError, OSError) as error:
        print(error, file=sys.stderr)
        return 2
    return 1 if any(row.problem for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
