"""The pages about what code bases say are current, and have each of their claims once."""

import re

import pytest

from tools.docs.claims_page import verdicts
from tools.docs.contradictions_page import LETTERS, NAMES, PAGE, TOPICS, about, linked, pages

ROW = re.compile(r"^\| (?P<id>[BR]\d\d) \|", re.MULTILINE)
TEXTS = {name: PAGE.with_name(f"{name}.md").read_text(encoding="utf-8") for name in NAMES}
UNDECIDED = re.compile(r"^- \*\*(?P<id>[BR]\d\d)\*\*: ", re.MULTILINE)


@pytest.mark.archs
@pytest.mark.expensive
def test_the_pages_are_current() -> None:
    assert {path.stem: text for path, text in pages().items()} == TEXTS, "run `make plots`"


@pytest.mark.archs
def test_each_claim_stands_on_the_pages_once() -> None:
    judged = verdicts(LETTERS).by_id
    listed = ROW.findall("\n".join(TEXTS.values()))
    assert sorted(listed) == sorted(judged)
    assert {name for ids in TOPICS.values() for name in ids} == {
        name for name, one in judged.items() if one.claim.holds
    }


def test_the_first_page_says_which_page_has_each_claim() -> None:
    lines = re.findall(r"^\| \[.*\]\(([a-z-]+)\.md(?:#[a-z-]+)?\) \| (.*) \|$", TEXTS[PAGE.stem], re.MULTILINE)
    assert [cell.split(", ") for _, cell in lines] == [list(ids) for ids in TOPICS.values()]
    for name in NAMES[1:]:
        ids = [one for page, cell in lines if page == name for one in cell.split(", ")]
        assert ROW.findall(TEXTS[name]) == ids


@pytest.mark.parametrize("name", NAMES[1:])
def test_a_page_explains_each_of_its_claims_that_is_not_decided(name: str) -> None:
    topics = [topic for topic, ids in TOPICS.items() if ids[0] in ROW.findall(TEXTS[name])]
    undecided = [one.claim.id for one in about(*topics).with_verdict("depends", "inconclusive")]
    assert UNDECIDED.findall(TEXTS[name]) == undecided != []


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
