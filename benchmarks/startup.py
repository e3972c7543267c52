"""Measure how long `shflbench --help` takes: `python benchmarks/startup.py`. The goal is below 0.25 s."""

from __future__ import annotations

import subprocess
import sys
from statistics import median
from time import perf_counter

TIMES = 20


def seconds(*words: str) -> float:
    """Return the wall time of one fresh Python with these arguments."""
    start = perf_counter()
    subprocess.run([sys.executable, *words], check=True, stdout=subprocess.DEVNULL)
    return perf_counter() - start


if __name__ == "__main__":
    for label, words in {"python alone": ("-c", ""), "shflbench --help": ("-m", "shflbench", "--help")}.items():
        times = [seconds(*words) for _ in range(TIMES)]
        print(f"{label}: {median(times) * 1000:.0f} ms (median of {TIMES}, fastest {min(times) * 1000:.0f} ms)")
