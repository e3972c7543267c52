"""Run `check` over public sets of kernels with known truth, and count right and wrong verdicts.

    python -m benchmarks public_sets --fetch FOLDER           clone the sets (needs git and network), then check them
    python -m benchmarks public_sets --sets FOLDER            check the sets in this folder, one clone per set
    python -m benchmarks public_sets --sets FOLDER --set indigo --part tuning --match '*_warp*'
    python -m benchmarks public_sets --sets FOLDER --compiler nvcc --compiler nvrtc --resume FILE --record
                                                              write benchmarks/public_sets.md and .json, and the table
                                                              in docs/explanation/how-often-check-is-right.md

Needs no GPU. A stopped run continues with `--resume FILE`, which keeps finished files; with `--no-run` the tables and
the record are those of the file, which another machine may have written. Exits with 1 if a sound file is called broken
or a bug is called clean, and with 2 on an error.
"""

from __future__ import annotations

import sys
from itertools import chain
from pathlib import Path
from shutil import which
from typing import TYPE_CHECKING

from benchmarks.common.pages import program
from benchmarks.public_sets.fetching import fetch
from benchmarks.public_sets.job import JobResult
from benchmarks.public_sets.listings import wrong
from benchmarks.public_sets.outcomes import Outcome, compare
from benchmarks.public_sets.plan import plan
from benchmarks.public_sets.recording import RECORDED, write_record
from benchmarks.public_sets.runs import Finished, run
from benchmarks.public_sets.sets import SETS, Part
from benchmarks.public_sets.tables import SetOutcomes, table
from shflbench.errors import ResultsError, ShflbenchError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping, Sequence

    from benchmarks.public_sets.outcomes import FileOutcome
    from benchmarks.public_sets.plan import SetPlan

SECONDS = 120.0  # per file
PARTS = {Part.TUNING: {Part.TUNING}, Part.HELD_OUT: {Part.HELD_OUT, Part.SEEN}, "all": set(Part)}
COMPILERS = {"nvcc": "nvcc", "nvrtc": "NVRTC"}  # with their names in the tables


def main(words: Sequence[str] | None = None) -> int:
    """Check the files, print the table and the wrong verdicts; return the exit code."""
    wanted = _parser().parse_args(words)
    try:
        folder = wanted.fetch or wanted.sets
        if folder is None:
            raise ResultsError("no folder with the sets", "give --sets FOLDER, or --fetch FOLDER to clone them")
        if wanted.no_run and not wanted.resume:
            raise ResultsError("--no-run has no results to use", "give --resume FILE")
        chosen = [SETS[name] for name in wanted.set or SETS]
        if wanted.fetch:
            fetch(chosen, folder)
        plans = [
            (compiler, plan(public, folder, parts=PARTS[wanted.part], match=wanted.match, nvcc=compiler == "nvcc"))
            for compiler in wanted.compiler or [_default_compiler()]
            for public in chosen
        ]
        if wanted.list:
            print(*dict.fromkeys(chain.from_iterable(one.lines() for _, one in plans)), sep="\n")
            return 0
        results = _results([one for _, one in plans], wanted)
        outcomes = [_outcomes(one, COMPILERS[compiler], results) for compiler, one in plans if one.jobs]
        print(table(outcomes))
        lines = list(wrong(outcomes))
        print(*lines[: wanted.wrong], sep="\n")
        if len(lines) > wanted.wrong > 0:
            print(f"… and {len(lines) - wanted.wrong} more; --wrong {len(lines)} shows all")
        if wanted.record:
            write_record(outcomes, wanted.record)
    except ShflbenchError as error:
        print(f"{error.message}; {error.advice}" if error.advice else error.message, file=sys.stderr)
        return 2
    faults = {Outcome.SOUND_BROKEN, Outcome.BUG_CLEAN}
    return int(any(outcome.outcome in faults for one in outcomes for outcome in one.outcomes))


def _parser() -> argparse.ArgumentParser:
    parser = program(__doc__, RECORDED)
    parser.add_argument("--sets", type=Path, metavar="FOLDER", help="the folder of the clones")
    parser.add_argument("--fetch", type=Path, metavar="FOLDER", help="clone the sets that this folder lacks")
    parser.add_argument("--set", action="append", choices=SETS, help="only this set (repeatable)")
    parser.add_argument("--part", choices=PARTS, default="all", help="only this part of each set")
    parser.add_argument("--match", metavar="PATTERN", default="*", help="only paths that match this shell pattern")
    parser.add_argument("--list", action="store_true", help="list the files, their truth and launches; check nothing")
    parser.add_argument("--jobs", type=int, default=2, metavar="N", help="files at a time (default: 2)")
    parser.add_argument("--seconds", type=float, default=SECONDS, metavar="S", help="time limit per file")
    parser.add_argument("--wrong", type=int, default=40, metavar="N", help="print at most this many wrong verdicts")
    parser.add_argument(
        "--compiler",
        action="append",
        choices=COMPILERS,
        help="compile with it (repeatable: all files with each; default: nvcc where it is on the PATH)",
    )
    parser.add_argument("--resume", type=Path, metavar="FILE", help="keep finished files here; start with those in it")
    parser.add_argument("--no-run", action="store_true", help="check nothing; use the results in the file of --resume")
    return parser


def _default_compiler() -> str:
    return "nvcc" if which("nvcc") else "nvrtc"


def _results(plans: Sequence[SetPlan], wanted: argparse.Namespace) -> dict[str, JobResult]:
    """Return the result of each job by its key: what `--resume` kept, and what is checked now."""
    finished = Finished(wanted.resume) if wanted.resume else None
    results = finished.read(errors=wanted.no_run) if finished else {}
    truths = {job.key(): one.truths[path] for one in plans for path, job in one.jobs.items()}
    jobs = {job.key(): job for one in plans for job in one.jobs.values() if job.key() not in results}
    if wanted.no_run:
        return results | dict.fromkeys(jobs, JobResult(error="no result in the file of --resume"))
    done = run(list(jobs.values()), processes=wanted.jobs, seconds=wanted.seconds)
    for number, (job, result) in enumerate(done, start=1):
        if finished:
            finished.add(job, result)
        results[job.key()] = result
        _show(number, len(jobs), compare(job.path, truths[job.key()], result))
    return results


def _outcomes(set_plan: SetPlan, compiler: str, results: Mapping[str, JobResult]) -> SetOutcomes:
    outcomes = [compare(path, set_plan.truths[path], results[job.key()]) for path, job in set_plan.jobs.items()]
    return SetOutcomes(set_plan.public, compiler, outcomes, set_plan.excluded)


def _show(number: int, total: int, one: FileOutcome) -> None:
    text = f"{number}/{total} {one.outcome}: {one.path} ({one.verdict}, {one.result.seconds:.1f} s)"
    print(text, file=sys.stderr, flush=True)
