"""Time the same kernels with NVBench and with shflbench on one GPU, and compare the results.

    python -m benchmarks nvbench                   print the table
    python -m benchmarks nvbench --record          write it to a page, with device, versions and date

Both load the same cubins at the same launch, iterations and inputs. They run in turn: a run of shflbench, a process of
NVBench, and so on. The exit code is 1 if a bar is missed, and 2 after an error. Needs the extra `nvbench`.
"""

from __future__ import annotations

import tempfile
from contextlib import ExitStack
from importlib import metadata, util
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.common.pages import program, written_by
from benchmarks.nvbench.runs import CASES, measure, say, suite_text
from benchmarks.nvbench.table import ResultError
from shflbench.errors import ShflbenchError
from shflbench.store import read_info

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from benchmarks.nvbench.table import Report
    from shflbench.store import RunInfo

PAGE_FILE = Path(__file__).parents[1] / "nvbench_agreement.md"
FEWEST_PROCESSES = 5  # for the range of NVBench
FEWEST_RUNS = 3

PAGE = """\
# The same kernels under NVBench and under shflbench

{written}

- {device}, driver {driver}, CUDA {cuda}
- NVBench {nvbench} (`cuda-bench`), shflbench {shflbench} at {commit}, cupy {cupy}, NVRTC {nvrtc}
- {day}

## How

- Both load the same cubins, which shflbench builds, at the same launch, iterations and inputs. They run in turn.
- NVBench, {processes} processes: default settings (at least 0.5 s of GPU time per kernel, noise of 0.5%, L2 cache
  written before each launch), cold measurement only. A time is the median of the medians of its processes.
- shflbench, {runs} runs, precision 0.5%, L2 cache {l2}. A time is the median of the times of its runs.
- A range is the difference of the largest and the smallest median, as a fraction of their median.
- Wall time without start-up: for NVBench, the time of its samples, as it reports it; for shflbench, from the end of its
  warm-up to its last line, which includes verification, sampling and storing.

## Results

{table}

{verdicts}
"""


def page(report: Report, info: RunInfo, nvbench: str, l2: str) -> str:
    """Return the page.

    `info` is the record of a run of shflbench, `l2` its state of the cache, and `nvbench` the version of cuda-bench.
    """
    versions = info.versions
    return PAGE.format(
        written=written_by("nvbench --record"),
        device=info.device.name if info.device else info.backend,
        driver=versions.driver,
        cuda=versions.cuda,
        nvbench=nvbench,
        shflbench=versions.shflbench,
        commit=(versions.git_commit or "an unknown commit")[:12] + (", changed" if versions.git_dirty else ""),
        cupy=versions.cupy,
        nvrtc=versions.nvrtc,
        day=info.started[:10],
        processes=len(report.their_seconds),
        runs=len(report.our_seconds),
        l2=l2,
        table=report.table(),
        verdicts=report.verdicts(),
    )


def installed() -> bool:
    """Whether NVBench's Python package is installed; it is not imported, because that needs a driver."""
    return util.find_spec("cuda") is not None and util.find_spec("cuda.bench") is not None


def arguments(words: Sequence[str] | None) -> argparse.Namespace:
    """Return the parsed arguments; a record needs all cases and both tools."""
    parser = program(__doc__, PAGE_FILE)
    parser.add_argument("--folder", type=Path, help="keep results and logs of all processes in this new folder")
    parser.add_argument("--gpu", type=int, default=0, help="index of the GPU in CUDA")
    parser.add_argument("--cases", type=int, default=len(CASES), help="number of cases, from the first")
    parser.add_argument("--runs", type=int, default=FEWEST_RUNS, help="runs of shflbench")
    parser.add_argument("--processes", type=int, default=FEWEST_PROCESSES, help="processes of NVBench")
    parser.add_argument(
        "--l2", choices=["warm", "cold"], default="cold", help="state of the L2 cache for shflbench; cold for NVBench"
    )
    parser.add_argument("--only", choices=["nvbench", "shflbench"], help="run one of the two")
    wanted = parser.parse_args(words)
    if min(wanted.cases, wanted.runs, wanted.processes) < 1:
        parser.error("--cases, --runs and --processes must be 1 or more; use --only to run one of the two")
    whole = wanted.cases >= len(CASES) and wanted.runs >= FEWEST_RUNS and wanted.processes >= FEWEST_PROCESSES
    if wanted.record and (wanted.only or not whole):
        parser.error(f"--record needs all cases, {FEWEST_RUNS} runs or more, and {FEWEST_PROCESSES} processes or more")
    return wanted


def main(words: Sequence[str] | None = None) -> int:
    """Measure, print the results and return the exit code."""
    wanted = arguments(words)
    runs = 0 if wanted.only == "nvbench" else wanted.runs
    processes = 0 if wanted.only == "shflbench" else wanted.processes
    if processes and not installed():
        say("The package cuda-bench is not installed. In a checkout: pip install '.[nvbench]'.")
        return 2
    with ExitStack() as stack:
        folder = (wanted.folder or Path(stack.enter_context(tempfile.TemporaryDirectory()))).resolve()
        try:
            folder.mkdir(parents=True, exist_ok=not wanted.folder)
            suite = folder / "suite.yaml"
            suite.write_text(suite_text(wanted.cases, wanted.l2), encoding="utf-8")
            report = measure(suite, runs, processes, wanted.gpu)
            print(report.table(), report.verdicts(), sep="\n\n")
            if wanted.record:
                kept = page(report, read_info(folder / "shflbench-1"), metadata.version("cuda-bench"), wanted.l2)
                wanted.record.write_text(kept, encoding="utf-8")
        except (ResultError, ShflbenchError, OSError) as error:
            say(str(error))
            return 2
    return 0 if all(bar.reached for bar in report.bars()) else 1
