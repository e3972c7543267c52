"""Run `advise` over public files and programs of strangers, and write the pages of what people say of its suggestions.

    python -m benchmarks file_advice --run FOLDER OUT.jsonl    advise on each file of sample.tsv, one after the other;
                                                               FOLDER has a checkout OWNER+NAME per repository
    python -m benchmarks file_advice --kernels OUT.jsonl       advise on each program in kernels/, likewise
    python -m benchmarks file_advice                           write benchmarks/file_advice.md from first.jsonl,
                                                               again.jsonl and readings.tsv, and
                                                               benchmarks/advised_kernels.md likewise from kernels/ and
                                                               questions/

Needs no GPU. A run that was stopped goes on behind the last file of OUT.jsonl.
"""

from __future__ import annotations

from pathlib import Path

from benchmarks.common.pages import program
from benchmarks.common.records import JsonLines, add_run_option
from benchmarks.file_advice.kernels import PAGE as KERNELS_PAGE
from benchmarks.file_advice.kernels import advice_on, kernels_page, programs
from benchmarks.file_advice.page import page
from benchmarks.file_advice.runs import PAGE, advise, sample


def main() -> None:
    """Run the sample or the programs, or write the pages."""
    parser = program(__doc__)
    add_run_option(parser)
    parser.add_argument("--kernels", type=Path, metavar="OUT")
    wanted = parser.parse_args()
    if wanted.kernels:
        JsonLines(wanted.kernels).add_all(programs(), advice_on)
    elif wanted.run:
        checkouts, out = wanted.run
        JsonLines(out).add_all(sample(), lambda file: advise(file, checkouts))
    else:
        KERNELS_PAGE.write_text(kernels_page(), encoding="utf-8")
        PAGE.write_text(page(), encoding="utf-8")
