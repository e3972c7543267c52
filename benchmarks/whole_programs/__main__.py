"""Run `check` over a sample of public files, and write the page of what readers say of the verdicts.

    python -m benchmarks whole_programs SAMPLE --run FOLDER OUT.jsonl
                       check each file of the sample (programs, extensions, unseen or further), one after the other;
                       FOLDER has a checkout OWNER+NAME per repository
    python -m benchmarks whole_programs SAMPLE
                       write its page from results.jsonl and readings.tsv, which has what readers say

Needs no GPU. A run that was stopped goes on behind the last file of OUT.jsonl.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from benchmarks.common.pages import program
from benchmarks.common.records import JsonLines, PublicFile, add_run_option
from benchmarks.common.runs import shflbench
from benchmarks.whole_programs.page import page
from benchmarks.whole_programs.sample import SAMPLES

LIMIT_S = 130  # after which there is no verdict
WORST_FIRST = ("broken", "doubtful", "not checked", "needs arguments", "schedule-dependent", "clean")


def verdict_on(file: Path) -> dict[str, Any]:
    """Return the verdicts on a file that is checked as its user would: in its folder, without options."""
    reply = shflbench("check", file.name, "--format", "json", folder=file.parent, seconds=LIMIT_S)
    files = reply.json().get("files", [])
    kernels = [(kernel["name"], kernel["verdict"]) for one in files for kernel in one["kernels"]]
    verdicts = {verdict for _, verdict in kernels}
    verdict = next((one for one in WORST_FIRST if one in verdicts), "not compiled" if reply.out else "no verdict")
    return {"verdict": verdict, "seconds": reply.seconds, "kernels": kernels}


def main() -> None:
    """Run the sample, or write the page."""
    parser = program(__doc__)
    parser.add_argument("sample", choices=SAMPLES)
    add_run_option(parser)
    wanted = parser.parse_args()
    sample = SAMPLES[wanted.sample]
    if wanted.run is None:
        sample.page.write_text(page(sample), encoding="utf-8")
    else:
        checkouts, out = wanted.run

        def work(file: PublicFile) -> dict[str, Any]:
            return verdict_on(file.below(checkouts))

        JsonLines(out).add_all(sample.files(), work)
