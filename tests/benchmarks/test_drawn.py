"""Cases are drawn over all patterns, equally each time, and the page of scores is that of the recorded runs."""

import re
from pathlib import Path

import pytest

from benchmarks import drawn
from benchmarks.common.pages import written_by
from shflbench.patterns.discover import builtin
from shflbench.store import find_runs
from shflbench.suite import load


def test_each_pattern_has_its_turn(tmp_path: Path) -> None:
    file = tmp_path / "drawn.yaml"
    file.write_text(drawn.drawn(3, len(builtin())), encoding="utf-8")
    assert sorted(case.pattern for case in load(file).cases) == sorted(builtin())


@pytest.mark.parametrize("seed", [1, 2])
def test_committed_suites_can_be_measured(seed: int) -> None:
    # They stay as they were drawn when patterns are added: what was measured is compared with them.
    assert len(load(drawn.CASES / f"drawn-{seed}.yaml").cases) == 230


def test_the_page_has_the_scores_of_the_recorded_runs() -> None:
    sections = "\n\n".join(map(drawn.scores, find_runs([drawn.CASES])))
    page = drawn.PAGE.format(written=written_by("drawn --score --record"), sections=sections)
    assert drawn.PAGE_FILE.read_text(encoding="utf-8") == page
    assert " have a limit; 0 take less time" in page


def test_the_page_on_predictions_quotes_the_scores() -> None:
    page = drawn.PAGE_FILE.read_text(encoding="utf-8")
    figures = re.search(
        r"- (\d+) of .*?, (\d+%) of these.*?median (.*?), 90% .*? within (.*?), largest (.*?)\.\n", page, re.DOTALL
    )
    assert figures
    timed, share, middle, tenth, worst = figures.groups()
    quoted = f"| {share} of {timed} | {middle} | at most {tenth} | {worst} |"
    assert quoted in (drawn.CASES.parents[1] / "docs/explanation/prediction-errors.md").read_text(encoding="utf-8")
