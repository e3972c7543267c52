"""Measure predictions by cases that are drawn over all shipped patterns at random.

    python -m benchmarks drawn SEED COUNT > suite.yaml     draw a suite
    python -m benchmarks drawn --score [--record]          compare the runs in drawn_cases with their predictions

Each pattern in turn gives one case: a variant, an element type, values of its options, a launch and a number of
iterations, each of equal probability among what the pattern supports. Draws that the suite reader refuses are drawn
again. Needs no GPU; `shflbench run` measures the cases, and `shflbench limits --requests --save` predicts them. The
model may be improved by seed 1; seed 2 is measured after it was.
"""

from __future__ import annotations

import random
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from itertools import cycle
from pathlib import Path
from statistics import median, quantiles

from benchmarks.common.pages import UNKNOWN, program, publish, table, written_by
from shflbench.core.grouping import group_by
from shflbench.core.model import Status
from shflbench.errors import SuiteError
from shflbench.patterns.discover import LoadedPattern, builtin, load
from shflbench.store import Row, find_runs, read_run
from shflbench.store.limits_file import CaseLimit, read_limits
from shflbench.suite import load as load_suite

PAGE_FILE = Path(__file__).with_suffix(".md")
CASES = Path(__file__).parent / "drawn_cases"
HEADINGS = ("pattern", "cases", "predicted", "median", "largest")
PAGE = """\
# Predictions of cases that were drawn at random

{written}

Cases over all shipped patterns, drawn by `python -m benchmarks drawn`, with the suites in `benchmarks/drawn_cases`.
Errors are the difference between predicted and measured time, divided by the measured time, of the cases that have a
prediction.

{sections}
"""
SECTION = """\
## {suite}, {device}

- {timed} of {all} cases are timed, {predicted:.0%} of these are predicted.
- Errors: median {middle:.1%}, 90% of the cases within {tenth:.1%}, largest {worst:.1%}.
{intervals}- {limited} have a limit; {beaten} take less time than it.

{patterns}"""
INTERVALS = """\
- Intervals: {inside:.0%} of the times lie in them; their median width is {width:.1%} of the predicted time.
"""
BLOCKS_PER_SM = (1, 2, 3, 4, 6, 8, 16, 40)
CLUSTERS = (1, 4, 16, 33)  # of 8 blocks, where blocks form clusters
ITERATIONS = (200, 500, 1000, 2000, 5000)
WARP_COUNTS = tuple(range(1, 33))
MOST_DRAWS = 50  # of a case that the reader refuses
HEAD = """\
# Drawn at random by `python -m benchmarks drawn {seed} {count}`; do not edit.
schema: 1
name: drawn-{seed}
title: Cases drawn at random over all patterns
measure: {{precision: 1%, min_seconds: 0.1, max_seconds: 0.3}}
experiments:
"""


def draw(pattern: LoadedPattern, dice: random.Random) -> str:
    """Return one experiment in YAML."""
    declared = pattern.declaration
    lines = [
        f"- pattern: {pattern.name}",
        f"variants: {dice.choice(declared.variants).name}",
        f"dtypes: {dice.choice(declared.dtypes)}",
        f"launch: {_grid(pattern, dice)} x {_block(pattern, dice)}",
        *(f"{name}: {dice.choice(values)!r}" for name, values in declared.options.items()),
    ]
    if not declared.one_pass:
        lines.append(f"iterations: {dice.choice(ITERATIONS)}")
    return "\n    ".join(lines)


def _grid(pattern: LoadedPattern, dice: random.Random) -> str:
    if any("cluster" in name for name in pattern.declaration.options):
        return str(8 * dice.choice(CLUSTERS))
    return f"{dice.choice(BLOCKS_PER_SM)}*sms"


def _block(pattern: LoadedPattern, dice: random.Random) -> str:
    sizes = pattern.declaration.blocks
    block = dice.choice(sizes) if sizes else 32 * dice.choice(WARP_COUNTS)
    return str(block) if isinstance(block, int) else "x".join(map(str, block))


