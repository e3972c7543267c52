"""Shared parts of the tests of claims: committed runs, and claims from a few words."""

import shutil
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from shflbench.analysis.claims.claim_verdicts import ClaimRun, read_claim_run
from shflbench.analysis.claims.code import RunCode
from shflbench.analysis.claims.resolve import Subject
from shflbench.analysis.claims.times import RunTimes
from shflbench.core.claims.claim import Claim, Quantifier
from shflbench.core.claims.parse import parse_expression

RESULTS = Path(__file__).parents[3] / "results"


@cache
def recorded(suite: str) -> ClaimRun:
    """Return a committed run of an H200."""
    return read_claim_run(RESULTS / suite / "nvidia-h200")


@cache
def subject(suite: str) -> Subject:
    """Return the same with its times, so that its samples are read once."""
    source = recorded(suite)
    return Subject(source, RunTimes(source.run), RunCode(source.run))


def claim(text: str, *, measure: str = "", quantifier: Quantifier = Quantifier.ALL, **where: str) -> Claim:
    """Return a claim; values of `where` are joined by `|`."""
    return Claim(
        id="T01",
        says=text,
        holds=parse_expression(text),
        text=text,
        measure=parse_expression(measure) if measure else None,
        quantifier=quantifier,
        where={key: tuple(values.split("|")) for key, values in where.items()},
    )


@pytest.fixture
def quick(tmp_path: Path) -> Path:
    """Copy the committed run of the suite `quick`, which a test may change."""
    return shutil.copytree(RESULTS / "quick" / "nvidia-h200", tmp_path / "run")


Change = Callable[[str], str]


def edit_rows(folder: Path, change: Change) -> Path:
    """Change the text of `results.csv`."""
    path = folder / "results.csv"
    path.write_text(change(path.read_text(encoding="utf-8")), encoding="utf-8")
    return folder
