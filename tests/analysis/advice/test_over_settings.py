"""One answer over the settings of a pattern and dtype."""

from shflbench.analysis.advice.answer import Certainty
from shflbench.analysis.advice.judge import answers_of
from shflbench.analysis.advice.over_settings import exceptions_to, summary_answers
from shflbench.model import Case
from tests.analysis.advice.rows import committed, run_of


def test_a_variant_that_leads_everywhere_has_a_range_of_factors() -> None:
    run = run_of(
        launches=("26x1024", "132x32"),
        us=lambda case: {"shfl": 10.0, "smem": float(case.launch.block)}.get(case.variant),
    )
    (summary,) = summary_answers(answers_of(run, {}))
    assert (summary.variant, summary.depends, summary.certainty) == ("shfl", False, Certainty.CLEAR)
    assert summary.over_baseline
    assert [round(factor, 1) for factor in summary.over_baseline] == [3.2, 102.4]
    assert summary.sentence == "shfl leads in both settings; 3.2× to 102× the speed of smem"


def test_another_winner_is_named_with_the_settings_and_its_factor() -> None:
    def us(case: Case) -> float | None:
        small = case.launch.block == 32
        return {"shfl": 20.0 if small else 10.0, "smem-syncwarp": 10.0 if small else 40.0}.get(case.variant)

    run = run_of(launches=("26x1024", "26x512", "26x32"), us=us)
    (summary,) = summary_answers(answers_of(run, {}))
    assert (summary.variant, summary.depends, summary.leads) == ("shfl", True, 2)
    assert summary.exceptions == ("smem-syncwarp at block=32 (2.0×)",)
    assert "leads in 2 of 3 settings" in summary.sentence
    assert "depends: smem-syncwarp at block=32 (2.0×)" in summary.sentence


def test_a_tie_is_no_exception_and_is_counted() -> None:
    def us(case: Case) -> float | None:
        return {"shfl": 10.0, "smem-syncwarp": 10.0 if case.launch.block == 32 else 40.0}.get(case.variant)

    run = run_of(launches=("26x1024", "26x32"), us=us)
    (summary,) = summary_answers(answers_of(run, {}))
    assert not summary.depends
    assert summary.certainty is Certainty.TIE
    assert summary.sentence.startswith("shfl leads in both settings, tied in 1")


def test_each_dtype_has_its_own_answer() -> None:
    summaries = summary_answers(answers_of(run_of("f32", "i32", pattern="reduce"), {}))
    assert [(summary.dtype, summary.variant) for summary in summaries] == [("f32", "shfl"), ("i32", "redux")]


def test_redux_sums_whole_warps_of_integers_only_on_the_committed_run() -> None:
    answers = answers_of(committed("gtc2013", "reduce"), {})
    summaries = {summary.dtype: summary for summary in summary_answers(answers)}
    (exception,) = summaries["i32"].exceptions
    assert exception.startswith("redux at width=32 (")
    assert summaries["f32"].exceptions == ()
    integers = [answer for answer in answers if answer.dtype == "i32"]
    assert exceptions_to("redux", integers) == ("shfl at width=2 or 4 or 8 or 16, where redux was not measured",)
