"""Try the rule of `compare` on recorded runs: what it says of unchanged code, what it finds, and what other rules do.

    python -m benchmarks.compare_power                       the recordings in tests/data/compare
    python -m benchmarks.compare_power A.npz B.npz           these
    python -m benchmarks.compare_power --record FILE         keep the page

Needs no GPU; takes one to three minutes. Exits with 1 where a requirement is missed, with 2 where something fails.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

sys.path.insert(0, str(Path(__file__).parents[2]))  # so that it also runs as a file

from benchmarks.compare_power.bars import bars
from benchmarks.compare_power.batch import load
from benchmarks.compare_power.evidence import gather
from benchmarks.compare_power.page import page
from shflbench.errors import ResultsError, ShflbenchError

if TYPE_CHECKING:
    from collections.abc import Sequence

RECORDED = Path(__file__).parents[2] / "tests" / "data" / "compare"


def recordings() -> list[Path]:
    """Return the recordings of the repository; ResultsError where there are none."""
    found = sorted(RECORDED.glob("*.npz"))
    if not found:
        raise ResultsError(f"{RECORDED} holds no recording", "make one: python -m benchmarks.compare_power.pack --help")
    return found


def main(words: Sequence[str] | None = None) -> int:
    """Draw, print and keep what was asked for; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("batches", nargs="*", type=Path, metavar="BATCH.npz")
    parser.add_argument("--record", type=Path, metavar="FILE", help="write the page to this Markdown file as well")
    parser.add_argument("--draws", type=float, default=1.0, metavar="TIMES", help="so many times the usual draws")
    wanted = parser.parse_args(words)
    if wanted.draws <= 0:
        parser.error("--draws is above 0")
    try:
        evidence = gather(load(wanted.batches or recordings()), wanted.draws)
        text = page(evidence)
        print(text)
        if wanted.record:
            wanted.record.write_text(text, encoding="utf-8")
    except (ShflbenchError, OSError) as error:
        print(error, file=sys.stderr)
        return 2
    return 0 if all(bar.reached for bar in bars(evidence)) else 1


if __name__ == "__main__":
    sys.exit(main())
