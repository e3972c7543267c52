"""Time the same kernels with NVBench and with shflbench on one GPU, and hold the results against each other.

    python -m benchmarks.nvbench_agreement                   print the table
    python -m benchmarks.nvbench_agreement --record FILE     keep it, with device, versions and date

Both load the same cubins at the same launch, iterations and inputs. They take turns: a run of shflbench, a process of
NVBench, and so on. Exits with 1 where a bar is missed, with 2 where something fails. Needs the extra `nvbench`.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from contextlib import ExitStack
from importlib import metadata, util
from pathlib import Path
from typing import TYPE_CHECKING

sys.path.insert(0, str(Path(__file__).parent.parent))  # so that it also runs as a file

from benchmarks.nvbench_agreement_runs import CASES, measure, say, suite_text
from benchmarks.nvbench_agreement_table import ResultError
from shflbench.errors import ShflbenchError
from shflbench.store import read_info

if TYPE_CHECKING:
    from collections.abc import Sequence

    from benchmarks.nvbench_agreement_table import Report
    from shflbench.store import RunInfo

FEWEST_PROCESSES = 5  # from which NVBench's own range is taken
FEWEST_RUNS = 3

PAGE = """\
# The same kernels under NVBench and under shflbench

Written by `python -m benchmarks.nvbench_agreement --record`; do not edit.

- {device}, driver {driver}, CUDA {cuda}
- NVBench {nvbench} (`cuda-bench`), shflbench {shflbench} at {commit}, cupy {cupy}, NVRTC {nvrtc}
- {day}

## How

- Both load the same cubins, which shflbench builds, at the same launch, iterations and inputs. They take turns.
- NVBench, {processes} processes: its default settings (at least 0.5 s of GPU time a kernel, noise of 0.5%, L2 cache
  flushed before each launch), its cold measurement only. A time is the median of their medians.
- shflbench, {runs} runs, precision 0.5%, L2 cache {l2}. A time is the median of theirs.
- Ranges go from the smallest to the largest, as a fraction of the median. The difference is that of the two medians.
- Wall time without start-up: NVBench's is what its samples took, by its own account. shflbench's goes from the end of
  its warm-up to its last line, verification, sampling and storing included.

## What came out

{table}

{verdicts}
"""


def page(report: Report, info: RunInfo, nvbench: str, l2: str) -> str:
    """Return the page to keep.

    `info` is the record of a run of shflbench, `l2` the state of the cache in it, `nvbench` the version of cuda-bench.
    """
    versions = info.versions
    return PAGE.format(
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
    """Whether NVBench's Python package is there; it is not imported, because that needs a driver."""
    return util.find_spec("cuda") is not None and util.find_spec("cuda.bench") is not None


def arguments(words: Sequence[str] | None) -> argparse.Namespace:
    """Return what is asked for; a record is only taken of everything."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--record", type=Path, metavar="FILE", help="write the table to this Markdown file as well")
    parser.add_argument("--folder", type=Path, help="keep results and logs of every process in this new folder")
    parser.add_argument("--gpu", type=int, default=0, help="which GPU, as CUDA counts them")
    parser.add_argument("--cases", type=int, default=len(CASES), help="take the first so many cases only")
    parser.add_argument("--runs", type=int, default=FEWEST_RUNS, help="runs of shflbench")
    parser.add_argument("--processes", type=int, default=FEWEST_PROCESSES, help="processes of NVBench")
    parser.add_argument(
        "--l2", choices=["warm", "cold"], default="cold", help="what launches of shflbench find; NVBench's find it cold"
    )
    parser.add_argument("--only", choices=["nvbench", "shflbench"], help="leave the other one out")
    wanted = parser.parse_args(words)
    if min(wanted.cases, wanted.runs, wanted.processes) < 1:
        parser.error("--cases, --runs and --processes are 1 at least; --only leaves one side out")
    whole = wanted.cases >= len(CASES) and wanted.runs >= FEWEST_RUNS and wanted.processes >= FEWEST_PROCESSES
    if wanted.record and (wanted.only or not whole):
        parser.error(f"--record takes all cases, and {FEWEST_RUNS} runs and {FEWEST_PROCESSES} processes at least")
    return wanted


def main(words: Sequence[str] | None = None) -> int:
    """Measure, print and keep what was asked for; return the exit code."""
    wanted = arguments(words)
    runs = 0 if wanted.only == "nvbench" else wanted.runs
    processes = 0 if wanted.only == "shflbench" else wanted.processes
    if processes and not installed():
        say("The package cuda-bench is not installed: pip install 'shflbench[nvbench]', in a checkout '.[nvbench]'.")
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


if __name__ == "__main__":
    sys.exit(main())
