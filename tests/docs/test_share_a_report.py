"""The page on reports names the sections that a report has."""

import re
from pathlib import Path

import pytest

from shflbench.output.export.html import render
from shflbench.output.export.html.content import ClaimLine
from tests.fakes.report_runs import two_of_one_suite
from tests.output.export.html.pages import content_of

PAGE = (Path(__file__).parents[2] / "docs" / "how-to" / "share-a-report.md").read_text(encoding="utf-8")
CLAIM = ClaimLine(
    id="X1",
    says="a claim",
    source="a talk",
    figure="3×",
    measured="2×",
    verdict="confirmed",
    sentence="",
    why="",
    gpu="NVIDIA H200",
    patterns=("neighbor",),
)


@pytest.fixture(scope="module")
def html(tmp_path_factory: pytest.TempPathFactory) -> str:
    runs = two_of_one_suite(tmp_path_factory.mktemp("runs"))
    return render(content_of(*runs, claims=(CLAIM,)))


def test_each_section_of_a_report_is_on_the_page_in_its_order(html: str) -> None:
    sections = re.findall(r"^\| ([A-Z]\w+) \|", PAGE, re.MULTILINE)
    headings = re.findall(r'<h2 id="\w+">([^<]+)</h2>', html)
    assert [heading.split()[0] for heading in headings] == sections


def test_each_fact_that_the_page_promises_of_a_run_is_in_its_card(html: str) -> None:
    (promised,) = re.findall(r"^\| Runs \| for each run: (.*), and the verdict on the machine \|$", PAGE, re.MULTILINE)
    shown = {name.lower() for name in re.findall(r"<dt>([^<]+)</dt>", html)}
    for fact in promised.split(", "):
        assert {fact.lower(), fact.rpartition(" ")[2].lower()} & shown, fact
