import re

import pytest

from shflbench.analysis.answers.group_answers import newest_answers
from shflbench.analysis.answers.over_settings import summary_answers
from shflbench.store import read_run
from shflbench.store.limits_file import read_limits
from tests.output.export.html.pages import content_of, real


@pytest.mark.archs
def test_the_answer_table_says_what_advise_says() -> None:
    run = read_run(real("gtc2013"))
    answers = newest_answers([run], {run.folder: read_limits(run.folder)})
    advised = {(one.usual.pattern, one.usual.dtype): one for one in summary_answers(answers, run.info.device)}
    shown = content_of(run.folder).answers
    assert len(shown) == len(advised) > 30
    for line in shown:
        one = advised[line.pattern, line.dtype]
        assert (line.use, line.mechanism, line.settings, line.outcome) == (
            one.usual.variant,
            one.usual.mechanism,
            f"{one.leads} of {len(one.answers)}",
            "depends" if one.exceptions else one.usual.certainty,
        )


@pytest.mark.archs
def test_an_answer_gives_setting_factor_certainty_and_limit() -> None:
    known = read_limits(real("gtc2013"))["neighbor/shfl/f64/26x1024/4096/mode=idx"]
    lines = {(line.pattern, line.dtype): line for line in content_of(real("gtc2013")).answers}
    neighbor = lines["neighbor", "f64"]
    assert (neighbor.use, neighbor.outcome) == ("shfl", "clear")
    assert neighbor.setting == "26x1024, 4096 iterations, mode=idx"
    assert (neighbor.over_next, neighbor.next_best) == ("2.0×", "smem-syncwarp")
    assert (neighbor.over_baseline, neighbor.baseline) == ("2.4×", "smem")
    assert (neighbor.limit, neighbor.limit_by) == (f"{known.limit_fraction:.0%}", known.limit_by)


@pytest.mark.archs
def test_a_winner_that_differs_between_settings_says_depends_and_where() -> None:
    depends = [line for line in content_of(real("gtc2013")).answers if line.outcome == "depends"]
    assert depends
    assert all("elsewhere: " in line.exceptions and " at " in line.exceptions for line in depends)


@pytest.mark.archs
def test_variants_that_are_not_shown_to_be_slower_are_not_called_as_fast() -> None:
    blocks, gtc2013 = content_of(real("blocks")), content_of(real("gtc2013"))
    remarks = {line.outcome: line.exceptions for line in (*blocks.answers, *gtc2013.answers)}
    assert remarks["undecided"].startswith("not shown to be slower here: ")
    assert remarks["tie"].startswith("as fast here: ")
    assert blocks.sentences[0].endswith("; 8 depend on the setting and 3 are undecided.")
    assert gtc2013.sentences[0].endswith("; 6 depend on the setting and 1 is a tie.")


@pytest.mark.archs
def test_library_calls_are_named_beside_the_answer_and_are_none() -> None:
    lines = {(line.pattern, line.dtype): line for line in content_of(real("gtc2013")).answers}
    integers = lines["reduce", "i32"]
    assert integers.use == "redux"
    assert re.search("library calls as fast: (cub, cg|cg, cub)", integers.exceptions)
