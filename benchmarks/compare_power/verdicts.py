"""Rules that are programs: `COMMAND BASE NEW` reads two folders and prints a verdict per case.

Each line on stdout is a verdict, as CSV (`case,verdict`) or as a JSON object with these two keys. `slower`, `faster`
and `same` are verdicts; every other word, and a case without a line, is counted as open. Other lines are an error, but
a CSV header is not. The exit code has no meaning.
"""

from __future__ import annotations

import csv
import json
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.compare_power.plain import write_side
from shflbench.analysis.compare.comparison import Outcome
from shflbench.errors import ResultsError

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from benchmarks.compare_power.batch import Batch
    from shflbench.analysis.compare.estimates import Process

OUTCOMES = {"slower": Outcome.SLOWER, "faster": Outcome.FASTER, "same": Outcome.SAME}
HEADER = ["case", "verdict"]
SECONDS = 300  # that a comparison may take
QUOTED = 400  # characters of its errors that are shown


@dataclass(frozen=True, slots=True)
class Program:
    """A program that judges two sides; `clock_mhz` is as of `plain.write_side`."""

    command: tuple[str, ...]
    clock_mhz: float | None = None

    def judge(
        self, batch: Batch, percent: int, base: Sequence[Process], new: Sequence[Process]
    ) -> Mapping[str, Outcome]:
        """Return the outcome of each case that both sides have.

        ResultsError if the program prints no verdict or another text.
        """
        known, wanted = batch.pool().cases, batch.pool(percent).cases
        with tempfile.TemporaryDirectory() as folder:
            before = write_side(Path(folder) / "base", batch, base, 0, self.clock_mhz)
            after = write_side(Path(folder) / "new", batch, new, percent, self.clock_mhz)
            outcomes = parse(run(self.command, before, after), known)
        return {case: outcomes.get(case, Outcome.INCONCLUSIVE) for case in wanted}


def run(command: Sequence[str], base: Path, new: Path) -> str:
    """Return what the program prints; ResultsError if it cannot be started, takes too long, or prints nothing."""
    shown = " ".join(command)
    try:
        done = subprocess.run(
            [*command, str(base), str(new)], capture_output=True, text=True, check=False, timeout=SECONDS
        )
    except (OSError, subprocess.TimeoutExpired, UnicodeDecodeError) as error:
        raise ResultsError(f"`{shown}` cannot be run: {error}", "give a program that takes two folders") from error
    if not done.stdout.strip():
        message = done.stderr.strip()[-QUOTED:] or "nothing on stderr either"
        raise ResultsError(f"`{shown}` prints no verdict: {message}", "print a line `case,verdict` per case")
    return done.stdout


def parse(output: str, known: Collection[str]) -> dict[str, Outcome]:
    """Return the outcome of each case with a line; ResultsError if a line is not a verdict on a known case."""
    outcomes: dict[str, Outcome] = {}
    for line in filter(str.strip, output.splitlines()):
        case, verdict = _fields(line)
        if [case, verdict] == HEADER:
            continue
        if case not in known:
            raise ResultsError(f"`{case[:80]}` is not a case", "print only lines `case,verdict`")
        outcomes[case] = OUTCOMES.get(verdict.strip().lower(), Outcome.INCONCLUSIVE)
    return outcomes


def _fields(line: str) -> tuple[str, str]:
    """Return the case and the verdict of a line; ResultsError if it does not have both."""
    try:
        if line.lstrip().startswith("{"):
            record = json.loads(line)
            return str(record["case"]), str(record["verdict"])
        case, verdict = next(csv.reader([line]))
    except (ValueError, KeyError, StopIteration) as error:
        raise ResultsError(f"`{line[:80]}` is not a verdict", "print a line `case,verdict` per case") from error
    return case, verdict
