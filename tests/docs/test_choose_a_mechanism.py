"""The page on choosing a mechanism shows what `advise` prints of the committed runs."""

import json
from dataclasses import fields
from pathlib import Path

import pytest

from shflbench.analysis.answers.costs import ExchangeCost
from shflbench.analysis.answers.predicted import PREDICTED_TIE
from shflbench.analysis.ranking import TIE, Certainty
from tests.checker.in_process import start_no_processes
from tests.conftest import Command
from tests.docs.walk import walk

REPOSITORY = Path(__file__).parents[2]
PAGE = REPOSITORY / "docs" / "how-to" / "choose-a-mechanism.md"
TEXT = " ".join(PAGE.read_text(encoding="utf-8").split())


@pytest.mark.archs
def test_each_command_of_the_page_prints_what_it_shows(reader: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    start_no_processes(monkeypatch)
    monkeypatch.chdir(REPOSITORY)  # the page names runs of the repository
    executions = walk(PAGE, reader)
    assert len(executions) == 4
    for execution in executions:
        assert execution.outcome
        assert (execution.outcome.code, execution.missing) == (0, [])
        assert len(execution.expected) > 10
    costs = executions[-1].outcome
    assert costs
    assert json.loads(costs.out)["costs"]


def test_every_certainty_is_explained() -> None:
    assert all(f"*{certainty}*" in TEXT for certainty in Certainty)


def test_thresholds_of_the_page_are_those_of_the_code() -> None:
    assert f"slower by more than {TIE:.0%}" in TEXT
    assert f"variants within {PREDICTED_TIE:.0%} tie" in TEXT


def test_fields_of_costs_that_the_page_names_exist() -> None:
    table = PAGE.read_text(encoding="utf-8").partition("| field | meaning |")[2].partition("\n\n")[0]
    named = {word for word in table.split("`")[1::2] if not word.startswith("…")}
    assert named
    assert named <= {item.name for item in fields(ExchangeCost)}
