"""Measure the false-alarm rate and the power of `compare` and of other rules on recorded runs.

    python -m benchmarks compare_power                       `compare`, on the recordings in tests/data/compare
    python -m benchmarks compare_power A.npz B.npz           `compare`, on these recordings
    python -m benchmarks compare_power --rule COMMAND        any program, called as COMMAND BASE NEW
    python -m benchmarks compare_power --rules               `compare`, NVBench's scripts and textbook rules
    … --record FILE                                          also write the page to a file

COMMAND gets two folders with a CSV file per process (columns `case`, `process`, `round`, `time_us`) and prints a line
`case,verdict` per case, or a JSON object with these keys. The verdicts `slower`, `faster` and `same` count as such, all
others as open. `--rules` needs NVBench's scripts on the PATH or in the folder NVBENCH_BIN: `pip install
'cuda-bench[compare]'`.

Needs no GPU. `compare` alone takes one to three minutes, all rules a quarter of an hour. Exits with 1 if a requirement
of `compare` is missed, with 2 on an error.
"""

from __future__ import annotations

import argparse
import platform
import shlex
import sys
from collections.abc import Sequence
from functools import partial
from itertools import chain
from pathlib import Path

import numpy as np

import shflbench
from benchmarks.common.pages import program, publish
from benchmarks.compare_power import nvbench
from benchmarks.compare_power.batch import Batch, load
from benchmarks.compare_power.judges import all_rules, by_program
from benchmarks.compare_power.page import page
from benchmarks.compare_power.scoring import RulesReport, ScoredRule, score
from benchmarks.compare_power.tally import gather, requirements
from shflbench.errors import ResultsError

PAGE = Path(__file__).parents[1] / "compare_power.md"
DATA = Path(__file__).parents[2] / "tests" / "data"
RECORDED = DATA / "compare"  # of processes with one CUDA context
WITH_CONTEXTS = DATA / "compare-contexts"  # with nine


def recordings(*folders: Path) -> list[Path]:
    """Return the recordings in these folders of the repository; ResultsError if one has none."""
    paths = [sorted(folder.glob("*.npz")) for folder in folders]
    for folder, found in zip(folders, paths, strict=True):
        if not found:
            raise ResultsError(f"{folder} has no recording", "make one: python -m benchmarks compare_power.pack --help")
    return list(chain.from_iterable(paths))


def arguments(words: Sequence[str] | None) -> argparse.Namespace:
    """Return the parsed arguments."""
    parser = program(__doc__, PAGE)
    parser.add_argument("batches", nargs="*", type=Path, metavar="BATCH.npz")
    parser.add_argument("--draws", type=float, default=1.0, metavar="FACTOR", help="multiply the number of draws")
    rule = parser.add_mutually_exclusive_group()
    rule.add_argument("--rule", metavar="COMMAND", help="score this program")
    rule.add_argument("--rules", action="store_true", help="score all rules that this benchmark knows")
    parser.add_argument("--processes", type=int, default=3, help="per side, for --rule (default: 3)")
    parser.add_argument(
        "--comparisons",
        type=int,
        default=40,
        help="of unchanged code per batch, and a fifth as many for each number of additional iterations, for --rule "
        "(default: 40)",
    )
    parser.add_argument("--unseen", default="", metavar="BATCH", help="name of the batch recorded after every change")
    wanted = parser.parse_args(words)
    if wanted.draws <= 0:
        parser.error("--draws must be above 0")
    if wanted.processes < 1 or wanted.comparisons < 1:
        parser.error("--processes and --comparisons must be 1 or more")
    if wanted.rule is not None and not shlex.split(wanted.rule):
        parser.error("--rule needs a command")
    return wanted


def compare_power(wanted: argparse.Namespace, batches: Sequence[Batch]) -> tuple[str, bool]:
    """Return the page on `compare`, and whether all requirements are met."""
    evidence = gather(batches, wanted.draws)
    return page(evidence), all(requirement.met for requirement in requirements(evidence))


def compare_rules(wanted: argparse.Namespace, batches: Sequence[Batch]) -> tuple[str, bool]:
    """Return the page on several rules or one, and whether all requirements of `compare` are met."""
    versions = {"shflbench": shflbench.__version__, "NumPy": np.__version__, "Python": platform.python_version()}
    if wanted.rule:
        judge = partial(by_program, shlex.split(wanted.rule))
        slowed = max(1, wanted.comparisons // 5)
        rules = [ScoredRule(f"`{wanted.rule}`", wanted.processes, judge, wanted.comparisons, slowed)]
    else:
        rules = [each.scaled(wanted.draws) for each in all_rules()]
        versions["cuda-bench"] = nvbench.version("robust")
    scores = {}
    for rule in rules:
        print(f"{rule.name}, {rule.processes} processes per side", file=sys.stderr, flush=True)
        scores[rule] = [score(rule, batch) for batch in batches]
    report = RulesReport(batches, scores, versions, wanted.unseen)
    return report.page(), all(requirement.met for requirement in report.requirements())


def main(words: Sequence[str] | None = None) -> int:
    """Print the page and write it to a file if requested; return the exit code."""
    wanted = arguments(words)
    several = bool(wanted.rule or wanted.rules)
    batches = load(wanted.batches or recordings(RECORDED, *([WITH_CONTEXTS] if several else [])))
    text, met = (compare_rules if several else compare_power)(wanted, batches)
    publish(text, wanted.record)
    return 0 if met else 1
