"""Run `advise` over public files and programs of strangers, and write the pages of what people say of its suggestions.

    python -m benchmarks.file_advice --run FOLDER OUT.jsonl    advise on each file of sample.tsv, one after the other;
                                                               FOLDER has a checkout OWNER+NAME per repository
    python -m benchmarks.file_advice --kernels OUT.jsonl       advise on each program in kernels/, likewise
    python -m benchmarks.file_advice                           write benchmarks/file_advice.md from first.jsonl,
                                                               again.jsonl and readings.tsv, and
                                                               benchmarks/advised_kernels.md likewise from kernels/ and
                                                               questions/

Needs no GPU. A run that was stopped goes on behind the last file of OUT.jsonl.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))  # so that it also runs as a folder

from benchmarks.file_advice.kernels import advise_kernels
from benchmarks.file_advice.kernels_page import PAGE as KERNELS_PAGE
from benchmarks.file_advice.kernels_page import kernels_page
from benchmarks.file_advice.page import page
from benchmarks.file_advice.runs import run
from benchmarks.file_advice.sample import PAGE, readings, results, sample


def main() -> None:
    """Run the sample, or write the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--run", nargs=2, type=Path, metavar=("FOLDER", "OUT"))
    parser.add_argument("--kernels", type=Path, metavar="OUT")
    wanted = parser.parse_args()
    if wanted.kernels is not None:
        advise_kernels(wanted.kernels)
    elif wanted.run is None:
        KERNELS_PAGE.write_text(kernels_page(), encoding="utf-8")
        PAGE.write_text(page(sample(), results("first.jsonl"), results("again.jsonl"), readings()), encoding="utf-8")
    else:
        run(sample(), *wanted.run)


if __name__ == "__main__":
    main()
