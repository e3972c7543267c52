"""Run `advise` over public files with shared memory, and write the page of what readers say of its suggestions.

    python -m benchmarks.file_advice --run FOLDER OUT.jsonl    advise on each file of sample.tsv, one after the other;
                                                               FOLDER has a checkout OWNER+NAME per repository
    python -m benchmarks.file_advice                           write benchmarks/file_advice.md from first.jsonl,
                                                               again.jsonl and readings.tsv

Needs no GPU. A run that was stopped goes on behind the last file of OUT.jsonl.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))  # so that it also runs as a folder

from benchmarks.file_advice.page import page
from benchmarks.file_advice.runs import run
from benchmarks.file_advice.sample import PAGE, readings, results, sample


def main() -> None:
    """Run the sample, or write the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--run", nargs=2, type=Path, metavar=("FOLDER", "OUT"))
    wanted = parser.parse_args()
    if wanted.run is None:
        PAGE.write_text(page(sample(), results("first.jsonl"), results("again.jsonl"), readings()), encoding="utf-8")
        return
    run(sample(), *wanted.run)


if __name__ == "__main__":
    main()
