"""Measure the false-alarm rate and the power of `compare` on recorded runs, and those of other rules.

    python -m benchmarks.compare_power                       use the recordings in tests/data/compare
    python -m benchmarks.compare_power A.npz B.npz           use these recordings
    python -m benchmarks.compare_power --record FILE         write the page to a file

Needs no GPU; takes one to three minutes. Exits with 1 if a requirement is missed, with 2 on an error.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

sys.path.insert(0, str(Path(__file__).parents[2]))  # so that it also runs as a file

from benchmarks.compare_power.batch import load
from benchmarks.compare_power.evidence import gather
from benchmarks.compare_power.page import page
from benchmarks.compare_power.requirements import requirements
from shflbench.errors import ResultsError, ShflbenchError

if TYPE_CHECKING:
    from collections.abc import Sequence

RECORDED = Path(__file__).parents[2] / "tests" / "data" / "compare"


def recordings() -> list[Path]:
    """Return the recordings of the repository; ResultsError if there are none."""
    paths = sorted(RECORDED.glob("*.npz"))
    if not paths:
        raise ResultsError(f"{RECORDED} has no recording", "make one: python -m benchmarks.compare_power.pack --help")
    return paths


def main(words: Sequence[str] | None = None) -> int:
    """Print the page and write it to a file if requested; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("batches", nargs="*", type=Path, metavar="BATCH.npz")
    parser.add_argument("--record", type=Path, metavar="FILE", help="also write the page to this Markdown file")
    parser.add_argument("--draws", type=float, default=1.0, metavar="FACTOR", help="multiply the number of draws")
    wanted = parser.parse_args(words)
    if wanted.draws <= 0:
        parser.error("--draws must be above 0")
    try:
        evidence = gather(load(wanted.batches or recordings()), wanted.draws)
        text = page(evidence)
        print(text)
        if wanted.record:
            wanted.record.write_text(text, encoding="utf-8")
    except (ShflbenchError, OSError) as error:
        print(error, file=sys.stderr)
        return 2
    return 0 if all(requirement.met for requirement in requirements(evidence)) else 1


if __name__ == "__main__":
    sys.exit(main())
