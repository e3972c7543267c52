"""The page about the exchanges of today is current, and has each of their claims and patterns."""

import re

import pytest

from shflbench.store import read_run
from tools.docs.claims_page import verdicts
from tools.docs.exchanges_page import LETTER, PAGE, RUN, RUN_OF_CLUSTERS, render

ROW = re.compile(r"^\| (?P<id>X\d\d) \|", re.MULTILINE)
SETTING = re.compile(r"^Times in µs of `([^`]+)`", re.MULTILINE)


@pytest.mark.expensive
def test_the_page_is_current() -> None:
    assert render() == PAGE.read_text(encoding="utf-8"), "run `make plots`"


def test_each_claim_stands_on_the_page_once() -> None:
    judged = verdicts(LETTER, RUN.name).by_id
    assert ROW.findall(PAGE.read_text(encoding="utf-8")) == list(judged)
    assert [name for name, one in judged.items() if one.claim.holds and not one.settings] == []


def test_each_pattern_of_the_runs_has_a_table() -> None:
    patterns = {row.pattern for run in (RUN, RUN_OF_CLUSTERS) for row in read_run(run).rows}
    assert set(SETTING.findall(PAGE.read_text(encoding="utf-8"))) == patterns
