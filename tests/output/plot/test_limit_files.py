"""The charts that a run gets when it has limits: which files, and whether their titles are true."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from shflbench.output.plot import all_charts, draw
from shflbench.store import read_run
from shflbench.store.limits_file import LIMITS_FILE, write_limits
from tests.fakes.runs import measured, write_run
from tests.output.plot.charts import LIST_ITEM
from tests.output.plot.limit_claims import limit_errors
from tests.output.plot.limited import limits_for


def write(folder: Path, patterns: tuple[str, ...] = ("neighbor", "reduce")) -> None:
    """Write a small run with limits."""
    rows, samples = measured(patterns=patterns, dtypes=["f32", "i32"], samples=6)
    write_run(folder, rows, samples)
    write_limits(folder, limits_for(rows).values())


def drawn(folder: Path) -> dict[str, bytes]:
    run = read_run(folder)
    paths = draw(run, folder.parent / f"{folder.name}-plots", charts=all_charts(run))
    return {path.name: path.read_bytes() for path in paths}


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write a run of two patterns with limits."""
    folder = tmp_path_factory.mktemp("whole") / "run"
    write(folder)
    return folder


def test_limits_add_two_charts_and_leave_all_others_byte_for_byte_the_same(tmp_path: Path) -> None:
    write(tmp_path / "run", ("neighbor",))
    with_limits = drawn(tmp_path / "run")
    (tmp_path / "run" / LIMITS_FILE).unlink()
    without = drawn(tmp_path / "run")
    assert list(with_limits) == [*without, "limits.svg", "predictions.svg"]
    assert {name: with_limits[name] for name in without} == without


@dataclass(frozen=True)
class Claim:
    """The title of a chart without the name of the suite, and what it is about."""

    run: Path
    scope: tuple[str, ...]
    text: str

    def errors(self, text: str) -> list[str] | None:
        return limit_errors(self.run, self.scope, text)


@pytest.fixture(scope="module")
def claims(whole: Path, tmp_path_factory: pytest.TempPathFactory) -> list[Claim]:
    """Return the claims of both charts, of a run of two patterns and of a run of one."""
    one = tmp_path_factory.mktemp("one") / "run"
    write(one, ("neighbor",))
    return [
        claim_of(run, content)
        for run in (whole, one)
        for name, content in drawn(run).items()
        if name in {"limits.svg", "predictions.svg"}
    ]


def claim_of(run: Path, content: bytes) -> Claim:
    tree = ET.fromstring(content)  # noqa: S314  (our own files)
    (title,) = (item.text or "" for item in tree.iter("{http://purl.org/dc/elements/1.1/}title"))
    assert title.startswith("gtc2013: ")
    return Claim(run, tuple(item.text or "" for item in tree.iter(LIST_ITEM)), title.removeprefix("gtc2013: "))


@pytest.mark.archs
def test_the_titles_are_what_the_files_say(claims: list[Claim]) -> None:
    assert [claim.errors(claim.text) for claim in claims] == [[], [], [], []]


def another_number(pattern: str) -> Callable[[str], str]:
    """Return what raises the number before or after some words by one in its last digit."""

    def raised(match: re.Match[str]) -> str:
        decimals = len(match[0].partition(".")[2])
        return f"{float(match[0]) + 10**-decimals:.{decimals}f}"

    return lambda title: re.sub(pattern, raised, title, count=1)


@pytest.mark.one_in(7)
@pytest.mark.parametrize(
    "plant",
    [
        another_number(r"(?<=variant of )\d+"),
        another_number(r"\d+(?= patterns)"),
        another_number(r"(?<=; median )\d+"),
        another_number(r"\d+(?=% of the limit)"),
        another_number(r"(?<=times of )\d+"),
        another_number(r"\d+(?= cases)"),
        another_number(r"(?<=median error )[\d.]+"),
        another_number(r"(?<=worst .)[\d.]+"),
        lambda title: title.replace("\N{MINUS SIGN}", "+"),
        lambda title: re.sub(r"^[\w/ ]+(?= limits)", "match", title),
        lambda title: re.sub(r"(?<=limits )\w+(?=, which)", "smem", title),
    ],
)
def test_a_wrong_title_is_refused(claims: list[Claim], plant: Callable[[str], str]) -> None:
    planted = [(claim, plant(claim.text)) for claim in claims if plant(claim.text) != claim.text]
    assert planted
    assert all(claim.errors(text) for claim, text in planted)
