"""Measure `shflbench advise FILE` against `check FILE`: `python -m benchmarks.advise_speed [RESULTS]`.

For the kernels of the tests on exchanges, prints the seconds of a core that each command takes in this process, once
both have run, and the barriers that took a further check, because nothing is proved of them. Exits with 1 if the median
of what advise takes more exceeds its aim: 2 s, and a check for each such barrier. RESULTS are stored runs, for the
ratios of patterns.
"""

from __future__ import annotations

import io
import sys
from contextlib import redirect_stderr, redirect_stdout
from statistics import median
from time import process_time
from typing import TYPE_CHECKING

from shflbench.cli.main import main as shflbench
from tests.checker.exchanges.test_known_kernels import FILES, truth_of

if TYPE_CHECKING:
    from pathlib import Path

AIM_SECONDS = 2.0
CHECKED = ("open: ", "without it, a launch has a fault")


def measure(words: list[str]) -> tuple[float, str]:
    """Return the seconds of a core of a command, the second time that it runs, and what it prints."""
    for _ in range(2):
        output = io.StringIO()
        start = process_time()
        with redirect_stdout(output), redirect_stderr(io.StringIO()):
            shflbench(words)
        seconds = process_time() - start
    return seconds, output.getvalue()


def words_of(file: Path) -> list[str]:
    """Return the file with the options that its first line states."""
    truth = truth_of(file.read_text(encoding="utf-8"))
    arguments = [word for argument in truth.arguments for word in ("--arg", argument)]
    shared = ["--shared", str(truth.shared)] if truth.shared else []
    return [str(file), "--launch", truth.launch, *arguments, *shared]


def main() -> None:
    """Print a line per kernel, then the medians."""
    check_seconds, advice_seconds, shares = [], [], []
    for file in FILES:
        words = words_of(file)
        check, _ = measure(["check", *words])
        advice, text = measure(["advise", *words, *sys.argv[1:]])
        further = sum(text.count(phrase) for phrase in CHECKED)
        shares.append((advice - check) / (AIM_SECONDS + check * further))
        check_seconds.append(check)
        advice_seconds.append(advice)
        print(f"{file.stem:32} check {check:5.2f} s, advise {advice:5.2f} s, {further} checked again", flush=True)
    missed = sum(share > 1 for share in shares)
    print(f"median: check {median(check_seconds):.2f} s, advise {median(advice_seconds):.2f} s")
    print(f"{missed} of {len(FILES)} kernels above the aim")
    sys.exit(1 if median(shares) > 1 else 0)


if __name__ == "__main__":
    main()
