"""Write the corpus: recorded processes of unchanged and of truly slower kernels, as CSV files.

    python -m benchmarks compare_power.corpus FOLDER                  all recordings of the repository
    python -m benchmarks compare_power.corpus FOLDER A.npz B.npz      these recordings of shflbench

FOLDER must be new. docs/how-to/score-a-comparison-rule.md describes its files. Takes 15 s and 17 MB. The same
recordings give the same bytes. Exits with 2 on an error.
"""

from __future__ import annotations

import csv
import io
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.common.pages import program
from benchmarks.compare_power.__main__ import RECORDED, WITH_CONTEXTS, recordings
from benchmarks.compare_power.batch import load
from benchmarks.compare_power.draws import true_slowdowns
from benchmarks.compare_power.nvbench_corpus import NVBENCH_RECORDED, nvbench_batch
from benchmarks.compare_power.plain import COMPRESSED, cases, compressed, file_name, sentinels, text
from benchmarks.compare_power.suite import PERCENT_MORE, steady
from shflbench.errors import ShflbenchError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from benchmarks.compare_power.batch import Batch

    Files = Iterator[tuple[str, bytes]]
    Row = tuple[object, ...]

BATCHES, SLOWDOWNS = "batches.csv", "slowdowns.csv"
BATCH_COLUMNS = ("batch", "tool", "version", "gpu", "gpu_uuid", "driver", "nvrtc", "started", "contexts", "processes")
SLOWDOWN_COLUMNS = (
    *("batch", "case", "side", "percent_more_iterations", "time_us", "true_slowdown"),
    *("waits_for_memory", "launches_per_sample"),
)
UNCHANGED = "unchanged"
README = """\
# Corpus of GPU kernel timings, unchanged and truly slower

A folder per batch, a folder per side, a file per process. `batches.csv` describes the machines, `slowdowns.csv` the
cases and how much slower they truly are. All fields, and a program that scores a rule:
docs/how-to/score-a-comparison-rule.md of shflbench, which wrote these files.

To the extent possible under law, the authors of shflbench have waived all copyright and related or neighboring rights
to this corpus: CC0 1.0 Universal, https://creativecommons.org/publicdomain/zero/1.0/.
"""


def side_of(percent: int) -> str:
    """Return the folder of processes with so many percent more iterations."""
    return f"plus-{percent}" if percent else UNCHANGED


def files(batch: Batch) -> Files:
    """Yield the name and the content of each file of a batch: its processes, and apart from them the sentinels."""
    for percent in (0, *PERCENT_MORE):
        for process in batch.processes(percent):
            block = batch.block(process, percent)
            name = f"{side_of(percent)}/{file_name(process, COMPRESSED)}"
            yield f"{batch.name}/{name}", compressed(text(process, cases(block)))
            yield f"{batch.name}/sentinels/{name}", compressed(text(process, sentinels(block)))


def batch_row(batch: Batch) -> Row:
    """Return the line of a batch in `batches.csv`: the facts of its first run."""
    run = batch.recording.runs[0]
    device = run.device
    return (
        batch.name,
        "shflbench",
        run.versions.shflbench,
        device.name if device else "",
        device.uuid if device else "",
        run.versions.driver or "",
        run.versions.nvrtc or "",
        min(each.started for each in batch.recording.runs),
        batch.contexts,
        len(batch.processes(0)),
    )


def slowdown_rows(batch: Batch) -> Iterator[Row]:
    """Yield the lines of a batch in `slowdowns.csv`."""
    for percent in (0, *PERCENT_MORE):
        if not batch.processes(percent):
            continue
        truths = true_slowdowns(batch.pool(), batch.pool(percent))
        for case, truth in truths.items():
            facts = f"{batch.times_us[case]:.4f}", f"{truth:.6f}" if percent else "0"
            waits = int(not steady(case))
            yield batch.name, case, side_of(percent), percent, *facts, waits, batch.launches[case]


def csv_text(columns: Sequence[str], rows: Iterable[Row]) -> str:
    """Return a CSV file."""
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(rows)
    return file.getvalue()


def write_corpus(folder: Path, batches: Sequence[Batch], nvbench: Sequence[Path]) -> int:
    """Write all files into the new `folder`, and return their size in bytes; OSError if it exists."""
    folder.mkdir(parents=True)
    recorded = [nvbench_batch(path) for path in nvbench]
    tables = {
        BATCHES: csv_text(BATCH_COLUMNS, [*map(batch_row, batches), *(each.row for each in recorded)]),
        SLOWDOWNS: csv_text(
            SLOWDOWN_COLUMNS,
            [
                *(row for batch in batches for row in slowdown_rows(batch)),
                *(row for each in recorded for row in each.slowdowns),
            ],
        ),
        "README.md": README,
    }
    size = 0
    for name, content in _all_files(tables, batches, [each.files for each in recorded]):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        size += len(content)
    return size


def _all_files(tables: dict[str, str], batches: Sequence[Batch], others: Sequence[Files]) -> Files:
    for name, content in tables.items():
        yield name, content.encode()
    for batch in batches:
        yield from files(batch)
    for of_batch in others:
        yield from of_batch


def main(words: Sequence[str] | None = None) -> int:
    """Write the corpus; return the exit code."""
    parser = program(__doc__)
    parser.add_argument("folder", type=Path, metavar="FOLDER")
    parser.add_argument("batches", nargs="*", type=Path, metavar="BATCH.npz")
    wanted = parser.parse_args(words)
    try:
        nvbench = [] if wanted.batches else sorted(NVBENCH_RECORDED.glob("*.npz"))
        size = write_corpus(wanted.folder, load(wanted.batches or recordings(RECORDED, WITH_CONTEXTS)), nvbench)
    except (ShflbenchError, OSError) as error:
        print(error, file=sys.stderr)
        return 2
    print(f"{wanted.folder}: {size / 1e6:.1f} MB")
    return 0
