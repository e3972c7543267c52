"""Run `check` over a sample of public files, and write the page of what readers say of the verdicts.

    python -m benchmarks.whole_programs SAMPLE --run FOLDER OUT.jsonl
                       check each file of the sample (programs, extensions, unseen or further), one after the other;
                       FOLDER has a checkout OWNER+NAME per repository
    python -m benchmarks.whole_programs SAMPLE
                       write its page from results.jsonl and readings.tsv, which has what readers say

Needs no GPU. A run that was stopped goes on behind the last file of OUT.jsonl.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))  # so that it also runs as a folder

from benchmarks.whole_programs.page import page
from benchmarks.whole_programs.runs import run
from benchmarks.whole_programs.sample import SAMPLES


def main() -> None:
    """Run the sample, or write the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sample", choices=SAMPLES)
    parser.add_argument("--run", nargs=2, type=Path, metavar=("FOLDER", "OUT"))
    wanted = parser.parse_args()
    sample = SAMPLES[wanted.sample]
    if wanted.run is None:
        sample.page.write_text(page(sample), encoding="utf-8")
        return
    run(sample.files(), *wanted.run)


if __name__ == "__main__":
    main()
