from shflbench.analysis.advice.judge import answers_of
from shflbench.analysis.advice.over_settings import summary_answers
from shflbench.store import read_run
from shflbench.store.limits_file import read_limits
from tests.export.html.pages import content_of, real


def test_the_answer_table_says_what_advise_says() -> None:
    run = read_run(real("gtc2013"))
    advised = summary_answers(answers_of(run, read_limits(run.folder)))
    shown = content_of(run.folder).answers
    assert len(shown) == len(advised) > 30
    by_topic = {(one.pattern, one.dtype): one for one in advised}
    for line in shown:
        one = by_topic[line.pattern, line.dtype]
        assert (line.use, line.mechanism, line.settings) == (
            one.variant,
            one.mechanism,
            f"{one.leads} of {len(one.answers)}",
        )
        assert line.outcome == ("depends" if one.depends else one.certainty)


def test_an_answer_gives_factor_certainty_and_limit() -> None:
    lines = {(line.pattern, line.dtype): line for line in content_of(real("gtc2013")).answers}
    neighbor = lines["neighbor", "f64"]
    assert (neighbor.use, neighbor.outcome, neighbor.over_next) == ("shfl", "clear", "2.0×")
    assert (neighbor.over_baseline, neighbor.baseline) == ("2.4×", "smem")
    assert (neighbor.limit, neighbor.limit_by) == ("97%", "exchange")


def test_a_winner_that_differs_between_settings_says_depends_and_where() -> None:
    depends = [line for line in content_of(real("gtc2013")).answers if line.outcome == "depends"]
    assert depends
    assert all("depends: " in line.exceptions and " at " in line.exceptions for line in depends)