def drawn(seed: int, count: int) -> str:
    """Return a suite of `count` cases; SuiteError where a pattern allows none of many draws."""
    dice = random.Random(seed)  # noqa: S311  (draws, not secrets)
    experiments: list[str] = []
    patterns = cycle(load(folder) for folder in builtin().values())
    while len(experiments) < count:
        experiments.append(_readable(next(patterns), dice, seed, count))
    return HEAD.format(seed=seed, count=count) + "".join(f"  {text}\n" for text in experiments)


def _readable(pattern: LoadedPattern, dice: random.Random, seed: int, count: int) -> str:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "drawn.yaml"
        for _ in range(MOST_DRAWS):
            text = draw(pattern, dice)
            file.write_text(f"{HEAD.format(seed=seed, count=count)}  {text}\n", encoding="utf-8")
            try:
                load_suite(file)
            except SuiteError:
                continue
            return text
    raise SuiteError(f"{pattern.name}: the suite reader refuses {MOST_DRAWS} draws")


def scores(folder: Path) -> str:
    """Return a section on one run: how many cases are predicted, and how far the predictions are off."""
    run = read_run(folder)
    timed = [row for row in run.rows if row.status is Status.TIMED]
    times = {row.case_id: row.time_us for row in timed if row.time_us}
    limits = {limit.case_id: limit for limit in read_limits(folder).values() if limit.case_id in times}
    errors = {name: abs(limit.model_us / times[name] - 1) for name, limit in limits.items() if limit.model_us}
    beaten = [name for name, limit in limits.items() if limit.limit_us and limit.limit_us > times[name]]
    return SECTION.format(
        suite=folder.parent.name,
        device=run.info.device.name if run.info.device else UNKNOWN,
        timed=len(times),
        all=len(run.rows),
        predicted=len(errors) / len(times),
        middle=median(errors.values()),
        tenth=quantiles(errors.values(), n=10)[-1],
        worst=max(errors.values()),
        intervals=_intervals(limits.values(), times),
        limited=sum(1 for limit in limits.values() if limit.limit_us),
        beaten=len(beaten),
        patterns=table(HEADINGS, _by_pattern(timed, errors)),
    )


def _intervals(limits: Iterable[CaseLimit], times: Mapping[str, float]) -> str:
    """Return a line on the intervals of predictions; empty where none has one."""
    known = [
        (limit.model_low_us, limit.model_high_us, limit.model_us, times[limit.case_id])
        for limit in limits
        if limit.model_us and limit.model_low_us and limit.model_high_us
    ]
    if not known:
        return ""
    inside = sum(low <= time_us <= high for low, high, _, time_us in known) / len(known)
    return INTERVALS.format(inside=inside, width=median((high - low) / us for low, high, us, _ in known))


def _by_pattern(timed: Iterable[Row], errors: Mapping[str, float]) -> Iterator[tuple[object, ...]]:
    for pattern, rows in group_by(timed, lambda row: row.pattern).items():
        known = [errors[row.case_id] for row in rows if row.case_id in errors]
        figures = (f"{median(known):.1%}", f"{max(known):.1%}") if known else (UNKNOWN, UNKNOWN)
        yield (pattern, len(rows), len(known), *figures)


def main() -> int:
    """Print a suite, or the page of scores."""
    parser = program(__doc__, PAGE_FILE)
    parser.add_argument("seed", type=int, nargs="?", metavar="SEED")
    parser.add_argument("count", type=int, nargs="?", metavar="COUNT")
    parser.add_argument("--score", action="store_true", help="compare the recorded runs with their predictions")
    arguments = parser.parse_args()
    if arguments.score:
        sections = "\n\n".join(map(scores, find_runs([CASES])))
        publish(PAGE.format(written=written_by("drawn --score --record"), sections=sections), arguments.record)
    elif arguments.count:
        print(drawn(arguments.seed, arguments.count), end="")
    else:
        parser.error("give SEED and COUNT, or --score")
    return 0
