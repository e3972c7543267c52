"""Run `check` over a list of public kernels with clusters, bulk copies and dependent launches, and write the page.

    python -m benchmarks async_kernels --record FOLDER OUT.jsonl    check each kernel of sample.tsv, one after another;
                                                                    FOLDER has a checkout OWNER+NAME per repository
    python -m benchmarks async_kernels                              write benchmarks/async_kernels.md from first.jsonl,
                                                                    final.jsonl and notes.tsv

Needs no GPU, but nvcc. A run that was stopped goes on behind the last kernel of OUT.jsonl.
"""

from __future__ import annotations

from pathlib import Path

from benchmarks.async_kernels.page import page
from benchmarks.async_kernels.runs import run
from benchmarks.async_kernels.sample import PAGE, notes, results, sample
from benchmarks.common.pages import program


def main() -> None:
    """Run the list, or write the page."""
    parser = program(__doc__)
    parser.add_argument("--record", nargs=2, type=Path, metavar=("FOLDER", "OUT"))
    wanted = parser.parse_args()
    if wanted.record is None:
        text = page(sample(), results("first.jsonl"), results("final.jsonl"), notes())
        PAGE.write_text(text, encoding="utf-8")
        return
    run(sample(), *wanted.record)
