"""Measure how long `shflbench report` takes for all runs under results/: `python benchmarks/report.py`.

The goals are below 10 s and below 3 MB.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path
from time import perf_counter

RESULTS = Path(__file__).parents[1] / "results"
TIMES = 3

if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.html"
        words = [sys.executable, "-m", "shflbench", "report", str(RESULTS), "--output", str(report)]
        for _ in range(TIMES):
            start = perf_counter()
            subprocess.run(words, check=True, stdout=subprocess.DEVNULL)
            print(f"{perf_counter() - start:.1f} s, {report.stat().st_size / 1e6:.2f} MB")
