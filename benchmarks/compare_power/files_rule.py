"""`shflbench compare` on files of other tools as a rule for `python -m benchmarks compare_power --rule`.

    python -m benchmarks.compare_power.files_rule BASE NEW

Compares two folders of plain CSV files and prints `case,verdict`. The files have no sentinels. The processes of the
batches are drawn at random, which serves the purpose of `--alternated` as well.
"""

from __future__ import annotations

import csv
import json
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.common.pages import program
from shflbench.errors import ResultsError, ShflbenchError

if TYPE_CHECKING:
    from collections.abc import Sequence

COMMAND = (sys.executable, "-m", "shflbench", "compare", "--format", "json", "--alternated")


def compared_files(base: Path, new: Path) -> list[tuple[str, str]]:
    """Return each case with its verdict; ResultsError if `compare` does not print a report."""
    done = subprocess.run([*COMMAND, str(base), str(new)], capture_output=True, text=True, check=False)
    try:
        return [(each["case_id"], each["outcome"]) for each in json.loads(done.stdout)["verdicts"]]
    except (ValueError, KeyError) as error:
        raise ResultsError(f"`shflbench compare` fails: {done.stderr.strip()[-400:]}", "see above") from error


def main(words: Sequence[str] | None = None) -> int:
    """Print the verdicts; return the exit code."""
    parser = program(__doc__)
    parser.add_argument("base", type=Path)
    parser.add_argument("new", type=Path)
    wanted = parser.parse_args(words)
    try:
        csv.writer(sys.stdout, lineterminator="\n").writerows(compared_files(wanted.base, wanted.new))
    except (ShflbenchError, OSError) as error:
        print(error, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
