"""The page about what code bases say is current, and has each of their claims once."""

import re

import pytest

from tools.docs.claims_page import verdicts
from tools.docs.contradictions_page import LETTERS, PAGE, TOPICS, linked, render

ROW = re.compile(r"^\| (?P<id>[BR]\d\d) \|", re.MULTILINE)


@pytest.mark.archs
@pytest.mark.expensive
def test_the_page_is_current() -> None:
    assert render() == PAGE.read_text(encoding="utf-8"), "run `make plots`"


def test_each_claim_stands_on_the_page_once() -> None:
    judged = verdicts(LETTERS).by_id
    listed = ROW.findall(PAGE.read_text(encoding="utf-8"))
    assert sorted(listed) == sorted(judged)
    assert {name for ids in TOPICS.values() for name in ids} == {
        name for name, one in judged.items() if one.claim.holds
    }


def test_every_claim_with_a_condition_is_tested_in_a_setting_of_the_runs_and_misses_no_case() -> None:
    judged = verdicts(LETTERS).by_id.values()
    assert [one.claim.id for one in judged if one.claim.holds and not one.settings] == []
    assert {one.reason for verdict in judged for one in verdict.settings if one.is_missing} == set()


@pytest.mark.parametrize(
    ("source", "link"),
    [
        (
            "pytorch/pytorch, pull request 4973, 2018",
            "[pytorch/pytorch, pull request 4973](https://github.com/pytorch/pytorch/pull/4973), 2018",
        ),
        (
            "NVIDIA/cccl, issue 5167, 2025",
            "[NVIDIA/cccl, issue 5167](https://github.com/NVIDIA/cccl/issues/5167), 2025",
        ),
        ("A talk, 2013, example.com/a-talk", "[A talk, 2013](https://example.com/a-talk)"),
        ("A book, chapter 3", "A book, chapter 3"),
    ],
)
def test_a_source_links_to_its_thread_or_address(source: str, link: str) -> None:
    assert linked(source) == link
