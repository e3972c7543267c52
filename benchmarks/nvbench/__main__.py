"""Time the same kernels with NVBench and with shflbench on one GPU, and compare the results.

    python -m benchmarks nvbench                   print the page, with device, versions and date
    python -m benchmarks nvbench --record          write it to benchmarks/nvbench_agreement.md, too

Both load the same cubins at the same launch, iterations and inputs. They run in turn: a run of shflbench, a process of
NVBench, and so on. The exit code is 1 if a bar is missed, and 2 after an error. Needs the extra `nvbench`.
"""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from importlib import metadata, util
from pathlib import Path

from benchmarks.common.pages import met, program, publish, written_by
from benchmarks.nvbench.table import Report, measure, suite_text
from shflbench.errors import ResultsError
from shflbench.store import RunInfo, read_info

PAGE_FILE = Path(__file__).parents[1] / "nvbench_agreement.md"
PAGE = """\
# The same kernels under NVBench and under shflbench

{written}

- {device}, driver {versions.driver}, CUDA {versions.cuda}
- NVBench {nvbench} (`cuda-bench`), shflbench {versions.shflbench} at {commit}, cupy {versions.cupy}, \
NVRTC {versions.nvrtc}
- {day}

## How

- Both load the same cubins, which shflbench builds, at the same launch, iterations and inputs. They run in turn.
- NVBench, {processes} processes: default settings (at least 0.5 s of GPU time per kernel, noise of 0.5%, L2 cache
  written before each launch), cold measurement only. A time is the median of the medians of its processes.
- shflbench, {runs} runs, precision 0.5%, L2 cache cold. A time is the median of the times of its runs.
- A range is the difference of the largest and the smallest median, as a fraction of their median.
- Wall time without start-up: for NVBench, the time of its samples, as it reports it; for shflbench, from the end of its
  warm-up to its last line, which includes verification, sampling and storing.

## Results

{table}

{verdicts}
"""


def page(report: Report, info: RunInfo, nvbench: str) -> str:
    """Return the page; `info` is the record of a run of shflbench, and `nvbench` the version of cuda-bench."""
    versions = info.versions
    return PAGE.format(
        written=written_by("nvbench --record"),
        device=info.device.name if info.device else info.backend,
        versions=versions,
        nvbench=nvbench,
        commit=(versions.git_commit or "an unknown commit")[:12] + (", changed" if versions.git_dirty else ""),
        day=info.started[:10],
        processes=len(report.their_seconds),
        runs=len(report.our_seconds),
        table=report.table(),
        verdicts=met(report.bars()),
    )


def installed() -> bool:
    """Whether NVBench's Python package is installed; it is not imported, because that needs a driver."""
    return util.find_spec("cuda") is not None and util.find_spec("cuda.bench") is not None


def main(words: Sequence[str] | None = None) -> int:
    """Measure, print the page and return the exit code."""
    wanted = program(__doc__, PAGE_FILE).parse_args(words)
    if not installed():
        raise ResultsError("The package cuda-bench is not installed", "in a checkout: pip install '.[nvbench]'")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve()
        suite = folder / "suite.yaml"
        suite.write_text(suite_text(), encoding="utf-8")
        report = measure(suite)
        text = page(report, read_info(folder / "shflbench-1"), metadata.version("cuda-bench"))
    publish(text, wanted.record)
    return 0 if all(is_reached for _, is_reached in report.bars()) else 1
