"""Write the corpus: recorded processes of unchanged and of truly slower kernels, as CSV files.

    python -m benchmarks compare_power.corpus FOLDER                  all recordings of the repository
    python -m benchmarks compare_power.corpus FOLDER A.npz B.npz      these recordings of shflbench

FOLDER must be new. docs/how-to/score-a-comparison-rule.md describes its files. Takes 15 s and 17 MB. The same
recordings give the same bytes. Exits with 2 on an error.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from benchmarks.common.pages import program
from benchmarks.compare_power.__main__ import DATA, RECORDED, WITH_CONTEXTS, recordings
from benchmarks.compare_power.batch import Batch, load
from benchmarks.compare_power.draws import true_slowdowns
from benchmarks.compare_power.plain import COMPRESSED, cases, csv_text, file_name, sentinels, text
from benchmarks.compare_power.suite import PERCENT_MORE, steady
from benchmarks.nvbench.recording import (
    SIDES,
    SLOWER,
    UNCHANGED,
    NVBenchProcess,
    NVBenchRecording,
    percent_of,
    slowdowns,
)
from shflbench.store.samples import pack

Row = tuple[object, ...]

NVBENCH_RECORDED = DATA / "nvbench"
BATCH_COLUMNS = ("batch", "tool", "version", "gpu", "gpu_uuid", "driver", "nvrtc", "started", "contexts", "processes")
SLOWDOWN_COLUMNS = (
    *("batch", "case", "side", "percent_more_iterations", "time_us", "true_slowdown"),
    *("waits_for_memory", "launches_per_sample"),
)
NVBENCH_COLUMNS = ("case", "process", "sm_clock_mhz", "time_us")
README = """\
# Corpus of GPU kernel timings, unchanged and truly slower

A folder per batch, a folder per side, a file per process. `batches.csv` describes the machines, `slowdowns.csv` the
cases and how much slower they truly are. All fields, and a program that scores a rule:
docs/how-to/score-a-comparison-rule.md of shflbench, which wrote these files.

To the extent possible under law, the authors of shflbench have waived all copyright and related or neighboring rights
to this corpus: CC0 1.0 Universal, https://creativecommons.org/publicdomain/zero/1.0/.
"""


class CorpusPart(NamedTuple):
    """What the corpus has of a batch: its line in `batches.csv`, its lines in `slowdowns.csv`, and its files."""

    row: Row
    slowdowns: Iterable[Row]
    files: Iterable[tuple[str, bytes]]


def part_of(batch: Batch) -> CorpusPart:
    """Return what the corpus has of a batch, with the facts of its first run."""
    run = batch.recording.runs[0]
    device = run.device
    row = (
        *(batch.name, "shflbench", run.versions.shflbench, *((device.name, device.uuid) if device else ("", ""))),
        *(run.versions.driver or "", run.versions.nvrtc or "", min(each.started for each in batch.recording.runs)),
        *(batch.contexts, len(batch.processes(0))),
    )
    return CorpusPart(row, slowdown_rows(batch), _files(batch))


def _side(percent: int) -> str:
    """Return the folder of processes with so many percent more iterations."""
    return f"plus-{percent}" if percent else UNCHANGED


def _files(batch: Batch) -> Iterator[tuple[str, bytes]]:
    """Yield the name and the content of each file: the processes, and apart from them the sentinels."""
    for percent in (0, *PERCENT_MORE):
        for process in batch.processes(percent):
            block = batch.block(process, percent)
            name = f"{_side(percent)}/{file_name(process, COMPRESSED)}"
            yield f"{batch.name}/{name}", pack(text(process, cases(block)))
            yield f"{batch.name}/sentinels/{name}", pack(text(process, sentinels(block)))


def slowdown_rows(batch: Batch) -> Iterator[Row]:
    """Yield the lines of a batch in `slowdowns.csv`."""
    for percent in (percent for percent in (0, *PERCENT_MORE) if batch.processes(percent)):
        for case, truth in true_slowdowns(batch.pool(), batch.pool(percent)).items():
            facts = f"{batch.times_us[case]:.4f}", f"{truth:.6f}" if percent else "0", int(not steady(case))
            yield batch.name, case, _side(percent), percent, *facts, batch.launches[case]


def nvbench_part(path: Path) -> CorpusPart:
    """Return what the corpus has of a recording of NVBench itself; ResultsError if it cannot be read."""
    recording = NVBenchRecording.load(path)
    name, facts = f"nvbench-{path.stem}", recording.facts
    versions = facts["versions"]
    row = (
        *(name, "NVBench", facts["cuda_bench"], facts["gpu"], facts["uuid"]),
        *(versions["driver"] or "", versions["nvrtc"] or "", facts["started"], 1, len(recording.side(UNCHANGED))),
    )
    rows: list[Row] = []
    for side in SIDES:
        for each in slowdowns(recording):
            percent, truth = (percent_of(each.case_id), each.slowdown) if side == SLOWER else (0, 0.0)
            facts_of_case = f"{each.time_us:.4f}", f"{truth:.6f}", int(each.waits_for_memory)
            rows.append((name, each.case_id, side, percent, *facts_of_case, 1))
    labels = [(Path(process.name).stem, process) for process in recording.processes]
    files = (
        (f"{name}/{process.side}/{label}{COMPRESSED}", pack(csv_text(NVBENCH_COLUMNS, _samples(label, process))))
        for label, process in labels
    )
    return CorpusPart(row, rows, files)


def _samples(label: str, process: NVBenchProcess) -> Iterator[Row]:
    """Yield the lines of a file, in the order of the measurement; a clock is empty if NVBench wrote none."""
    clocks = process.clocks_mhz()
    for case, times in process.times_us().items():
        shown = [f"{clock:g}" for clock in clocks.get(case, ())] or [""] * len(times)
        yield from ((case, label, clock, f"{time:.6g}") for clock, time in zip(shown, times, strict=True))


def write_corpus(folder: Path, batches: Sequence[Batch], nvbench: Sequence[Path]) -> int:
    """Write all files into the new `folder`, and return their size in bytes; OSError if it exists."""
    folder.mkdir(parents=True)
    parts = [*map(part_of, batches), *map(nvbench_part, nvbench)]
    tables = {
        "batches.csv": csv_text(BATCH_COLUMNS, (part.row for part in parts)),
        "slowdowns.csv": csv_text(SLOWDOWN_COLUMNS, (row for part in parts for row in part.slowdowns)),
        "README.md": README,
    }
    size = 0
    for files in (((name, content.encode()) for name, content in tables.items()), *(part.files for part in parts)):
        for name, content in files:
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            size += path.write_bytes(content)
    return size


def main(words: Sequence[str] | None = None) -> None:
    """Write the corpus."""
    parser = program(__doc__)
    parser.add_argument("folder", type=Path, metavar="FOLDER")
    parser.add_argument("batches", nargs="*", type=Path, metavar="BATCH.npz")
    wanted = parser.parse_args(words)
    nvbench = [] if wanted.batches else sorted(NVBENCH_RECORDED.glob("*.npz"))
    size = write_corpus(wanted.folder, load(wanted.batches or recordings(RECORDED, WITH_CONTEXTS)), nvbench)
    print(f"{wanted.folder}: {size / 1e6:.1f} MB")
