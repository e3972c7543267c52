"""Draw cases over all shipped patterns at random, as a suite to measure predictions by.

    python -m benchmarks drawn SEED COUNT > suite.yaml

Each pattern in turn gives one case: a variant, an element type, values of its options, a launch and a number of
iterations, each of equal probability among what the pattern supports. Draws that the suite reader refuses are drawn
again. Needs no GPU; `shflbench run suite.yaml` measures the cases.
"""

from __future__ import annotations

import random
import tempfile
from argparse import ArgumentParser, RawDescriptionHelpFormatter
from itertools import cycle
from pathlib import Path

from shflbench.errors import SuiteError
from shflbench.patterns.discover import LoadedPattern, builtin, load
from shflbench.suite import load as load_suite

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


def main() -> int:
    """Print a suite."""
    parser = ArgumentParser(description=__doc__, formatter_class=RawDescriptionHelpFormatter)
    parser.add_argument("seed", type=int, metavar="SEED")
    parser.add_argument("count", type=int, metavar="COUNT")
    arguments = parser.parse_args()
    print(drawn(arguments.seed, arguments.count), end="")
    return 0
