"""NVBench's scripts as rules for `python -m benchmarks compare_power --rule`.

    python -m benchmarks.compare_power.nvbench legacy BASE NEW
    python -m benchmarks.compare_power.nvbench robust BASE NEW

Reads two folders of plain CSV files, writes their samples as NVBench does, runs the installed script and prints
`case,verdict`. The scripts compare two files, so the samples of all processes of a side are in one file. The clock is
the same for all samples, because the robust script calls nothing slower without one.

`nvbench-compare-legacy` and `nvbench-compare-robust` must be on the PATH, or in the folder that NVBENCH_BIN names:
`pip install 'cuda-bench[compare]'`, which needs no GPU.
"""

from __future__ import annotations

import csv
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from benchmarks.common.pages import program
from benchmarks.compare_power.nvbench_files import NVBenchDevice, write_nvbench
from benchmarks.compare_power.plain import read_side
from shflbench.errors import ResultsError, ShflbenchError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from shflbench.analysis.compare.estimates import Floats

SCRIPTS = {kind: f"nvbench-compare-{kind}" for kind in ("legacy", "robust")}
H200 = NVBenchDevice("NVIDIA H200", 1_980_000_000)
# The status in the last column of the tables, which `--no-color` marks with an emoji.
VERDICTS = {"SLOW": "slower", "FAST": "faster", "SAME": "same", "AMBG": "ambiguous", "????": "unknown"}
_STATUS = re.compile(rf"({'|'.join(map(re.escape, VERDICTS))})\s*\|\s*$")


def script(kind: str) -> str:
    """Return the path of a script; ResultsError if it is not installed."""
    path = shutil.which(SCRIPTS[kind], path=os.environ.get("NVBENCH_BIN"))
    if path is None:
        message = f"{SCRIPTS[kind]} is not installed: pip install 'cuda-bench[compare]', and set NVBENCH_BIN"
        raise ResultsError(message, "NVBENCH_BIN names the folder of the scripts")
    return path


def version(kind: str) -> str:
    """Return the version of the installed cuda-bench, by the script's interpreter; ResultsError if it fails."""
    interpreter = Path(script(kind)).read_text(encoding="utf-8").partition("\n")[0].removeprefix("#!").strip()
    query = "from importlib.metadata import version; print(version('cuda-bench'))"
    done = subprocess.run([interpreter, "-c", query], capture_output=True, text=True, check=False)
    if done.returncode:
        raise ResultsError(f"{interpreter} has no cuda-bench: {done.stderr.strip()}", "set NVBENCH_BIN")
    return done.stdout.strip()


def verdicts(kind: str, base: Mapping[str, Floats], new: Mapping[str, Floats]) -> dict[str, str]:
    """Return the verdict of a script on each case of two sides, by their samples in µs; ResultsError if it fails."""
    with tempfile.TemporaryDirectory() as folder:
        first, second = Path(folder) / "base.json", Path(folder) / "new.json"
        for path, side in ((first, base), (second, new)):
            clocks = {case: np.full(len(times), float(H200.clock_hz)) for case, times in side.items()}
            write_nvbench(path, side, clocks, device=H200)
        return run_script(kind, first, second)


def run_script(kind: str, base: Path, new: Path, *options: str) -> dict[str, str]:
    """Return the verdict of a script on each benchmark of two JSON files; ResultsError if it prints none."""
    words = [script(kind), "--no-color", *options, str(base), str(new)]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    results = dict(_statuses(done.stdout))
    if not results:
        raise ResultsError(f"{SCRIPTS[kind]} prints no verdict: {(done.stderr or done.stdout)[-400:]}", "see above")
    return results


def _statuses(output: str) -> Iterator[tuple[str, str]]:
    """Yield each benchmark with its verdict: a heading with the name, then a table with a line per state."""
    name = ""
    for line in output.splitlines():
        if line.startswith("# "):
            name = line[2:]
        elif match := _STATUS.search(line):
            yield name, VERDICTS[match[1]]


def main(words: Sequence[str] | None = None) -> int:
    """Print the verdicts; return the exit code."""
    parser = program(__doc__)
    parser.add_argument("kind", choices=list(SCRIPTS))
    parser.add_argument("base", type=Path)
    parser.add_argument("new", type=Path)
    wanted = parser.parse_args(words)
    try:
        base, new = (
            {case: np.concatenate(processes) for case, processes in read_side(folder).items()}
            for folder in (wanted.base, wanted.new)
        )
        csv.writer(sys.stdout, lineterminator="\n").writerows(verdicts(wanted.kind, base, new).items())
    except (ShflbenchError, OSError, ValueError, KeyError) as error:
        print(error, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
