"""Run `check` over public sets of kernels with known truth, and count right and wrong verdicts.

    python -m benchmarks public_sets --fetch FOLDER           clone the sets (needs git and network), then check them
    python -m benchmarks public_sets --sets FOLDER            check the sets in this folder, one clone per set
    python -m benchmarks public_sets --sets FOLDER --set indigo --part tuning
    python -m benchmarks public_sets --sets FOLDER --compiler nvcc --compiler nvrtc --resume FILE --record
                                                              write benchmarks/public_sets.md and .json, and the table
                                                              in docs/explanation/how-often-check-is-right.md

Needs no GPU. A stopped run continues with `--resume FILE`, which keeps finished files; with `--no-run` the tables and
the record are those of the file, which another machine may have written. Exits with 1 if a sound file is called broken
or a bug is called clean, and with 2 on an error.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from shutil import which

from benchmarks.common.pages import program
from benchmarks.public_sets.job import JobResult
from benchmarks.public_sets.page import RECORDED, write_record, wrong
from benchmarks.public_sets.runs import finished, keep, run
from benchmarks.public_sets.selection import SetPlan, plan
from benchmarks.public_sets.sets import SETS, Part, fetch
from benchmarks.public_sets.tables import SetOutcomes, table
from benchmarks.public_sets.truth import Outcome, compare
from shflbench.errors import ResultsError

SECONDS = 120.0  # per file
PARTS = {Part.TUNING: {Part.TUNING}, Part.HELD_OUT: {Part.HELD_OUT, Part.SEEN}, "all": set(Part)}
COMPILERS = {"nvcc": "nvcc", "nvrtc": "NVRTC"}  # with their names in the tables


def main(words: Sequence[str] | None = None) -> int:
    """Check the files, print the table and the wrong verdicts; return the exit code."""
    wanted = _parser().parse_args(words)
    outcomes = _outcomes(wanted)
    print(table(outcomes), wrong(outcomes), sep="\n")
    if wanted.record:
        write_record(outcomes, wanted.record)
    faults = {Outcome.SOUND_BROKEN, Outcome.BUG_CLEAN}
    return int(any(outcome.outcome in faults for one in outcomes for outcome in one.outcomes))


def _parser() -> argparse.ArgumentParser:
    parser = program(__doc__, RECORDED)
    parser.add_argument("--sets", type=Path, metavar="FOLDER", help="the folder of the clones")
    parser.add_argument("--fetch", type=Path, metavar="FOLDER", help="clone the sets that this folder lacks")
    parser.add_argument("--set", action="append", choices=SETS, help="only this set (repeatable)")
    parser.add_argument("--part", choices=PARTS, default="all", help="only this part of each set")
    parser.add_argument("--jobs", type=int, default=2, metavar="N", help="files at a time (default: 2)")
    parser.add_argument("--seconds", type=float, default=SECONDS, metavar="S", help="time limit per file")
    compilers = "compile with it (repeatable: all files with each; default: nvcc where it is on the PATH)"
    parser.add_argument("--compiler", action="append", choices=COMPILERS, help=compilers)
    parser.add_argument("--resume", type=Path, metavar="FILE", help="keep finished files here; start with those in it")
    parser.add_argument("--no-run", action="store_true", help="check nothing; use the results in the file of --resume")
    return parser


def _outcomes(wanted: argparse.Namespace) -> list[SetOutcomes]:
    """Return the outcomes of the sets that are wanted, with each compiler."""
    folder = wanted.fetch or wanted.sets
    if folder is None:
        raise ResultsError("no folder with the sets", "give --sets FOLDER, or --fetch FOLDER to clone them")
    if wanted.no_run and not wanted.resume:
        raise ResultsError("--no-run has no results to use", "give --resume FILE")
    chosen = [SETS[name] for name in wanted.set or SETS]
    if wanted.fetch:
        fetch(chosen, folder)
    plans = [
        (compiler, plan(public, folder, parts=PARTS[wanted.part], nvcc=compiler == "nvcc"))
        for compiler in wanted.compiler or ["nvcc" if which("nvcc") else "nvrtc"]
        for public in chosen
    ]
    results = _results([one for _, one in plans], wanted)
    return [
        SetOutcomes(
            one.public,
            COMPILERS[compiler],
            [compare(path, one.truths[path], results[job.key()]) for path, job in one.jobs.items()],
            one.excluded,
        )
        for compiler, one in plans
        if one.jobs
    ]


def _results(plans: Sequence[SetPlan], wanted: argparse.Namespace) -> Mapping[str, JobResult]:
    """Return the result of each job by its key: what `--resume` kept, and what is checked now."""
    results = finished(wanted.resume, errors=wanted.no_run) if wanted.resume else {}
    truths = {job.key(): one.truths[path] for one in plans for path, job in one.jobs.items()}
    jobs = {job.key(): job for one in plans for job in one.jobs.values() if job.key() not in results}
    if wanted.no_run:
        return results | dict.fromkeys(jobs, JobResult(error="no result in the file of --resume"))
    done = run(list(jobs.values()), processes=wanted.jobs, seconds=wanted.seconds)
    for number, (job, result) in enumerate(done, start=1):
        if wanted.resume:
            keep(wanted.resume, job, result)
        results[job.key()] = result
        one = compare(job.path, truths[job.key()], result)
        text = f"{number}/{len(jobs)} {one.outcome}: {one.path} ({one.verdict}, {one.result.seconds:.1f} s)"
        print(text, file=sys.stderr, flush=True)
    return results
