"""Run `check` over a list of public kernels with clusters, bulk copies and dependent launches, and write the page.

    python -m benchmarks async_kernels --run FOLDER OUT.jsonl       check each kernel of sample.tsv, one after another;
                                                                    FOLDER has a checkout OWNER+NAME per repository
    python -m benchmarks async_kernels                              write benchmarks/async_kernels.md from first.jsonl,
                                                                    final.jsonl and notes.tsv

Needs no GPU, but nvcc. A run that was stopped goes on behind the last kernel of OUT.jsonl.
"""

from __future__ import annotations

from benchmarks.async_kernels.page import page
from benchmarks.async_kernels.runs import PAGE, check_kernel, notes, results, sample, write_bytecode
from benchmarks.common.pages import program
from benchmarks.common.records import JsonLines, add_run_option


def main() -> None:
    """Run the list, or write the page."""
    parser = program(__doc__)
    add_run_option(parser)
    wanted = parser.parse_args()
    if wanted.run is None:
        PAGE.write_text(page(sample(), results("first.jsonl"), results("final.jsonl"), notes()), encoding="utf-8")
    else:
        checkouts, out = wanted.run
        write_bytecode()
        JsonLines(out).add_all(sample(), lambda kernel: check_kernel(kernel, checkouts), "key")
