"""The winners of two runs: a setting agrees if a variant leads in both."""

import sys
from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks.winners import Pair, differences, main, pair_of, summary
from shflbench.store import read_run

RUN = Path(__file__).parents[2] / "results" / "quick" / "nvidia-h200"


@pytest.fixture(scope="module")
def pair() -> Pair:
    run = read_run(RUN)
    return pair_of(run, run)


def test_a_run_has_the_winners_of_itself(pair: Pair) -> None:
    settings, decided = len(pair.contests), len(pair.decided)
    assert settings > decided > 10
    assert (pair.different, differences(pair)) == ([], [])
    assert f"| {settings} | {settings} (100.0%) | {decided} | {decided} (100.0%) |" in summary(pair)


def test_a_setting_in_which_no_variant_leads_on_both_is_listed_with_the_losses(pair: Pair) -> None:
    contest, _ = pair.decided[0]
    other = replace(contest, leaders=contest.others[:1], others=contest.leaders)
    changed = replace(pair, contests=[(contest, other), *pair.contests[1:]])
    assert changed.different == [(contest, other)]
    (line,) = differences(changed)
    assert f"| {contest.fastest.variant} | {other.fastest.variant} |" in line
    loss = contest.slowdown(other.fastest, contest.fastest).value - 1
    assert f"{loss:+.1%}" in line


def test_the_page_is_written_and_few_differences_are_no_failure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = tmp_path / "page.md"
    monkeypatch.setattr(sys, "argv", ["winners", str(page), str(RUN), str(RUN)])
    with pytest.raises(SystemExit) as ended:
        main()
    assert not ended.value.code
    assert "| quick | " in page.read_text(encoding="utf-8")
